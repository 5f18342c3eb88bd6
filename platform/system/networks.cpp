#include "platform/system/networks.h"

#include <map>
#include <string>
#include <utility>

#include "cluster/event_queue_module.h"
#include "cluster/network.h"
#include "nic/nic_module.h"

namespace asterism {

struct Networks::One {
  explicit One(NodeNumber nodes)
      : network(event_queue, {}, nodes, 0), clock(sc_core::sc_gen_unique_name("network"), event_queue) {}
  EventQueue event_queue;
  Network network;
  EventQueueModule clock;
};

Networks::Networks(const BuiltDevices& devices) {
  std::map<std::pair<std::string, std::string>, std::vector<NicModule*>>
      groups;  // by network, or else by NIC
  devices.for_each<NicModule>([&](NicModule& nic, const PlacedDevice& placed) {
    const std::string& network = *placed.shape.network;
    groups[{network, network.empty() ? placed.instance() : ""}].push_back(&nic);
  });
  for (const auto& [name, nics] : groups) {
    One& one = *networks_.emplace_back(std::make_unique<One>(static_cast<NodeNumber>(nics.size())));
    for (NodeNumber node = 0; node < nics.size(); ++node)
      nics[node]->attach({.clock = one.clock, .network = one.network, .node = node});
  }
}

Networks::~Networks() = default;

}  // namespace asterism
