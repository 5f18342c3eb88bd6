#include "cxl/busy_line.h"

#include <algorithm>

namespace asterism {

Picoseconds BusyLine::reserve(Picoseconds at, Picoseconds length) {
  if (length == Picoseconds(0)) return at;
  const auto first = std::ranges::partition_point(busy_, [&](const Interval& i) { return i.end < at; });
  auto last = first;  // the first interval that stays as it is
  Picoseconds begin = at, free = at, left = length;
  for (; last != busy_.end(); ++last) {
    if (last->begin > free) {
      const Picoseconds gap = last->begin - free;
      if (gap > left) break;
      left -= gap;
    }
    free = std::max(free, last->end);
    if (left == Picoseconds(0)) {
      ++last;
      break;
    }
  }
  // All time between is busy now. The end of the use is in the last gap that it has filled.
  Picoseconds end = free + left;
  Picoseconds ended = end;
  if (left == Picoseconds(0)) ended = std::prev(last)->begin;
  if (first != last) begin = std::min(begin, first->begin);
  const auto at_index = first - busy_.begin();
  busy_.erase(first, last);
  busy_.insert(busy_.begin() + at_index, {begin, end});
  return ended;
}

void BusyLine::forget(Picoseconds now) {
  const auto kept = std::ranges::partition_point(busy_, [&](const Interval& i) { return i.end <= now; });
  busy_.erase(busy_.begin(), kept);
}

std::uint32_t PlaceLine::count(Picoseconds at) const {
  const auto first = std::ranges::partition_point(uses_, [&](const Use& use) { return use.end <= at; });
  return static_cast<std::uint32_t>(
      std::count_if(first, uses_.end(), [&](const Use& use) { return use.begin <= at; }));
}

Picoseconds PlaceLine::first_free(Picoseconds at) const {
  if (count(at) < places_) return at;
  auto next = std::ranges::partition_point(uses_, [&](const Use& use) { return use.end <= at; });
  for (; next != uses_.end(); ++next)
    if (count(next->end) < places_) return next->end;
  return at;
}

void PlaceLine::occupy(Picoseconds begin, Picoseconds end) {
  const auto after = std::ranges::upper_bound(uses_, end, {}, &Use::end);
  uses_.insert(after, {begin, end});
}

void PlaceLine::forget(Picoseconds now) {
  const auto kept = std::ranges::partition_point(uses_, [&](const Use& use) { return use.end <= now; });
  uses_.erase(uses_.begin(), kept);
}

}  // namespace asterism
