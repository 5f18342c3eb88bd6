#include "fabric/topology/topologies.h"

#include <stdexcept>
#include <string>

namespace asterism {

std::shared_ptr<const Topology> build_topology(const FabricConfig& config, const SwitchTechnology& technology,
                                               const GraphConfig* graph) {
  switch (config.topology) {
    case TopologyKind::crossbar:
      break;
    case TopologyKind::swizzle_switch:
      return build_switch(config, technology);
    case TopologyKind::mesh:
    case TopologyKind::cmesh_low:
    case TopologyKind::cmesh_high:
      return build_mesh(config, technology);
    case TopologyKind::fbfly:
      return build_flattened_butterfly(config, technology);
    case TopologyKind::superstar:
    case TopologyKind::superstarx:
      return build_star(config, technology);
    case TopologyKind::superring:
      return build_ring(config, technology);
    case TopologyKind::graph:
      if (graph == nullptr) throw std::invalid_argument("topology graph needs a graph");
      return build_graph(config, technology, *graph);
  }
  throw std::invalid_argument("a crossbar is ideal and has no routers");
}

std::vector<RouterId> gated_routers(const FabricConfig& config, const Topology& topology) {
  std::vector<RouterId> gated;
  for (auto r = static_cast<RouterId>(topology.routers.size());
       r-- > 0 && gated.size() < config.gated_global_routers;)
    if (topology.routers[r].global) gated.push_back(r);
  if (gated.size() < config.gated_global_routers)
    throw std::invalid_argument("there are " + std::to_string(gated.size()) +
                                " global routers to gate, not " +
                                std::to_string(config.gated_global_routers));
  return gated;
}

}  // namespace asterism
