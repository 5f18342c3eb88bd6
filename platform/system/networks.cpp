#include "platform/system/networks.h"

#include <map>
#include <string>
#include <utility>

#include "cluster/event_queue_module.h"
#include "cluster/network.h"
#include "cluster/network_interface.h"

namespace asterism {

struct Networks::One {
  explicit One(NodeNumber nodes)
      : network(event_queue, {}, nodes, 0), clock(sc_core::sc_gen_unique_name("network"), event_queue) {}
  EventQueue event_queue;
  Network network;
  EventQueueModule clock;
};

Networks::Networks(const BuiltDevices& devices) {
  // By network, or else by device.
  std::map<std::pair<std::string, std::string>, std::vector<NetworkInterface*>> groups;
  devices.for_each<NetworkInterface>([&](NetworkInterface& interface, const PlacedDevice& placed) {
    const std::string network = placed.shape.network.value_or("");
    groups[{network, network.empty() ? placed.instance() : ""}].push_back(&interface);
  });
  for (const auto& [name, interfaces] : groups) {
    One& one = *networks_.emplace_back(std::make_unique<One>(static_cast<NodeNumber>(interfaces.size())));
    for (NodeNumber node = 0; node < interfaces.size(); ++node)
      interfaces[node]->attach({.clock = one.clock, .network = one.network, .node = node});
  }
}

Networks::~Networks() = default;

}  // namespace asterism
