// What ni2012's model (resilience/semi_blocking.h) says of a machine, from the costs that its nodes have by themselves:
// how long the program takes, and the interval that is best.
//
// The model knows one kind of failure, which a buddy's copy survives; its rate is here that of all failures that send the
// program back. A checkpoint that is taken again after a failure is semi-blocking, too, as the simulation has it: c of Eq.
// 3.5 is dump + overhead. In blocking checkpoints c is dump + overlap. Not in the model: what the network adds, SSDs
// that fail, copies that are lost with both buddies, failures during recovery.
#pragma once

#include <optional>

#include "cluster_scale/cluster_setup.h"
#include "resilience/semi_blocking.h"

namespace asterism {

BuddyCheckpoint buddy_checkpoint(const ClusterSetup& setup);

// Of the whole run; nothing where the model has no answer: failures are placed, nothing gets on, or the interval is
// outside its bounds.
std::optional<Seconds> predicted_time(const ClusterSetup& setup);

struct BestInterval {
  std::uint64_t iterations = 0;
  bool at_bound = false;  // as short as the overlap lets it be, or as long as MTTF or the run
};

// With a whole overlap in it; nothing where no interval gets on.
std::optional<BestInterval> best_interval(const ClusterSetup& setup);

}  // namespace asterism
