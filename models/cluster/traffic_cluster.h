// A cluster: its event queue, network and management, its traffic nodes, and the global store. Nodes with
// firmware and their NICs are attached from outside by their numbers (cluster_config.h).
//
//   TrafficCluster cluster(config, seed, events);
//   cluster.inject({.at = 5_ms, .node = 1, .loss = Loss::node});
//   cluster.begin();
//   const auto outcome = cluster.run();   // or the owner of the time steps cluster.event_queue()
//
// A correct run ends with RingProgram::expected(seed, nodes, words, steps) as its result.
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
  Picoseconds restore_after = {};  // when a link is up again; 0: never
};

class TrafficCluster {
 public:
  // Throws std::invalid_argument, with a message for the user, if find_problem() finds a problem in the
  // configuration.
  TrafficCluster(const ClusterConfig& config, std::uint64_t seed, EventLog& events,
                 BuddyMutant mutant = BuddyMutant::none);
  TrafficCluster(const TrafficCluster&) = delete;

  // Attaches a node for which config.is_firmware(); call it before begin().
  void attach(NodeNumber node, NetworkPort& port, Management::Member& member);
  // Sets the function that is called when an attached node suffers a loss.
  void on_loss(std::function<void(NodeNumber, Loss)> action) { on_loss_ = std::move(action); }

  // Notifies all nodes of the first epoch: the program begins.
  void begin();
  // Advances the time until the run has an outcome; nullopt if it has none at `until`, or when the event
  // queue is empty.
  std::optional<Management::Outcome> run(Picoseconds until = Picoseconds(~std::uint64_t{0}));

  // Schedules a loss. Throws std::invalid_argument for a node that does not exist, and for the global store,
  // which is never lost.
  void inject(const NodeLoss& loss);
  // The node suffers a loss now. Returns false and changes nothing if the run has its outcome, if the node is
  // already lost, or if its link is down and `loss` is not the node itself: when the link is up again, the
  // node returns without copies anyway. `why` is as in Management::lost().
  bool lose(NodeNumber node, Loss loss, Picoseconds restore_after = {}, std::string why = "");

  EventQueue& event_queue() { return event_queue_; }
  Network& network() { return network_; }
  const Network& network() const { return network_; }
  Management& management() { return management_; }
  const Management& management() const { return management_; }
  const ClusterConfig& config() const { return config_; }
  // nullptr if this is not a traffic node.
  const TrafficNode* node(NodeNumber node) const { return nodes_.at(node).get(); }
  // Number of injected losses that changed nothing; lose() says when.
  std::uint64_t ineffective_faults() const { return ineffective_faults_; }
  const StorageNode* storage() const { return storage_.get(); }

  const Announcements& announcements() const { return announcements_; }

  // Adds the statistics of all nodes, the network and the management; README.md defines them.
  void report(Statistics& statistics) const;
  CheckpointCosts costs() const { return meter_.costs(config_.program.state()); }
  // Adds the costs of a checkpoint: state_bytes, dump_ps, overlap_ps, overhead_ps, drain_bytes_per_second,
  // restart_ps; 0 for what was not measured.
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
  std::vector<std::unique_ptr<TrafficNode>> nodes_;  // by number; null for nodes of another kind
  std::unique_ptr<StorageNode> storage_;
  std::function<void(NodeNumber, Loss)> on_loss_;

  std::vector<bool> is_dead_;
  std::uint64_t ineffective_faults_ = 0;
};

}  // namespace asterism
