#include "resilience/first_order.h"

#include <cmath>

namespace asterism {

Seconds optimal_interval(const CheckpointLevel& level) {
  return Seconds(std::sqrt(2 * level.checkpoint.count() / level.failures.per_second()));
}

double first_order_cost(const CheckpointLevel& level, Seconds interval) {
  const double writing = level.checkpoint == Seconds() ? 0 : level.checkpoint / interval;
  return writing + level.failures * (interval / 2 + level.restart);
}

double first_order_efficiency(std::span<const CheckpointLevel> levels) {
  check_levels(levels);
  double factor = 1;
  for (const CheckpointLevel& level : levels) factor *= 1 + first_order_cost(level, optimal_interval(level));
  return 1 / factor;
}

}  // namespace asterism
