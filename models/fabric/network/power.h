// The power that a fabric takes, by component, from what passed through it in a measured time.
//
//   static    static_power * area of every router, for the time that it was powered, and of every channel's
//             repeaters, for the time that both its routers were
//   buffers   a flit through a router is written to and read from one input buffer
//   switches  and crosses one switch, whose energy grows with the square of the radix
//   links     a flit on a channel, on the way from its node and to it too, pays for the length
//
// A gated router has no static power, nor have its channels. A node's own two links have no area: the
// published ones show none of it. A node's source queue and its sink belong to the node. Sources:
// abeyratne2017 section 3.4.1 to 3.4.3; energies and how they were found: swizzle_switch/switch_technology.h.
#pragma once

#include <optional>

#include "base/units.h"
#include "fabric/network/flit_network.h"
#include "fabric/topology/topology.h"
#include "swizzle_switch/switch_technology.h"

namespace asterism {

struct FabricPower {
  double static_watts = 0, buffer_watts = 0, switch_watts = 0, link_watts = 0;
  std::optional<double> picojoules_per_bit;  // of all components, a bit delivered; nullopt when none was

  double watts() const { return static_watts + buffer_watts + switch_watts + link_watts; }
};

// `load` since clear_load(), which was `measured` ago. Throws std::invalid_argument for no time, for a load
// of another topology and for a router beyond the technology.
FabricPower fabric_power(const Topology& topology, const SwitchTechnology& technology,
                         const FlitNetwork::Load& load, Picoseconds measured);

// Of all routers and the repeaters of all channels, gated or not.
SquareMicrometres fabric_area(const Topology& topology, const SwitchTechnology& technology);

}  // namespace asterism
