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

Picoseconds PlaceLine::first_free(Picoseconds at) const {
  const auto after = full_.upper_bound(at);
  if (after == full_.begin()) return at;
  return std::max(at, std::prev(after)->second);
}

// The number of uses from a time on, which is a step of its own from now on.
std::uint32_t& PlaceLine::step_at(Picoseconds time) {
  const auto [step, is_new] = steps_.try_emplace(time, 0);
  if (is_new && step != steps_.begin()) step->second = std::prev(step)->second;
  return step->second;
}

void PlaceLine::occupy(Picoseconds begin, Picoseconds end) {
  if (begin >= end) return;
  step_at(begin);
  step_at(end);
  for (auto step = steps_.find(begin); step->first < end; ++step) {
    if (++step->second != places_) continue;
    Picoseconds first = step->first, last = std::next(step)->first;
    auto after = full_.upper_bound(first);
    if (after != full_.begin() && std::prev(after)->second == first) first = std::prev(after)->first;
    if (after != full_.end() && after->first == last) {
      last = after->second;
      full_.erase(after);
    }
    full_[first] = last;
  }
}

void PlaceLine::end(Picoseconds begin, Picoseconds end) {
  const Picoseconds from = std::max(begin, end);
  step_at(from);
  for (auto step = steps_.find(from); step->first < never; ++step) {
    if (step->second-- != places_) continue;
    const Picoseconds first = step->first, last = std::next(step)->first;
    const auto around = std::prev(full_.upper_bound(first));
    const auto [full_from, full_to] = *around;
    full_.erase(around);
    if (full_from < first) full_[full_from] = first;
    if (last < full_to) full_[last] = full_to;
  }
}

void PlaceLine::forget(Picoseconds now) {
  auto kept = steps_.upper_bound(now);
  if (kept != steps_.begin()) --kept;  // that of `now`
  steps_.erase(steps_.begin(), kept);
  while (!full_.empty() && full_.begin()->second <= now) full_.erase(full_.begin());
}

}  // namespace asterism
