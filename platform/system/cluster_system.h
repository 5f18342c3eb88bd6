// Several nodes in one simulation. Those that run firmware are simulated completely (node.h); of the others
// only the network traffic is simulated (cluster/traffic_cluster.h). All share one network and one
// management.
//
//   node0   node1   traffic nodes   spares   global store
//     |       |          |            |           |
//   +-+-------+----------+------------+-----------+-+
//   |                    network                    |     the management, which is not on the network,
//   +-----------------------------------------------+     assigns ranks to nodes
//
// A node with firmware is named by its number in the cluster: node0.power, node7.dimm_ssd. All of them run
// the scenario's firmware; each has its own seed and its own files. Each line of console output begins with
// the node's name.
//
// The run ends when the cluster has finished or cannot recover, and the firmware of every remaining node has
// exited. It ends at once if a node's firmware exits with status 0 before that, or if RTL differs from its
// model. A node is lost if its firmware exits with another status before that, or if all its cores are locked
// up. If the program is the firmware's own (cluster.program.kind), any exit before the cluster has finished
// ends the run. Independent nodes have each finished when they have exited with status 0 or are lost; another
// status ends the run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
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
#include "platform/host/prefixed_lines.h"
#include "platform/scenario/scenario.h"
#include "platform/system/built_node.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class HostThreads;

class ClusterSystem final : public SimulatedSystem {
 public:
  // `files` contains a folder for each node with firmware, named after it. Throws as BuiltNode does.
  ClusterSystem(const Scenario& scenario, const std::filesystem::path& files, const RtlOptions& rtl,
                EventLog& events, TransactionTaps* taps = nullptr, HostThreads* threads = nullptr);

  const std::optional<End>& end() const override { return end_; }
  std::vector<std::string> serial_lines() const override;
  std::uint64_t instructions() const override;
  std::vector<CoreReport> core_reports() override;
  std::vector<DebuggedCore> cores_to_debug() override;
  std::optional<std::string> script_waits_for() const override;
  std::string cpu_engine() const override;
  std::vector<std::string> rtl_instances() const override;
  std::vector<std::string> rtl_summary() const override;
  std::vector<Lockstep::Mismatch> first_mismatches() const override;
  std::optional<std::uint64_t> compared_translations() const override;
  std::uint64_t mismatches() const override;
  std::vector<BlockCoverage> coverage() const override;
  std::string memory_summary() const override;
  std::string checks_summary() const override;
  std::uint64_t findings() const override;
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
  void count_pages() override {
    for (const auto& each : whole_) each->node.count_pages();
  }
  void report_pages(PageMap& map) override {
    for (const auto& each : whole_) each->node.report_pages(map);
  }
  void move_files(const std::filesystem::path& files) override {
    for (const auto& each : whole_) each->node.move_files(files / each->name);
  }

 private:
  std::uint64_t recoveries() const;
  struct WholeNode {
    WholeNode(NodeNumber number, const PreparedNode& node, const BuiltNodeContext& context);

    NodeNumber number;
    std::string name, prefix;
    BuiltNode node;
    PrefixedLines console;
    std::map<std::string, PrefixedLines> serial;  // by the name of the line
  };

  void connect(WholeNode& whole);
  PrefixedLines::Out output_of(const std::string& line) const;
  void schedule_losses(const std::vector<FaultConfig>& faults);
  void lost(NodeNumber node, Loss loss);
  void node_ended(const WholeNode& whole);
  void node_locked_up(WholeNode& whole);
  void failed(const WholeNode& whole, const std::string& reason);
  bool ends_the_run(const WholeNode& whole, const End& end, const std::string& reason);
  void stop_when_all_have_ended();
  void stop(const End& end);

  const Scenario& scenario_;
  const ClusterConfig& config_;
  EventLog& events_;
  TrafficCluster traffic_;
  EventQueueModule clock_;
  std::vector<std::unique_ptr<WholeNode>> whole_;
  std::optional<End> end_;
  std::vector<std::string> failures_;
  std::string early_;  // the node whose firmware ended before the cluster had; "" if there is none
};

}  // namespace asterism
