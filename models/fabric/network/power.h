// The power of a fabric by component, computed from the traffic in a measured interval.
//
//   static    static_power * area of every router, for the time that it was powered, and of every channel's
//             repeaters, for the time that both its routers were powered
//   buffers   each flit through a router is written to and read from one input buffer
//   switches  each flit also crosses one switch, whose energy grows with the square of the radix
//   links     each flit on a channel, including the channels from and to nodes, costs energy by the length
//
// A gated router has no static power, and neither have its channels. A node's own two links have no area,
// since the published areas contain none for them. A node's source queue and its sink belong to the node.
// Sources: abeyratne2017 section 3.4.1 to 3.4.3; for the energies and how they were found see
// swizzle_switch/switch_technology.h.
#pragma once

#include <optional>

#include "base/units.h"
#include "fabric/network/flit_network.h"
#include "fabric/topology/topology.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {

struct FabricPower {
  double static_watts = 0, buffer_watts = 0, switch_watts = 0, link_watts = 0;
  // Of all components, per delivered bit; nullopt if none was delivered.
  std::optional<double> picojoules_per_bit;

  double watts() const { return static_watts + buffer_watts + switch_watts + link_watts; }
};

// `load` is the load since clear_load(), which was called `measured` ago. Throws std::invalid_argument for an
// interval of zero, for a load of another topology and for a router that the technology does not support.
FabricPower fabric_power(const Topology& topology, const SwitchTechnology& technology,
                         const FlitNetwork::Load& load, Picoseconds measured);

// The area of all routers and of the repeaters of all channels, gated or not.
SquareMicrometres fabric_area(const Topology& topology, const SwitchTechnology& technology);

}  // namespace asterism
