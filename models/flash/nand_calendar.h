// The event queue of a NAND array.
//
// Events of the same duration end in the order in which they began. One FIFO per duration, a lane, is
// therefore sufficient: insertion and removal have a constant cost, however many events there are.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/units.h"

namespace asterism {

template <std::size_t lanes>
class NandCalendar {
 public:
  // `max` is the maximum number of events in a lane at one time.
  void set_capacity(std::size_t lane, std::size_t max) {
    std::size_t size = 1;
    while (size < max) size *= 2;
    lanes_[lane].ring.resize(size);
    lanes_[lane].mask = size - 1;
  }

  void put(std::size_t lane, Picoseconds at, std::uint32_t what) {
    Lane& l = lanes_[lane];
    if (at < l.last) throw std::logic_error("time went back in the flash");
    l.last = at;
    if (l.first == l.end) {
      firsts_[lane] = at;
      find_next();
    }
    l.ring[l.end++ & l.mask] = {at, what};
  }

  std::optional<Picoseconds> next() const { return next_ == never ? std::nullopt : std::optional(next_); }
  bool is_next(Picoseconds at) const { return next_ == at; }
  // Whether there is an event not later than `at`.
  bool is_due(Picoseconds at) const { return next_ <= at && next_ != never; }

  struct Event {
    std::size_t lane;
    std::uint32_t what;
  };
  // Removes the next event: that of the lowest lane if several have the same time. There must be one.
  Event take() {
    const std::size_t lane = next_lane_;
    Lane& l = lanes_[lane];
    const std::uint32_t what = l.ring[l.first++ & l.mask].what;
    firsts_[lane] = l.first == l.end ? never : l.ring[l.first & l.mask].at;
    find_next();
    return {lane, what};
  }

  void clear() {
    firsts_ = all_never();
    next_ = never;
    for (Lane& lane : lanes_) {
      lane.first = lane.end = 0;
      lane.last = {};
    }
  }

 private:
  static constexpr Picoseconds never{std::numeric_limits<std::uint64_t>::max()};
  static constexpr std::array<Picoseconds, lanes> all_never() {
    std::array<Picoseconds, lanes> times;
    times.fill(never);
    return times;
  }

  void find_next() {
    next_lane_ = 0;
    for (std::size_t lane = 1; lane < lanes; ++lane)
      next_lane_ = firsts_[lane] < firsts_[next_lane_] ? lane : next_lane_;
    next_ = firsts_[next_lane_];
  }

  struct Entry {
    Picoseconds at;
    std::uint32_t what = 0;
  };
  struct Lane {
    std::vector<Entry> ring;
    std::size_t mask = 0;
    std::size_t first = 0, end = 0;  // counted without wrapping
    Picoseconds last;
  };

  std::array<Picoseconds, lanes> firsts_ = all_never();  // of each lane
  Picoseconds next_ = never;                             // of all
  std::size_t next_lane_ = 0;
  std::array<Lane, lanes> lanes_;
};

}  // namespace asterism
