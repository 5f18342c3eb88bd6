#include <stdexcept>
#include <string>

#include "fabric/topology/floor_plan.h"
#include "fabric/topology/ring_routing.h"
#include "fabric/topology/topologies.h"
#include "fabric/topology/topology_builder.h"

namespace asterism {
namespace {

// All cells, each adjacent to the previous one, and the first adjacent to the last if a side is even: row by
// row in alternating directions, and back up along the first column.
std::vector<unsigned> round_trip(Grid grid) {
  const bool by_rows = grid.rows % 2 == 0;
  const unsigned lines = by_rows ? grid.rows : grid.columns, length = by_rows ? grid.columns : grid.rows;
  const auto cell = [&](unsigned line, unsigned at) {
    return by_rows ? line * grid.columns + at : at * grid.columns + line;
  };
  const unsigned first = length > 1 && lines % 2 == 0 ? 1 : 0;  // the way back takes the cells before it
  std::vector<unsigned> trip;
  for (unsigned line = 0; line < lines; ++line)
    for (unsigned i = first; i < length; ++i)
      trip.push_back(cell(line, line % 2 == 0 ? i : length - 1 + first - i));
  for (unsigned line = lines; first == 1 && line-- > 0;) trip.push_back(cell(line, 0));
  return trip;
}

}  // namespace

std::shared_ptr<const Topology> build_ring(const FabricConfig& config, const SwitchTechnology& technology) {
  const FabricShape shape = fabric_shape(config);
  const unsigned globals = shape.global_routers;
  const FloorPlan plan(config.nodes, shape.concentration, config.tile);
  const unsigned locals = plan.clusters().size();
  if (globals < 3) throw std::invalid_argument("a ring has at least 3 global routers");
  const FloorPlan::Parts parts = plan.parts(globals);
  TopologyBuilder builder(std::string(to_text(config.topology)), config, technology);

  for (unsigned l = 0; l < locals; ++l)
    builder.add_router("LR" + std::to_string(l), plan.cluster_centre(l), shape.concentration + 1);
  std::vector<unsigned> global_of_block(globals);
  for (unsigned g = 0; const unsigned block : round_trip(parts.blocks)) {
    global_of_block[block] = g;
    builder.add_router("GR" + std::to_string(g++), parts.globals[block], locals / globals + 2, true);
  }
  for (NodeId node = 0; node < config.nodes; ++node)
    builder.add_node(plan.cluster_of(node), plan.node_link(node));

  std::vector<unsigned> global_of;
  for (const unsigned block : parts.block_of) global_of.push_back(global_of_block[block]);
  for (RouterId l = 0; l < locals; ++l) builder.add_channel(l, locals + global_of[l]);
  for (RouterId l = 0; l < locals; ++l) builder.add_channel(locals + global_of[l], l);
  for (unsigned g = 0; g < globals; ++g) builder.add_channel(locals + g, locals + (g + 1) % globals);
  for (unsigned g = 0; g < globals; ++g)
    builder.add_channel(locals + g, locals + (g + globals - 1) % globals);
  return builder.finish(std::make_shared<RingRouting>(globals, std::move(global_of)));
}

}  // namespace asterism
