// The patrol scrubber: reads one block after the other, one per interval, and rewrites those that were
// corrected, so that errors do not accumulate in memory that is not read. It wraps at the end of the memory.
// An engine (base/engine.h) whose results are those of EccMemory::scrub().
//
// A block that no fault touches is not actually read: the engine computes when it would be scrubbed, and is
// idle while there is no fault. A fault that arrives at the very time at which its block is scrubbed is found
// one pass later.
//
// reset: every kind stops the scrubber and returns it to the beginning of the memory. The owner restarts it
// by set_interval() when there is power.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reset.h"
#include "base/units.h"
#include "memory/ecc_memory.h"

namespace asterism {

class PatrolScrubber {
 public:
  // `memory` must outlive this. The first block is scrubbed one interval after time 0; an interval of 0 means
  // off.
  PatrolScrubber(EccMemory& memory, Picoseconds interval) : memory_(memory), interval_(interval) {}

  // Changes the interval: the next block is scrubbed one interval from now; 0 stops the scrubber.
  void set_interval(Picoseconds now, Picoseconds interval);
  Picoseconds interval() const { return interval_; }
  // Complete passes up to `now`, since the last reset.
  std::uint64_t passes(Picoseconds now) const { return scrubs(now) / memory_.blocks(); }

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);

 private:
  struct Scrub {
    std::uint64_t number;
    Picoseconds at;
  };
  std::uint64_t scrubs(Picoseconds now) const;  // scrubs up to and including `now`
  std::optional<Scrub> next_scrub() const;      // the next scrub of a block that is touched

  EccMemory& memory_;
  Picoseconds interval_;
  Picoseconds start_;         // when the interval was set
  std::uint64_t before_ = 0;  // scrubs before that
  std::uint64_t done_ = 0;    // lower bound of the scrubs that are done
};

}  // namespace asterism
