// A run of channels with consecutive numbers as a span, which is what a Routing::Step needs. A topology
// numbers its channels so that equal ones are consecutive; no table of sets is needed.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "fabric/topology/routing.h"

namespace asterism {

class ChannelRuns {
 public:
  explicit ChannelRuns(std::size_t channels) : ids_(channels) {
    std::iota(ids_.begin(), ids_.end(), ChannelId{0});
  }
  std::span<const ChannelId> operator()(ChannelId first, std::size_t count) const {
    return std::span(ids_).subspan(first, count);
  }

 private:
  std::vector<ChannelId> ids_;
};

}  // namespace asterism
