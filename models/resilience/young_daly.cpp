#include "resilience/young_daly.h"

#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>
#include <stdexcept>

#include "resilience/first_order.h"

namespace asterism {
namespace {

void check(const CheckpointLevel& level) { check_levels({&level, 1}); }

double mean_time_to_failure(const CheckpointLevel& level) { return 1 / level.failures.per_second(); }

void check_interval(Seconds interval) {
  if (!std::isfinite(interval.count()) || interval <= Seconds())
    throw std::invalid_argument("an interval of work is above 0");
}

void check_run(Seconds interval, Seconds work) {
  check_interval(interval);
  if (!std::isfinite(work.count()) || work <= Seconds())
    throw std::invalid_argument("the work of a run is above 0");
  if (interval > work) throw std::invalid_argument("an interval of work is no longer than the run");
}

// The mean time of undisturbed work of length t, which is begun again with a restart at each failure.
Seconds expected_time(const CheckpointLevel& level, Seconds t) {
  const double m = mean_time_to_failure(level);
  return Seconds(m * std::exp(level.failures * level.restart) * std::expm1(level.failures * t));
}

}  // namespace

Seconds young_interval(const CheckpointLevel& level) {
  check(level);
  return optimal_interval(level);
}

Seconds daly_first_order_interval(const CheckpointLevel& level) {
  check(level);
  return Seconds(
      std::sqrt(2 * level.checkpoint.count() * (mean_time_to_failure(level) + level.restart.count())));
}

Seconds daly_interval(const CheckpointLevel& level) {
  check(level);
  const double m = mean_time_to_failure(level), delta = level.checkpoint.count(), share = delta / (2 * m);
  if (share >= 1) return Seconds(m);
  return Seconds(std::sqrt(2 * delta * m) * (1 + std::sqrt(share) / 3 + share / 9) - delta);
}

Seconds best_interval(const CheckpointLevel& level) {
  check(level);
  const double m = mean_time_to_failure(level), share = level.failures * level.checkpoint;
  // Near the branch point at share 0 the argument of W loses digits, so that its series is used there.
  if (share < 1e-8) {
    const double p = std::sqrt(2 * share);
    return Seconds(m * (p - p * p / 3));
  }
  return Seconds(m * (1 + boost::math::lambert_w0(-std::exp(-1 - share))));
}

Seconds expected_run_time(const CheckpointLevel& level, Seconds interval, Seconds work) {
  check(level);
  check_run(interval, work);
  const double checkpoints = std::ceil(work / interval * (1 - 1e-12)) - 1;  // none at the end
  const Seconds last = work - interval * checkpoints;
  return checkpoints * expected_time(level, interval + level.checkpoint) + expected_time(level, last);
}

Seconds first_order_run_time(const CheckpointLevel& level, Seconds interval, Seconds work) {
  check(level);
  check_run(interval, work);
  return work * (1 + first_order_cost(level, interval));
}

double single_level_efficiency(const CheckpointLevel& level, Seconds interval) {
  check(level);
  check_interval(interval);
  return interval / expected_time(level, interval + level.checkpoint);
}

}  // namespace asterism
