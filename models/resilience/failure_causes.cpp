#include "resilience/failure_causes.h"

#include <cmath>
#include <stdexcept>

namespace asterism {

FailureSplit failure_split(const FailureCauses& causes, double soft_error_factor) {
  if (causes.total() == 0) throw std::invalid_argument("there is a failure");
  if (!(causes.soft_share >= 0 && causes.soft_share <= 1))
    throw std::invalid_argument("the share of soft errors is from 0 to 1");
  if (!std::isfinite(soft_error_factor) || soft_error_factor < 0)
    throw std::invalid_argument("the factor of soft errors is 0 or more");
  const auto total = static_cast<double>(causes.total()), hardware = static_cast<double>(causes.hardware);
  const double soft = hardware * causes.soft_share * soft_error_factor,
               needs_global = hardware * (1 - causes.soft_share) + static_cast<double>(causes.undetermined);
  const double others = total - hardware - static_cast<double>(causes.undetermined);
  const double all = soft + others + needs_global;
  return {.locally_recoverable = all > 0 ? (soft + others) / all : 0, .failures = all / total};
}

}  // namespace asterism
