// The kinds of configuration files that can run: nodes and scenarios.
#include <fmt/format.h>

#include <filesystem>

#include "platform/host/config_kinds.h"
#include "platform/node/node_graph.h"
#include "platform/scenario/scenario.h"

namespace asterism {
namespace {

std::string expand_node(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  return expanded(check_node(document, installed).config);
}

std::string expand_scenario(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  return expanded(check_scenario(document, installed).config);
}

std::string draw_node(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  const PreparedNode node = check_node(document, installed);
  return node_graph({std::filesystem::path(file).stem(), node.config, node.devices, node.fabric});
}

// A node of a cluster stands for all of them.
std::string draw_scenario(ConfigDocument document, const std::string& file, const InstalledFiles& installed) {
  const CheckedScenario scenario = check_scenario(document, installed);
  const PreparedNode& node = scenario.node;
  DrawnNode drawn{std::filesystem::path(file).stem(), node.config, node.devices, node.fabric};
  if (!scenario.config.is_cluster()) return node_graph(drawn);
  const ClusterConfig& cluster = *scenario.config.cluster;
  const std::size_t alike = whole_nodes(cluster).size();
  if (alike == 0)
    refuse_option("--graph", fmt::format("{} has only traffic nodes, which have no devices", file));
  drawn.name += fmt::format(": {} of this kind", alike == 1 ? "one node" : fmt::format("{} nodes", alike));
  drawn.outer_network = fmt::format("the network of the cluster's {} nodes", cluster.node_count());
  drawn.nic = cluster.nic;
  return node_graph(drawn);
}

const RegisteredConfigKind node_files{described_kind<NodeConfig>("node", "nodes", "Asterism node", {},
                                                                 {.check = expand_node, .draw = draw_node})};

const RegisteredConfigKind scenario_files{described_kind<ScenarioConfig>(
    "scenario", "scenarios", "Asterism scenario", {scenario_keys.begin(), scenario_keys.end()},
    {.check = expand_scenario, .draw = draw_scenario})};

}  // namespace
}  // namespace asterism
