// Several nodes in one simulation: those with firmware are whole (node.h), the others make their traffic only
// (cluster/traffic_cluster.h); all on one network, under one management.
//
//   node0   node1   traffic nodes   spares   global store
//     |       |          |            |           |
//   +-+-------+----------+------------+-----------+-+
//   |                    network                    |     beside it the management, which tells who holds which rank
//   +-----------------------------------------------+
//
// A whole node is named by its number in the cluster: node0.power, node7.dimm_ssd. All have the scenario's firmware, each a seed
// and files of its own. A line of their consoles has the node's name before it.
//
// The run is over when the cluster has finished, or cannot be restored, and the firmware of every node that is left has
// exited; at once when a node's firmware ends with status 0 before, or when RTL differs. A node whose firmware exits with another
// status before, or whose cores are all locked up, is lost. Where the program is the firmware's own (cluster.program.kind), any status
// before ends the run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_log.h"
#include "cluster/event_queue_module.h"
#include "cluster/membership.h"
#include "cluster/network.h"
#include "cluster/traffic_cluster.h"
#include "platform/node.h"
#include "platform/scenario.h"
#include "platform/simulated_system.h"

namespace asterism {

class HostThreads;

class ClusterSystem final : public SimulatedSystem {
 public:
  // `files`: a folder for each whole node is in it, by its name. Throws as Node does.
  ClusterSystem(const Scenario& scenario, const std::filesystem::path& files, const RtlOptions& rtl,
                EventLog& events, TransactionTaps* taps = nullptr, HostThreads* threads = nullptr);

  const std::optional<End>& end() const override { return end_; }
  std::uint64_t instructions() const override;
  std::vector<std::string> core_states() override;
  std::vector<DebuggedCore> cores_to_debug() override;
  std::string cpu_engine() const override;
  std::vector<std::string> rtl_instances() const override;
  std::vector<std::string> rtl_summary() const override;
  const std::optional<Lockstep::Mismatch>& mismatch() const override { return mismatch_; }
  std::string memory_summary() const override;
  std::optional<ClusterOutcome> cluster() const override;
  void report(Statistics& statistics) const override;
  void report_to(Statistics& run) const override { report(run); }
  void flush_output() override;
  void inject(const std::vector<FaultConfig>& faults) override;
  void quiesce() override {
    for (const auto& each : whole_) each->node.quiesce();
  }
  void report_host(Statistics& statistics) const override {
    for (const auto& each : whole_) each->node.report_host(statistics.group(each->name));
  }
  void move_files(const std::filesystem::path& files) override {
    for (const auto& each : whole_) each->node.move_files(files / each->name);
  }

 private:
  std::uint64_t recoveries() const;
  // Passes whole lines on, the node's name before each.
  class Lines {
   public:
    void write(std::string_view text, const std::string& prefix,
               const std::function<void(std::string_view)>& out);
    const std::string& last() const { return last_; }  // without its end
    void flush(const std::string& prefix, const std::function<void(std::string_view)>& out);

   private:
    std::string line_, last_;
  };
  struct WholeNode {
    WholeNode(NodeNumber number, const Scenario& cluster, const std::filesystem::path& files,
              const RtlOptions& rtl, EventLog& events, TransactionTaps* taps, HostThreads* threads);

    NodeNumber number;
    std::string name, prefix;
    Scenario scenario;
    Node node;
    Lines console, uart0;
  };

  void connect(WholeNode& whole);
  void schedule_losses(const std::vector<FaultConfig>& faults);
  void lost(NodeNumber node, Loss loss);
  void node_ended(const WholeNode& whole);
  void node_locked_up(WholeNode& whole);
  void failed(const WholeNode& whole, const std::string& reason);
  bool ends_the_run(const WholeNode& whole, const End& end, const std::string& reason);
  void stop_when_all_have_ended();
  void stop(End end);

  const Scenario& scenario_;
  const ClusterConfig& config_;
  EventLog& events_;
  TrafficCluster traffic_;
  EventQueueModule clock_;
  std::vector<std::unique_ptr<WholeNode>> whole_;
  std::optional<End> end_;
  std::optional<Lockstep::Mismatch> mismatch_;
  std::vector<std::string> failures_;
  std::string early_;  // the node whose firmware ended before the cluster had
};

}  // namespace asterism
