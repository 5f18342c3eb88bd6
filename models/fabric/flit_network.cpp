#include "fabric/flit_network.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "fabric/flit_state.h"

namespace asterism {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

}  // namespace

// ---- one cycle ----

void FlitNetwork::State::step(Domain& domain, std::uint64_t cycle, Sink& sink) {
  domain.cycle = cycle;
  now_ = cycle * domain.period;
  moved_ = false;

  const std::size_t slot = cycle & (domain.calendar.size() - 1);
  if (const std::uint64_t bit = std::uint64_t{1} << (slot % 64); domain.due[slot / 64] & bit) {
    domain.due[slot / 64] &= ~bit;
    Bucket& now = domain.calendar[slot];
    moved_ = true;
    for (const Arrival& arrival : now.arrivals) arrive(arrival);
    now.arrivals.clear();
    for (const std::uint32_t vc : now.credits) {
      ++credits_[vc];
      outputs_[port_of(vc)].usable |= VcMask{1} << number_of(vc);
    }
    now.credits.clear();
    for (const std::uint32_t index : now.deliveries) {
      const PacketState packet = packets_[index];
      packets_[index].next = free_packet_;
      free_packet_ = index;
      sink.delivered({packet.packet, packet.created, packet.injected, Picoseconds(now_), packet.routers});
    }
    now.deliveries.clear();
  }

  for (std::size_t i = 0; i < domain.nodes.size();) {
    Node& node = nodes_[domain.nodes[i]];
    if (send_from_node(node, domain, now_)) {
      ++i;
    } else {
      node.listed = false;
      domain.nodes[i] = domain.nodes.back();
      domain.nodes.pop_back();
    }
  }
  for (std::size_t i = 0; i < domain.routers.size();) {
    Router& router = routers_[domain.routers[i]];
    switch_router(router, domain);
    bool holds_flits = false;
    for (std::uint32_t w = 0; w < router.words; ++w)
      holds_flits |= occupied_ports_[router.first_word + w] != 0;
    if (holds_flits) {
      ++i;
    } else {
      router.listed = false;
      domain.routers[i] = domain.routers.back();
      domain.routers.pop_back();
    }
  }
  if (moved_)
    last_move_ = now_;
  else if (flits_in_flight_ > 0 && now_ - last_move_ > parameters_.watchdog.count() * slowest_period_)
    stuck_ = true;
}

void FlitNetwork::State::arrive(const Arrival& arrival) {
  Vc& vc = vcs_[arrival.vc];
  flit(arrival.vc, vc.front + vc.count) = arrival.flit;
  if (vc.count++ > 0) return;

  const std::uint32_t port = port_of(arrival.vc);
  const RouterId at = router_of_input_[port];
  Router& router = routers_[at];
  InputPort& input = inputs_[port];
  if (input.occupied == 0) {
    const std::uint32_t local = port - router.first_input;
    occupied_ports_[router.first_word + local / 64] |= std::uint64_t{1} << (local % 64);
  }
  input.occupied |= VcMask{1} << number_of(arrival.vc);
  if (!router.listed) {
    router.listed = true;
    domains_[router.domain].routers.push_back(at);
  }
  if (vc.output == none) route(arrival.vc, at);
}

// The head of a packet has come to the front of its virtual channel.
void FlitNetwork::State::route(std::uint32_t index, RouterId at) {
  Vc& vc = vcs_[index];
  PacketState& packet = packets_[front_flit(index).packet];
  ++packet.routers;
  vc.allocated = false;
  if (packet.destination_router == at) {
    vc.output = ejection_of_node_[packet.packet.destination];
    vc.vc_class = 0;
    return;
  }
  const Routing::Step step =
      topology_->routing->step(at, packet.destination_router, class_of_vc_[number_of(index)]);
  const ChannelId channel = choose(step);
  vc.output = output_of_channel_[channel];
  vc.vc_class = static_cast<std::uint8_t>(step.vc_class);
  ++routers_[topology_->channels[channel].to].committed;
}

