// A cluster: its time, network and management, its nodes that make traffic, and the global store. Nodes with firmware, and
// their NICs, are attached from outside by their numbers (cluster_config.h).
//
//   TrafficCluster cluster(config, seed, events);
//   cluster.inject({.at = 5_ms, .node = 1, .loss = Loss::node});
//   cluster.begin();
//   const auto outcome = cluster.run();   // or: whoever owns time steps cluster.event_queue()
//
// A right run ends with RingProgram::expected(seed, nodes, words, steps) as its result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/event_log.h"
#include "base/statistics.h"
#include "cluster/announcements.h"
#include "cluster/cluster_config.h"
#include "cluster/cost_meter.h"
#include "cluster/event_queue.h"
#include "cluster/membership.h"
#include "cluster/network.h"
#include "cluster/storage_node.h"
#include "cluster/traffic_node.h"

namespace asterism {

struct NodeLoss {
  Picoseconds at;
  NodeNumber node = 0;
  Loss loss = Loss::node;
  Picoseconds restore_after = {};  // of a link; 0: it stays down
};

class TrafficCluster {
 public:
  // Throws std::invalid_argument, with words for a user, for a config with a find_problem().
  TrafficCluster(const ClusterConfig& config, std::uint64_t seed, EventLog& events,
                 BuddyMutant mutant = BuddyMutant::none);
  TrafficCluster(const TrafficCluster&) = delete;

  // A node that config.is_firmware(); before begin().
  void attach(NodeNumber node, NetworkPort& port, Management::Member& member);
  // Is told of what such a node loses.
  void on_loss(std::function<void(NodeNumber, Loss)> action) { on_loss_ = std::move(action); }

  // Tells everyone the first epoch: the program begins.
  void begin();
  // Lets time pass until the run has its outcome, or `until`, or nothing is left to happen; nullopt then.
  std::optional<Management::Outcome> run(Picoseconds until = Picoseconds(~std::uint64_t{0}));

  // Throws std::invalid_argument for a node that there is not, and for the global store, which is never lost.
  void inject(const NodeLoss& loss);
  // Now. False, and nothing has changed: the run has its outcome, the node is lost for good, or its link is down and less than
  // the node is to be lost: it comes back holding nothing anyway. `why`: as Management::lost.
  bool lose(NodeNumber node, Loss loss, Picoseconds restore_after = {}, std::string why = "");

  EventQueue& event_queue() { return event_queue_; }
  Network& network() { return network_; }
  const Network& network() const { return network_; }
  Management& management() { return management_; }
  const Management& management() const { return management_; }
  const ClusterConfig& config() const { return config_; }
  const TrafficNode* node(NodeNumber node) const {
    return nodes_.at(node).get();
  }  // nullptr: none that makes traffic
  // Of those injected: what came and changed nothing, as by lose().
  std::uint64_t ineffective_faults() const { return ineffective_faults_; }
  const StorageNode* storage() const { return storage_.get(); }

  const Announcements& announcements() const { return announcements_; }

  // Of all nodes, the network and the management; README.md says what is what.
  void report(Statistics& statistics) const;
  CheckpointCosts costs() const { return meter_.costs(config_.program.state()); }
  // What a checkpoint costs: state_bytes, dump_ps, overlap_ps, overhead_ps, drain_bytes_per_second, restart_ps. 0 where nothing was
  // measured.
  void report_costs(Statistics& statistics) const {
    meter_.report_costs(config_.program.state(), statistics);
  }

 private:
  void check_node(NodeNumber node) const;

  const ClusterConfig config_;
  EventLog& events_;
  EventQueue event_queue_;
  Network network_;
  Management management_;
  Announcements announcements_;
  CostMeter meter_;
  std::vector<std::unique_ptr<TrafficNode>> nodes_;  // by number; null where there is another
  std::unique_ptr<StorageNode> storage_;
  std::function<void(NodeNumber, Loss)> on_loss_;

  std::vector<bool> is_dead_;
  std::uint64_t ineffective_faults_ = 0;
};

}  // namespace asterism
