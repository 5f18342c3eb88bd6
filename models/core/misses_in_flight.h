// The misses of a core's L1 that are in flight while it executes other instructions (engine): an interval
// model of a core that executes out of order.
//
// A miss begins when its address is known, which may depend on loads that are in flight, and as soon as one
// of the L1's buffers is free, which it takes until its end. The core goes on behind a load for the time of
// `window` more instructions, if they take as long as those of the load's basic block; then it waits for the
// load's end. Behind a store, it goes on as long as the store buffer has place for those whose line is not
// there yet. A fetch is waited for at once.
//
//   now = misses.pass(now);
//   const Picoseconds begun = misses.begin({registers, CacheAccess::load, instructions}, now);
//   misses.end(begun + latency);
//   now = misses.pass(now);
//
// Since a wait depends on the core's time only, it can be found out about later: with the next miss, or when
// the time is asked for. Without a window, each miss is waited for at once.
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
#include <vector>

#include "base/units.h"
#include "core/core_timing.h"
#include "core/instruction_clock.h"
#include "core/iss.h"
#include "core/line_filter.h"

namespace asterism {

class MissesInFlight {
 public:
  // `hit` is the time from the begin of a load that hits to its data. With a window, a miss takes it, too.
  // `units`: the time of a thousandth of a cycle.
  MissesInFlight(const MissTiming& timing, Picoseconds hit, const InstructionClock& units);

  struct Miss {
    AccessRegisters registers;
    CacheAccess what;
    std::uint64_t count;  // instructions before it
  };
  // When the L1 has missed, for an access that the core makes at a time. The end of the miss has to follow
  // before the next call.
  Picoseconds begin(const Miss& miss, Picoseconds now);
  void end(Picoseconds at);

  // The time of a core that has executed instructions until `now`, with its waits that are due by then.
  Picoseconds after_waits(Picoseconds now) const {
    return loads_.empty() || loads_.front().waits_at + shift_ > now ? now : sum_of_waits(now);
  }
  // The same, once and for all: the core's time is what is returned from now on.
  Picoseconds pass(Picoseconds now);
  // The core has waited for something else.
  void shift(Picoseconds wait) { shift_ += wait; }
  // The end of all loads, which an ISB waits for, and of all misses, which a DSB waits for.
  Picoseconds last_load_end() const;
  Picoseconds last_end() const { return last_end_; }

  void reset();

 private:
  struct Load {
    std::uint64_t count;
    std::uint64_t loaded;  // registers
    Picoseconds end;
    // When the core begins to wait for the end, without other waits in between, which are added to shift_.
    Picoseconds waits_at;
  };
  bool is_stored(const Miss& miss) const { return miss.what == CacheAccess::store && !store_buffer_.empty(); }
  void add_load(Picoseconds end);
  void wait_at_once(Picoseconds until);
  Picoseconds sum_of_waits(Picoseconds now) const;
  Picoseconds address_known(const Miss& miss) const;

  const std::uint64_t window_;
  const Picoseconds hit_;
  const InstructionClock units_;
  // Places, of which each is taken until a time.
  class Places {
   public:
    explicit Places(std::size_t count) : until_(count) {}
    bool empty() const { return until_.empty(); }
    Picoseconds earliest() const { return until_[first_]; }
    void take_earliest(Picoseconds until);
    void free_all();

   private:
    std::vector<Picoseconds> until_;  // ascending from first_ on, and then from 0
    std::size_t first_ = 0;
  };

  std::deque<Load> loads_;    // in the order of the program
  std::uint64_t loaded_ = 0;  // the registers of all of them, and of some before
  Places buffers_, store_buffer_;
  Miss begun_{};
  Picoseconds begun_at_{};
  Picoseconds shift_{};
  Picoseconds last_end_{};
};

}  // namespace asterism
