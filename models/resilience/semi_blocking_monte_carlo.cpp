#include "resilience/semi_blocking_monte_carlo.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace asterism {
namespace {

constexpr double quantile_99 = 2.5758293035489;  // of the normal distribution, two-sided
constexpr std::uint64_t fewest_intervals = 200;

class Player {
 public:
  Player(const BuddyCheckpoint& checkpoint, Seconds tau, std::uint64_t max_failures, std::uint64_t seed)
      : b_(checkpoint), tau_(tau), max_failures_(max_failures), random_(seed) {}

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
    const Seconds next = b_.mttf * -std::log1p(-uniform);
    const bool fails = next < length;
    time_ += fails ? next : length;
    failures_ += fails;
    if (at) *at = next;
    return fails;
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
  Seconds time_;
  std::uint64_t failures_ = 0;
};

}  // namespace

BuddyMonteCarlo simulate_semi_blocking(const BuddyCheckpoint& b, Seconds tau, std::uint64_t failures,
                                       std::uint64_t seed, const std::stop_token& stop) {
  const Seconds of_one = semi_blocking_time(b, tau - b.overhead, tau).total();
  const double wanted = static_cast<double>(failures) * std::min(b.mttf / of_one, 1e6);
  const auto intervals = std::max(fewest_intervals, static_cast<std::uint64_t>(wanted));
  Player player(b, tau, 100 * failures + 1'000'000, seed);
  BuddyMonteCarlo result{.stretch = std::numeric_limits<double>::infinity()};
  double mean = 0, squares = 0;  // of the lengths, by Welford
  while (result.intervals < intervals && !stop.stop_requested()) {
    const double length = player.interval().count();
    if (player.gave_up()) break;
    const double away = length - mean;
    mean += away / static_cast<double>(++result.intervals);
    squares += away * (length - mean);
  }
  result.failures = player.failures();
  if (result.intervals < intervals) return result;
  const auto n = static_cast<double>(result.intervals);
  const double work = (tau - b.overhead).count();
  result.stretch = mean / work;
  result.half_width_99 = quantile_99 * std::sqrt(squares / (n - 1) / n) / work;
  return result;
}

}  // namespace asterism
