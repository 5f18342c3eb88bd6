// A small machine for the tests of this folder, on which nothing fails before its run has ended.
#pragma once

#include "cluster_scale/cluster_setup.h"

namespace asterism {

// The machine has 8 nodes, two at each switch. Its program takes 100 iterations of one second, and after
// every 20 a checkpoint of 1 GB. A dump takes 2 s, the copies to the buddies take 5 s, during which the
// program loses 1 s. A restart takes 4 s, and a node copies 0.1 GB/s to the file system.
inline ClusterSetup small_cluster() {
  ClusterSetup setup;
  setup.nodes = 8;
  setup.nodes_per_switch = 2;
  setup.spares = 2;
  setup.spare_return = Seconds(1000);
  setup.state = Bytes(1'000'000'000);
  setup.dump = Seconds(2);
  setup.overlap = Seconds(5);
  setup.overhead = Seconds(1);
  setup.restart = Seconds(4);
  setup.drain = Bandwidth(100'000'000);
  setup.iterations = 100;
  setup.interval = 20;
  setup.placed = {{Seconds(1e6), ClusterFailureKind::node, 0}};
  setup.give_up = Seconds(1e5);
  return setup;
}

}  // namespace asterism
