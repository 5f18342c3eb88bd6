#include "cluster_scale/component_failures.h"

#include <algorithm>
#include <cmath>

namespace asterism {

ComponentFailures::ComponentFailures(const ClusterSetup& setup, std::uint64_t seed)
    : placed_(setup.placed),
      nodes_(setup.nodes),
      per_switch_(setup.nodes_per_switch),
      burst_nodes_(setup.burst_nodes),
      burst_place_(setup.burst_place),
      random_(seed) {
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
  if (!burst_.empty()) {
    const PlacedFailure failure = burst_.back();
    burst_.pop_back();
    return failure;
  }
  const std::optional<PlacedFailure> failure = next_event();
  if (failure && failure->kind == ClusterFailureKind::burst) take_burst(*failure);
  return failure;
}

// Neighbours are on the switch of the first node. If it has too few, they are on its partner, too. At
// the last pair of switches, which may not be full, there may be fewer.
void ComponentFailures::take_burst(const PlacedFailure& first) {
  const std::uint32_t block = first.node / 2 / per_switch_, at = first.node / 2 % per_switch_;
  const std::uint32_t there = std::min(per_switch_, nodes_ / 2 - block * per_switch_);
  const bool anywhere = burst_place_ == BurstPlace::anywhere;
  const std::uint32_t all = anywhere ? burst_nodes_ : std::min(burst_nodes_, 2 * there);
  std::vector<std::uint32_t> lost{first.node};
  while (lost.size() < all) {
    const auto count = static_cast<std::uint32_t>(lost.size());
    const std::uint32_t pair = block * per_switch_ + (at + count) % there;
    const std::uint32_t node = anywhere ? static_cast<std::uint32_t>(random_.below(nodes_))
                                        : 2 * pair + ((first.node % 2) ^ (count / there));
    if (std::ranges::count(lost, node) == 0) lost.push_back(node);
  }
  for (const std::uint32_t node : lost)
    if (node != first.node) burst_.push_back({first.at, first.kind, node});
}

std::optional<PlacedFailure> ComponentFailures::next_event() {
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
  for (std::size_t kind = 0; kind < cluster_failure_kinds; ++kind) {
    const auto of = static_cast<ClusterFailureKind>(kind);
    const bool is_never_found = of == ClusterFailureKind::corruption && setup.check_every == 0;
    if (of != ClusterFailureKind::ssd && of != ClusterFailureKind::slow && !is_never_found)
      sum += setup.rates[kind];
  }
  return sum * setup.nodes;
}

}  // namespace asterism
