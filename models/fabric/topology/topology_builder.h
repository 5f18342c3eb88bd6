// Puts a Topology together: clocks from the technology, lengths from places, latencies from both, as the config
// asks for (`clock`, `link_cycles` and `global_link_cycles` stand above what the floor plan gives).
//
// All functions throw std::invalid_argument that says what does not fit.
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

  // A clock of its own stands below the config's and above the technology's.
  RouterId add_router(std::string name, Topology::Point at, unsigned radix, bool global = false,
                      std::optional<Frequency> clock = {});
  NodeId add_node(RouterId router, Micrometres length);
  // One direction; without a length as far as the routers are apart. Refuses a length of zero.
  ChannelId add_channel(RouterId from, RouterId to, std::optional<Micrometres> length = {});

  const Topology& topology() const { return *topology_; }

  // Checks that every router has the ports that hang on it, and the routing (channel_dependency.h).
  std::shared_ptr<const Topology> finish(std::shared_ptr<const Routing> routing);

 private:
  Cycles latency(const Topology::Router& sender, Micrometres length, bool global) const;
  void check_ports() const;

  const FabricConfig& config_;
  const SwitchTechnology& technology_;
  std::shared_ptr<Topology> topology_;
};

}  // namespace asterism
