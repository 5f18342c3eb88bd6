#include "resilience/monte_carlo.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/random.h"

namespace asterism {
namespace {

constexpr double quantile_99 = 2.5758293035489;  // of the normal distribution, two-sided
constexpr std::uint64_t batches = 200;           // of cycles, if these depend on each other
constexpr double rare = 0.01;  // failures in a cycle; below it undisturbed cycles are counted by a division

class Player {
 public:
  Player(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
         const MonteCarloSettings& settings)
      : levels_(levels),
        schedule_(schedule),
        settings_(settings),
        all_(failures_of(levels)),
        background_(settings.higher == HigherLevels::background),
        delays_(background_ ? delays_of(schedule, levels) : std::vector<std::uint64_t>{}),
        begin_(background_ ? delays_.back() : 0),
        end_(begin_ + schedule.intervals()),
        length_(until(end_) - until(begin_)),
        random_(settings.seed),
        scale_(1 / (all_.per_second() * std::tgamma(1 + 1 / settings.shape))) {}

  Seconds length() const { return length_; }  // of a cycle without a failure

  // Skips the next cycles, up to a limit, until one has a failure, and returns their number. 0 if failures
  // are not rare: cycle() simulates them.
  std::uint64_t pass_undisturbed(std::uint64_t most) {
    if (all_.per_second() * length_.count() >= rare) return 0;
    if (!due_) due_ = to_failure();
    const double in_cycle = std::fmod(due_->count(), length_.count());
    const double before = std::round((due_->count() - in_cycle) / length_.count());
    if (before >= static_cast<double>(most)) {
      due_ = std::max(*due_ - length_ * static_cast<double>(most), Seconds());
      return most;
    }
    due_ = Seconds(in_cycle);
    return static_cast<std::uint64_t>(before);
  }

  // Nothing if it ended early.
  std::optional<Seconds> cycle() {
    Seconds time;
    usable_.assign(delays_.size(), 0);
    for (std::uint64_t at = begin_;;) {  // the youngest checkpoint
      const Seconds begun = until(at), left = until(end_) - begun;
      const Seconds next = due_ ? *std::exchange(due_, std::nullopt) : to_failure();
      if (next >= left) {
        age_ += left;
        return time + left;
      }
      time += next;
      at = recover(reached(at, begun + next), struck_level(), time);
      if (failures_ > settings_.max_failures) return std::nullopt;
    }
  }

  std::uint64_t failures() const { return failures_; }
  std::uint64_t escalations() const { return escalations_; }

 private:
  double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }  // [0, 1)

  // The time from now to the next failure, if none has occurred for `age_`.
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

  // Of a cycle without failures. With levels in the background it begins when a drain of the last level has
  // ended, and its checkpoints are counted from the one that was drained.
  Seconds until(std::uint64_t checkpoint) const {
    if (!background_) return schedule_.until(checkpoint, levels_);
    return (schedule_.interval + levels_[0].checkpoint) * static_cast<double>(checkpoint);
  }

  // Drains that have ended when this checkpoint is the youngest.
  void drain(std::uint64_t youngest) {
    for (std::size_t level = 0; level < usable_.size(); ++level) {
      if (youngest < delays_[level]) continue;
      const std::uint64_t drained = youngest - delays_[level];
      usable_[level] = std::max(usable_[level], drained - drained % schedule_.period(level));
    }
  }

  // The youngest checkpoint at a time of a cycle without failures, not before `from`.
  std::uint64_t reached(std::uint64_t from, Seconds time) const {
    std::uint64_t low = from, high = end_;  // `high` is not reached
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (until(middle) <= time ? low : high) = middle;
    }
    return low;
  }

  // Reads checkpoints until a read completes without a failure. Returns the checkpoint that was read.
  std::uint64_t recover(std::uint64_t at, std::size_t need, Seconds& time) {
    if (background_) drain(at);
    while (failures_ <= settings_.max_failures) {
      at = background_ ? usable_[need] : at - at % schedule_.period(need);
      const std::size_t level = background_ ? need : schedule_.level_of(at);
      const Seconds next = to_failure();
      if (next >= levels_[level].restart) {
        age_ += levels_[level].restart;
        time += levels_[level].restart;
        // It is a checkpoint of all lower levels again, and younger ones are lost.
        std::fill_n(usable_.begin(), background_ ? level + 1 : 0, at);
        return at;
      }
      time += next;
      need = struck_level();
      if (need == level && settings_.rule == RecoveryRule::escalate && level + 1 < levels_.size()) ++need;
      if (need > level) ++escalations_;
      if (background_) need = std::max(need, level);  // after a lower one the same checkpoint is read again
    }
    return at;
  }

