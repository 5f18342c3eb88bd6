#include "fabric/network/flit_network.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "fabric/network/flit_state.h"

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
  if (const std::uint64_t due = std::uint64_t{1} << (slot % 64); domain.due[slot / 64] & due) {
    domain.due[slot / 64] &= ~due;
    Bucket& now = domain.calendar[slot];
    moved_ = true;
    for (const Arrival& arrival : now.arrivals) arrive(arrival, domain);
    now.arrivals.clear();
    for (const std::uint32_t vc : now.credits) {
      ++credits_[vc];
      outputs_[port_of(vc)].usable |= bit(number_of(vc));
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

  domain.nodes.visit([&](NodeId node) { return send_from_node(nodes_[node], domain); });
  domain.routers.visit([&](RouterId router) {
    const bool has_hook = !hooks_.empty() && hooks_[router] != nullptr;
    return has_hook ? switch_router<true>(router, domain) : switch_router<false>(router, domain);
  });
  if (moved_)
    last_move_ = now_;
  else if (flits_in_flight_ > 0 && now_ - last_move_ > parameters_.watchdog.count() * slowest_period_)
    stuck_ = true;
}

void FlitNetwork::State::arrive(const Arrival& arrival, Domain& domain) {
  Vc& vc = vcs_[arrival.vc];
  ++vc.flits;
  InputPort& input = inputs_[port_of(arrival.vc)];
  input.occupied |= bit(number_of(arrival.vc));
  occupied_ports_[input.place / 64] |= std::uint64_t{1} << (input.place % 64);
  domain.routers.insert(input.router);
  if (arrival.packet == none) return;
  if (vc.output == unrouted)
    route(arrival.vc, arrival.packet, input.router);
  else
    waiting_packet(arrival.vc, vc.first_waiting + vc.waiting++) = arrival.packet;
}

// Routes the packet whose head has come to the front of its virtual channel.
void FlitNetwork::State::route(std::uint32_t index, std::uint32_t packet_index, RouterId at) {
  Vc& vc = vcs_[index];
  PacketState& packet = packets_[packet_index];
  vc.packet = packet_index;
  vc.left = packet.packet.flits;
  ++packet.routers;
  const std::uint32_t first_output = routers_[at].first_output;
  if (packet.destination_router == at) {
    vc.output = static_cast<std::uint16_t>(ejection_of_node_[packet.packet.destination] - first_output);
    vc.wanted = class_masks_[0];
    return;
  }
  const Routing::Step step =
      topology_->routing->step(at, packet.destination_router, class_of_vc_[number_of(index)]);
  const ChannelId channel =
      choice_
          .choose(
              step, [&](ChannelId c) { return is_powered(c); }, [&](ChannelId c) { return congested(c); })
          .channel;
  vc.output = static_cast<std::uint16_t>(output_of_channel_[channel] - first_output);
  vc.wanted = class_masks_[step.vc_class];
  ++routers_[topology_->channels[channel].to].committed;
}

bool FlitNetwork::State::congested(ChannelId channel) const {
  const std::uint32_t first = first_vc_of(output_of_channel_[channel]);
  unsigned held = 0;
  for (std::uint32_t v = 0; v < virtual_channels_; ++v)
    held += parameters_.buffer_depth - credits_[first + v];
  return held >= parameters_.fallback_occupancy;
}

// Returns whether the node has more to send.
bool FlitNetwork::State::send_from_node(Node& node, Domain& domain) {
  if (node.queue == none) return false;
  PacketState& packet = packets_[node.queue];
  if (packet.created.count() >= now_) return true;
  OutputPort& port = outputs_[node.output];
  const bool is_head = node.sent == 0;
  if (is_head) {
    const VcMask candidates = port.free & port.usable & class_masks_[0];
    if (candidates == 0) return true;
    node.vc = take_vc(port, node.output, candidates);
    packet.injected = Picoseconds(now_);
    --packets_waiting_;
    ++routers_[inputs_[port_of(port.first_vc)].router].committed;
  } else if ((port.usable >> node.vc & 1) == 0) {
    return true;
  }
  const bool is_tail = ++node.sent == packet.packet.flits;
  ++flits_in_flight_;
  moved_ = true;
  send(node.output, node.vc, is_head ? node.queue : none, domain);
  if (--credits_[first_vc_of(node.output) + node.vc] == 0) port.usable ^= bit(node.vc);
  if (is_tail) {
    port.free |= bit(node.vc);
    node.sent = 0;
    node.queue = packet.next;
  }
  return node.queue != none;
}

// Returns whether the router still holds flits.
template <bool has_hook>
bool FlitNetwork::State::switch_router(RouterId id, Domain& domain) {
  Router& router = routers_[id];
  SwizzleSwitch& crosspoints = switches_[id];
  requested_.clear();
  for (std::uint32_t w = 0; w < router.words; ++w) {
    for (std::uint64_t ports = occupied_ports_[router.first_word + w]; ports != 0; ports &= ports - 1) {
      const std::uint32_t local = w * 64 + static_cast<std::uint32_t>(std::countr_zero(ports));
      const std::uint32_t vc = put_forward(router, router.first_input + local);
      if (vc == none) continue;
      const std::uint32_t output = vcs_[vc].output;
      if constexpr (has_hook) note_request(output, local, vc);
      std::uint32_t& first = request_[output];
      if (first == none)
        requested_.push_back(output);
      else if (!crosspoints.has_priority_over(output, local, port_of(first) - router.first_input))
        continue;
      first = vc;
    }
  }
  for (const std::uint32_t output : requested_) {
    std::uint32_t vc = request_[output];
    request_[output] = none;
    if constexpr (has_hook) vc = decision(id, output, port_of(vc) - router.first_input);
    const std::uint32_t local = port_of(vc) - router.first_input;
    crosspoints.granted(output, local);
    grant(router, domain, router.first_output + output, local, vc);
  }
  for (std::uint32_t w = 0; w < router.words; ++w)
    if (occupied_ports_[router.first_word + w] != 0) return true;
  return false;
}

void FlitNetwork::State::note_request(std::uint32_t output, std::uint32_t local_input, std::uint32_t vc) {
  requests_[output][local_input / 64] |= std::uint64_t{1} << (local_input % 64);
  put_forward_[local_input] = vc;
}

// The input virtual channel to which the hook grants the output.
std::uint32_t FlitNetwork::State::decision(RouterId id, std::uint32_t output, std::uint32_t choice) {
  const RequestSet requests = std::exchange(requests_[output], {});
  return put_forward_[hooks_[id]->decide(Picoseconds(now_), output, requests, choice)];
}

// The first virtual channel, in the port's round-robin order, whose flit could move.
std::uint32_t FlitNetwork::State::put_forward(const Router& router, std::uint32_t port) const {
  const InputPort& input = inputs_[port];
  // The round-robin order as a mask whose lowest bit is that of next_vc.
  const std::uint32_t twice = input.occupied | std::uint32_t{input.occupied} << virtual_channels_;
  std::uint32_t round = twice >> input.next_vc & ((1u << virtual_channels_) - 1);
  for (; round != 0; round &= round - 1) {
    std::uint32_t number = input.next_vc + static_cast<std::uint32_t>(std::countr_zero(round));
    if (number >= virtual_channels_) number -= virtual_channels_;
    const Vc& vc = vcs_[first_vc_of(port) + number];
    const OutputPort& output = outputs_[router.first_output + vc.output];
    if ((output.usable & vc.wanted & (output.free | vc.held())) != 0) return first_vc_of(port) + number;
  }
  return none;
}

void FlitNetwork::State::grant(Router& router, Domain& domain, std::uint32_t output,
                               std::uint32_t local_input, std::uint32_t index) {
  Vc& vc = vcs_[index];
  InputPort& input = inputs_[router.first_input + local_input];
  OutputPort& port = outputs_[output];
  const std::uint32_t v = number_of(index);
  const bool is_tail = --vc.left == 0;
  moved_ = true;
  ++router.flits;

  if (port.first_vc == none) {
    ++port.flits;
    --flits_in_flight_;
    if (is_tail) bucket(domain, domain.cycle + port.path.cycles).deliveries.push_back(vc.packet);
  } else {
    const bool is_head = !vc.holds;
    const std::uint32_t taken = is_head ? take_vc(port, output, port.free & port.usable & vc.wanted)
                                        : static_cast<std::uint32_t>(std::countr_zero(vc.wanted));
    vc.wanted = bit(taken);
    vc.holds = true;
    send(output, taken, is_head ? vc.packet : none, domain);
    const bool is_last_credit = --credits_[first_vc_of(output) + taken] == 0;
    port.usable ^= static_cast<VcMask>(is_last_credit << taken);
    port.free |= static_cast<VcMask>(is_tail << taken);
  }

  --vc.flits;
  return_credit(input, v, domain);
  input.next_vc = static_cast<std::uint16_t>(v + 1 == virtual_channels_ ? 0 : v + 1);
  // Without branches, which could not be predicted.
  input.occupied ^= static_cast<VcMask>((vc.flits == 0) << v);
  occupied_ports_[input.place / 64] ^= std::uint64_t{input.occupied == 0} << (input.place % 64);
  vc.output = is_tail ? unrouted : vc.output;
  vc.holds = vc.holds && !is_tail;
  if (is_tail && vc.waiting > 0) {
    --vc.waiting;
    route(index, waiting_packet(index, vc.first_waiting++), input.router);
  }
  if (is_tail) {
    --router.committed;
    if (router.gated && router.committed == 0) note_gating(input.router);
  }
}

// Takes the candidate with the most credits, the lowest among equal ones.
std::uint32_t FlitNetwork::State::take_vc(OutputPort& port, std::uint32_t output, std::uint32_t candidates) {
  const std::uint32_t first = first_vc_of(output);
  auto best = static_cast<std::uint32_t>(std::countr_zero(candidates));
  for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(candidates));
    if (credits_[first + number] > credits_[first + best]) best = number;
  }
  port.free ^= bit(best);
  return best;
}