ChannelId FlitNetwork::State::choose(const Routing::Step& step) {
  const auto next_in_round = [&](std::span<const ChannelId> equal, auto&& suits) -> std::uint32_t {
    if (equal.empty()) return none;
    std::uint32_t& round = round_[equal.front()];
    for (std::size_t tried = 0; tried < equal.size(); ++tried) {
      const ChannelId channel = equal[round];
      if (++round == equal.size()) round = 0;
      if (suits(channel)) return channel;
    }
    return none;
  };
  if (step.fallback.empty() && step.channels.size() == 1) return step.channels.front();
  const auto is_usable = [&](ChannelId channel) { return usable(channel); };
  std::uint32_t channel = none;
  if (step.fallback.empty()) return next_in_round(step.channels, is_usable);
  channel = next_in_round(step.channels, [&](ChannelId c) { return usable(c) && !congested(c); });
  if (channel == none) channel = next_in_round(step.fallback, is_usable);
  if (channel == none) channel = next_in_round(step.channels, is_usable);
  return channel;
}

bool FlitNetwork::State::congested(ChannelId channel) const {
  const std::uint32_t first = first_vc_of(output_of_channel_[channel]);
  unsigned held = 0;
  for (std::uint32_t v = 0; v < virtual_channels_; ++v)
    held += parameters_.buffer_depth - credits_[first + v];
  return held >= parameters_.fallback_occupancy;
}

