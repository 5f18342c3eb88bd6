// Builds a Topology from a config: the switch and the seven fabrics of abeyratne2017 chapter III, and graphs
// drawn by a user.
//
//   swizzle_switch          one router; its radix is the number of ports
//   mesh                    a router per node; radix 1 + 4
//   cmesh-low, cmesh-high   a router per cluster; radix concentration + 4 * parallel links
//   fbfly                   a router per cluster, with a link to every router of its row and column; radix
//                           concentration + (columns - 1 + rows - 1) * parallel links
//   superstar               a local router per cluster, each with a link to each global router; radix
//                           concentration + global routers; of a global router the number of local ones
//   superstarx              superstar, and a link between local routers that are neighbours; local radix + 4
//   superring               a local router per cluster with a link to the global router of its part of the
//                           chip; these form a ring with links both ways; radix concentration + 1, and local
//                           routers of a part + 2
//   graph                   as the file says (graph_config.h); a router has as many ports as it needs
//
// Routers at an edge have the radix of the others and unconnected ports. Nodes are numbered along the rows of
// the tile grid, routers along the rows of clusters, global routers after the local ones (floor_plan.h).
// Names are "XB" for the single switch, "R0" in meshes and fbfly, "LR0" and "GR0" in the stars and the ring.
//
// Routes are those of the chapter: first along the row, then along the column (mesh, cmesh: hop by hop;
// fbfly: one hop each), over parallel links in round-robin order; over a global router, in round-robin order
// (superstar); over the neighbour's link to a neighbour, and otherwise, or when that link is congested, as in
// superstar (superstarx); up, around the ring in the shorter direction and down (superring; if both are
// equally long, clockwise to even global routers).
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric_config.h"
#include "fabric/topology/graph_config.h"
#include "fabric/topology/topology.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {

// Throws std::invalid_argument, which says what does not fit: a crossbar (it has no routers), nodes that are
// not a whole number of clusters, a router that the technology does not support, a graph that
// routing_problem() rejects. `graph` is needed for TopologyKind::graph only.
std::shared_ptr<const Topology> build_topology(const FabricConfig& config, const SwitchTechnology& technology,
                                               const GraphConfig* graph = nullptr);

// The last `gated_global_routers` global routers, for FlitNetwork::gate(). Throws std::invalid_argument if
// the topology has fewer.
std::vector<RouterId> gated_routers(const FabricConfig& config, const Topology& topology);

// One function for each kind, called by build_topology().
std::shared_ptr<const Topology> build_switch(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_mesh(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_flattened_butterfly(const FabricConfig& config,
                                                          const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_star(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_ring(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_graph(const FabricConfig& config, const SwitchTechnology& technology,
                                            const GraphConfig& graph);

}  // namespace asterism
