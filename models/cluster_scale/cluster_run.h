// A program of iterations on a machine whose nodes keep each other's checkpoints, failure by failure.
//
//   every `interval` iterations: dump (all wait), then each node's copy to its buddy, beside the program
//   (semi_blocking) or while it waits (blocking); when all buddies have theirs, this is the checkpoint. Beside the
//   program it has cost `overhead` by then. A checkpoint that is due while buddies still wait for the one before comes
//   with the iteration in which that one has ended (`late`).
//   every `global_every` checkpoints: its copy to the file system, in the background, when none is under way.
//
// A failure of a node or its link: a spare takes over, once there is one. Of DRAM or a GPU: the node goes on. All roll
// back in all these cases, to the last checkpoint of which every node's state is somewhere: own copies, else that of the
// buddy, sent to who lacks it; else the last global copy; else the beginning. A failure before all buddies have a checkpoint
// ends that one, and leads to the one before; one while the program comes back begins that again. Of an SSD that holds copies: the
// program runs on, a checkpoint under way is given up. Copies that a pair lacks are sent again by the one that has
// them, beside the program; until then the other's loss is final. A global copy is given up when copies are lost, and begun
// again with the next checkpoint.
//
// Left out: copies to buddies slow the program down by `overhead` whatever the network does to them; global copies and
// repairs cost the program nothing but the network they share; failures of switches; a program's own messages.
#pragma once

#include "cluster_scale/cluster_network.h"
#include "cluster_scale/cluster_result.h"

namespace asterism {

// One a process, in the network's only simulation.
ClusterResult run_cluster(const ClusterSetup& setup, std::uint64_t seed, ClusterNetwork& network);

}  // namespace asterism
