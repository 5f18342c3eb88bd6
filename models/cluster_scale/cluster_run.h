// A program of iterations on a machine whose nodes keep each other's checkpoints, failure by failure.
//
// Every `interval` iterations all nodes wait for the dump; then each node's copy is sent to its buddy, beside
// the program (semi_blocking) or while the program waits (blocking). When all buddies have their copies, this
// is the checkpoint. Beside the program it has cost `overhead` by then. A checkpoint that is due while
// buddies still wait for the one before is taken with the iteration in which that one has ended (`late`).
//
// Every `global_every` checkpoints a copy goes to the file system, in the background, if none is under way.
//
// After a failure of a node or of its link a spare takes over as soon as there is one. After a failure of
// DRAM or of a GPU the node stays. In all these cases all nodes roll back to the last checkpoint of which the
// state of every node exists: in its own copy, otherwise in that of the buddy, which is sent to the node that
// lacks it; otherwise in the last global copy; otherwise to the beginning. A failure before all buddies have
// a checkpoint ends that one and leads to the one before; a failure during the recovery begins it again.
// After the failure of an SSD that holds copies the program runs on, and a checkpoint under way is abandoned.
// Copies that a pair lacks are sent again by the node that has them, beside the program; until then the loss
// of the other one is final. A global copy is abandoned when copies are lost, and begun again with the next
// checkpoint.
//
// Left out: copies to buddies slow the program down by `overhead` whatever the network does to them; global
// copies and repairs cost the program nothing but the network that they share; failures of switches; messages
// of the program.
#pragma once

#include "cluster_scale/cluster_network.h"
#include "cluster_scale/cluster_result.h"

namespace asterism {

// A process runs one cluster, since the network has one simulation.
ClusterResult run_cluster(const ClusterSetup& setup, std::uint64_t seed, ClusterNetwork& network);

}  // namespace asterism
