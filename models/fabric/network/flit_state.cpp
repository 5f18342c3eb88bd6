#include "fabric/network/flit_state.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace asterism {
namespace {

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

// Each cycle of a link stores a flit and a credit. A longer link indicates a wrong length or clock.
constexpr std::uint64_t max_link_cycles = 10'000;

}  // namespace

// ---- construction ----

FlitNetwork::State::State(std::shared_ptr<const Topology> topology, const FlitParameters& parameters)
    : topology_(std::move(topology)),
      parameters_(parameters),
      virtual_channels_(parameters.virtual_channels),
      vc_shift_(static_cast<std::uint32_t>(std::bit_width(virtual_channels_ - 1))),
      depth_shift_(static_cast<std::uint32_t>(std::bit_width(parameters.buffer_depth - 1))),
      before_grant_(parameters.router_stages > 1 ? 1 : 0),
      after_grant_(parameters.router_stages - before_grant_),
      choice_(topology_->channels.size()) {
  const unsigned classes = topology_->routing->vc_classes();
  require(virtual_channels_ >= 1 && virtual_channels_ <= 16, "a port has 1 to 16 virtual channels");
  require(virtual_channels_ >= classes,
          "the routing needs " + std::to_string(classes) + " virtual channels to be free of deadlock");
  require(parameters_.buffer_depth >= 1 && parameters_.buffer_depth <= 255, "a buffer holds 1 to 255 flits");
  require(parameters_.router_stages >= 1, "a router has at least one stage");
  require(parameters_.credit_cycles >= 1, "a credit takes at least one cycle");

  class_of_vc_.resize(virtual_channels_);
  for (unsigned k = 0; k < classes; ++k) {
    class_masks_.push_back(0);
    for (unsigned v = k * virtual_channels_ / classes; v < (k + 1) * virtual_channels_ / classes; ++v) {
      class_masks_.back() |= bit(v);
      class_of_vc_[v] = static_cast<std::uint8_t>(k);
    }
  }
  build_domains();
  gated_times_.resize(routers_.size());
  build_ports();
  size_calendars();
  reset();
}

// Routers with the same period share a domain.
void FlitNetwork::State::build_domains() {
  std::map<std::uint64_t, std::uint32_t> domain_of;
  for (const Topology::Router& router : topology_->routers) {
    const std::uint64_t period = router.period.count();
    require(period > 0, "the clock of router " + router.name + " has no period");
    const auto [known, is_new] = domain_of.emplace(period, static_cast<std::uint32_t>(domains_.size()));
    if (is_new) domains_.emplace_back().period = period;
    routers_.emplace_back().domain = known->second;
    slowest_period_ = std::max(slowest_period_, period);
  }
}

void FlitNetwork::State::build_ports() {
  const auto& nodes = topology_->nodes;
  const auto& channels = topology_->channels;
  std::vector<std::vector<NodeId>> nodes_of(routers_.size());
  std::vector<std::vector<ChannelId>> from(routers_.size()), to(routers_.size());
  for (NodeId n = 0; n < nodes.size(); ++n) nodes_of.at(nodes[n].router).push_back(n);
  for (ChannelId c = 0; c < channels.size(); ++c) {
    from.at(channels[c].from).push_back(c);
    to.at(channels[c].to).push_back(c);
  }
  output_of_channel_.resize(channels.size());
  ejection_of_node_.resize(nodes.size());
  nodes_.resize(nodes.size());
  std::vector<std::uint32_t> input_of_channel(channels.size()), input_of_node(nodes.size());
  std::uint32_t outputs = 0, max_outputs = 0;
  for (RouterId r = 0; r < routers_.size(); ++r) {
    Router& router = routers_[r];
    router.first_output = outputs;
    router.first_input = static_cast<std::uint32_t>(inputs_.size());
    std::uint32_t input = router.first_input;
    for (const NodeId n : nodes_of[r]) ejection_of_node_[n] = outputs++, input_of_node[n] = input++;
    for (const ChannelId c : from[r]) output_of_channel_[c] = outputs++;
    for (const ChannelId c : to[r]) input_of_channel[c] = input++;
    router.outputs = outputs - router.first_output;
    router.inputs = input - router.first_input;
    router.first_word = static_cast<std::uint32_t>(occupied_ports_.size());
    router.words = (router.inputs + 63) / 64;
    occupied_ports_.resize(occupied_ports_.size() + router.words);
    inputs_.resize(input);
    for (std::uint32_t i = 0; i < router.inputs; ++i) {
      inputs_[router.first_input + i].router = r;
      inputs_[router.first_input + i].place = router.first_word * 64 + i;
    }
    switches_.emplace_back(std::max(1u, router.inputs), std::max(1u, router.outputs),
                           parameters_.arbitration);
    require(router.outputs < unrouted, "router " + topology_->routers[r].name + " has too many ports");
    max_outputs = std::max(max_outputs, router.outputs);
  }
  for (NodeId n = 0; n < nodes.size(); ++n) nodes_[n].output = outputs++;

  outputs_.resize(outputs);
  last_edge_.resize(outputs);
  channel_of_output_.assign(outputs, none);
  vcs_.resize(inputs_.size() << vc_shift_);
  waiting_packets_.resize(vcs_.size() << depth_shift_);
  credits_.resize(outputs_.size() << vc_shift_);
  request_.assign(max_outputs, none);
  for (ChannelId c = 0; c < channels.size(); ++c) {
    channel_of_output_[output_of_channel_[c]] = c;
    join(output_of_channel_[c], input_of_channel[c], channels[c].latency, channels[c].from, channels[c].to);
  }
  for (NodeId n = 0; n < nodes.size(); ++n) {
    const Topology::Node& node = nodes[n];
    join(nodes_[n].output, input_of_node[n], node.latency, node.router, node.router);
    // The node has no pipeline before its channel.
    outputs_[nodes_[n].output].path.cycles -= after_grant_;
    outputs_[ejection_of_node_[n]].path.cycles =
        after_grant_ + static_cast<std::uint32_t>(node.latency.count());
  }
}

