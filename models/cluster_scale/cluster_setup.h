// A machine of up to 100,000 nodes and the program on it, as the input of the simulation of
// models/cluster_scale.
//
// Each switch has `nodes_per_switch` nodes. A "switch" is the unit of the network here: a real switch, or a
// cabinet of them. Two nodes that are each other's buddies are on different switches, and all nodes of a
// switch have their buddies on one other switch: with n switches of compute nodes, the pairs are switches s
// and s + n / 2 (`far`), or two neighbours (`near`).
//
// The costs of a node by itself are measured (the node's stats.json, object node.checkpoint_costs): how long
// its program is stalled for a local copy, how fast its buddy receives that copy, what this costs the
// program, how fast the node drains to the file system, and how long it takes to restore a lost node. The
// network can make transfers slower than that, never faster.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/seconds.h"

namespace asterism {

enum class ClusterTopology { fat_tree, dragonfly, torus };
constexpr auto enum_names(ClusterTopology) {
  return std::to_array<EnumName<ClusterTopology>>(
      {{ClusterTopology::fat_tree, "fat_tree", "switches in pods, and pods under one core; links in bundles"},
       {ClusterTopology::dragonfly, "dragonfly",
        "groups of chassis of blades, minimal routes, one link between groups"},
       {ClusterTopology::torus, "torus", "three dimensions, routed one after the other"}});
}

enum class BuddyDistance { far, near };
constexpr auto enum_names(BuddyDistance) {
  return std::to_array<EnumName<BuddyDistance>>(
      {{BuddyDistance::far, "far",
        "half the machine away: buddies seldom fail together, and all links are used"},
       {BuddyDistance::near, "near", "in the next switch"}});
}

enum class CopyDevice { ssd, memory };
constexpr auto enum_names(CopyDevice) {
  return std::to_array<EnumName<CopyDevice>>(
      {{CopyDevice::ssd, "ssd", "on the SSD: lost with it, kept when memory fails"},
       {CopyDevice::memory, "memory", "in DRAM: lost with it; failures of SSDs have no effect"}});
}

enum class ClusterCheckpoint { semi_blocking, blocking, just_in_time };
constexpr auto enum_names(ClusterCheckpoint) {
  return std::to_array<EnumName<ClusterCheckpoint>>(
      {{ClusterCheckpoint::semi_blocking, "semi_blocking",
        "the program waits for the local copy and runs on while the buddies receive theirs"},
       {ClusterCheckpoint::blocking, "blocking", "the program waits for both"},
       {ClusterCheckpoint::just_in_time, "just_in_time",
        "buddies compute the same state, which the one that is left writes after a failure"}});
}

// What fails, and what is gone with it.
enum class ClusterFailureKind { node, ssd, dram, gpu, link, software, burst, corruption, slow };
constexpr auto enum_names(ClusterFailureKind) {
  return std::to_array<EnumName<ClusterFailureKind>>(
      {{ClusterFailureKind::node, "node", "a node with all that it holds; a spare takes over"},
       {ClusterFailureKind::ssd, "ssd", "the copies on it; the program runs on"},
       {ClusterFailureKind::dram, "dram", "the state of the program; the node stays"},
       {ClusterFailureKind::gpu, "gpu", "the state of the program; the node stays"},
       {ClusterFailureKind::link, "link",
        "the link of a node: the node cannot be reached, and a spare takes over"},
       {ClusterFailureKind::software, "software", "the state of the program; no part is lost"},
       {ClusterFailureKind::burst, "burst", "several nodes at once; spares take over"},
       {ClusterFailureKind::corruption, "corruption",
        "the state of the program is wrong; it runs on until a check finds that, and a spare takes over"},
       {ClusterFailureKind::slow, "slow",
        "a node and with it the program is slower, until that is found and a spare takes over"}});
}
constexpr std::size_t cluster_failure_kinds = 9;

// Which nodes are lost together in a burst.
enum class BurstPlace { neighbours, anywhere };
constexpr auto enum_names(BurstPlace) {
  return std::to_array<EnumName<BurstPlace>>(
      {{BurstPlace::neighbours, "neighbours", "nodes of one switch: no buddies, unless it has too few nodes"},
       {BurstPlace::anywhere, "anywhere", "nodes anywhere in the machine, independently"}});
}

struct PlacedFailure {
  Seconds at;
  ClusterFailureKind kind = ClusterFailureKind::node;
  std::uint32_t node = 0;
  bool operator==(const PlacedFailure&) const = default;
};

struct ClusterSetup {
  // The machine. The number of nodes is even; nodes n and n + 1 are buddies for even n.
  std::uint32_t nodes = 1024, nodes_per_switch = 64, spares = 8;
  Seconds spare_return{86'400};  // the time until a lost node is repaired and becomes a spare
  ClusterTopology topology = ClusterTopology::fat_tree;
  BuddyDistance buddies = BuddyDistance::far;
  // Fat tree: switches per pod, pods. Dragonfly: groups, chassis per group, blades per chassis, of which
  // there are at least as many as groups. Torus: its dimensions. All 0: the smallest shape with space for all
  // nodes.
  std::array<std::uint32_t, 3> shape{};
  Bandwidth link = 12_GBps;  // of a node into its switch, each way
  Bandwidth trunk;           // of a switch to the next one, each way; 0: as much as its nodes have together
  double oversubscription = 2;     // fat tree: bandwidth of a pod's links below over those above
  std::uint32_t global_links = 4;  // dragonfly: the number of trunks between two groups
  Seconds latency{1e-6};           // of each link
  std::uint32_t io_switches = 0;   // each has a server of the file system; 0: one switch in 16
  Bandwidth file_system = Bandwidth(1'000'000'000'000);  // all servers together, each way

  // A node, by itself.
  Bytes state;
  Seconds dump, overlap, overhead, restart;
  Bandwidth drain;
  CopyDevice copies = CopyDevice::ssd;
  // Nodes that share a parity of their copies: each sends the buddy's switch a share of its state, 1 / (group
  // - 1). With 2 it sends its buddy all of it.
  std::uint32_t group = 2;
  // Whole copies of a node's state, with its own: each node sends it to `replicas` - 1 others.
  std::uint32_t replicas = 2;

  // The program, in iterations.
  Seconds iteration{1};
  std::uint64_t iterations = 1, interval = 1;  // of the run; from one checkpoint to the next
  ClusterCheckpoint checkpoint = ClusterCheckpoint::semi_blocking;
  // The number of checkpoints for each global copy, of intervals if there are no checkpoints; 0: none.
  std::uint32_t global_every = 0;
  Seconds detection;  // from a failure that rolls the program back until it is noticed
  // Every how many iterations all nodes check their state for silent corruption, 0: never; and for how long.
  std::uint64_t check_every = 0;
  Seconds check;

  // Failures per second and node, by kind. None are drawn if `placed` has any.
  std::array<Rate, cluster_failure_kinds> rates{};
  double shape_of_lifetimes = 1;  // of nodes, Weibull; they fail with all that they hold
  bool new_machine = false;       // all nodes are new; otherwise their ages differ
  std::uint32_t burst_nodes = 2;  // that are lost at once
  BurstPlace burst_place = BurstPlace::neighbours;
  double slowdown = 0.1;              // by a slow node: the time of an iteration over the usual one, less 1
  Seconds slow_found{7200};           // after which a slow node is found
  std::vector<PlacedFailure> placed;  // in the order of their times
  std::uint64_t seed = 1;
  std::uint32_t runs = 1;  // with seeds `seed`, `seed` + 1, ...
  Seconds give_up{1e9};    // a run that takes longer ends without its result

  bool operator==(const ClusterSetup&) const = default;
};

// How long a checkpoint is on its way if the network is idle.
inline Seconds overlap_of(const ClusterSetup& setup) {
  return setup.overlap * (setup.replicas - 1.0) / (setup.group - 1.0);
}

// `what()` says what is wrong with the member `member()` of the setup.
class ClusterMistake : public std::invalid_argument {
 public:
  ClusterMistake(std::string member, const std::string& problem)
      : std::invalid_argument(problem), member_(std::move(member)) {}
  const std::string& member() const { return member_; }

