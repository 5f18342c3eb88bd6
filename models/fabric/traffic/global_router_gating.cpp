#include "fabric/traffic/global_router_gating.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/fields.h"

namespace asterism {

static_assert(member_count<GlobalRouterGatingConfig>() == 4);
void describe(Fields& f, GlobalRouterGatingConfig& c) {
  f("window", c.window,
    "The time between two decisions about how many global routers are powered. 0: none are gated at run "
    "time.",
    within(0_ps, 1_ms));
  f.check([&] { return c.window == 0_ps || c.window >= 50_ns; }, "window", "is 0 or at least 50ns");
  f("low", c.low,
    "A global router is gated if the load of the channels to the others is then still below this share of "
    "what they carry.",
    within(0.0, 1.0));
  f("high", c.high, "Global routers are powered up above this load.", within(0.01, 1.0));
  f("wake_up", c.wake_up, "The time from the decision until a global router can be used.",
    within(0_ps, 1_ms));
  f.check([&] { return c.low <= c.high; }, "low", "is at most high");
}

GlobalRouterGating::GlobalRouterGating(const GlobalRouterGatingConfig& config,
                                       std::shared_ptr<const Topology> topology, FlitNetwork& network)
    : config_(config), topology_(std::move(topology)), network_(network), next_(config.window) {
  for (RouterId r = 0; r < topology_->routers.size(); ++r)
    if (topology_->routers[r].global) routers_.push_back(r);
  powered_ = usable_ = static_cast<std::uint32_t>(routers_.size());
  if (config_.window == 0_ps) return;
  if (routers_.size() < 2)
    throw std::invalid_argument("the topology has no two global routers, one of which could be gated");
  network_.gate(routers_.back(), true);  // throws if the others cannot replace it
  network_.gate(routers_.back(), false);
  for (const Topology::Channel& channel : topology_->channels)
    if (channel.to == routers_.front())
      capacity_ += 1 / static_cast<double>(topology_->routers[channel.from].period.count());
}

void GlobalRouterGating::advance_to(Picoseconds now) {
  if (config_.window == 0_ps) return;
  while (!wakes_.empty() && wakes_.front() <= now) {
    wakes_.erase(wakes_.begin());
    network_.gate(routers_[usable_++], false);
  }
  if (now < next_) return;
  end_window(now);
  begin_ = now;
  next_ = now + config_.window;
}

std::optional<Picoseconds> GlobalRouterGating::next_event() const {
  if (config_.window == 0_ps) return std::nullopt;
  return wakes_.empty() ? next_ : std::min(next_, wakes_.front());
}

void GlobalRouterGating::cleared(Picoseconds now) {
  counted_ = 0;
  begin_ = now;
  next_ = now + config_.window;
}

void GlobalRouterGating::end_window(Picoseconds now) {
  const std::uint64_t flits = flits_to_global_routers();
  const double most = capacity_ * static_cast<double>((now - begin_).count());
  const double load = static_cast<double>(flits - counted_) / most;  // of one router
  counted_ = flits;
  const auto all = static_cast<std::uint32_t>(routers_.size());
  const std::uint32_t others = powered_ - 1;
  if (load > config_.high * powered_) {
    const auto wanted = static_cast<std::uint32_t>(std::min<double>(all, std::ceil(load / config_.high)));
    for (; powered_ < wanted; ++powered_) wakes_.push_back(now + config_.wake_up);
  } else if (others > 0 && load < config_.low * others && usable_ == powered_) {
    network_.gate(routers_[--usable_], true);
    --powered_;
  }
}

std::uint64_t GlobalRouterGating::flits_to_global_routers() const {
  const FlitNetwork::Load load = network_.load();
  std::uint64_t flits = 0;
  for (ChannelId c = 0; c < topology_->channels.size(); ++c)
    if (topology_->routers[topology_->channels[c].to].global) flits += load.channel_flits[c];
  return flits;
}

}  // namespace asterism
