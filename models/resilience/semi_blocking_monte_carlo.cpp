#include "resilience/semi_blocking_monte_carlo.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/random.h"

namespace asterism {
namespace {

constexpr double quantile_99 = 2.5758293035489;  // of the normal distribution, two-sided
constexpr std::uint64_t fewest_intervals = 200;
constexpr std::uint64_t interval_batches = 200;  // for intervals that depend on each other

class Player {
 public:
  Player(const BuddyCheckpoint& checkpoint, Seconds tau, std::uint64_t max_failures, std::uint64_t seed,
         double shape)
      : b_(checkpoint),
        tau_(tau),
        max_failures_(max_failures),
        random_(seed),
        shape_(shape),
        scale_(b_.mttf * (1 / std::tgamma(1 + 1 / shape))) {}

  Seconds interval() {
    time_ = Seconds();
    const Seconds again = tau_ - b_.overhead;  // work of an interval whose global checkpoint exists
    if (fails_within(b_.local)) redo(again + b_.local);
    Seconds at;
    if (!fails_within(tau_, &at)) return time_;
    if (at >= b_.overlap) {
      redo(again);
    } else {
      redo(again + b_.blocking);
      if (fails_within(tau_)) redo(tau_);
    }
    return time_;
  }

  std::uint64_t failures() const { return failures_; }
  bool gave_up() const { return failures_ > max_failures_; }

 private:
  // Lets time pass until the end of a piece, or until a failure.
  bool fails_within(Seconds length, Seconds* at = nullptr) {
    const double uniform = static_cast<double>(random_.next() >> 11) * 0x1p-53;  // [0, 1)
    const Seconds next = next_failure(-std::log1p(-uniform));
    const bool fails = next < length;
    age_ = fails ? Seconds() : age_ + length;
    time_ += fails ? next : length;
    failures_ += fails;
    if (at) *at = next;
    return fails;
  }

  // The time to the next failure, given the time since the last one: the integral of the hazard over it has
  // an exponential distribution, of which this is a draw.
  Seconds next_failure(double exponential) const {
    if (shape_ == 1) return b_.mttf * exponential;
    const double until = std::pow(std::pow(age_ / scale_, shape_) + exponential, 1 / shape_);
    return std::max(scale_ * until - age_, Seconds());
  }

  // After a failure: a restart and the lost work, begun again until they are done.
  void redo(Seconds length) {
    while (!gave_up() && (fails_within(b_.restart) || fails_within(length))) {
    }
  }

  BuddyCheckpoint b_;
  Seconds tau_;
  std::uint64_t max_failures_;
  Random random_;
  double shape_;
  Seconds scale_;
  Seconds age_;  // since the last failure
  Seconds time_;
  std::uint64_t failures_ = 0;
};

}  // namespace

BuddyMonteCarlo simulate_semi_blocking(const BuddyCheckpoint& b, Seconds tau, std::uint64_t failures,
                                       std::uint64_t seed, const std::stop_token& stop, double shape) {
  if (!(shape >= 0.1 && shape <= 10))
    throw std::invalid_argument("the shape of the times between failures is from 0.1 to 10");
  const Seconds of_one = semi_blocking_time(b, tau - b.overhead, tau).total();
  const double wanted = static_cast<double>(failures) * std::min(b.mttf / of_one, 1e6);
  const auto intervals = std::max(fewest_intervals, static_cast<std::uint64_t>(wanted));
  const std::uint64_t batch = shape == 1 ? 1 : std::max<std::uint64_t>(intervals / interval_batches, 10);
  Player player(b, tau, 100 * failures + 1'000'000, seed, shape);
  BuddyMonteCarlo result{.stretch = std::numeric_limits<double>::infinity()};
  double mean = 0, squares = 0;  // of the mean lengths of batches, by Welford
  std::uint64_t batches = 0;
  while (batches < intervals / batch && !stop.stop_requested()) {
    double length = 0;
    for (std::uint64_t i = 0; i < batch && !player.gave_up(); ++i) length += player.interval().count();
    if (player.gave_up()) break;
    result.intervals += batch;
    const double away = length / static_cast<double>(batch) - mean;
    mean += away / static_cast<double>(++batches);
    squares += away * (length / static_cast<double>(batch) - mean);
  }
  result.failures = player.failures();
  if (batches < intervals / batch) return result;
  const auto n = static_cast<double>(batches);
  const double work = (tau - b.overhead).count();
  result.stretch = mean / work;
  result.half_width_99 = quantile_99 * std::sqrt(squares / (n - 1) / n) / work;
  return result;
}

}  // namespace asterism
