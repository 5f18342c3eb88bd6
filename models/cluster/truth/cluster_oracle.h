// An oracle for clusters: it knows the correct state of every rank after every step, and checks a run against
// it.
//
// It keeps two records. The first (`owed`) is what the cluster must hold: a version that was committed or
// restored must be held twice for every rank, until losses have destroyed both copies; a version that storage
// has committed is never lost. The second (`held`) is what the cluster does hold: the copies in its nodes
// whose bytes are correct. When an epoch begins, no version that must be held may be missing, and the cluster
// must restore the newest version that it holds; it may end as not recoverable only if it holds none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/traffic_cluster.h"

namespace asterism {

struct ClusterTrialFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ClusterOracle {
 public:
  ClusterOracle(const ClusterConfig& config, std::uint64_t seed);

  // The caller reports the cluster's events as they happen and the losses that take effect, and then calls
  // inspect() after each instant. All functions throw ClusterTrialFailure when the cluster is wrong.
  void commit(const Membership& membership, std::uint64_t version);
  void global_commit(std::uint64_t version);
  void rollback(std::uint64_t version);
  void recovery(const Membership& membership, std::uint64_t version);
  void loss(NodeNumber node, Loss loss);
  void inspect(const TrafficCluster& cluster);
  // Checks that the run ended as it had to.
  void end(TrafficCluster& cluster);

  bool last_was_from_storage() const { return from_storage_; }

 private:
  struct Held {
    NodeNumber own_node = 0, buddy_node = 0;
    bool own = true, buddy = true;
  };
  struct Owed {
    std::uint64_t version = 0;
    std::vector<Held> of_rank;
  };

  bool destroys(Loss loss, bool is_own) const;
  Owed owed(const Membership& membership, std::uint64_t version) const;
  void new_epoch(const TrafficCluster& cluster);
  std::optional<std::uint64_t> version_owed() const;
  std::optional<std::uint64_t> version_held(const TrafficCluster& cluster);
  bool is_right(const StateCopy* copy) const;
  void check_places(const TrafficCluster& cluster) const;

  const ClusterConfig config_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> states_;  // correct words of all ranks, by version
  std::uint64_t result_;

  std::uint32_t epoch_ = 0;
  std::optional<Owed> owed_;
  std::uint64_t global_ = 0;
  std::map<NodeNumber, std::vector<Loss>> lost_in_epoch_;
  std::optional<std::uint64_t> held_;  // newest version held when the epoch began
  bool held_needs_storage_ = false, from_storage_ = false;
};

}  // namespace asterism
