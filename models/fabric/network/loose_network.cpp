#include "fabric/network/loose_network.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace asterism {
namespace {

constexpr ChannelId none = std::numeric_limits<ChannelId>::max();
constexpr double longest_load = 0.97;  // relative to the knee: the wait stays finite

}  // namespace

LooseNetwork::LooseNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& flit,
                           const LooseParameters& parameters)
    : topology_(std::move(topology)),
      flit_(flit),
      parameters_(parameters),
      before_grant_(flit.router_stages > 1 ? 1 : 0),
      after_grant_(flit.router_stages - before_grant_),
      channels_(topology_->channels.size()),
      injections_(topology_->nodes.size()),
      ejections_(topology_->nodes.size()),
      choice_(topology_->channels.size()),
      gated_(topology_->routers.size()) {
  number_ports();
  reset(Reset::cold);
}

void LooseNetwork::number_ports() {
  const std::size_t routers = topology_->routers.size();
  std::vector<std::uint32_t> inputs(routers);
  outputs_.assign(routers, 0);
  for (NodeId n = 0; n < ejections_.size(); ++n) {
    const RouterId router = topology_->nodes[n].router;
    input_of_node_.push_back(inputs.at(router)++);
    ejections_[n].number = outputs_[router]++;
  }
  for (ChannelId c = 0; c < channels_.size(); ++c) {
    input_of_channel_.push_back(inputs.at(topology_->channels[c].to)++);
    channels_[c].number = outputs_.at(topology_->channels[c].from)++;
  }
  std::size_t ways = 0;
  for (RouterId r = 0; r < routers; ++r) {
    first_way_.push_back(ways);
    ways += std::size_t{inputs[r]} * outputs_[r];
  }
  ways_.resize(ways);
}

void LooseNetwork::reset(Reset) {
  const auto clear = [](Port& port, std::uint64_t flit_time) {
    port = Port{.flit_time = flit_time, .number = port.number, .flits = {}, .squares = {}, .total = 0};
  };
  for (ChannelId c = 0; c < channels_.size(); ++c) {
    const Topology::Channel& channel = topology_->channels[c];
    clear(channels_[c], std::max(period(channel.from), period(channel.to)));
  }
  for (NodeId n = 0; n < injections_.size(); ++n) {
    clear(injections_[n], period(topology_->nodes[n].router));
    clear(ejections_[n], period(topology_->nodes[n].router));
  }
  std::ranges::fill(ways_, Window{});
  choice_.reset();
}

Picoseconds LooseNetwork::send(const Packet& packet, Picoseconds now) {
  if (packet.source >= injections_.size() || packet.destination >= ejections_.size())
    throw std::invalid_argument("a packet's source and destination are nodes of the fabric");
  if (packet.flits == 0) throw std::invalid_argument("a packet has at least one flit");
  const Topology::Node& source = topology_->nodes[packet.source];
  const Topology::Node& destination = topology_->nodes[packet.destination];
  const std::uint64_t at = now.count(), rest = packet.flits - 1;

  double wait = pass(injections_[packet.source], nullptr, packet.flits, at);
  RouterId here = source.router;
  std::uint32_t input = input_of_node_[packet.source];
  const std::uint64_t sent = at / period(here) + 1;
  const std::uint64_t wire = source.latency.count(), granted = sent + wire + before_grant_;
  Train train{granted, stalled({sent, sent + rest}, rest, granted + flit_.credit_cycles + wire - sent) +
                           granted - sent};
  for (unsigned vc_class = 0; here != destination.router;) {
    const Routing::Step step = topology_->routing->step(here, destination.router, vc_class);
    const auto [next, shares] = choice_.choose(
        step, [&](ChannelId c) { return !gated_[topology_->channels[c].to]; },
        [&](ChannelId c) { return congested(c, at); });
    const Topology::Channel& channel = topology_->channels[next];
    wait += pass(channels_[next], way(here, input, channels_[next]), packet.flits, at) /
            static_cast<double>(shares);
    train = cross(train, channel, rest);
    here = channel.to;
    input = input_of_channel_[next];
    vc_class = step.vc_class;
  }
  Port& ejection = ejections_[packet.destination];
  wait += pass(ejection, way(here, input, ejection), packet.flits, at);
  const std::uint64_t delivered = (train.tail + after_grant_ + destination.latency.count()) * period(here);
  return Picoseconds(delivered + static_cast<std::uint64_t>(wait));
}

