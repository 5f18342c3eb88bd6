// The next channels towards each router, from a table: shortest paths and the routes of the file.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "fabric/topology/routing.h"

namespace asterism {

class GraphRouting final : public Routing {
 public:
  // `ways`: [here][destination], equal channels in round-robin order; empty if there is no path.
  GraphRouting(unsigned routers, const std::vector<std::vector<ChannelId>>& ways) : routers_(routers) {
    std::map<std::vector<ChannelId>, std::size_t> first_of;
    for (const std::vector<ChannelId>& channels : ways) {
      const auto [known, is_new] = first_of.emplace(channels, channels_.size());
      if (is_new) channels_.insert(channels_.end(), channels.begin(), channels.end());
      next_.emplace_back(known->second, channels.size());
    }
  }

  Step step(RouterId here, RouterId destination, unsigned vc_class) const override {
    const auto [first, count] = next_[std::size_t{here} * routers_ + destination];
    return {.channels = std::span(channels_).subspan(first, count), .fallback = {}, .vc_class = vc_class};
  }

 private:
  unsigned routers_;
  std::vector<std::pair<std::size_t, std::size_t>>
      next_;                         // [here][destination]: first index and count in channels_
  std::vector<ChannelId> channels_;  // each set once
};

}  // namespace asterism
