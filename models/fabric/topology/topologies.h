// From a config to a Topology: the switch and the seven fabrics of abeyratne2017 chapter III, and those that a user
// draws.
//
//   swizzle_switch          one router; radix its ports
//   mesh                    a router a node; radix 1 + 4
//   cmesh-low, cmesh-high   a router a cluster; radix concentration + 4 * parallel links
//   fbfly                   a router a cluster, a link to every router of its row and column; radix concentration +
//                           (columns - 1 + rows - 1) * parallel links
//   superstar               a local router a cluster, each with a link to each global router; radix concentration +
//                           global routers, and of a global one the number of local ones
//   superstarx              superstar, and a link between local routers that are neighbours; local radix + 4
//   superring               a local router a cluster with a link to the global router of its part of the chip,
//                           those in a ring with links both ways; radix concentration + 1, and local routers of a
//                           part + 2
//   graph                   what the file says (graph_config.h); a router has as many ports as it needs
//
// Routers at an edge have the radix of the others and ports that nothing hangs on. Nodes count along the rows of
// the tile grid, routers along the rows of clusters, global ones behind the local ones (floor_plan.h). Names are
// "XB" of the one switch, "R0" in meshes and fbfly, "LR0" and "GR0" in the stars and the ring.
//
// Routes are those of the chapter: first along the row, then along the column (mesh, cmesh: hop by hop; fbfly: one
// hop each), parallel links in turn; over a global router, all in turn (superstar); over the neighbour's link to a
// neighbour and else as superstar, also when the link is congested (superstarx); up, the shorter way round and
// down (superring; of two ways as short, clockwise to even global routers).
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric_config.h"
#include "fabric/topology/graph_config.h"
#include "fabric/topology/topology.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {

// Throws std::invalid_argument that says what does not fit: a crossbar (it has no routers), nodes that are no whole
// number of clusters, a router beyond the technology, a graph that routing_problem() objects to. `graph` is needed
// for TopologyKind::graph only.
std::shared_ptr<const Topology> build_topology(const FabricConfig& config, const SwitchTechnology& technology,
                                               const GraphConfig* graph = nullptr);

// The last `gated_global_routers` global routers, for FlitNetwork::gate(). Throws std::invalid_argument when the
// topology has fewer.
std::vector<RouterId> gated_routers(const FabricConfig& config, const Topology& topology);

// One for each kind, as build_topology() calls them.
std::shared_ptr<const Topology> build_switch(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_mesh(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_flattened_butterfly(const FabricConfig& config,
                                                          const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_star(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_ring(const FabricConfig& config, const SwitchTechnology& technology);
std::shared_ptr<const Topology> build_graph(const FabricConfig& config, const SwitchTechnology& technology,
                                            const GraphConfig& graph);

}  // namespace asterism
