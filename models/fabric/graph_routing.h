// The next link towards each router, from a table: shortest ways and a file's own routes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fabric/channel_runs.h"
#include "fabric/routing.h"

namespace asterism {

class GraphRouting final : public Routing {
 public:
  struct Run {  // parallel channels; none where there is no way
    ChannelId first = 0;
    std::uint32_t count = 0;
  };
  // next: [router][destination].
  GraphRouting(unsigned routers, std::vector<Run> next, std::size_t channels)
      : routers_(routers), next_(std::move(next)), runs_(channels) {}

  Step step(RouterId here, RouterId destination, unsigned vc_class) const override {
    const Run run = next_[std::size_t{here} * routers_ + destination];
    return {.channels = runs_(run.first, run.count), .fallback = {}, .vc_class = vc_class};
  }

 private:
  unsigned routers_;
  std::vector<Run> next_;
  ChannelRuns runs_;
};

}  // namespace asterism
