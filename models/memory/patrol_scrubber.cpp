#include "memory/patrol_scrubber.h"

#include <algorithm>
#include <limits>

namespace asterism {

std::uint64_t PatrolScrubber::scrubs(Picoseconds now) const {
  if (interval_ == Picoseconds(0) || now < start_) return before_;
  return before_ + (now - start_) / interval_;
}

std::optional<PatrolScrubber::Scrub> PatrolScrubber::next_scrub() const {
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
  const std::uint64_t intervals = number + ahead + 1 - before_;
  constexpr std::uint64_t end_of_time = std::numeric_limits<std::uint64_t>::max();
  if (intervals > (end_of_time - start_.count()) / interval_.count()) return std::nullopt;
  return Scrub{number + ahead, start_ + intervals * interval_};
}

std::optional<Picoseconds> PatrolScrubber::next_event() const {
  const std::optional<Scrub> scrub = next_scrub();
  return scrub ? std::optional(scrub->at) : std::nullopt;
}

void PatrolScrubber::advance_to(Picoseconds now) {
  for (auto scrub = next_scrub(); scrub && scrub->at <= now; scrub = next_scrub()) {
    memory_.scrub(scrub->at, scrub->number % memory_.blocks());
    done_ = scrub->number + 1;
  }
  done_ = std::max(done_, scrubs(now));
}

void PatrolScrubber::set_interval(Picoseconds now, Picoseconds interval) {
  advance_to(now);
  before_ = done_;
  start_ = now;
  interval_ = interval;
}

void PatrolScrubber::reset(Reset) {
  interval_ = start_ = {};
  before_ = done_ = 0;
}

}  // namespace asterism
