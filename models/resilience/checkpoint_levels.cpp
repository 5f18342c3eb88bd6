#include "resilience/checkpoint_levels.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace asterism {

void check_levels(std::span<const CheckpointLevel> levels) {
  if (levels.empty() || levels.size() > max_levels)
    throw std::invalid_argument("there are 1 to " + std::to_string(max_levels) + " levels of checkpoints");
  const auto refuse = [](std::size_t level, const char* problem) {
    throw std::invalid_argument("level " + std::to_string(level + 1) + ": " + problem);
  };
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double rate = levels[i].failures.per_second();
    if (!std::isfinite(rate) || rate <= 0) refuse(i, "a failure rate is above 0");
    for (const Seconds cost : {levels[i].checkpoint, levels[i].restart})
      if (!std::isfinite(cost.count()) || cost < Seconds()) refuse(i, "a cost is 0 or more");
  }
}

Rate failures_of(std::span<const CheckpointLevel> levels) {
  Rate all;
  for (const CheckpointLevel& level : levels) all += level.failures;
  return all;
}

std::uint64_t CheckpointSchedule::period(std::size_t level) const {
  std::uint64_t intervals = 1;
  for (std::size_t i = 0; i < level; ++i) intervals *= counts.at(i) + 1;
  return intervals;
}

std::uint64_t CheckpointSchedule::intervals() const { return period(counts.size()); }

std::size_t CheckpointSchedule::level_of(std::uint64_t checkpoint) const {
  std::size_t level = 0;
  for (std::uint64_t period = 1; level < counts.size(); ++level) {
    period *= counts[level] + 1;
    if (checkpoint % period != 0) break;
  }
  return level;
}

Seconds CheckpointSchedule::until(std::uint64_t checkpoint, std::span<const CheckpointLevel> levels) const {
  Seconds time = interval * static_cast<double>(checkpoint);
  std::uint64_t written = checkpoint;  // of this level and higher ones
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::uint64_t higher = i < counts.size() ? written / (counts[i] + 1) : 0;
    time += levels[i].checkpoint * static_cast<double>(written - higher);
    written = higher;
  }
  return time;
}

void check_schedule(const CheckpointSchedule& schedule, std::span<const CheckpointLevel> levels) {
  if (!std::isfinite(schedule.interval.count()) || schedule.interval <= Seconds())
    throw std::invalid_argument("an interval of work is above 0");
  if (schedule.counts.size() + 1 != levels.size())
    throw std::invalid_argument("there is a count for each level but the last");
  double intervals = 1;
  for (const std::uint64_t count : schedule.counts) intervals *= static_cast<double>(count) + 1;
  if (intervals > 0x1p52) throw std::invalid_argument("a cycle has at most 2^52 intervals");
}

}  // namespace asterism
