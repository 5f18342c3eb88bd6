// Super-Ring: up to the global router, the shorter way round to that of the destination, and down. Of two ways as
// short a packet takes the clockwise one to a global router with an even number, so that both carry as much.
//
// Up to four global routers that leaves no cycle: two hops clockwise end at an even router, so no channel waits
// round the ring. From five on there are two classes of virtual channels: a packet changes from class 0 to class 1
// where it passes between the last and the first global router (a dateline: Dally and Seitz 1987).
#pragma once

#include <vector>

#include "fabric/topology/channel_runs.h"
#include "fabric/topology/routing.h"

namespace asterism {

// Channels count first up and then down by local router, then clockwise and counterclockwise by global router.
// Global routers count in the order of the ring.
class RingRouting final : public Routing {
 public:
  // global_of: by local router.
  RingRouting(unsigned globals, std::vector<unsigned> global_of)
      : locals_(static_cast<unsigned>(global_of.size())),
        globals_(globals),
        global_of_(std::move(global_of)),
        runs_(2 * (std::size_t{locals_} + globals)) {}

  unsigned vc_classes() const override { return globals_ > 4 ? 2 : 1; }

  Step step(RouterId here, RouterId destination, unsigned vc_class) const override {
    const auto by = [&](ChannelId channel, unsigned next_class) {
      return Step{.channels = runs_(channel, 1), .fallback = {}, .vc_class = next_class};
    };
    if (here < locals_) return by(here, vc_class);
    const unsigned at = here - locals_, to = global_of_[destination];
    if (at == to) return by(locals_ + destination, vc_class);
    const unsigned clockwise = (to + globals_ - at) % globals_;
    if (2 * clockwise < globals_ || (2 * clockwise == globals_ && to % 2 == 0))
      return by(2 * locals_ + at, at + 1 == globals_ ? last_class() : vc_class);
    return by(2 * locals_ + globals_ + at, at == 0 ? last_class() : vc_class);
  }

 private:
  unsigned last_class() const { return vc_classes() - 1; }

  unsigned locals_, globals_;
  std::vector<unsigned> global_of_;
  ChannelRuns runs_;
};

}  // namespace asterism
