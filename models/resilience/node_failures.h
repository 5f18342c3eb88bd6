// When the nodes of a machine fail: each independently, with lifetimes of a Weibull distribution, and
// replaced by a new one at once. The class yields the failures of all nodes one after the other.
//
// A shape of 1 is exponential: a node does not age, and the machine fails like one with the rate of all nodes
// together. With a shape below 1 a node fails less often the longer it has lived; above 1 it wears out. In a
// machine that has run long enough (`new_machine` false) the ages differ, and many nodes together come close
// to the exponential machine whatever the shape. A machine of new nodes does not.
//
// Results are reproducible by seed on one machine, since logarithms and powers are needed.
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

  Seconds next();    // since the start of the machine; never decreases
  double uniform();  // in [0, 1), for other random properties of a failure

 private:
  double lifetime();

  double inverse_shape_, scale_;
  Random random_;
  std::vector<double> failing_;  // the time of each node's next failure, as a heap: the earliest first
};

}  // namespace asterism
