// Builds a Topology: clocks from the technology, lengths from positions, latencies from both, unless the
// config specifies them (`clock`, `link_cycles` and `global_link_cycles` take precedence over the floor
// plan).
//
// All functions throw std::invalid_argument, which says what does not fit.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fabric/fabric_config.h"
#include "fabric/topology/topology.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {

class TopologyBuilder {
 public:
  // Both must outlive the builder.
  TopologyBuilder(std::string name, const FabricConfig& config, const SwitchTechnology& technology);

  // A clock of the router itself takes precedence over the technology, and the config's clock over both.
  RouterId add_router(std::string name, Topology::Point at, unsigned radix, bool global = false,
                      std::optional<Frequency> clock = {});
  NodeId add_node(RouterId router, Micrometres length);
  // Adds one direction; without a length it is the distance of the routers. A length of zero is refused.
  ChannelId add_channel(RouterId from, RouterId to, std::optional<Micrometres> length = {});

  const Topology& topology() const { return *topology_; }

  // Checks that every router has enough ports, and checks the routing (channel_dependency.h).
  std::shared_ptr<const Topology> finish(std::shared_ptr<const Routing> routing);

 private:
  Cycles latency(const Topology::Router& sender, Micrometres length, bool global) const;
  void check_ports() const;

  const FabricConfig& config_;
  const SwitchTechnology& technology_;
  std::shared_ptr<Topology> topology_;
};

}  // namespace asterism
