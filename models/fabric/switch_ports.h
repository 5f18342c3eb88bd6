// The switches of an interconnect, as what stands in for their arbiters sees them (ArbitrationHook).
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/topology/topology.h"

namespace asterism {

struct SwitchPorts {
  std::string name;  // of the router: "XB", "GR0"
  unsigned radix = 0;
  Picoseconds period;                        // of its clock
  std::vector<std::string> inputs, outputs;  // what hangs on them: "core0", "dram", "GR1"
};

// By RouterId. A node is called by the names that `node_names` has for it, else "node5"; a channel by the router at its
// other end, with ".1" and so on behind it where there are several.
std::vector<SwitchPorts> switch_ports(const Topology& topology,
                                      const std::vector<std::vector<std::string>>& node_names = {});

}  // namespace asterism
