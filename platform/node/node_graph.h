// A drawing of a node in the language of graphviz: its cores, its fabric and its devices with what connects
// them.
//
// From left to right: the cores, the fabric with a line to each target, the devices, and what these access or
// signal themselves, which are the memories, the interrupt controller and the networks of NICs. Blocks that
// RTL replaces or shadows are grey boxes with a thick border.
#pragma once

#include <string>

#include "platform/node/device_list.h"
#include "platform/node/fabric_preparation.h"
#include "platform/node/node_config.h"

namespace asterism {

struct DrawnNode {
  std::string name;
  const NodeConfig& config;
  const DeviceList& devices;
  const PreparedFabric& fabric;
  // A network outside of the node, such as that of a cluster: its description, and the NIC that is connected
  // to it; "" if there is none.
  std::string outer_network = {}, nic = {};
};

// The same node gives the same text.
std::string node_graph(const DrawnNode& node);

}  // namespace asterism
