#include "fabric/topology/topology_builder.h"

#include <algorithm>
#include <stdexcept>

#include "fabric/topology/channel_dependency.h"
#include "fabric/topology/floor_plan.h"

namespace asterism {

TopologyBuilder::TopologyBuilder(std::string name, const FabricConfig& config,
                                 const SwitchTechnology& technology)
    : config_(config), technology_(technology), topology_(std::make_shared<Topology>()) {
  topology_->name = std::move(name);
  topology_->channel_bits = config.channel_width;
}

RouterId TopologyBuilder::add_router(std::string name, Topology::Point at, unsigned radix, bool global,
                                     std::optional<Frequency> clock) {
  if (config_.clock) clock = config_.clock;
  const Picoseconds period =
      clock ? duration(1_cycles, *clock) : technology_.period(radix, config_.channel_width);
  topology_->routers.push_back({std::move(name), at, radix, period, global});
  return static_cast<RouterId>(topology_->routers.size() - 1);
}

NodeId TopologyBuilder::add_node(RouterId router, Micrometres length) {
  topology_->nodes.push_back({router, length, latency(topology_->routers.at(router), length, false)});
  return static_cast<NodeId>(topology_->nodes.size() - 1);
}

ChannelId TopologyBuilder::add_channel(RouterId from, RouterId to, std::optional<Micrometres> length) {
  const Topology::Router &sender = topology_->routers.at(from), &receiver = topology_->routers.at(to);
  const Micrometres wire = length.value_or(manhattan(sender.at, receiver.at));
  if (wire == 0_um)
    throw std::invalid_argument("the link between " + sender.name + " and " + receiver.name +
                                " has no length");
  topology_->channels.push_back({from, to, wire, latency(sender, wire, sender.global || receiver.global)});
  return static_cast<ChannelId>(topology_->channels.size() - 1);
}

Cycles TopologyBuilder::latency(const Topology::Router& sender, Micrometres length, bool global) const {
  if (global && config_.global_link_cycles) return *config_.global_link_cycles;
  if (config_.link_cycles) return *config_.link_cycles;
  const std::uint64_t femtoseconds = sender.period.count() * 1000;
  return Cycles(
      std::max<std::uint64_t>(1, scale(length.count(), technology_.wire_fs_per_um, femtoseconds, true)));
}

void TopologyBuilder::check_ports() const {
  std::vector<unsigned> inputs(topology_->routers.size()), outputs(topology_->routers.size());
  for (const Topology::Node& node : topology_->nodes) ++inputs[node.router], ++outputs[node.router];
  for (const Topology::Channel& channel : topology_->channels) ++outputs[channel.from], ++inputs[channel.to];
  for (RouterId r = 0; r < inputs.size(); ++r)
    if (const auto& router = topology_->routers[r]; std::max(inputs[r], outputs[r]) > router.radix)
      throw std::invalid_argument("router " + router.name + " has radix " + std::to_string(router.radix) +
                                  " and " + std::to_string(std::max(inputs[r], outputs[r])) + " links");
}

std::shared_ptr<const Topology> TopologyBuilder::finish(std::shared_ptr<const Routing> routing) {
  check_ports();
  topology_->routing = std::move(routing);
  if (const auto problem = routing_problem(*topology_))
    throw std::invalid_argument("topology " + topology_->name + ": " + *problem);
  return std::move(topology_);
}

}  // namespace asterism
