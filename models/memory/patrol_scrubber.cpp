#include "memory/patrol_scrubber.h"

#include <algorithm>
#include <limits>

namespace asterism {

std::uint64_t PatrolScrubber::turns(Picoseconds now) const {
  if (interval_ == Picoseconds(0) || now < start_) return before_;
  return before_ + (now - start_) / interval_;
}

std::optional<PatrolScrubber::Turn> PatrolScrubber::next_turn() const {
  if (interval_ == Picoseconds(0)) return std::nullopt;
  // Scrubs before the last fault found nothing.
  const std::uint64_t number = std::max(done_, turns(memory_.touched_since()));
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
  return Turn{number + ahead, start_ + intervals * interval_};
}

std::optional<Picoseconds> PatrolScrubber::next_event() const {
  const std::optional<Turn> turn = next_turn();
  return turn ? std::optional(turn->at) : std::nullopt;
}

void PatrolScrubber::advance_to(Picoseconds now) {
  for (auto turn = next_turn(); turn && turn->at <= now; turn = next_turn()) {
    memory_.scrub(turn->at, turn->number % memory_.blocks());
    done_ = turn->number + 1;
  }
  done_ = std::max(done_, turns(now));
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
