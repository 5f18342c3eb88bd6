#include "platform/study/built_fabric.h"

#include <map>
#include <optional>
#include <string>

#include "fabric/network/flit_network.h"
#include "fabric/topology/graph_config.h"
#include "fabric/topology/topologies.h"
#include "platform/config/config.h"
#include "platform/host/config_kinds.h"
#include "platform/study/study_kind.h"

namespace asterism {
namespace {

BuiltFabric build(const FabricConfig& config, const GraphConfig* graph, const ConfigLibrary& library) {
  BuiltFabric fabric{nullptr, load_config<SwitchTechnology>(library, "technologies", config.technology)};
  try {
    fabric.topology = build_topology(config, fabric.technology, graph);
  } catch (const std::invalid_argument& error) {
    throw StudyMistake(graph ? "graph" : "topology", error.what());
  }
  try {
    FlitNetwork(fabric.topology, flit_parameters(config));
  } catch (const std::invalid_argument& error) {
    throw StudyMistake("virtual_channels", error.what());
  }
  return fabric;
}

BuiltFabric build(const FabricConfig& config, const ConfigLibrary& library) {
  if (config.topology == TopologyKind::crossbar)
    throw StudyMistake("topology", "a crossbar has no routers to study");
  std::optional<GraphConfig> graph;
  if (config.topology == TopologyKind::graph)
    graph = load_config<GraphConfig>(library, "graphs", config.graph);
  return build(config, graph ? &*graph : nullptr, library);
}

// Checks that packets have routes to all nodes, and that they cannot deadlock on them.
std::string expand_graph(ConfigDocument document, const std::string&, const InstalledFiles& installed) {
  const GraphConfig graph = read_config<GraphConfig>(document, installed.configs);
  try {
    build(flit_fabric(TopologyKind::graph), &graph, installed.configs);
  } catch (const StudyMistake& mistake) {
    throw ConfigError(Diagnostic{.origin = document.root().origin, .path = "", .problem = mistake.what()});
  }
  return expanded(graph);
}
const RegisteredConfigKind graph_files{
    described_kind<GraphConfig>("graph", "graphs", "Asterism graph", {"links"}, {.check = expand_graph})};

}  // namespace

std::vector<RouterId> routers_to_gate(const FabricConfig& config, const Topology& topology) {
  try {
    return gated_routers(config, topology);
  } catch (const std::invalid_argument& error) {
    throw StudyMistake("gated_global_routers", error.what());
  }
}

FabricConfig flit_fabric(TopologyKind topology) {
  FabricConfig config;
  config.topology = topology;
  config.fidelity = Fidelity::flit;
  return config;
}

std::shared_ptr<const BuiltFabric> build_fabric(const FabricConfig& config, const ConfigLibrary& library) {
  static std::map<std::string, std::weak_ptr<const BuiltFabric>> built;
  const std::string key = library.search_path() + "\n" + expanded(config);
  if (auto there = built[key].lock()) return there;
  auto made = std::make_shared<const BuiltFabric>(build(config, library));
  built[key] = made;
  return made;
}

}  // namespace asterism
