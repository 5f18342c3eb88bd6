#include "fabric/network/predicted_network.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace asterism {

PredictedNetwork::PredictedNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& flit,
                                   const std::optional<FabricCurves>& curves, Picoseconds quantum)
    : topology_(std::move(topology)),
      flit_(flit),
      curves_(curves),
      before_grant_(flit.router_stages > 1 ? 1 : 0),
      after_grant_(flit.router_stages - before_grant_),
      bins_(quantum),
      channels_(topology_->channels.size()),
      injections_(topology_->nodes.size()),
      ejections_(topology_->nodes.size()),
      choice_(topology_->channels.size()),
      gated_(topology_->routers.size()) {
  number_ports();
  reset(Reset::cold);
}

void PredictedNetwork::number_ports() {
  const std::size_t routers = topology_->routers.size();
  for (const Topology::Router& router : topology_->routers) periods_.push_back(router.period.count());
  std::vector<std::uint32_t> inputs(routers), outputs(routers);
  for (NodeId n = 0; n < ejections_.size(); ++n)
    ejections_[n].number = outputs.at(topology_->nodes[n].router)++;
  for (ChannelId c = 0; c < channels_.size(); ++c)
    channels_[c].number = outputs.at(topology_->channels[c].from)++;
  for (const Topology::Node& node : topology_->nodes) ++inputs.at(node.router);
  for (const Topology::Channel& channel : topology_->channels) ++inputs.at(channel.to);

  std::vector<std::size_t> next(routers);  // of the router's ways
  std::size_t ways = 0;
  for (RouterId r = 0; r < routers; ++r) {
    next[r] = ways;
    ways += std::size_t{inputs[r]} * outputs[r];
  }
  const auto number = [&](RouterId router) {
    return std::exchange(next[router], next[router] + outputs[router]);
  };
  for (const Topology::Node& node : topology_->nodes) ways_from_node_.push_back(number(node.router));
  for (const Topology::Channel& channel : topology_->channels)
    ways_from_channel_.push_back(number(channel.to));
  if (curves_) ways_.resize(ways);
}

void PredictedNetwork::reset(Reset) {
  const auto clear = [](Port& port, std::uint64_t flit_time) {
    port = Port{.flit_time = static_cast<double>(flit_time), .number = port.number, .load = {}, .total = 0};
  };
  for (ChannelId c = 0; c < channels_.size(); ++c) {
    const Topology::Channel& channel = topology_->channels[c];
    clear(channels_[c], std::max(period(channel.from), period(channel.to)));
  }
  for (NodeId n = 0; n < injections_.size(); ++n) {
    clear(injections_[n], period(topology_->nodes[n].router));
    clear(ejections_[n], period(topology_->nodes[n].router));
  }
  std::ranges::fill(ways_, PartialLoad{});
  bins_.reset();
  choice_.reset();
}

Picoseconds PredictedNetwork::send(const Packet& packet, Picoseconds now) {
  if (packet.source >= injections_.size() || packet.destination >= ejections_.size())
    throw std::invalid_argument("a packet's source and destination are nodes of the fabric");
  if (packet.flits == 0) throw std::invalid_argument("a packet has at least one flit");
  const Topology::Node& source = topology_->nodes[packet.source];
  const Topology::Node& destination = topology_->nodes[packet.destination];
  const std::uint64_t rest = packet.flits - 1;

  Waits waits{.moment = curves_ ? bins_.moment(now) : LoadBins::Moment{}};
  pass(injections_[packet.source], LinkKind::injection, no_way, packet.flits, 1, waits);
  RouterId here = source.router;
  std::size_t ways = ways_from_node_[packet.source];
  const std::uint64_t sent = now.count() / period(here) + 1;
  const std::uint64_t wire = source.latency.count(), granted = sent + wire + before_grant_;
  Train train{granted, stalled({sent, sent + rest}, rest, granted + flit_.credit_cycles + wire - sent) +
                           granted - sent};
  for (unsigned vc_class = 0; here != destination.router;) {
    const Routing::Step step = topology_->routing->step(here, destination.router, vc_class);
    const auto [next, shares] = choice_.choose(
        step, [&](ChannelId c) { return !gated_[topology_->channels[c].to]; },
        [&](ChannelId c) { return congested(c, waits.moment); });
    const Topology::Channel& channel = topology_->channels[next];
    pass(channels_[next], LinkKind::channel, ways + channels_[next].number, packet.flits, shares, waits);
    train = cross(train, channel, rest);
    here = channel.to;
    ways = ways_from_channel_[next];
    vc_class = step.vc_class;
  }
  Port& ejection = ejections_[packet.destination];
  pass(ejection, LinkKind::ejection, ways + ejection.number, packet.flits, 1, waits);
  const std::uint64_t delivered = (train.tail + after_grant_ + destination.latency.count()) * period(here);
  return Picoseconds(delivered + static_cast<std::uint64_t>(waits.total));
}

