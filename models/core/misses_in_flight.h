// The misses of a core's L1 that are in flight while it executes other instructions (engine): an interval
// model of a core that executes out of order.
//
// A miss begins when its address is known, which may depend on loads that are in flight, and as soon as one
// of the L1's buffers is free, which it takes until its end. The core goes on behind a load until `window`
// more instructions have been executed; then it waits for the load's end. Behind a store, it goes on as
// long as the store buffer has place for those whose line is not there yet. A fetch is waited for at once.
//
//   const Picoseconds begun = misses.begin({registers, CacheAccess::load, instructions}, now);
//   misses.end(begun + latency);
//   if (instructions >= misses.waits_behind()) now = misses.waits_until(instructions, now);
//
// Without a window, each miss is waited for at once.
//
// Left out: hits, and instructions that are not loads or stores, do not wait for misses, except at the end of
// the window; a wrong prediction that depends on a miss costs its penalty only; barriers other than DSB order
// nothing in time.
//
// Source: Carlson, Heirman, Eyerman, Hur and Eeckhout, An Evaluation of High-Level Mechanistic Core Models,
// ACM TACO 11(3), 2014: the effect of long-latency loads on an interval.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "base/units.h"
#include "core/core_timing.h"
#include "core/iss.h"
#include "core/line_filter.h"

namespace asterism {

class MissesInFlight {
 public:
  // `hit` is the time from the begin of a load that hits to its data. With a window, a miss takes it, too.
  MissesInFlight(const MissTiming& timing, Picoseconds hit);

  struct Miss {
    AccessRegisters registers;
    CacheAccess what;
    std::uint64_t count;  // instructions before it
  };
  // When the L1 has missed, for an access that the core makes at a time. The end of the miss has to follow
  // before the next call.
  Picoseconds begin(const Miss& miss, Picoseconds now);
  void end(Picoseconds at);

  // The number of instructions behind which the core has to wait; never: it has not.
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t waits_behind() const;
  // The time at which it goes on behind so many instructions, if it is ready at `now`.
  Picoseconds waits_until(std::uint64_t count, Picoseconds now);
  // The end of all loads, which an ISB waits for, and of all misses, which a DSB waits for.
  Picoseconds last_load_end() const;
  Picoseconds last_end() const { return last_end_; }

  void reset();

 private:
  struct Load {
    std::uint64_t count;
    std::uint64_t loaded;  // registers
    Picoseconds end;
  };
  void add_load(Picoseconds end);
  Picoseconds address_known(const Miss& miss) const;

  const std::uint64_t window_;
  const Picoseconds hit_;
  std::deque<Load> loads_;                                // in the order of the program
  std::vector<Picoseconds> buffers_, store_buffer_;       // until when each place is taken
  Picoseconds *buffer_ = nullptr, *stored_in_ = nullptr;  // of the miss that has begun
  Miss begun_{};
  Picoseconds waits_until_{};  // whatever the number of instructions
  Picoseconds last_end_{};
};

}  // namespace asterism
