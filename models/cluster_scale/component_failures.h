// When components of a machine fail, one after the other: each node has some of each kind, which fail independently
// of each other and of their age, so that the machine's failures are a Poisson process and each strikes any node
// alike. Or those that somebody has placed.
//
// A part that has failed is replaced at once as far as rates are concerned; idle spares do not fail. Reproducible by
// seed on one machine (it needs a logarithm).
#pragma once

#include <optional>

#include "base/random.h"
#include "cluster_scale/cluster_setup.h"

namespace asterism {

class ComponentFailures {
 public:
  ComponentFailures(const ClusterSetup& setup, std::uint64_t seed);

  // The next one; nothing after the last that was placed.
  std::optional<PlacedFailure> next();

 private:
  double uniform();  // [0, 1)

  std::vector<PlacedFailure> placed_;
  std::size_t given_ = 0;
  std::array<double, cluster_failure_kinds> rates_{};
  double rate_ = 0;  // of the machine
  std::uint32_t nodes_;
  Random random_;
  Seconds last_;
};

// Of the machine: a second, the kinds that send the program back, and all of them.
Rate setback_rate(const ClusterSetup& setup);
Rate failure_rate(const ClusterSetup& setup);

}  // namespace asterism
