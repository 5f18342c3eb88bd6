#include "fabric/switch_ports.h"

#include <map>

namespace asterism {
namespace {

// The second occurrence of a name becomes "GR1.1", the third "GR1.2".
void add(std::vector<std::string>& names, std::map<std::string, unsigned>& seen, const std::string& name) {
  const unsigned before = seen[name]++;
  names.push_back(before == 0 ? name : name + "." + std::to_string(before));
}

std::string name_of(NodeId node, const std::vector<std::vector<std::string>>& names) {
  if (node >= names.size() || names[node].empty()) return "node" + std::to_string(node);
  std::string all;
  for (const std::string& name : names[node]) all += (all.empty() ? "" : "+") + name;
  return all;
}

}  // namespace

std::vector<SwitchPorts> switch_ports(const Topology& topology,
                                      const std::vector<std::vector<std::string>>& node_names) {
  std::vector<SwitchPorts> switches;
  for (const Topology::Router& router : topology.routers)
    switches.push_back({router.name, router.radix, router.period, {}, {}});
  for (NodeId n = 0; n < topology.nodes.size(); ++n) {
    SwitchPorts& ports = switches[topology.nodes[n].router];
    ports.inputs.push_back(name_of(n, node_names));
    ports.outputs.push_back(name_of(n, node_names));
  }
  std::vector<std::map<std::string, unsigned>> into(switches.size()), out_of(switches.size());
  for (const Topology::Channel& channel : topology.channels) {
    add(switches[channel.from].outputs, out_of[channel.from], topology.routers[channel.to].name);
    add(switches[channel.to].inputs, into[channel.to], topology.routers[channel.from].name);
  }
  return switches;
}

}  // namespace asterism
