// The choice of one of the channels that a Routing::Step allows, for both network engines. Equal channels are
// taken in round-robin order, channels to power-gated routers are skipped, and the fallback channels are used
// when all preferred ones are congested.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "fabric/topology/routing.h"

namespace asterism {

class ChannelChoice {
 public:
  struct Chosen {
    ChannelId channel;
    std::size_t equal;  // the number of channels that it was chosen from
  };

  explicit ChannelChoice(std::size_t channels) : next_(channels) {}

  // `is_powered` returns whether a channel leads to a powered router, `congested` whether the channel is
  // above the congestion threshold. If all routers are gated, the first channel is taken: the packet was
  // already on its way when they were gated, and still passes.
  template <class IsPowered, class Congested>
  Chosen choose(const Routing::Step& step, const IsPowered& is_powered, const Congested& congested) {
    if (step.fallback.empty() && step.channels.size() == 1) return {step.channels.front(), 1};
    if (!step.fallback.empty()) {
      const auto is_free = [&](ChannelId channel) { return is_powered(channel) && !congested(channel); };
      if (const auto channel = next(step.channels, is_free)) return {*channel, step.channels.size()};
      if (const auto channel = next(step.fallback, is_powered)) return {*channel, step.fallback.size()};
    }
    return {next(step.channels, is_powered).value_or(step.channels.front()), step.channels.size()};
  }

  void reset() { std::ranges::fill(next_, 0); }
  Bytes memory() const { return Bytes(next_.size() * sizeof(next_[0])); }

 private:
  template <class Suits>
  std::optional<ChannelId> next(std::span<const ChannelId> equal, const Suits& suits) {
    std::uint32_t& position = next_[equal.front()];
    if (position >= equal.size()) position = 0;  // a longer set begins with the same channel
    for (std::size_t tried = 0; tried < equal.size(); ++tried) {
      const ChannelId channel = equal[position];
      if (++position == equal.size()) position = 0;
      if (suits(channel)) return channel;
    }
    return std::nullopt;
  }

  std::vector<std::uint32_t> next_;  // round-robin position, indexed by the first of the equal channels
};

}  // namespace asterism
