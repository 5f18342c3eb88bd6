// When the nodes of a machine fail: each on its own, in lifetimes of a Weibull distribution, replaced by a new
// one at once. The next failure of any of them, one after the other.
//
// A shape of 1 is exponential: a node does not age, and the machine fails like one whose rate is that of all
// nodes together. Below 1 a node fails the more seldom, the longer it has lived; above 1 it wears out. In a
// machine that has run long enough (`new_machine` false) the ages differ, and many nodes together come close to
// the exponential machine whatever the shape; one that is all new does not.
//
// Reproducible by seed on one machine (it needs logarithms and powers).
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "resilience/seconds.h"

namespace asterism {

struct NodeFailureSettings {
  std::uint32_t nodes = 1;
  Seconds node_mttf;
  double shape = 1;
  bool new_machine = false;
  std::uint64_t seed = 1;
};

class NodeFailures {
 public:
  // Throws std::invalid_argument unless there is a node, their MTTF is above 0 and the shape from 0.1 to 10.
  explicit NodeFailures(const NodeFailureSettings& settings);

  Seconds next();    // from the machine's start on; never falls
  double uniform();  // [0, 1), for what else is drawn of a failure

 private:
  double lifetime();

  double inverse_shape_, scale_;
  Random random_;
  std::vector<double> failing_;  // when each node does, as a heap: the next one first
};

}  // namespace asterism
