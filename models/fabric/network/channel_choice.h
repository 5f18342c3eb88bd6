// Which of the channels that a Routing::Step allows a packet takes, for both engines: equal ones by turns, those to dark
// routers passed over, the fallback when all preferred ones are congested.
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
    std::size_t equal;  // channels that it was chosen from
  };

  explicit ChannelChoice(std::size_t channels) : turn_(channels) {}

  // `lit` says whether a channel leads to a router with power, `congested` whether it is past the threshold. With
  // all dark the first is taken: the packet was on its way when they were gated, and goes through.
  template <class Lit, class Congested>
  Chosen choose(const Routing::Step& step, const Lit& lit, const Congested& congested) {
    if (step.fallback.empty() && step.channels.size() == 1) return {step.channels.front(), 1};
    if (!step.fallback.empty()) {
      const auto is_free = [&](ChannelId channel) { return lit(channel) && !congested(channel); };
      if (const auto channel = next(step.channels, is_free)) return {*channel, step.channels.size()};
      if (const auto channel = next(step.fallback, lit)) return {*channel, step.fallback.size()};
    }
    return {next(step.channels, lit).value_or(step.channels.front()), step.channels.size()};
  }

  void reset() { std::ranges::fill(turn_, 0); }
  Bytes memory() const { return Bytes(turn_.size() * sizeof(turn_[0])); }

 private:
  template <class Suits>
  std::optional<ChannelId> next(std::span<const ChannelId> equal, const Suits& suits) {
    std::uint32_t& turn = turn_[equal.front()];
    if (turn >= equal.size()) turn = 0;  // another set that begins alike was longer
    for (std::size_t tried = 0; tried < equal.size(); ++tried) {
      const ChannelId channel = equal[turn];
      if (++turn == equal.size()) turn = 0;
      if (suits(channel)) return channel;
    }
    return std::nullopt;
  }

  std::vector<std::uint32_t> turn_;  // by the first channel of the equal ones
};

}  // namespace asterism
