// A program of iterations on a machine whose nodes keep each other's checkpoints, failure by failure.
//
// Every `interval` iterations all nodes wait for the dump; then each node's copy is sent to its buddy, while
// the program continues (semi_blocking) or waits (blocking). The checkpoint is complete when all buddies have
// their copies; if the program has continued, it has lost `overhead` by then. A checkpoint that is due while
// buddies still wait for the previous one is taken after the iteration in which that one ends (`late`).
//
// After every `global_every` checkpoints a copy is sent to the file system in the background, unless one is
// still being sent.
//
// After a failure of a node or of its link a spare takes over as soon as there is one. After a failure of
// DRAM or of a GPU the node stays. In all these cases all nodes roll back to the last checkpoint of which the
// state of every node exists: in its own copy, otherwise in that of the buddy, which is sent to the node that
// lacks it; otherwise in the last global copy; otherwise to the beginning. A failure before all buddies have
// a checkpoint ends that checkpoint, and the nodes roll back to the previous one; a failure during the
// recovery restarts the recovery. After the failure of an SSD that holds copies the program continues, and a
// checkpoint in progress is abandoned. Copies that a pair lacks are sent again by the node that has them,
// while the program runs; if the other copy is lost before that, it cannot be replaced. A global copy is
// abandoned when copies are lost, and begun again with the next checkpoint.
//
// Until a failure that rolls the program back is noticed, `detection` passes.
//
// Silent corruption makes the state of the program wrong; it runs on. Every `check_every` iterations, and at
// the end, all nodes check their state. If it is wrong, a spare takes over the node's place, and all nodes
// roll back to the newest state that was saved before the last check that has found nothing: to the
// checkpoint at the buddies if that is as old, otherwise to a copy on the file system, of which the newest
// and the newest checked one are kept. A rollback for another reason to a state from before the corruption
// undoes it. Without checks, the run ends with wrong data.
//
// A slow node makes iterations longer by `slowdown`, however many there are. After `slow_found` the run
// stops, saves the last iteration that is complete at the buddies, and a spare takes over.
//
// A burst takes several nodes at once.
//
// With `just_in_time` there are no checkpoints: buddies are replicas of each other, and both compute the same
// state. After a failure the dump is of what is left, as of the last iteration that was complete, and is sent
// to the nodes that have lost it. Global copies are taken every `global_every` intervals.
//
// With groups of more than two nodes, the copy of a lost node is computed from the parity of its group, in
// the time of a restart: each node of the group computes a part of it, which counts as if it came from the
// buddy. With more than two replicas, it comes from any node that has the copy; copies that are lost are
// replaced by the next checkpoint.
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
