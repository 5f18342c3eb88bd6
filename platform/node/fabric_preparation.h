// The topology of a node's fabric (routers, channels) and the placement of its masters and targets on the
// nodes of that topology, computed and checked before the fabric is built. A crossbar has neither.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/network/fabric_curves.h"
#include "fabric/port_placement.h"
#include "fabric/topology/topology.h"
#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"
#include "platform/node/address_map.h"
#include "platform/node/node_config.h"

namespace asterism {

struct PreparedFabric {
  std::shared_ptr<const Topology> topology;  // nullptr for a crossbar
  PortPlacement placement;
  std::optional<FabricCurves> curves;  // of a contended fabric
};

// The names, for a placement, of the memory controllers that have fabric nodes of their own in place of
// "dram". The list is empty if all of memory is on one node.
std::vector<std::string> memory_nodes(const MemoryConfig& memory);

// The masters and targets of the fabric, by the names that a placement uses: the cores and the devices that
// are masters of it, and the ranges of the address map.
std::vector<std::string> fabric_masters(const DeviceList& devices);

// If the memory controllers have nodes of their own, the other targets are co-located with them. Errors are
// added to `problems`, at the place in the document that is wrong; `path` is the path of the node in the
// document. Throws ConfigError for an invalid technology, graph or curves file.
PreparedFabric prepare_fabric(const NodeConfig& node, const DeviceList& devices, const AddressMap& map,
                              const ConfigLibrary& library, const ConfigDocument& document,
                              const std::string& path, Diagnostics& problems);

}  // namespace asterism
