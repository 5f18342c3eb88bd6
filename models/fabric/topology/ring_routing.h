// Super-Ring: up to the global router, along the ring in the shorter direction to the global router of the
// destination, and down. If both directions are equally long, a packet goes clockwise to a global router with
// an even number, so that both directions carry the same load.
//
// With up to four global routers there is no cycle: two hops clockwise end at an even router, so no chain of
// waiting channels closes around the ring. With five or more there are two classes of virtual channels: a
// packet changes from class 0 to class 1 where it passes between the last and the first global router (a
// dateline: Dally and Seitz 1987).
#pragma once

#include <vector>

#include "fabric/topology/channel_runs.h"
#include "fabric/topology/routing.h"

namespace asterism {

// Channels are numbered first up and then down by local router, then clockwise and counterclockwise by global
// router. Global routers are numbered in the order of the ring.
class RingRouting final : public Routing {
 public:
  // `global_of`: by local router.
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
