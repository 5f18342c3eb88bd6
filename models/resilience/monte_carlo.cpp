#include "resilience/monte_carlo.h"

#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/random.h"

namespace asterism {
namespace {

constexpr double quantile_99 = 2.5758293035489;  // of the normal distribution, two-sided

class Player {
 public:
  Player(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
         const MonteCarloSettings& settings)
      : levels_(levels),
        schedule_(schedule),
        settings_(settings),
        all_(failures_of(levels)),
        end_(schedule.intervals()),
        random_(settings.seed) {}

  // Nothing when it gave up.
  std::optional<Seconds> cycle() {
    Seconds time;
    for (std::uint64_t at = 0;;) {  // the youngest checkpoint
      const Seconds begun = schedule_.until(at, levels_), left = schedule_.until(end_, levels_) - begun;
      const Seconds next = to_failure();
      if (next >= left) return time + left;
      time += next;
      at = recover(reached(at, begun + next), struck_level(), time);
      if (failures_ > settings_.most_failures) return std::nullopt;
    }
  }

  std::uint64_t failures() const { return failures_; }
  std::uint64_t escalations() const { return escalations_; }

 private:
  double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }  // [0, 1)
  Seconds to_failure() { return Seconds(-std::log1p(-uniform()) / all_.per_second()); }

  std::size_t struck_level() {
    ++failures_;
    double share = uniform() * all_.per_second();
    std::size_t level = 0;
    while (level + 1 < levels_.size() && share >= levels_[level].failures.per_second())
      share -= levels_[level++].failures.per_second();
    return level;
  }

  // The youngest checkpoint at a time of an undisturbed cycle, not before `from`.
  std::uint64_t reached(std::uint64_t from, Seconds time) const {
    std::uint64_t low = from, high = end_;  // `high` is not reached
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (schedule_.until(middle, levels_) <= time ? low : high) = middle;
    }
    return low;
  }

  // Reads until it is undisturbed; the checkpoint that was read.
  std::uint64_t recover(std::uint64_t at, std::size_t need, Seconds& time) {
    while (failures_ <= settings_.most_failures) {
      at -= at % schedule_.period(need);
      const std::size_t level = schedule_.level_of(at);
      const Seconds next = to_failure();
      if (next >= levels_[level].restart) {
        time += levels_[level].restart;
        return at;
      }
      time += next;
      need = struck_level();
      if (need == level && settings_.rule == RecoveryRule::escalate && level + 1 < levels_.size()) ++need;
      if (need > level) ++escalations_;
    }
    return at;
  }

  std::span<const CheckpointLevel> levels_;
  const CheckpointSchedule& schedule_;
  MonteCarloSettings settings_;
  Rate all_;
  std::uint64_t end_;
  Random random_;
  std::uint64_t failures_ = 0, escalations_ = 0;
};

}  // namespace

MonteCarloResult play_checkpoints(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
                                  const MonteCarloSettings& settings) {
  check_levels(levels);
  check_schedule(schedule, levels);
  if (settings.cycles < 2) throw std::invalid_argument("an interval of confidence needs two cycles");
  Player player(levels, schedule, settings);
  MonteCarloResult result;
  double mean = 0, squares = 0;  // of the lengths, by Welford
  for (std::uint64_t n = 1; n <= settings.cycles && !settings.stop.stop_requested(); ++n) {
    const std::optional<Seconds> length = player.cycle();
    if (!length) break;
    const double away = length->count() - mean;
    mean += away / static_cast<double>(n);
    squares += away * (length->count() - mean);
    result.cycles = n;
  }
  result.failures = player.failures();
  result.escalations = player.escalations();
  if (result.cycles < settings.cycles) return result;
  const auto n = static_cast<double>(result.cycles);
  result.mean_cycle = Seconds(mean);
  result.efficiency = schedule.work() / result.mean_cycle;
  result.half_width_99 = result.efficiency * quantile_99 * std::sqrt(squares / (n - 1) / n) / mean;
  return result;
}

}  // namespace asterism
