// The prediction of ni2012's model (resilience/semi_blocking.h) for a machine, from the costs that its nodes
// have by themselves: how long the program takes, and the best interval.
//
// The model has one kind of failure, which a buddy's copy survives. Its rate is here that of all failures
// that roll the program back, with corruption if checks find it. A checkpoint that is taken again after a
// failure is semi-blocking, as in the simulation: c of Eq. 3.5 is dump + overhead. For blocking checkpoints
// c is dump + overlap. The model leaves out what the network adds, SSDs that fail, copies that are lost
// with both buddies, failures during recovery, slow nodes, and how late corruption is found. The time to
// detect a failure is part of the restart. There is no model of checkpoints just in time.
#pragma once

#include <optional>

#include "cluster_scale/cluster_setup.h"
#include "resilience/semi_blocking.h"

namespace asterism {

BuddyCheckpoint buddy_checkpoint(const ClusterSetup& setup);

// The time of the whole run. nullopt if the model does not apply: failures are placed, there is no progress,
// or the interval is outside its bounds.
std::optional<Seconds> predicted_time(const ClusterSetup& setup);

struct BestInterval {
  std::uint64_t iterations = 0;
  bool at_bound = false;  // as short as the overlap allows, or as long as MTTF or the run
};

// The best interval that contains a whole overlap. nullopt if there is no progress with any interval.
std::optional<BestInterval> best_interval(const ClusterSetup& setup);

}  // namespace asterism
