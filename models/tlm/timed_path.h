// A way from a master to memory on which the time of an access is known at once, so that monitored accesses
// (initiator_extension.h) need no payloads there.
//
// It is granted with direct memory: a target sets InitiatorExtension::timed in its answer to
// get_direct_mem_ptr, each module on the way replaces it by a path that includes what it does itself, and
// one that has to see payloads takes it out. It is valid as long as the direct memory, and as the
// modules that have made it.
#pragma once

#include "base/units.h"

namespace asterism {

class TimedPath {
 public:
  // Of a line of 64 bytes, which is aligned.
  struct Access {
    Address address;  // as in a payload at this place
    unsigned master;
    bool is_write;
    bool is_posted;  // a write whose master does not wait for it
  };

  virtual ~TimedPath() = default;
  // Returns the end of an access that starts at a time, which is not before simulated time. Counts it, and
  // loads what it passes, as a payload does. Takes no simulated time.
  virtual Picoseconds access(const Access& access, Picoseconds at) = 0;
};

}  // namespace asterism
