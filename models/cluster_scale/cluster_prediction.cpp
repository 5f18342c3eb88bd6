#include "cluster_scale/cluster_prediction.h"

#include <algorithm>
#include <cmath>

#include "cluster_scale/component_failures.h"

namespace asterism {
namespace {

bool has_model(const ClusterSetup& setup) {
  return setup.placed.empty() && setback_rate(setup) > Rate() &&
         setup.checkpoint != ClusterCheckpoint::just_in_time;
}
bool is_semi_blocking(const ClusterSetup& setup) {
  return setup.checkpoint == ClusterCheckpoint::semi_blocking;
}
Seconds work_of(const ClusterSetup& setup) { return setup.iteration * static_cast<double>(setup.iterations); }

}  // namespace

BuddyCheckpoint buddy_checkpoint(const ClusterSetup& setup) {
  const bool semi = is_semi_blocking(setup);
  return {.overlap = overlap_of(setup),
          .overhead = setup.overhead,
          .local = setup.dump,
          .blocking = setup.dump + (semi ? setup.overhead : overlap_of(setup)),
          .restart = setup.restart + setup.detection,
          .mttf = Seconds(1 / setback_rate(setup).per_second())};
}

std::optional<Seconds> predicted_time(const ClusterSetup& setup) {
  if (!has_model(setup)) return std::nullopt;
  const Seconds work = work_of(setup), length = setup.iteration * static_cast<double>(setup.interval);
  try {
    const BuddyCheckpoint checkpoint = buddy_checkpoint(setup);
    const Seconds time = is_semi_blocking(setup)
                             ? semi_blocking_time(checkpoint, work, length + setup.overhead).total()
                             : blocking_time(checkpoint, work, length);
    if (std::isfinite(time.count())) return time;
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // outside the model's bounds
  }
  return std::nullopt;
}

std::optional<BestInterval> best_interval(const ClusterSetup& setup) {
  if (!has_model(setup)) return std::nullopt;
  const BuddyCheckpoint checkpoint = buddy_checkpoint(setup);
  const bool semi = is_semi_blocking(setup);
  const BuddyOptimum best =
      semi ? semi_blocking_optimum(checkpoint, work_of(setup)) : blocking_optimum(checkpoint, work_of(setup));
  if (!std::isfinite(best.total.count())) return std::nullopt;
  const Seconds length = semi ? best.tau - setup.overhead : best.tau;
  const double least = semi ? std::ceil((overlap_of(setup) - setup.overhead) / setup.iteration) : 1;
  const double count = std::max({std::round(length / setup.iteration), least, 1.0});
  const auto most = static_cast<double>(setup.iterations);
  return BestInterval{static_cast<std::uint64_t>(std::min(count, most)), best.at_bound || count >= most};
}

}  // namespace asterism