void FlitNetwork::State::join(std::uint32_t output, std::uint32_t input, Cycles latency, RouterId from,
                              RouterId to) {
  require(latency.count() >= 1 && latency.count() <= max_link_cycles,
          "the channel from " + topology_->routers[from].name + " to " + topology_->routers[to].name +
              " takes " + std::to_string(latency.count()) + " cycles, expected 1 to " +
              std::to_string(max_link_cycles));
  const auto cycles = static_cast<std::uint32_t>(latency.count());
  const auto sender = static_cast<std::uint16_t>(routers_[from].domain);
  const auto receiver = static_cast<std::uint16_t>(routers_[to].domain);
  OutputPort& port = outputs_[output];
  port.first_vc = first_vc_of(input);
  port.path = {after_grant_ + cycles, receiver, sender != receiver};
  const std::uint64_t wire = cycles * domains_[sender].period, period = domains_[receiver].period;
  inputs_[input].upstream_vc = first_vc_of(output);
  const auto way_back = static_cast<std::uint32_t>((wire + period - 1) / period);
  inputs_[input].credits = {parameters_.credit_cycles + way_back, sender, sender != receiver};
}

// Each calendar reaches as far ahead as the longest path into its domain.
void FlitNetwork::State::size_calendars() {
  std::vector<std::uint64_t> reach(domains_.size(), 1);
  const auto widen = [&](const Path& path, std::uint64_t sender_period) {
    const std::uint64_t period = domains_[path.domain].period;
    const std::uint64_t backlog = std::uint64_t{virtual_channels_} * parameters_.buffer_depth;
    const std::uint64_t needed = path.crosses
                                     ? path.cycles * sender_period / period + parameters_.crossing / 100 +
                                           backlog + before_grant_ + sender_period / period + 4
                                     : path.cycles + before_grant_ + 1;
    reach[path.domain] = std::max(reach[path.domain], needed);
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const InputPort& input = inputs_[i];
    const OutputPort& upstream = outputs_[port_of(input.upstream_vc)];
    widen(upstream.path, domains_[input.credits.domain].period);
    widen(input.credits, domains_[upstream.path.domain].period);
  }
  for (NodeId n = 0; n < nodes_.size(); ++n) {
    Path& path = outputs_[ejection_of_node_[n]].path;
    path.domain = static_cast<std::uint16_t>(routers_[topology_->nodes[n].router].domain);
    widen(path, domains_[path.domain].period);
  }
  require(domains_.size() <= 65'535, "a fabric has at most 65,535 different clocks");
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    domains_[d].routers.resize(routers_.size());
    domains_[d].nodes.resize(nodes_.size());
    const std::size_t size = std::max<std::size_t>(64, std::bit_ceil(reach[d] + 1));
    domains_[d].calendar.resize(size);
    domains_[d].due.resize(size / 64);
  }
}

