#include "resilience/background_levels.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace asterism {
namespace {

constexpr double rounding = 1e-12;  // a drain of exactly n periods takes n

std::uint64_t whole_periods(Seconds drain, Seconds period) {
  return static_cast<std::uint64_t>(std::ceil(drain / period * (1 - rounding)));
}

}  // namespace

std::vector<std::uint64_t> drains_of(const CheckpointSchedule& schedule,
                                     std::span<const CheckpointLevel> levels) {
  const Seconds step = schedule.interval + levels[0].checkpoint;
  std::vector<std::uint64_t> drains;
  for (std::size_t level = 1; level < levels.size(); ++level)
    drains.push_back(
        whole_periods(levels[level].checkpoint, step * static_cast<double>(schedule.period(level - 1))));
  return drains;
}

std::vector<std::uint64_t> delays_of(const CheckpointSchedule& schedule,
                                     std::span<const CheckpointLevel> levels) {
  const std::vector<std::uint64_t> drains = drains_of(schedule, levels);
  std::vector<std::uint64_t> delays = {0};
  for (std::size_t level = 1; level < levels.size(); ++level)
    delays.push_back(delays.back() + drains[level - 1] * schedule.period(level - 1));
  return delays;
}

void check_drains(const CheckpointSchedule& schedule, std::span<const CheckpointLevel> levels) {
  check_levels(levels);
  check_schedule(schedule, levels);
  const std::vector<std::uint64_t> drains = drains_of(schedule, levels);
  for (std::size_t i = 0; i < drains.size(); ++i)
    if (drains[i] > schedule.counts[i] + 1)
      throw std::invalid_argument("level " + std::to_string(i + 2) + ": a drain of " +
                                  std::to_string(drains[i]) + " periods of the level below is longer than " +
                                  std::to_string(schedule.counts[i] + 1) + ", the period of its level");
}

CheckpointSchedule tightest_drains(Seconds interval, std::span<const CheckpointLevel> levels) {
  CheckpointSchedule schedule{interval, {}};
  Seconds period = interval + levels[0].checkpoint;
  for (const CheckpointLevel& level : levels.subspan(1)) {
    const std::uint64_t count = std::max<std::uint64_t>(whole_periods(level.checkpoint, period), 1);
    schedule.counts.push_back(count - 1);
    period = period * static_cast<double>(count);
  }
  return schedule;
}

}  // namespace asterism
