// The switches of an interconnect, as described to arbitration hooks (ArbitrationHook).
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/topology/topology.h"

namespace asterism {

struct SwitchPorts {
  std::string name;  // the name of the router: "XB", "GR0"
  unsigned radix = 0;
  Picoseconds period;                        // the period of its clock
  std::vector<std::string> inputs, outputs;  // what is attached to them: "core0", "dram", "GR1"
};

// Indexed by RouterId. A node has the names in `node_names`, or else "node5". A channel has the name of the
// router at its other end, followed by ".1" and so on if there are several.
std::vector<SwitchPorts> switch_ports(const Topology& topology,
                                      const std::vector<std::vector<std::string>>& node_names = {});

}  // namespace asterism
