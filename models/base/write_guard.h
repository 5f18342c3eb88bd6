// Who may keep a page of memory from being written to for a while: a DIMM-SSD, until it has copied the page.
//
// The cores' stores ask. Of an engine's stores to direct memory (Iss::collect_writes) the first one to a page since the page
// was collected asks, and the stores behind it need not: the lines are collected later. Where stores come over the bus, each
// asks, and is told with written(). An answer holds at the instant at which it is given, for a write at this instant.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "base/write_observer.h"

namespace asterism {

class WriteGuard : public WriteObserver {
 public:
  // Whether writes to this 4 KiB page may ever be kept waiting.
  virtual bool watches(Address page) const = 0;
  // Whether the page may be written to now. Asked first, by cores that may be ahead of simulated time.
  virtual bool admits(Address page) const = 0;
  // Where it may not: waits, in the thread of a core and at its time, until it may. `lines` are those that the write begins
  // with, as in WriteObserver. A reset may end the wait early; the write then does not happen.
  virtual void hold(Address page, std::uint64_t lines) = 0;
};

}  // namespace asterism
