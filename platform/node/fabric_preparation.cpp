#include "platform/node/fabric_preparation.h"

#include <optional>
#include <stdexcept>
#include <vector>

#include "fabric/fabric_module.h"
#include "fabric/network/flit_network.h"
#include "fabric/topology/topologies.h"
#include "manycore/fabric_packet_network.h"
#include "manycore/manycore.h"
#include "platform/config/config.h"

namespace asterism {

std::vector<std::string> memory_nodes(const MemoryConfig& memory) {
  std::vector<std::string> names;
  if (memory.fabric_nodes == ControllerNodes::each)
    for (unsigned i = 0; i < memory.dram.controllers; ++i) names.push_back("dram" + std::to_string(i));
  return names;
}

std::vector<std::string> fabric_masters(const DeviceList& devices) {
  std::vector<std::string> masters;
  for (unsigned core = 0; core < devices.cores(); ++core) masters.push_back("core" + std::to_string(core));
  for (const PlacedDevice& device : devices.all())
    for (const DeviceInitiator& initiator : device.shape.initiators)
      if (initiator.memory.empty()) masters.push_back(device.instance());
  return masters;
}

PreparedFabric prepare_fabric(const NodeConfig& node, const DeviceList& devices, const AddressMap& map,
                              const ConfigLibrary& library, const ConfigDocument& document,
                              const std::string& path, Diagnostics& problems) {
  FabricConfig config = node.fabric;
  PreparedFabric fabric;
  if (config.topology == TopologyKind::crossbar) return fabric;

  const auto technology = load_config<SwitchTechnology>(library, "technologies", config.technology);
  std::optional<GraphConfig> graph;
  if (config.topology == TopologyKind::graph)
    graph = load_config<GraphConfig>(library, "graphs", config.graph);
  const auto add_problem = [&](std::string key, const std::string& problem) {
    if (!path.empty()) key = path + "." + key;
    problems.add({.origin = document.origin_of(key), .path = key, .problem = problem});
  };
  if (config.fidelity == Fidelity::contended) {
    fabric.curves = load_config<FabricCurves>(library, "fabric_curves", curves_name(config));
    if (const std::string problem = curves_problem(config, *fabric.curves); !problem.empty())
      add_problem("fabric.curves", problem);
  }
  const std::vector<std::string> masters = fabric_masters(devices);
  std::vector<std::string> targets = memory_nodes(node.memory.controller), colocated;
  const bool has_own_nodes = !targets.empty();
  for (const MapEntry& entry : map.entries())
    if (!has_own_nodes || entry.name != "dram") (has_own_nodes ? colocated : targets).push_back(entry.name);

  if (!config.ports && node.runs == NodeProgram::firmware)
    config.ports = static_cast<std::uint32_t>(masters.size() + targets.size());

  std::string key = graph ? "fabric.graph" : "fabric.topology";
  try {
    fabric.topology = build_topology(config, technology, graph ? &*graph : nullptr);
    key = "fabric.virtual_channels";
    FlitNetwork network(fabric.topology, flit_parameters(config));
    key = "fabric.gated_global_routers";
    for (const RouterId router : gated_routers(config, *fabric.topology)) network.gate(router, true);
    if (node.runs == NodeProgram::workload) {
      key = graph ? "fabric.graph" : "fabric.nodes";
      PredictedPacketNetwork loose(fabric.topology, flit_parameters(config));
      const Manycore chip(node.chip, load_config<Workload>(library, "workloads", node.workload), loose, 0);
      return fabric;
    }
    key = !node.placement.empty()                           ? "placement"
          : graph                                           ? "fabric.graph"
          : config.topology == TopologyKind::swizzle_switch ? "fabric.ports"
                                                            : "fabric.nodes";
    fabric.placement = place_ports(node.placement, static_cast<unsigned>(fabric.topology->nodes.size()),
                                   masters, targets, colocated);
  } catch (const std::invalid_argument& error) {
    add_problem(key, error.what());
  }
  return fabric;
}

}  // namespace asterism
