#include "resilience/monte_carlo.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/random.h"

namespace asterism {
namespace {

constexpr double quantile_99 = 2.5758293035489;  // of the normal distribution, two-sided
constexpr std::uint64_t batches = 200;           // of cycles, where these depend on each other

class Player {
 public:
  Player(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
         const MonteCarloSettings& settings)
      : levels_(levels),
        schedule_(schedule),
        settings_(settings),
        all_(failures_of(levels)),
        end_(schedule.intervals()),
        random_(settings.seed),
        scale_(1 / (all_.per_second() * std::tgamma(1 + 1 / settings.shape))) {}

  // Nothing when it gave up.
  std::optional<Seconds> cycle() {
    Seconds time;
    for (std::uint64_t at = 0;;) {  // the youngest checkpoint
      const Seconds begun = schedule_.until(at, levels_), left = schedule_.until(end_, levels_) - begun;
      const Seconds next = to_failure();
      if (next >= left) {
        age_ += left;
        return time + left;
      }
      time += next;
      at = recover(reached(at, begun + next), struck_level(), time);
      if (failures_ > settings_.most_failures) return std::nullopt;
    }
  }

  std::uint64_t failures() const { return failures_; }
  std::uint64_t escalations() const { return escalations_; }

 private:
  double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }  // [0, 1)

  // From now, where none has happened for `age_`.
  Seconds to_failure() {
    const double draw = -std::log1p(-uniform());
    if (settings_.shape == 1) return Seconds(draw / all_.per_second());
    const double age = age_.count() / scale_;
    const double until = std::pow(std::pow(age, settings_.shape) + draw, 1 / settings_.shape);
    return Seconds(std::max(until - age, 0.0) * scale_);
  }

  std::size_t struck_level() {
    ++failures_;
    age_ = Seconds();
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
        age_ += levels_[level].restart;
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
  double scale_;  // of the Weibull distribution, in seconds
  Seconds age_;   // since the last failure
  std::uint64_t failures_ = 0, escalations_ = 0;
};

}  // namespace

MonteCarloResult play_checkpoints(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
                                  const MonteCarloSettings& settings) {
  check_levels(levels);
  check_schedule(schedule, levels);
  if (settings.cycles < 2) throw std::invalid_argument("an interval of confidence needs two cycles");
  if (!(settings.shape > 0)) throw std::invalid_argument("the shape of a Weibull distribution is above 0");
  Player player(levels, schedule, settings);
  // Cycles that depend on each other do so on their neighbours: batches of them hardly do.
  const std::uint64_t a_batch =
      settings.shape == 1 ? 1 : std::max<std::uint64_t>(settings.cycles / batches, 1);
  const std::uint64_t wanted = settings.cycles / a_batch;
  MonteCarloResult result;
  double mean = 0, squares = 0;  // of a cycle's length in each batch, by Welford
  std::uint64_t done = 0;        // batches
  while (done < wanted && !settings.stop.stop_requested()) {
    Seconds sum;
    std::uint64_t cycles = 0;
    for (; cycles < a_batch; ++cycles) {
      const std::optional<Seconds> length = player.cycle();
      if (!length) break;
      sum += *length;
    }
    result.cycles += cycles;
    if (cycles < a_batch) break;
    const double length = sum.count() / static_cast<double>(a_batch), away = length - mean;
    mean += away / static_cast<double>(++done);
    squares += away * (length - mean);
  }
  result.failures = player.failures();
  result.escalations = player.escalations();
  if (done < wanted) return result;
  const auto n = static_cast<double>(done);
  result.mean_cycle = Seconds(mean);
  result.efficiency = schedule.work() / result.mean_cycle;
  result.half_width_99 = result.efficiency * quantile_99 * std::sqrt(squares / (n - 1) / n) / mean;
  return result;
}

}  // namespace asterism
