// A node's fabric before it is built: routers, channels, and which node of them each master and target sits on. A
// crossbar has none of that.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fabric/port_placement.h"
#include "fabric/topology/topology.h"
#include "platform/address_map.h"
#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"
#include "platform/node_config.h"

namespace asterism {

struct PreparedFabric {
  std::shared_ptr<const Topology> topology;  // null: a crossbar
  PortPlacement placement;
};

// What stands on nodes of their own in place of "dram", by their names for a placement; none: dram stands on one.
std::vector<std::string> memory_nodes(const MemoryConfig& memory);

// The cores are masters and the entries of the address map are targets. If memory has nodes of its own, the other entries
// are co-located with them. What does not fit goes to `problems`, at the place in the
// document that is wrong, below `path`, the node's. Throws ConfigError for a bad technology or graph file.
PreparedFabric prepare_fabric(const NodeConfig& node, const AddressMap& map, const ConfigLibrary& library,
                              const ConfigDocument& document, const std::string& path, Diagnostics& problems);

}  // namespace asterism
