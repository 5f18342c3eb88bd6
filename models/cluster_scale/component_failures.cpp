#include "cluster_scale/component_failures.h"

#include <cmath>

namespace asterism {

ComponentFailures::ComponentFailures(const ClusterSetup& setup, std::uint64_t seed)
    : placed_(setup.placed), nodes_(setup.nodes), random_(seed) {
  if (!placed_.empty()) return;
  for (std::size_t kind = 0; kind < cluster_failure_kinds; ++kind)
    rates_[kind] = setup.rates[kind].per_second() * setup.nodes;
  rate_ = failure_rate(setup).per_second();
  if (rate_ > 0 && setup.shape_of_lifetimes != 1)
    aging_.emplace(NodeFailureSettings{.nodes = setup.nodes,
                                       .node_mttf = Seconds(setup.nodes / rate_),
                                       .shape = setup.shape_of_lifetimes,
                                       .new_machine = setup.new_machine,
                                       .seed = seed ^ 0x6c69766573});
}

double ComponentFailures::uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }

std::optional<PlacedFailure> ComponentFailures::next() {
  if (!placed_.empty()) {
    if (given_ == placed_.size()) return std::nullopt;
    return placed_[given_++];
  }
  if (!(rate_ > 0)) return std::nullopt;
  if (aging_)
    last_ = aging_->next();
  else
    last_ += Seconds(-std::log1p(-uniform()) / rate_);
  double left = uniform() * rate_;
  std::size_t kind = 0;
  while (kind + 1 < cluster_failure_kinds && left >= rates_[kind]) left -= rates_[kind++];
  while (rates_[kind] <= 0) --kind;  // rounding has gone past the last kind that fails
  return PlacedFailure{last_, static_cast<ClusterFailureKind>(kind),
                       static_cast<std::uint32_t>(random_.below(nodes_))};
}

Rate failure_rate(const ClusterSetup& setup) {
  Rate sum;
  for (const Rate rate : setup.rates) sum += rate;
  return sum * setup.nodes;
}

Rate setback_rate(const ClusterSetup& setup) {
  Rate sum;
  for (std::size_t kind = 0; kind < cluster_failure_kinds; ++kind)
    if (static_cast<ClusterFailureKind>(kind) != ClusterFailureKind::ssd) sum += setup.rates[kind];
  return sum * setup.nodes;
}

}  // namespace asterism