// When the tail leaves, if it may have to wait for credits: the flits that fit the buffer go at once, the
// next ones a round trip after those before them. Only the round trip of the head includes its routing.
std::uint64_t LooseNetwork::stalled(Train train, std::uint64_t rest, std::uint64_t round_trip) const {
  const std::uint64_t rounds = rest / flit_.buffer_depth, left = rest % flit_.buffer_depth;
  if (rounds == 0) return train.tail;
  return std::max(train.tail, train.head + before_grant_ + rounds * (round_trip - before_grant_) + left);
}

// From the grants at one router to those at the next one.
LooseNetwork::Train LooseNetwork::cross(Train granted, const Topology::Channel& channel,
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

void LooseNetwork::count(Window& window, double amount, std::uint64_t at) const {
  const std::uint64_t bin = at / parameters_.window.count();
  if (bin > window.bin) {
    window.before = bin == window.bin + 1 ? window.now : 0;
    window.now = 0;
    window.bin = bin;
    window.last = at;
  }
  window.last = std::max(window.last, at);
  (bin == window.bin ? window.now : window.before) += amount;
}

// The window ends at `at` and begins in the previous bin.
double LooseNetwork::over(const Window& window, std::uint64_t at) const {
  const std::uint64_t length = parameters_.window.count(), bin = at / length;
  const double passed = static_cast<double>(at % length), rest = 1 - passed / static_cast<double>(length);
  if (bin > window.bin + 1) return 0;
  if (bin > window.bin) return window.now * rest;
  if (bin < window.bin) return window.before;
  const double counted = static_cast<double>(window.last % length);
  return (passed < counted ? window.now * passed / counted : window.now) + window.before * rest;
}

double LooseNetwork::load_of(const Port& port, std::uint64_t at) const {
  return std::min(1.0, over(port.flits, at) * static_cast<double>(port.flit_time) /
                           static_cast<double>(parameters_.window.count()));
}

// In picoseconds, after `other`, the load of the port's other traffic.
double LooseNetwork::wait_at(const Port& port, double other, std::uint64_t at) const {
  const double flits = port.flits.now + port.flits.before;
  if (flits == 0) return 0;
  const double train = (port.squares.now + port.squares.before) / flits;
  const double full = std::min(load_of(port, at) / parameters_.knee, longest_load);
  return parameters_.contention * other * static_cast<double>(port.flit_time) * train / 2 / (1 - full);
}

// Counts a packet and returns how long it waits for the port. `same_way` is null if all packets share one
// queue.
double LooseNetwork::pass(Port& port, Window* same_way, std::uint32_t flits, std::uint64_t at) {
  const double amount = flits, all = over(port.flits, at);
  const double same = same_way ? over(*same_way, at) : 0;
  const double other = all > same ? load_of(port, at) * (1 - same / all) : 0;
  const double wait = wait_at(port, other, at);
  count(port.flits, amount, at);
  count(port.squares, amount * amount, at);
  if (same_way) count(*same_way, amount, at);
  port.total += flits;
  return wait;
}

// ---- routes ----

// Counts the flits on their way to the next router's buffers and in them, until their credits are back.
bool LooseNetwork::congested(ChannelId id, std::uint64_t at) const {
  const Topology::Channel& channel = topology_->channels[id];
  const Port& port = channels_[id];
  const double load = load_of(port, at);
  const double round_trip = static_cast<double>(2 * channel.latency.count() + flit_.router_stages +
                                                flit_.credit_cycles + before_grant_);
  const double held = load * (round_trip + wait_at(port, load, at) / static_cast<double>(port.flit_time));
  return held >= flit_.fallback_occupancy;
}

LooseNetwork::Load LooseNetwork::load() const {
  Load load;
  for (const Port& port : channels_) load.channel_flits.push_back(port.total);
  for (const Port& port : injections_) load.injected_flits.push_back(port.total);
  for (const Port& port : ejections_) load.ejected_flits.push_back(port.total);
  return load;
}

}  // namespace asterism
