#include <string>

#include "fabric/topology/flattened_butterfly_routing.h"
#include "fabric/topology/floor_plan.h"
#include "fabric/topology/mesh_routing.h"
#include "fabric/topology/topologies.h"
#include "fabric/topology/topology_builder.h"

namespace asterism {
namespace {

void add_routers_and_nodes(TopologyBuilder& builder, const FloorPlan& plan, unsigned nodes, unsigned radix) {
  for (unsigned cluster = 0; cluster < plan.clusters().size(); ++cluster)
    builder.add_router("R" + std::to_string(cluster), plan.cluster_centre(cluster), radix);
  for (NodeId node = 0; node < nodes; ++node) builder.add_node(plan.cluster_of(node), plan.node_link(node));
}

ChannelId add_parallel(TopologyBuilder& builder, RouterId from, RouterId to, unsigned count) {
  const ChannelId first = builder.add_channel(from, to);
  for (unsigned i = 1; i < count; ++i) builder.add_channel(from, to);
  return first;
}

}  // namespace

std::shared_ptr<const Topology> build_mesh(const FabricConfig& config, const SwitchTechnology& technology) {
  const FabricShape shape = fabric_shape(config);
  const unsigned parallel_links = shape.parallel_links;
  const FloorPlan plan(config.nodes, shape.concentration, config.tile);
  const Grid grid = plan.clusters();
  TopologyBuilder builder(std::string(to_text(config.topology)), config, technology);
  add_routers_and_nodes(builder, plan, config.nodes, shape.concentration + 4 * parallel_links);

  std::vector<MeshRouting::Channels> channels(grid.size());
  for (RouterId r = 0; r < grid.size(); ++r) {
    const unsigned x = r % grid.columns, y = r / grid.columns;
    const auto link = [&](MeshRouting::Direction direction, bool exists, RouterId to) {
      if (exists) channels[r][direction] = add_parallel(builder, r, to, parallel_links);
    };
    link(MeshRouting::east, x + 1 < grid.columns, r + 1);
    link(MeshRouting::west, x > 0, r - 1);
    link(MeshRouting::south, y + 1 < grid.rows, r + grid.columns);
    link(MeshRouting::north, y > 0, r - grid.columns);
  }
  return builder.finish(std::make_shared<MeshRouting>(grid, std::move(channels), parallel_links,
                                                      builder.topology().channels.size()));
}

std::shared_ptr<const Topology> build_flattened_butterfly(const FabricConfig& config,
                                                          const SwitchTechnology& technology) {
  const FabricShape shape = fabric_shape(config);
  const unsigned parallel_links = shape.parallel_links;
  const FloorPlan plan(config.nodes, shape.concentration, config.tile);
  const Grid grid = plan.clusters();
  TopologyBuilder builder(std::string(to_text(config.topology)), config, technology);
  const unsigned links = (grid.columns - 1 + grid.rows - 1) * parallel_links;
  add_routers_and_nodes(builder, plan, config.nodes, shape.concentration + links);

  for (RouterId r = 0; r < grid.size(); ++r) {
    const unsigned x = r % grid.columns, y = r / grid.columns;
    for (unsigned to_x = 0; to_x < grid.columns; ++to_x)
      if (to_x != x) add_parallel(builder, r, y * grid.columns + to_x, parallel_links);
    for (unsigned to_y = 0; to_y < grid.rows; ++to_y)
      if (to_y != y) add_parallel(builder, r, to_y * grid.columns + x, parallel_links);
  }
  return builder.finish(std::make_shared<FlattenedButterflyRouting>(grid, parallel_links));
}

}  // namespace asterism
