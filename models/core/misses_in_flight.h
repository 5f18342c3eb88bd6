// The misses of a core's L1 that are in flight while it executes other instructions (engine): an interval
// model of a core that executes out of order.
//
// A miss begins when its address is known, which may depend on loads that are in flight, and as soon as one
// of the L1's buffers is free, which it takes until its end. The core goes on behind a load for the time of
// `window` more instructions, if they take as long as those of the load's basic block; then it waits for the
// load's end. Behind a store, it goes on as long as the store buffer has place for those whose line is not
// there yet. A fetch is waited for at once.
//
//   now = misses.pass(now).until;
//   const auto begun = misses.begin({registers, CacheAccess::load, instructions}, now);
//   misses.end(*begun + latency);
//   now = misses.pass(now).until;
//
// Since a wait depends on the core's time only, it can be found out about later: with the next miss, or when
// the time is asked for.
//
// If the end of a miss is not known at once, because memory is asked in simulated time, it stays open:
//
//   const auto miss = misses.end_later();
//   ...
//   misses.end(miss, at);                                    // when memory has answered
//   while (const auto begun = misses.next_begun(now)) ...    // others that have waited for it
//
// What depends on an open miss is not known either: the begin of others, and until when the core waits. All
// times are the same as if the ends had been known at once.
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
#include <optional>
#include <vector>

#include "base/units.h"
#include "core/core_timing.h"
#include "core/instruction_clock.h"
#include "core/iss.h"
#include "core/line_filter.h"

namespace asterism {

class MissesInFlight {
 public:
  using Id = std::uint64_t;  // of an open miss; ascending, and never used again

  // `hit` is the time from the begin of a load that hits to its data. With a window, a miss takes it, too.
  // `units`: the time of a thousandth of a cycle.
  MissesInFlight(const MissTiming& timing, Picoseconds hit, const InstructionClock& units);
  bool has_window() const { return window_ != 0; }

  struct Miss {
    AccessRegisters registers;
    CacheAccess what;
    std::uint64_t count;  // instructions before it
  };
  // When the L1 has missed, for an access that the core makes at a time. nullopt: that depends on open
  // misses. end(), or end_later(), has to follow before the next call; only the latter after nullopt.
  std::optional<Picoseconds> begin(const Miss& miss, Picoseconds now);
  void end(Picoseconds at);
  Id end_later();

  // The end of an open miss, which is not before simulated time.
  void end(Id miss, Picoseconds at);
  // The next of the open misses whose begin was not known, and is now that simulated time is `now`. To be
  // called until it returns nullopt after each end of an open miss, and at next_event().
  struct Begun {
    Id miss;
    Picoseconds at;
  };
  std::optional<Begun> next_begun(Picoseconds now);
  // nullopt: next_begun() has something only after the end of a miss.
  std::optional<Picoseconds> next_event() const;

  // The time of a core that has executed instructions until `now`, with its waits that are due by then.
  // Behind an open miss that it waits for, it is later than that.
  Picoseconds after_waits(Picoseconds now) const {
    return loads_.empty() || loads_.front().waits_at + shift_ > now ? now : sum_of_waits(now);
  }
  // The same, once and for all: the core's time is `until` from now on. Not known: it waits for an open miss,
  // too.
  struct Passed {
    Picoseconds until;
    bool is_known;
  };
  Passed pass(Picoseconds now);
  // The core has waited for something else.
  void shift(Picoseconds wait) { shift_ += wait; }
  // The end of all loads, which an ISB waits for, and of all misses, which a DSB waits for. nullopt: that
  // depends on open misses.
  std::optional<Picoseconds> last_load_end() const;
  std::optional<Picoseconds> last_end() const;

  void reset();

 private:
  // The end of an open miss is later than every time, until it is known.
  static constexpr Picoseconds first_open{std::uint64_t{1} << 63};
  static constexpr Picoseconds end_of(Id miss) { return first_open + Picoseconds(miss); }
  static constexpr bool is_open(Picoseconds end) { return end >= first_open; }

  // Places, of which each is taken until a time.
  class Places {
   public:
    explicit Places(std::size_t count) : until_(count) {}
    bool empty() const { return until_.empty(); }
    Picoseconds earliest() const { return until_[first_]; }
    // Whether earliest() is the earliest one, too, when all open misses have ended; or all that matters is
    // that it is not after a time.
    bool is_known(Picoseconds time) const { return earliest() <= time || open_ == 0; }
    void take_earliest(Picoseconds until);
    void end(Picoseconds open, Picoseconds until);
    void free_all();

   private:
    Picoseconds& at(std::size_t place) { return until_[(first_ + place) % until_.size()]; }

    std::vector<Picoseconds> until_;  // ascending from first_ on, and then from 0
    std::size_t first_ = 0;
    std::size_t open_ = 0;  // those that are taken until the end of an open miss
  };
  struct Load {
    std::uint64_t count;
    std::uint64_t loaded;  // registers
    Picoseconds end;
    // When the core begins to wait for the end, without other waits in between, which are added to shift_.
    Picoseconds waits_at;
  };
  struct Open {
    Id miss;
    bool is_fetch, is_stored;
  };
  // An open miss whose begin is not known.
  struct Waiting {
    Id miss = 0;
    bool wants_store_place = false, wants_buffer = true;
    std::vector<Picoseconds> loads = {};  // the open ones that its address depends on
    Picoseconds now{};                    // the core has a place for it
    Picoseconds address{}, buffer{};      // they are there
  };

  bool is_stored(const Miss& miss) const { return miss.what == CacheAccess::store && !store_buffer_.empty(); }
  template <class F>
  void for_loads_of_address(const Miss& miss, F f) const;
  Picoseconds address_known(const Miss& miss) const;
  bool waits_for(bool Waiting::*what) const;
  std::nullopt_t begin_later(Picoseconds now);
  void take_places(Picoseconds now);
  void add_load(Picoseconds end);
  void wait_at_once(Picoseconds until);
  void set_end(Picoseconds open, Picoseconds at);
  Picoseconds sum_of_waits(Picoseconds now) const;

  const std::uint64_t window_;
  const Picoseconds hit_;
  const InstructionClock units_;
  // In the order of the program; before them, what the core waits for at once.
  std::deque<Load> loads_;
  std::uint64_t loaded_ = 0;  // the registers of all of them, and of some before
  Places buffers_, store_buffer_;
  Miss begun_{};
  Picoseconds begun_at_{};
  Picoseconds shift_{};
  Picoseconds last_end_{};

  Id next_ = 0;
  std::vector<Open> open_;
  std::deque<Waiting> waiting_;  // in the order of the program
  std::optional<Waiting> begun_later_;
};

}  // namespace asterism
