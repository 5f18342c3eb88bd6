// One hop along the row to the destination's column, then one hop along the column. It is free of deadlock
// like dimension order in a mesh.
#pragma once

#include "fabric/topology/channel_runs.h"
#include "fabric/topology/floor_plan.h"
#include "fabric/topology/routing.h"

namespace asterism {

// Channels are numbered by router. Those of a router along its row come first, by column, followed by those
// along its column, by row; the router itself is skipped, and parallel channels are adjacent.
class FlattenedButterflyRouting final : public Routing {
 public:
  FlattenedButterflyRouting(Grid grid, unsigned parallel_links)
      : grid_(grid),
        parallel_links_(parallel_links),
        outputs_((grid.columns - 1 + grid.rows - 1) * parallel_links),
        runs_(std::size_t{grid.size()} * outputs_) {}

  Step step(RouterId here, RouterId destination, unsigned vc_class) const override {
    const unsigned x = here % grid_.columns, to_x = destination % grid_.columns;
    const unsigned y = here / grid_.columns, to_y = destination / grid_.columns;
    const unsigned link = x != to_x ? to_x - (to_x > x) : grid_.columns - 1 + to_y - (to_y > y);
    return {.channels = runs_(here * outputs_ + link * parallel_links_, parallel_links_),
            .fallback = {},
            .vc_class = vc_class};
  }

 private:
  Grid grid_;
  unsigned parallel_links_;
  unsigned outputs_;  // per router
  ChannelRuns runs_;
};

}  // namespace asterism