void FlitNetwork::State::send(std::uint32_t output, std::uint32_t vc, std::uint32_t head,
                              const Domain& from) {
  OutputPort& port = outputs_[output];
  ++port.flits;
  std::uint64_t edge = from.cycle + port.path.cycles;
  if (port.path.crosses) {
    catch_up(domains_[port.path.domain], now_);
    edge = std::max(edge_behind_crossing(port.path, from), last_edge_[output] + 1);
    last_edge_[output] = edge;
  }
  if (head != none) edge += before_grant_;
  bucket(domains_[port.path.domain], edge).arrivals.push_back({port.first_vc + vc, head});
}

void FlitNetwork::State::return_credit(InputPort& port, std::uint32_t vc, const Domain& from) {
  Domain& to = domains_[port.credits.domain];
  std::uint64_t edge = from.cycle + port.credits.cycles;
  if (port.credits.crosses) {
    catch_up(to, now_);
    edge = edge_behind_crossing(port.credits, from);
  }
  bucket(to, edge).credits.push_back(port.upstream_vc + vc);
}

std::uint64_t FlitNetwork::State::edge_behind_crossing(const Path& path, const Domain& from) const {
  const std::uint64_t period = domains_[path.domain].period;
  const std::uint64_t sent = (from.cycle + path.cycles) * from.period;
  return (sent * 100 + parameters_.crossing * period + 100 * period - 1) / (100 * period);
}

