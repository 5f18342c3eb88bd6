#include <string>

#include "fabric/topology/floor_plan.h"
#include "fabric/topology/graph_routing.h"
#include "fabric/topology/topologies.h"
#include "fabric/topology/topology_builder.h"

namespace asterism {

std::shared_ptr<const Topology> build_switch(const FabricConfig& config, const SwitchTechnology& technology) {
  constexpr unsigned ports_without_a_node = 64;
  const unsigned ports = config.ports.value_or(ports_without_a_node);
  const FloorPlan plan(ports, ports, config.tile);
  TopologyBuilder builder(std::string(to_text(config.topology)), config, technology);
  const RouterId crossbar = builder.add_router("XB", plan.cluster_centre(0), ports);
  for (NodeId node = 0; node < ports; ++node) builder.add_node(crossbar, plan.node_link(node));
  return builder.finish(std::make_shared<GraphRouting>(1, std::vector<std::vector<ChannelId>>(1)));
}

}  // namespace asterism
