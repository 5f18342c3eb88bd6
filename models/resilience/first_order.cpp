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

double first_order_efficiency(std::span<const CheckpointLevel> levels, HigherLevels higher) {
  check_levels(levels);
  double factor = 1 + first_order_cost(levels[0], optimal_interval(levels[0]));
  Seconds delay;
  for (const CheckpointLevel& level : levels.subspan(1)) {
    delay += level.checkpoint;
    factor *= 1 + (higher == HigherLevels::background
                       ? level.failures * (level.checkpoint / 2 + delay + level.restart)
                       : first_order_cost(level, optimal_interval(level)));
  }
  return 1 / factor;
}

}  // namespace asterism
