// Scrubbers: one reads one block of a memory after the other, evenly in time, and rewrites those that were
// corrected, so that errors do not accumulate in memory that is not read. It wraps at the end of the memory.
// An engine (base/engine.h) whose results are those of the memory: EccMemory for the patrol scrubber of a
// controller, OnDieWords (on_die_scrubber.h) for that of the chips themselves.
//
// A block that no fault touches is not actually read: the engine computes when it would be scrubbed, and is
// idle while there is no fault. A fault that arrives at the very time at which its block is scrubbed is found
// one pass later.
//
// reset: every kind stops the scrubber and returns it to the beginning of the memory. The owner restarts it
// by set_interval() when there is power.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/reset.h"
#include "base/units.h"
#include "memory/ecc_memory.h"

namespace asterism {

// `Memory` has blocks(), next_touched(), touched_since() and scrub() as EccMemory does. scrub() gets the
// number of the scrub since the beginning, which is of the block with this number modulo blocks().
template <class Memory>
class Scrubber {
 public:
  // `memory` must outlive this. In each interval from time 0 on, so many blocks are scrubbed, evenly: the
  // n-th one after n / `in_interval` intervals, rounded up to a picosecond. An interval of 0 means off; any
  // other is a picosecond for each block or more.
  Scrubber(Memory& memory, Picoseconds interval, std::uint64_t in_interval = 1)
      : memory_(memory), interval_(interval), in_interval_(in_interval) {}

  // Changes the interval, which begins now; 0 stops the scrubber.
  void set_interval(Picoseconds now, Picoseconds interval) {
    advance_to(now);
    before_ = done_;
    start_ = now;
    interval_ = interval;
  }
  Picoseconds interval() const { return interval_; }
  // Complete passes up to `now`, since the last reset.
  std::uint64_t passes(Picoseconds now) const { return scrubs(now) / memory_.blocks(); }

  std::optional<Picoseconds> next_event() const {
    const std::optional<Scrub> scrub = next_scrub();
    return scrub ? std::optional(scrub->at) : std::nullopt;
  }
  void advance_to(Picoseconds now) {
    for (auto scrub = next_scrub(); scrub && scrub->at <= now; scrub = next_scrub()) {
      memory_.scrub(scrub->at, scrub->number);
      done_ = scrub->number + 1;
    }
    done_ = std::max(done_, scrubs(now));
  }
  void reset(Reset) {
    interval_ = start_ = {};
    before_ = done_ = 0;
  }

 private:
  struct Scrub {
    std::uint64_t number;
    Picoseconds at;
  };
  // Scrubs up to and including `now`.
  std::uint64_t scrubs(Picoseconds now) const {
    if (interval_ == Picoseconds(0) || now < start_) return before_;
    return before_ + scrubs_in(now - start_);
  }
  std::uint64_t scrubs_in(Picoseconds time) const {
    return scale(time.count(), in_interval_, interval_.count());
  }
  // The next scrub of a block that is touched.
  std::optional<Scrub> next_scrub() const {
    if (interval_ == Picoseconds(0)) return std::nullopt;
    // Scrubs before the last fault found nothing.
    const std::uint64_t number = std::max(done_, scrubs(memory_.touched_since()));
    const std::uint64_t position = number % memory_.blocks();
    auto block = memory_.next_touched(position);
    std::uint64_t ahead = block ? *block - position : memory_.blocks() - position;
    if (!block) {
      block = memory_.next_touched(0);
      if (!block) return std::nullopt;
      ahead += *block;
    }
    const std::uint64_t scrubs = number + ahead + 1 - before_;
    constexpr Picoseconds end_of_time{std::numeric_limits<std::uint64_t>::max()};
    if (scrubs > scrubs_in(end_of_time - start_)) return std::nullopt;
    return Scrub{number + ahead, start_ + Picoseconds(scale(scrubs, interval_.count(), in_interval_, true))};
  }

  Memory& memory_;
  Picoseconds interval_;
  std::uint64_t in_interval_;
  Picoseconds start_;         // when the interval was set
  std::uint64_t before_ = 0;  // scrubs before that
  std::uint64_t done_ = 0;    // lower bound of the scrubs that are done
};

using PatrolScrubber = Scrubber<EccMemory>;

}  // namespace asterism
