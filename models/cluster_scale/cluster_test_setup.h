// What the tests of the room share: a small machine on which nothing fails before its run has ended.
#pragma once

#include "cluster_scale/cluster_setup.h"

namespace asterism {

// 8 nodes, two a switch. 100 iterations of a second; every 20 a checkpoint of 1 GB: 2 s, then 5 s that cost 1
// s. 4 s to restart, 0.1 GB/s to the file system.
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
