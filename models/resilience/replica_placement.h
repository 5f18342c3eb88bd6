// Where the nodes of a training run keep copies of each other's state, and how probable it is that the state
// of every node is still held by some node after several nodes have been lost at once.
//
//   group    Nodes are in groups of `size`; each holds copies of the whole group. A group is lost if more
//            than `tolerated` of its nodes are: with replicas `tolerated` is size - 1, with an erasure code
//            of `tolerated` parities any `tolerated` nodes can be rebuilt from the others of the group.
//   ring     Each node's state is on itself and on the size - 1 nodes that follow it: `size` neighbours in a
//            row that are lost take the state of the first of them along.
//   mixed    Groups of `size`, and one ring of the nodes that remain: Gemini's placement where the number of
//            nodes is not a multiple of `size`. The ring has from `size` to 2 size - 1 nodes.
//
// Every set of lost nodes is equally probable. The sets are counted, not sampled. The counts are integers in
// doubles, exact below 2^53 and to a relative error of some 1e-13 beyond.
//
// Sources: Wang et al., "GEMINI: Fast Failure Recovery in Distributed Training with In-Memory Checkpoints",
// SOSP 2023, section 4 (group, ring, mixed; replicas). Wang et al., arXiv 2310.12670 (groups with an erasure
// code).
#pragma once

#include <cstdint>
#include <span>

#include "base/enum_names.h"

namespace asterism {

enum class ReplicaPlacement { group, ring, mixed };
constexpr auto enum_names(ReplicaPlacement) {
  return std::to_array<EnumName<ReplicaPlacement>>(
      {{ReplicaPlacement::group, "group", "groups of nodes that hold each other's state"},
       {ReplicaPlacement::ring, "ring", "each node's state is also on the nodes that follow it"},
       {ReplicaPlacement::mixed, "mixed", "groups, and a ring of the nodes that remain"}});
}

struct CopyPlacement {
  ReplicaPlacement placement = ReplicaPlacement::mixed;
  std::uint32_t nodes = 16;
  std::uint32_t size = 2;       // of a group; in a ring the number of copies
  std::uint32_t tolerated = 1;  // losses of a group; size - 1 for copies
};
constexpr std::uint32_t max_lost_at_once = 64, max_group_size = 64;

// Throws TrainingMistake unless there is a whole group, groups divide the nodes evenly, a group
// tolerates fewer losses than it has nodes, and a ring, which has no parities, tolerates size - 1.
void check_placement(const CopyPlacement& placement);

// The nodes that the ring of a placement has; 0 for groups, also of mixed ones that divide the nodes evenly.
std::uint32_t nodes_in_ring(const CopyPlacement& placement);

// The probability that no state is lost with `lost` nodes at once, at most max_lost_at_once and no more than
// there are. Throws as check_placement() does.
double survival_probability(const CopyPlacement& placement, std::uint32_t lost);

// Whether the state of every node is left without these nodes, which are different from each other and in
// order.
bool survives(const CopyPlacement& placement, std::span<const std::uint32_t> lost);

}  // namespace asterism