// When the tail leaves, if it may have to wait for credits: the flits that fit the buffer go at once, the
// next ones a round trip after those before them. Only the round trip of the head includes its routing.
std::uint64_t PredictedNetwork::stalled(Train train, std::uint64_t rest, std::uint64_t round_trip) const {
  const std::uint64_t rounds = rest / flit_.buffer_depth, left = rest % flit_.buffer_depth;
  if (rounds == 0) return train.tail;
  return std::max(train.tail, train.head + before_grant_ + rounds * (round_trip - before_grant_) + left);
}

// From the grants at one router to those at the next one.
PredictedNetwork::Train PredictedNetwork::cross(Train granted, const Topology::Channel& channel,
                                                std::uint64_t rest) const {
  const std::uint64_t from = period(channel.from), to = period(channel.to);
  const auto edge_of = [&](std::uint64_t edges, std::uint64_t sender, std::uint64_t receiver) {
    if (sender == receiver) return edges;
    return (edges * sender * 100 + flit_.crossing * receiver + 100 * receiver - 1) / (100 * receiver);
  };
  const std::uint64_t wire = channel.latency.count(), out = after_grant_ + wire;
  const std::uint64_t first = edge_of(granted.head + out, from, to), head = first + before_grant_;
  const std::uint64_t back = head + flit_.credit_cycles + (wire * from + to - 1) / to;
  granted.tail = stalled(granted, rest, edge_of(back, to, from) - granted.head);
  return {head, std::max(edge_of(granted.tail + out, from, to), head + rest)};
}

// ---- load and waiting ----

// Counts a packet at a port, and adds how long it waits for it.
void PredictedNetwork::pass(Port& port, LinkKind kind, std::size_t way, std::uint32_t flits,
                            std::size_t shares, Waits& waits) {
  port.total += flits;
  if (!curves_) return;
  const double work = flits * port.flit_time;
  port.load.evaluate_until(bins_, curve(kind));
  LinkLoad::Packet packet{.work = work};
  if (way != no_way) {
    PartialLoad& same = ways_[way];
    same.evaluate_until(bins_, *waits.input, port.load);
    packet.others = same.others();
    packet.blocking = same.blocking();
    same.add(waits.moment, work);
  }
  if (shares > 1) packet.others /= static_cast<double>(static_cast<std::uint32_t>(shares));
  packet.wait = std::max(port.load.wait() * packet.others, port.load.backlog(waits.moment));
  port.load.add(bins_, waits.moment, packet);
  waits.input = &port.load;
  waits.total += packet.wait;
  waits.moment = bins_.later(waits.moment, packet.wait);
}

// ---- routes ----

// Counts the flits on their way to the next router's buffers and in them, until their credits are back.
bool PredictedNetwork::congested(ChannelId id, const LoadBins::Moment& at) {
  if (!curves_) return false;
  const Topology::Channel& channel = topology_->channels[id];
  Port& port = channels_[id];
  port.load.evaluate_until(bins_, curves_->channel);
  const double round_trip = static_cast<double>(2 * channel.latency.count() + flit_.router_stages +
                                                flit_.credit_cycles + before_grant_);
  const double held = port.load.load_at(bins_, at) * (round_trip + port.load.wait() / port.flit_time);
  return held >= flit_.fallback_occupancy;
}

PredictedNetwork::Load PredictedNetwork::load() const {
  Load load;
  for (const Port& port : channels_) load.channel_flits.push_back(port.total);
  for (const Port& port : injections_) load.injected_flits.push_back(port.total);
  for (const Port& port : ejections_) load.ejected_flits.push_back(port.total);
  return load;
}

}  // namespace asterism
