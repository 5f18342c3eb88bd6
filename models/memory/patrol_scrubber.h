// The patrol scrubber: reads one block after the other, an interval apart, and rewrites those that were corrected, so that
// errors do not add up in memory that nobody reads. Wraps at the end of the memory. An engine (base/engine.h) whose results
// are those of EccMemory::scrub().
//
// A block that no fault touches is not really read: the engine knows when its turn was, and is idle while there is no
// fault. A fault that comes in the instant of its block's turn is found one pass later.
//
// reset: every kind stops the scrubber and puts it at the beginning of the memory; whoever resets starts it again by
// set_interval() when there is power.
#pragma once

#include <cstdint>
#include <optional>

#include "base/reset.h"
#include "base/units.h"
#include "memory/ecc_memory.h"

namespace asterism {

class PatrolScrubber {
 public:
  // `memory` outlives this. The first block's turn is one interval after time 0; 0 is off.
  PatrolScrubber(EccMemory& memory, Picoseconds interval) : memory_(memory), interval_(interval) {}

  // From now on: the next block's turn is one interval later; 0 stops before it.
  void set_interval(Picoseconds now, Picoseconds interval);
  Picoseconds interval() const { return interval_; }
  // Whole ones up to `now`, since the last reset.
  std::uint64_t passes(Picoseconds now) const { return turns(now) / memory_.blocks(); }

  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);

 private:
  struct Turn {
    std::uint64_t number;
    Picoseconds at;
  };
  std::uint64_t turns(Picoseconds now) const;  // up to and including `now`
  std::optional<Turn> next_turn() const;       // of a block that is touched

  EccMemory& memory_;
  Picoseconds interval_;
  Picoseconds start_;         // when the interval was set
  std::uint64_t before_ = 0;  // turns before that
  std::uint64_t done_ = 0;    // turns that are behind, at least
};

}  // namespace asterism