// A domain without work has not advanced; edges beyond the reach of its calendar would be mistaken for
// others. Call this only if the domain has no work left before `now`.
void FlitNetwork::State::catch_up(Domain& domain, std::uint64_t now) {
  if (now > 0) domain.cycle = std::max(domain.cycle, (now - 1) / domain.period);
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
  if (stuck_) {  // the new packet may find another way
    stuck_ = false;
    last_move_ = now.count();
    for (Domain& domain : domains_) catch_up(domain, now.count());
  }
  Node& node = nodes_[packet.source];
  if (node.queue == none)
    node.queue = index;
  else
    packets_[node.queue_end].next = index;
  node.queue_end = index;
  Domain& domain = domains_[routers_[topology_->nodes[packet.source].router].domain];
  const bool is_idle = domain.routers.empty() && domain.nodes.empty();
  if (const std::uint64_t next = next_cycle(domain);
      is_idle && (next == never || next * domain.period >= now.count()))
    catch_up(domain, now.count());
  domain.nodes.insert(packet.source);
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

// ---- public functions ----

FlitNetwork::FlitNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& parameters)
    : state_(std::make_unique<State>(std::move(topology), parameters)) {}
FlitNetwork::~FlitNetwork() = default;
void FlitNetwork::inject(const Packet& packet, Picoseconds now) { state_->inject(packet, now); }
std::optional<Picoseconds> FlitNetwork::next_event() const { return state_->next_event(); }
void FlitNetwork::advance_to(Picoseconds now, Sink& sink) { state_->advance_to(now, sink); }
void FlitNetwork::reset(Reset kind) {
  state_->reset();
  state_->reset_hooks(kind);
}
void FlitNetwork::attach_hook(RouterId router, ArbitrationHook* hook) { state_->attach_hook(router, hook); }
void FlitNetwork::gate(RouterId router, bool gated) { state_->gate(router, gated); }
bool FlitNetwork::powered(RouterId router) const { return state_->powered(router); }
FlitNetwork::Load FlitNetwork::load() const { return state_->load(); }
void FlitNetwork::clear_load() { state_->clear_load(); }
std::uint64_t FlitNetwork::flits_in_flight() const { return state_->flits_in_flight(); }
std::uint64_t FlitNetwork::packets_waiting() const { return state_->packets_waiting(); }
std::vector<std::string> FlitNetwork::blocked() const { return state_->blocked(); }
void FlitNetwork::audit() const { state_->audit(); }
Bytes FlitNetwork::memory() const { return state_->memory(); }

}  // namespace asterism
