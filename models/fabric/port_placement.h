// The placement of the masters and targets of the netlist on the nodes of a fabric.
//
// A name in `requested` is placed on the node given there. Names may share a node, and then share its two
// channels. Every other master and target gets a node of its own. Targets are placed first, on the edge of
// the grid of tiles (floor_plan.h), where a chip has its pins: evenly spread clockwise from node 0, in the
// order in which they are given. Masters take the remaining nodes, evenly spread in the order of the nodes.
// Targets in `colocated` share the nodes of the other targets in round-robin order. A graph has no tiles; its
// nodes are treated as if laid out on such a grid.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fabric/topology/routing.h"

namespace asterism {

using PortPlacement = std::map<std::string, NodeId>;

// Co-located targets require at least one other target. Throws std::invalid_argument if there are too few
// nodes, if a requested node does not exist, or if a requested name is neither a master nor a target.
PortPlacement place_ports(const std::map<std::string, std::uint32_t>& requested, unsigned nodes,
                          const std::vector<std::string>& masters, const std::vector<std::string>& targets,
                          const std::vector<std::string>& colocated = {});

}  // namespace asterism