void FlitNetwork::State::reset() {
  for (Domain& domain : domains_) {
    domain.cycle = now_ / domain.period;
    for (Bucket& bucket : domain.calendar) bucket = {};
    std::ranges::fill(domain.due, 0);
    domain.routers.clear();
    domain.nodes.clear();
  }
  const VcMask all = static_cast<VcMask>((1u << virtual_channels_) - 1);
  for (OutputPort& port : outputs_) {
    port.free = port.usable = all;
  }
  std::ranges::fill(last_edge_, 0);
  for (InputPort& input : inputs_) input.occupied = input.next_vc = 0;
  std::ranges::fill(credits_, static_cast<std::uint8_t>(parameters_.buffer_depth));
  std::ranges::fill(vcs_, Vc{});
  std::ranges::fill(occupied_ports_, 0);
  choice_.reset();
  for (SwizzleSwitch& crosspoints : switches_) crosspoints.reset();
  for (Router& router : routers_) router.committed = 0;
  for (RouterId r = 0; r < routers_.size(); ++r) gated_times_[r] = {routers_[r].gated ? now_ + 1 : 0, 0};
  for (Node& node : nodes_) {
    node.queue = node.queue_end = none;
    node.sent = 0;
  }
  packets_.clear();
  free_packet_ = none;
  requested_.clear();
  flits_in_flight_ = packets_waiting_ = 0;
  stuck_ = false;
  last_move_ = now_;
  clear_load();
}

void FlitNetwork::State::attach_hook(RouterId id, ArbitrationHook* hook) {
  require(routers_.at(id).inputs <= max_hook_radix,
          "router " + topology_->routers[id].name + " has more inputs than its arbitration hook");
  hooks_.resize(routers_.size());
  requests_.resize(request_.size());
  put_forward_.resize(max_hook_radix);
  hooks_[id] = hook;
}

void FlitNetwork::State::reset_hooks(Reset kind) {
  for (ArbitrationHook* hook : hooks_)
    if (hook != nullptr) hook->reset(kind);
}

// ---- power gating ----

void FlitNetwork::State::gate(RouterId id, bool gated) {
  Router& router = routers_.at(id);
  if (router.gated == gated) return;
  const std::string& name = topology_->routers[id].name;
  for (const Topology::Node& node : topology_->nodes)
    require(!gated || node.router != id, "router " + name + " has nodes and cannot be gated");
  router.gated = gated;
  try {
    if (gated) check_connected();
  } catch (...) {
    router.gated = false;
    throw;
  }
  note_gating(id);
}

void FlitNetwork::State::check_connected() const {
  std::vector<bool> has_nodes(routers_.size());
  for (const Topology::Node& node : topology_->nodes) has_nodes[node.router] = true;
  for (RouterId here = 0; here < routers_.size(); ++here) {
    if (routers_[here].gated) continue;
    for (RouterId there = 0; there < routers_.size(); ++there) {
      if (here == there || !has_nodes[there]) continue;
      const Routing::Step step = topology_->routing->step(here, there, 0);
      const auto has_power = [&](ChannelId channel) { return is_powered(channel); };
      require(std::ranges::any_of(step.channels, has_power) || std::ranges::any_of(step.fallback, has_power),
              "with the gated routers there is no way from " + topology_->routers[here].name + " to " +
                  topology_->routers[there].name);
    }
  }
}

bool FlitNetwork::State::powered(RouterId id) const {
  const Router& router = routers_.at(id);
  return !router.gated || router.committed > 0;
}

// Adds up the time without power: from when a gated router becomes empty until it is no longer gated.
void FlitNetwork::State::note_gating(RouterId id) {
  const bool gated = routers_[id].gated && routers_[id].committed == 0;
  GatedTime& gated_time = gated_times_[id];
  if (gated_time.since != 0 && !gated) {
    gated_time.before += now_ + 1 - gated_time.since;
    gated_time.since = 0;
  } else if (gated_time.since == 0 && gated) {
    gated_time.since = now_ + 1;
  }
}

// ---- observation ----

FlitNetwork::Load FlitNetwork::State::load() const {
  Load load;
  load.channel_flits.resize(topology_->channels.size());
  for (ChannelId c = 0; c < topology_->channels.size(); ++c)
    load.channel_flits[c] = outputs_[output_of_channel_[c]].flits;
  for (NodeId n = 0; n < nodes_.size(); ++n) {
    load.injected_flits.push_back(outputs_[nodes_[n].output].flits);
    load.ejected_flits.push_back(outputs_[ejection_of_node_[n]].flits);
  }
  for (RouterId r = 0; r < routers_.size(); ++r) {
    load.router_flits.push_back(routers_[r].flits);
    const GatedTime& gated_time = gated_times_[r];
    const std::uint64_t gated = gated_time.before + (gated_time.since == 0 ? 0 : now_ + 1 - gated_time.since);
    load.powered_time.push_back(Picoseconds(now_ - load_since_ - gated));
  }
  return load;
}