// False when the node has nothing more to send.
bool FlitNetwork::State::send_from_node(Node& node, Domain& domain, std::uint64_t now) {
  if (node.queue == none) return false;
  PacketState& packet = packets_[node.queue];
  if (packet.created.count() >= now) return true;
  OutputPort& port = outputs_[node.output];
  const bool is_head = node.sent == 0;
  if (is_head) {
    const VcMask candidates = port.free & port.usable & class_mask(0);
    if (candidates == 0) return true;
    node.vc = take_vc(port, node.output, candidates);
    packet.injected = Picoseconds(now);
    --packets_waiting_;
    ++routers_[router_of_input_[port_of(port.first_vc)]].committed;
  } else if ((port.usable >> node.vc & 1) == 0) {
    return true;
  }
  const bool is_tail = ++node.sent == packet.packet.flits;
  ++flits_in_flight_;
  moved_ = true;
  send(port, node.vc, is_head, Flit{.packet = node.queue & 0x7fff'ffffu, .tail = is_tail}, domain);
  if (--credits_[first_vc_of(node.output) + node.vc] == 0) port.usable &= ~(VcMask{1} << node.vc);
  if (is_tail) {
    port.free |= VcMask{1} << node.vc;
    node.sent = 0;
    node.queue = packet.next;
  }
  return node.queue != none;
}

void FlitNetwork::State::switch_router(Router& router, Domain& domain) {
  SwizzleSwitch& crosspoints = switches_[router.switched];
  requested_.clear();
  for (std::uint32_t w = 0; w < router.words; ++w) {
    for (std::uint64_t ports = occupied_ports_[router.first_word + w]; ports != 0; ports &= ports - 1) {
      const std::uint32_t local = w * 64 + static_cast<std::uint32_t>(std::countr_zero(ports));
      const std::uint32_t first_vc = first_vc_of(router.first_input + local);
      std::uint32_t vc;
      if (!put_forward(inputs_[router.first_input + local], first_vc, vc)) continue;
      const std::uint32_t output = vcs_[vc].output - router.first_output;
      std::uint32_t& first = request_[output];
      if (first == none)
        requested_.push_back(output);
      else if (!crosspoints.beats(output, local, port_of(first) - router.first_input))
        continue;
      first = vc;
    }
  }
  for (const std::uint32_t output : requested_) {
    const std::uint32_t vc = request_[output];
    request_[output] = none;
    const std::uint32_t local = port_of(vc) - router.first_input;
    crosspoints.granted(output, local);
    grant(router, domain, router.first_output + output, local, vc);
  }
}

// The first virtual channel in the port's round whose flit could go.
bool FlitNetwork::State::put_forward(const InputPort& input, std::uint32_t first_vc,
                                     std::uint32_t& chosen) const {
  const auto could_go = [&](std::uint32_t v) {
    const Vc& vc = vcs_[first_vc + v];
    const OutputPort& output = outputs_[vc.output];
    if (output.first_vc == none) return true;  // a node takes whatever comes
    if (vc.allocated) return (output.usable >> vc.output_vc & 1) != 0;
    return (output.free & output.usable & class_mask(vc.vc_class)) != 0;
  };
  const VcMask from_next = input.occupied >> input.next_vc << input.next_vc;
  for (VcMask part : {from_next, input.occupied ^ from_next})
    for (; part != 0; part &= part - 1) {
      const auto v = static_cast<std::uint32_t>(std::countr_zero(part));
      if (!could_go(v)) continue;
      chosen = first_vc + v;
      return true;
    }
  return false;
}

void FlitNetwork::State::grant(Router& router, Domain& domain, std::uint32_t output,
                               std::uint32_t local_input, std::uint32_t index) {
  Vc& vc = vcs_[index];
  InputPort& input = inputs_[router.first_input + local_input];
  OutputPort& port = outputs_[output];
  const std::uint32_t v = number_of(index);
  const Flit flit = front_flit(index);
  moved_ = true;
  ++router.flits;

  if (port.first_vc == none) {
    ++port.flits;
    --flits_in_flight_;
    if (flit.tail) bucket(domain, domain.cycle + port.path.cycles).deliveries.push_back(flit.packet);
  } else {
    const bool is_head = !vc.allocated;
    if (is_head) {
      vc.output_vc =
          static_cast<std::uint8_t>(take_vc(port, output, port.free & port.usable & class_mask(vc.vc_class)));
      vc.allocated = true;
    }
    send(port, vc.output_vc, is_head, flit, domain);
    if (--credits_[first_vc_of(output) + vc.output_vc] == 0) port.usable &= ~(VcMask{1} << vc.output_vc);
    if (flit.tail) port.free |= VcMask{1} << vc.output_vc;
  }

  vc.front = static_cast<std::uint8_t>((vc.front + 1u) & ((1u << depth_shift_) - 1));
  --vc.count;
  return_credit(input, v, domain);
  input.next_vc = v + 1 == virtual_channels_ ? 0 : v + 1;
  if (flit.tail) {
    vc.output = none;
    if (--router.committed == 0 && router.gated) note_darkness(router, now_);
    if (vc.count > 0) route(index, router_of_input_[port_of(index)]);
  }
  if (vc.count == 0) {
    input.occupied &= ~(VcMask{1} << v);
    if (input.occupied == 0)
      occupied_ports_[router.first_word + local_input / 64] &= ~(std::uint64_t{1} << (local_input % 64));
  }
}

// The candidate with the most credits, the lowest among equal ones.
std::uint32_t FlitNetwork::State::take_vc(OutputPort& port, std::uint32_t output, VcMask candidates) {
  const std::uint32_t first = first_vc_of(output);
  auto best = static_cast<std::uint32_t>(std::countr_zero(candidates));
  for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
    const auto v = static_cast<std::uint32_t>(std::countr_zero(candidates));
    if (credits_[first + v] > credits_[first + best]) best = v;
  }
  port.free &= ~(VcMask{1} << best);
  return best;
}

void FlitNetwork::State::send(OutputPort& port, std::uint32_t vc, bool is_head, Flit flit,
                              const Domain& from) {
  ++port.flits;
  Domain& to = domains_[port.path.domain];
  std::uint64_t edge = from.cycle + port.path.cycles;
  if (port.path.crosses) {
    edge = std::max(edge_behind_crossing(port.path, from), port.path.last + 1);
    port.path.last = edge;
  }
  if (is_head) edge += before_grant_;
  bucket(to, edge).arrivals.push_back({port.first_vc + vc, flit});
}

void FlitNetwork::State::return_credit(InputPort& port, std::uint32_t vc, const Domain& from) {
  Domain& to = domains_[port.credits.domain];
  const std::uint64_t edge =
      port.credits.crosses ? edge_behind_crossing(port.credits, from) : from.cycle + port.credits.cycles;
  bucket(to, edge).credits.push_back(port.upstream_vc + vc);
}

std::uint64_t FlitNetwork::State::edge_behind_crossing(const Path& path, const Domain& from) const {
  const std::uint64_t period = domains_[path.domain].period;
  const std::uint64_t sent = (from.cycle + path.cycles) * from.period;
  return (sent * 100 + parameters_.crossing * period + 100 * period - 1) / (100 * period);
}

FlitNetwork::State::Bucket& FlitNetwork::State::bucket(Domain& domain, std::uint64_t cycle) {
  const std::size_t slot = cycle & (domain.calendar.size() - 1);
  domain.due[slot / 64] |= std::uint64_t{1} << (slot % 64);
  return domain.calendar[slot];
}

// ---- time ----

std::uint64_t FlitNetwork::State::next_cycle(const Domain& domain) const {
  if ((!domain.routers.empty() || !domain.nodes.empty()) && !stuck_) return domain.cycle + 1;
  const std::size_t size = domain.calendar.size(), first = (domain.cycle + 1) & (size - 1);
  for (std::size_t ahead = 0; ahead < size;) {
    const std::size_t slot = (first + ahead) & (size - 1);
    const std::uint64_t due = domain.due[slot / 64] >> (slot % 64);
    if (due != 0) return domain.cycle + 1 + ahead + static_cast<std::size_t>(std::countr_zero(due));
    ahead += 64 - slot % 64;
  }
  return never;
}

std::optional<Picoseconds> FlitNetwork::State::next_event() const {
  std::uint64_t next = never;
  for (const Domain& domain : domains_)
    if (const std::uint64_t cycle = next_cycle(domain); cycle != never)
      next = std::min(next, cycle * domain.period);
  if (next == never) return std::nullopt;
  return Picoseconds(next);
}

void FlitNetwork::State::advance_to(Picoseconds now, Sink& sink) {
  for (;;) {
    Domain* first = nullptr;
    std::uint64_t first_cycle = 0, first_time = now.count() + 1;
    for (Domain& domain : domains_) {
      const std::uint64_t cycle = next_cycle(domain);
      if (cycle == never || cycle * domain.period >= first_time) continue;
      first = &domain;
      first_cycle = cycle;
      first_time = cycle * domain.period;
    }
    if (first == nullptr) break;
    step(*first, first_cycle, sink);
  }
  now_ = std::max(now_, now.count());
}

void FlitNetwork::State::inject(const Packet& packet, Picoseconds now) {
  if (packet.source >= nodes_.size() || packet.destination >= nodes_.size())
    throw std::invalid_argument("a packet's source and destination are nodes of the fabric");
  if (packet.flits == 0) throw std::invalid_argument("a packet has at least one flit");
  if (now.count() < now_) throw std::logic_error("a packet cannot be injected in the past");
  const std::uint32_t index = new_packet(packet, now);
  ++packets_waiting_;
  if (stuck_) {
    stuck_ = false;
    last_move_ = now.count();
  }
  Node& node = nodes_[packet.source];
  if (node.queue == none)
    node.queue = index;
  else
    packets_[node.queue_end].next = index;
  node.queue_end = index;
  if (node.listed) return;
  Domain& domain = domains_[routers_[topology_->nodes[packet.source].router].domain];
  if (domain.routers.empty() && domain.nodes.empty()) {
    // An idle domain has not moved on: nothing of it is due before `now`.
    const std::uint64_t passed = now.count() == 0 ? 0 : (now.count() - 1) / domain.period;
    if (next_cycle(domain) > passed) domain.cycle = std::max(domain.cycle, passed);
  }
  node.listed = true;
  domain.nodes.push_back(packet.source);
}

std::uint32_t FlitNetwork::State::new_packet(const Packet& packet, Picoseconds now) {
  if (free_packet_ == none) {
    free_packet_ = static_cast<std::uint32_t>(packets_.size());
    packets_.emplace_back();
  }
  const std::uint32_t index = free_packet_;
  free_packet_ = packets_[index].next;
  packets_[index] = {packet, now, {}, topology_->nodes[packet.destination].router, 0, none};
  return index;
}

// ---- the public face ----

FlitNetwork::FlitNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& parameters)
    : state_(std::make_unique<State>(std::move(topology), parameters)) {}
FlitNetwork::~FlitNetwork() = default;
void FlitNetwork::inject(const Packet& packet, Picoseconds now) { state_->inject(packet, now); }
std::optional<Picoseconds> FlitNetwork::next_event() const { return state_->next_event(); }
void FlitNetwork::advance_to(Picoseconds now, Sink& sink) { state_->advance_to(now, sink); }
void FlitNetwork::reset(Reset) { state_->reset(); }
void FlitNetwork::gate(RouterId router, bool gated) { state_->gate(router, gated); }
bool FlitNetwork::powered(RouterId router) const { return state_->powered(router); }
FlitNetwork::Load FlitNetwork::load() const { return state_->load(); }
void FlitNetwork::clear_load() { state_->clear_load(); }
std::uint64_t FlitNetwork::flits_in_flight() const { return state_->flits_in_flight(); }
std::uint64_t FlitNetwork::packets_waiting() const { return state_->packets_waiting(); }
std::vector<std::string> FlitNetwork::blocked() const { return state_->blocked(); }
Bytes FlitNetwork::memory() const { return state_->memory(); }

}  // namespace asterism
