// Dimension order: along the row to the destination's column, then along the column. It is free of deadlock
// because no packet turns from a column into a row (Dally and Seitz 1987).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/topology/channel_runs.h"
#include "fabric/topology/floor_plan.h"
#include "fabric/topology/routing.h"

namespace asterism {

class MeshRouting final : public Routing {
 public:
  // Increasing column, decreasing column, decreasing row, increasing row.
  enum Direction { east, west, south, north };
  // By Direction: the first of the parallel channels, if there are any.
  using Channels = std::array<ChannelId, 4>;

  MeshRouting(Grid grid, std::vector<Channels> channels, unsigned parallel_links, std::size_t channel_count)
      : channels_(std::move(channels)), parallel_links_(parallel_links), runs_(channel_count) {
    for (RouterId router = 0; router < channels_.size(); ++router) column_.push_back(router % grid.columns);
  }

  Step step(RouterId here, RouterId destination, unsigned vc_class) const override {
    const unsigned x = column_[here], to_x = column_[destination];
    const Direction direction = x < to_x ? east : x > to_x ? west : here < destination ? south : north;
    return {
        .channels = runs_(channels_[here][direction], parallel_links_), .fallback = {}, .vc_class = vc_class};
  }

 private:
  std::vector<unsigned> column_;    // by router: a division for every packet and hop would be too slow
  std::vector<Channels> channels_;  // by router
  unsigned parallel_links_;
  ChannelRuns runs_;
};

}  // namespace asterism
