// A fabric made from its config and the files that the config names, shared by all points of the same config.
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric_config.h"
#include "fabric/topology/graph_config.h"
#include "fabric/topology/topology.h"
#include "platform/config/config_library.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {

// Where the config of a study starts from: a node's starts from a crossbar.
FabricConfig flit_fabric(TopologyKind topology);

struct BuiltFabric {
  std::shared_ptr<const Topology> topology;
  SwitchTechnology technology;
};

// Throws StudyMistake for what does not fit together, ConfigError for a bad file. Not for several threads at once.
std::shared_ptr<const BuiltFabric> build_fabric(const FabricConfig& config, const ConfigLibrary& library);

// gated_routers(), whose objection is a StudyMistake.
std::vector<RouterId> routers_to_gate(const FabricConfig& config, const Topology& topology);

// Builds it with the default technology and routers and drops it. Throws as build_fabric.
void check_graph(const GraphConfig& graph, const ConfigLibrary& library);

}  // namespace asterism
