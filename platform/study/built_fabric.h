// A fabric made from its config and from the files that the config names. All points of the same config share
// it.
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric_config.h"
#include "fabric/topology/topology.h"
#include "platform/config/config_library.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {

// The default config of a study; that of a node is a crossbar.
FabricConfig flit_fabric(TopologyKind topology);

struct BuiltFabric {
  std::shared_ptr<const Topology> topology;
  SwitchTechnology technology;
};

// Throws StudyMistake for keys that contradict each other, and ConfigError for a bad file. Not thread-safe.
std::shared_ptr<const BuiltFabric> build_fabric(const FabricConfig& config, const ConfigLibrary& library);

// gated_routers(), whose error is a StudyMistake.
std::vector<RouterId> routers_to_gate(const FabricConfig& config, const Topology& topology);

}  // namespace asterism
