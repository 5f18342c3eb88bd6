#include <string>

#include "fabric/topology/floor_plan.h"
#include "fabric/topology/star_routing.h"
#include "fabric/topology/topologies.h"
#include "fabric/topology/topology_builder.h"

namespace asterism {
namespace {

std::vector<std::vector<StarRouting::Neighbour>> link_neighbours(TopologyBuilder& builder, Grid grid) {
  std::vector<std::vector<StarRouting::Neighbour>> neighbours(grid.size());
  for (RouterId r = 0; r < grid.size(); ++r) {
    const unsigned x = r % grid.columns, y = r / grid.columns;
    const auto link = [&](bool exists, RouterId to) {
      if (exists) neighbours[r].push_back({to, builder.add_channel(r, to)});
    };
    link(x + 1 < grid.columns, r + 1);
    link(x > 0, r - 1);
    link(y + 1 < grid.rows, r + grid.columns);
    link(y > 0, r - grid.columns);
  }
  return neighbours;
}

}  // namespace

std::shared_ptr<const Topology> build_star(const FabricConfig& config, const SwitchTechnology& technology) {
  const FabricShape shape = fabric_shape(config);
  const unsigned globals = shape.global_routers;
  const FloorPlan plan(config.nodes, shape.concentration, config.tile);
  const unsigned locals = plan.clusters().size();
  const bool between_neighbours = config.topology == TopologyKind::superstarx;
  TopologyBuilder builder(std::string(to_text(config.topology)), config, technology);

  const unsigned local_radix = shape.concentration + globals + (between_neighbours ? 4 : 0);
  for (unsigned l = 0; l < locals; ++l)
    builder.add_router("LR" + std::to_string(l), plan.cluster_centre(l), local_radix);
  for (unsigned g = 0; const Topology::Point place : plan.spread_globals(globals))
    builder.add_router("GR" + std::to_string(g++), place, locals, true);
  for (NodeId node = 0; node < config.nodes; ++node)
    builder.add_node(plan.cluster_of(node), plan.node_link(node));

  for (RouterId l = 0; l < locals; ++l)
    for (unsigned g = 0; g < globals; ++g) builder.add_channel(l, locals + g);
  for (unsigned g = 0; g < globals; ++g)
    for (RouterId l = 0; l < locals; ++l) builder.add_channel(locals + g, l);
  auto neighbours = between_neighbours ? link_neighbours(builder, plan.clusters())
                                       : std::vector<std::vector<StarRouting::Neighbour>>(locals);
  return builder.finish(std::make_shared<StarRouting>(locals, globals, std::move(neighbours),
                                                      builder.topology().channels.size()));
}

}  // namespace asterism