  std::span<const CheckpointLevel> levels_;
  const CheckpointSchedule& schedule_;
  MonteCarloSettings settings_;
  Rate all_;
  bool background_;
  std::vector<std::uint64_t> delays_;  // of the levels in the background
  std::uint64_t begin_, end_;          // checkpoints
  Seconds length_;
  Random random_;
  double scale_;                       // of the Weibull distribution, in seconds
  Seconds age_;                        // since the last failure, if none is due
  std::optional<Seconds> due_;         // until the next one, if it is known at the beginning of a cycle
  std::vector<std::uint64_t> usable_;  // by level: the youngest checkpoint, in the background
  std::uint64_t failures_ = 0, escalations_ = 0;
};

// The mean and the squares of the batches' mean lengths of a cycle, by Welford, for many equal ones at once.
class Lengths {
 public:
  explicit Lengths(std::uint64_t cycles_of_a_batch) : size_(cycles_of_a_batch) {}

  void add(Seconds cycle, std::uint64_t times) {
    while (times > 0) {
      const bool whole = in_open_ == 0 && times >= size_;
      const std::uint64_t part = whole ? times - times % size_ : std::min(times, size_ - in_open_);
      times -= part;
      if (whole) {
        take(cycle.count(), part / size_);
        continue;
      }
      open_ += cycle * static_cast<double>(part);
      in_open_ += part;
      if (in_open_ < size_) continue;
      take(open_.count() / static_cast<double>(size_), 1);
      open_ = Seconds();
      in_open_ = 0;
    }
  }

  double mean() const { return mean_; }
  double deviation_of_mean() const {
    const auto n = static_cast<double>(batches_);
    return std::sqrt(squares_ / (n - 1) / n);
  }

 private:
  void take(double length, std::uint64_t times) {
    const auto n = static_cast<double>(times);
    const double away = length - mean_;
    batches_ += times;
    mean_ += away * n / static_cast<double>(batches_);
    squares_ += n * away * (length - mean_);
  }

  std::uint64_t size_, in_open_ = 0, batches_ = 0;
  Seconds open_;  // the batch that is not complete yet
  double mean_ = 0, squares_ = 0;
};

}  // namespace

std::uint64_t cycles_with(std::uint64_t failures, double of_a_cycle) {
  return static_cast<std::uint64_t>(std::clamp(static_cast<double>(failures) / of_a_cycle, 2.0, 0x1p62));
}

MonteCarloResult simulate_checkpoints(std::span<const CheckpointLevel> levels,
                                      const CheckpointSchedule& schedule,
                                      const MonteCarloSettings& settings) {
  check_levels(levels);
  check_schedule(schedule, levels);
  if (settings.higher == HigherLevels::background) check_drains(schedule, levels);
  if (settings.cycles < 2) throw std::invalid_argument("an interval of confidence needs two cycles");
  if (!(settings.shape > 0)) throw std::invalid_argument("the shape of a Weibull distribution is above 0");
  Player player(levels, schedule, settings);
  // Cycles depend on their neighbours; batches of them hardly depend on each other.
  const std::uint64_t a_batch =
      settings.shape == 1 ? 1 : std::max<std::uint64_t>(settings.cycles / batches, 1);
  const std::uint64_t wanted = settings.cycles / a_batch * a_batch;
  MonteCarloResult result;
  Lengths lengths(a_batch);
  while (result.cycles < wanted && !settings.stop.stop_requested()) {
    const std::uint64_t undisturbed = player.pass_undisturbed(wanted - result.cycles);
    lengths.add(player.length(), undisturbed);
    result.cycles += undisturbed;
    if (result.cycles == wanted) break;
    const std::optional<Seconds> length = player.cycle();
    if (!length) break;
    lengths.add(*length, 1);
    ++result.cycles;
  }
  result.failures = player.failures();
  result.escalations = player.escalations();
  if (result.cycles < wanted) return result;
  result.mean_cycle = Seconds(lengths.mean());
  result.efficiency = schedule.work() / result.mean_cycle;
  result.half_width_99 = result.efficiency * quantile_99 * lengths.deviation_of_mean() / lengths.mean();
  return result;
}

}  // namespace asterism
