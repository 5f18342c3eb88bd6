// When the components of a machine fail, one after the other. Each node has some components of each kind,
// which fail independently of each other and of their age, so that the failures of the machine are a Poisson
// process and each is equally likely on any node. With another shape of lifetimes than 1, nodes are renewed
// by each failure, and fail as resilience/node_failures.h has it: which of them does is drawn evenly, too.
// Alternatively, the failures are those placed in the setup.
//
// A burst comes as one failure of each of its nodes, all at the same time.
//
// For the rates, a part that has failed is replaced at once; idle spares do not fail. Results are
// reproducible by seed on one machine, since a logarithm is needed.
#pragma once

#include <optional>

#include "base/random.h"
#include "cluster_scale/cluster_setup.h"
#include "resilience/node_failures.h"

namespace asterism {

class ComponentFailures {
 public:
  ComponentFailures(const ClusterSetup& setup, std::uint64_t seed);

  // The next failure; nothing after the last one that was placed.
  std::optional<PlacedFailure> next();

 private:
  std::optional<PlacedFailure> next_event();
  void take_burst(const PlacedFailure& first);
  double uniform();  // in [0, 1)

  std::vector<PlacedFailure> placed_;
  std::size_t given_ = 0;
  std::array<double, cluster_failure_kinds> rates_{};
  double rate_ = 0;                   // of the machine
  std::vector<PlacedFailure> burst_;  // what is left of one
  std::uint32_t nodes_, per_switch_, burst_nodes_;
  BurstPlace burst_place_;
  Random random_;
  std::optional<NodeFailures> aging_;  // if the shape of lifetimes is not 1
  Seconds last_;
};

// The failures of the machine a second: of the kinds that send the program back, and of all kinds. Corruption
// does if checks find it.
Rate setback_rate(const ClusterSetup& setup);
Rate failure_rate(const ClusterSetup& setup);

}  // namespace asterism
