// Where a packet goes next. A routing function is deterministic and oblivious but for two choices that are the
// router's: which of several equal channels to take (round-robin per router), and whether to leave the preferred
// ones for the fallback (when they are congested or their routers are gated).
#pragma once

#include <cstdint>
#include <span>

namespace asterism {

using NodeId = std::uint32_t;
using RouterId = std::uint32_t;
using ChannelId = std::uint32_t;

class Routing {
 public:
  // The channels leave the router that was asked; the spans stay valid as long as the Routing.
  struct Step {
    std::span<const ChannelId> channels;       // equal ones, in the order of the round
    std::span<const ChannelId> fallback = {};  // equal ones, when `channels` are past the occupancy threshold
    unsigned vc_class = 0;                     // the packet's class from here on
  };

  virtual ~Routing() = default;

  // Virtual channels are split evenly among the classes: class k of n has VCs [k*V/n, (k+1)*V/n). A packet is
  // injected in class 0.
  virtual unsigned vc_classes() const { return 1; }

  // For a packet of class `vc_class` at `here` that leaves the fabric at `destination` != here.
  virtual Step step(RouterId here, RouterId destination, unsigned vc_class) const = 0;
};

}  // namespace asterism
