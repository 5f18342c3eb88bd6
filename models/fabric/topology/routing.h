// The next hop of a packet. A routing function is deterministic and oblivious, except for two choices of the
// router: which of several equal channels to take (round-robin per router), and whether to use the fallback
// instead of the preferred channels (when they are congested or their routers are gated).
#pragma once

#include <cstdint>
#include <span>

namespace asterism {

using NodeId = std::uint32_t;
using RouterId = std::uint32_t;
using ChannelId = std::uint32_t;

class Routing {
 public:
  // The channels leave the router that was asked; the spans are valid as long as the Routing exists.
  struct Step {
    std::span<const ChannelId> channels;  // equal channels, in round-robin order
    // Equal channels, for use when `channels` are above the occupancy threshold.
    std::span<const ChannelId> fallback = {};
    unsigned vc_class = 0;  // the packet's class from here on
  };

  virtual ~Routing() = default;

  // Virtual channels are divided evenly among the classes: class k of n has VCs [k*V/n, (k+1)*V/n). A packet
  // is injected in class 0.
  virtual unsigned vc_classes() const { return 1; }

  // The step of a packet of class `vc_class` at `here` that leaves the fabric at `destination` != here.
  virtual Step step(RouterId here, RouterId destination, unsigned vc_class) const = 0;
};

}  // namespace asterism
