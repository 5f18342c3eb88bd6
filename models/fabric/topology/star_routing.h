// Super-Star and Super-StarX: up to a global router, in round-robin order, and down. In Super-StarX a packet
// goes to a neighbour directly, and over a global router when that link is congested. It is free of deadlock:
// a channel down or to a neighbour leads only to the destination.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/topology/channel_runs.h"
#include "fabric/topology/routing.h"

namespace asterism {

// Channels are numbered first up, by local and global router, then down, by global and local router, then
// those between neighbours.
class StarRouting final : public Routing {
 public:
  struct Neighbour {
    RouterId router;
    ChannelId channel;
  };

  // `neighbours` by local router; all lists empty for Super-Star.
  StarRouting(unsigned locals, unsigned globals, std::vector<std::vector<Neighbour>> neighbours,
              std::size_t channels)
      : locals_(locals), globals_(globals), neighbours_(std::move(neighbours)), runs_(channels) {}

  Step step(RouterId here, RouterId destination, unsigned vc_class) const override {
    if (here >= locals_) {
      const ChannelId down = locals_ * globals_ + (here - locals_) * locals_ + destination;
      return {.channels = runs_(down, 1), .fallback = {}, .vc_class = vc_class};
    }
    const auto up = runs_(here * globals_, globals_);
    for (const Neighbour& neighbour : neighbours_[here])
      if (neighbour.router == destination)
        return {.channels = runs_(neighbour.channel, 1), .fallback = up, .vc_class = vc_class};
    return {.channels = up, .fallback = {}, .vc_class = vc_class};
  }

 private:
  unsigned locals_, globals_;
  std::vector<std::vector<Neighbour>> neighbours_;  // at most four each
  ChannelRuns runs_;
};

}  // namespace asterism