void FlitNetwork::State::clear_load() {
  for (OutputPort& port : outputs_) port.flits = 0;
  for (Router& router : routers_) router.flits = 0;
  for (GatedTime& gated_time : gated_times_) gated_time = {gated_time.since == 0 ? 0 : now_ + 1, 0};
  load_since_ = now_;
}

std::vector<std::string> FlitNetwork::State::blocked() const {
  std::vector<std::string> lines;
  if (!stuck_) return lines;
  for (std::uint32_t index = 0; index < vcs_.size() && lines.size() < 32; ++index) {
    const Vc& vc = vcs_[index];
    if (vc.flits == 0) continue;
    const std::uint32_t port = port_of(index);
    const Packet& packet = packets_[vc.packet].packet;
    lines.push_back(
        "packet from node " + std::to_string(packet.source) + " to node " +
        std::to_string(packet.destination) + " is at " + topology_->routers[inputs_[port].router].name +
        " behind " + name_of_output(port_of(inputs_[port].upstream_vc)) + ", virtual channel " +
        std::to_string(number_of(index)) + ", and waits for a " +
        (vc.holds ? "credit of virtual channel " + std::to_string(std::countr_zero(vc.wanted)) + " of "
                  : "free virtual channel of ") +
        name_of_output(routers_[inputs_[port].router].first_output + vc.output));
  }
  return lines;
}

std::string FlitNetwork::State::name_of_output(std::uint32_t output) const {
  if (channel_of_output_[output] == none) {
    for (NodeId n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].output == output || ejection_of_node_[n] == output) return "node " + std::to_string(n);
    return "a node";
  }
  const Topology::Channel& channel = topology_->channels[channel_of_output_[output]];
  return topology_->routers[channel.from].name + "->" + topology_->routers[channel.to].name;
}

void FlitNetwork::State::audit() const {
  // For each input VC: the flits in it, and those in transit to it and back.
  std::vector<unsigned> owned(vcs_.size());
  for (const Domain& domain : domains_)
    for (const Bucket& due : domain.calendar) {
      for (const Arrival& arrival : due.arrivals) ++owned[arrival.vc];
      for (const std::uint32_t vc : due.credits) ++owned[outputs_[port_of(vc)].first_vc + number_of(vc)];
    }
  for (std::uint32_t vc = 0; vc < vcs_.size(); ++vc) {
    if (number_of(vc) >= virtual_channels_) continue;
    const std::uint32_t upstream = inputs_[port_of(vc)].upstream_vc + number_of(vc);
    if (vcs_[vc].flits <= parameters_.buffer_depth &&
        owned[vc] + vcs_[vc].flits + credits_[upstream] == parameters_.buffer_depth)
      continue;
    throw std::logic_error("virtual channel " + std::to_string(number_of(vc)) + " behind " +
                           name_of_output(port_of(upstream)) + ": " + std::to_string(vcs_[vc].flits) +
                           " flits, " + std::to_string(credits_[upstream]) + " credits and " +
                           std::to_string(owned[vc]) + " in transit are not its depth of " +
                           std::to_string(parameters_.buffer_depth));
  }
}

Bytes FlitNetwork::State::memory() const {
  const auto held = [](const auto& vector) { return vector.capacity() * sizeof(vector[0]); };
  std::uint64_t bytes = sizeof(*this) + held(routers_) + held(switches_) + held(outputs_) +
                        held(output_of_channel_) + held(ejection_of_node_) + held(credits_) + held(inputs_) +
                        held(gated_times_) + held(vcs_) + held(waiting_packets_) + held(occupied_ports_) +
                        held(nodes_) + choice_.memory().count() + held(last_edge_) + held(channel_of_output_);
  for (const SwizzleSwitch& crosspoints : switches_) bytes += crosspoints.memory().count();
  for (const Domain& domain : domains_)
    for (const Bucket& bucket : domain.calendar)
      bytes += sizeof(bucket) + held(bucket.arrivals) + held(bucket.credits) + held(bucket.deliveries);
  return Bytes(bytes);
}

}  // namespace asterism
