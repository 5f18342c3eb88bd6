// Which node of a fabric each master and target of the netlist sits on.
//
// A name that `wishes` has sits where that says; names may share a node, and then its two channels. The
// others have a node each, but for guests: they share the nodes of the targets, one after the other. Targets come first, on the edge of the grid of tiles (floor_plan.h), where a chip has its
// pins: evenly spread clockwise from node 0, in the order in which they are given. Masters take what is left,
// evenly spread along the nodes. A graph has no tiles; its nodes count as if they were laid out so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fabric/topology/routing.h"

namespace asterism {

using PortPlacement = std::map<std::string, NodeId>;

// Guests need a target. Throws std::invalid_argument, which says what does not fit: too few nodes, a node that there is not, the name of
// neither a master nor a target.
PortPlacement place_ports(const std::map<std::string, std::uint32_t>& wishes, unsigned nodes,
                          const std::vector<std::string>& masters, const std::vector<std::string>& targets,
                          const std::vector<std::string>& guests = {});

}  // namespace asterism
