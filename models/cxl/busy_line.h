// Reservations of a resource by masters that are not simulated in the order of time: a request that comes
// late, but is for an early time, uses what the others have left free then.
//
//   BusyLine    a resource that one use occupies at a time, such as a direction of a link. A use may be
//               interleaved with others: it takes the free time from its begin on.
//   PlaceLine   a resource with a number of places, such as a queue. A use waits until a place is free.
//
// Uses that have been answered are not moved by those that become known later. Nothing is asked for a time
// before the `now` of the last forget(), which drops what has ended by then.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/units.h"

namespace asterism {

class BusyLine {
 public:
  // Reserves `length` of free time from `at` on and returns its end.
  Picoseconds reserve(Picoseconds at, Picoseconds length);
  void forget(Picoseconds now);
  void clear() { busy_.clear(); }
  std::size_t size() const { return busy_.size(); }

 private:
  struct Interval {
    Picoseconds begin, end;
  };
  std::vector<Interval> busy_;  // sorted and disjoint
};

class PlaceLine {
 public:
  explicit PlaceLine(std::uint32_t places) : places_(places) {}
  // The first time from `at` on at which a place is free.
  Picoseconds first_free(Picoseconds at) const;
  void occupy(Picoseconds begin, Picoseconds end);
  // A use whose end is not known yet; end() gives it. Meanwhile first_free() may be `never`.
  static constexpr Picoseconds never{~std::uint64_t{0}};
  void begin(Picoseconds begin) { occupy(begin, never); }
  void end(Picoseconds begin, Picoseconds end);
  void forget(Picoseconds now);
  void clear() {
    steps_.clear();
    full_.clear();
  }

 private:
  std::uint32_t& step_at(Picoseconds time);

  std::uint32_t places_;
  std::map<Picoseconds, std::uint32_t> steps_;  // the uses from each time on, to the next one
  std::map<Picoseconds, Picoseconds> full_;     // begin and end of the times without a free place; disjoint
};

}  // namespace asterism