 private:
  std::string member_;
};

// The switches. Compute nodes are on the first `compute` of them in pairs, spares on those that follow.
struct ClusterShape {
  std::uint32_t compute = 0, spare = 0;
  std::array<std::uint32_t, 3> dimensions{};
  std::uint32_t io = 0;

  std::uint32_t switches() const { return dimensions[0] * dimensions[1] * dimensions[2]; }
};

// Where the compute nodes of a machine are. Buddies are the nodes 2 i and 2 i + 1; pair i is on the pair of
// switches i / nodes_per_switch.
//
// With more than two replicas, node x of a switch has its copies on the nodes x of `replicas` - 1 others:
// each is as many switches on from the one before as divide the machine evenly (far), or the next (near).
// Where `replicas` divides the number of switches, far copies are Gemini's groups; otherwise they are rings.
class ClusterPlaces {
 public:
  explicit ClusterPlaces(const ClusterSetup& setup);

  const ClusterShape& shape() const { return shape_; }
  static constexpr std::uint32_t buddy(std::uint32_t node) { return node ^ 1; }
  std::uint32_t switch_of(std::uint32_t node) const;
  std::uint32_t partner(std::uint32_t compute_switch) const;
  // The switch of the copy of that number, from 1 to `replicas` - 1, and the nodes that have copies of a
  // node.
  std::uint32_t partner(std::uint32_t compute_switch, std::uint32_t copy) const;
  std::vector<std::uint32_t> holders(std::uint32_t node) const;
  std::uint32_t nodes_in(std::uint32_t compute_switch) const;
  std::uint32_t io_switch(std::uint32_t compute_switch) const;  // the switch whose server it drains to

 private:
  std::uint32_t nodes_, per_switch_, replicas_;
  BuddyDistance distance_;
  ClusterShape shape_;
};

// Throws ClusterMistake for fewer than two nodes or an odd number, a network without space for all, an
// interval longer than the run, a dump or an overlap longer than the interval, a time, size or rate out of
// its range, no failures at all, a failure of a node that does not exist, or more replicas than switches or
// on switches that are not full.
void check_cluster(const ClusterSetup& setup);

}  // namespace asterism
