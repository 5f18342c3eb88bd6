// Helpers for tests of topologies and routing.
#pragma once

#include <string>

#include "base/thrown.h"
#include "fabric/topology/topologies.h"

namespace asterism {

inline std::shared_ptr<const Topology> topology_of(TopologyKind kind, std::uint32_t nodes = 576) {
  FabricConfig config;
  config.topology = kind;
  config.nodes = nodes;
  return build_topology(config, SwitchTechnology{});
}

// The routers that a packet passes if it takes the first of equal channels, as in "R0 R1 R2".
inline std::string route(const Topology& topology, RouterId from, RouterId to) {
  std::string text = topology.routers.at(from).name;
  for (unsigned vc_class = 0; from != to;) {
    const Routing::Step step = topology.routing->step(from, to, vc_class);
    from = topology.channels.at(step.channels.front()).to;
    vc_class = step.vc_class;
    text += " " + topology.routers.at(from).name;
  }
  return text;
}

// The error of build_topology() for a config, or "none" if there is no error.
inline std::string refusal(const FabricConfig& config, const GraphConfig* graph = nullptr) {
  return thrown<std::invalid_argument>([&] { build_topology(config, SwitchTechnology{}, graph); });
}

}  // namespace asterism
