#include "tlm/device.h"

#include <map>

#include "tlm/plugin_abi.h"

namespace asterism {
namespace {

// Types register themselves before main(), in any order.
std::map<std::string, DeviceType, std::less<>>& all_types() {
  static std::map<std::string, DeviceType, std::less<>> types;
  return types;
}

std::vector<std::string>& twice() {
  static std::vector<std::string> names;
  return names;
}

}  // namespace

DeviceTreeNode device_tree_node(std::string_view name, const std::vector<std::string>& compatible,
                                const DevicePlace& place) {
  // Without an address, two devices of a type would have the same name.
  DeviceTreeNode node{place.ranges.empty() ? fmt::format("{}-{}", name, place.instance)
                                           : dt::node_name(name, place.range())};
  DeviceTreeNode::Cells reg, interrupts;
  for (const AddressRange& range : place.ranges)
    for (const std::uint32_t cell : dt::reg(range)) reg.push_back(cell);
  for (const std::optional<unsigned>& number : place.interrupts)
    if (number)
      for (const std::uint32_t cell : dt::spi(*number)) interrupts.push_back(cell);
  node.properties.emplace_back("compatible", compatible);
  if (!reg.empty()) node.set("reg", reg);
  if (!interrupts.empty()) node.set("interrupts", interrupts);
  return node;
}

DeviceTreeNode device_tree_node(std::string_view name, const std::vector<std::string>& compatible,
                                const DevicePlace& place, const NodeView& node, const std::string& memory) {
  DeviceTreeNode result = device_tree_node(name, compatible, place);
  if (memory != main_memory) result.set("asterism,memory", dt::reg(node.find(memory)->place.range()));
  return result;
}

const DeviceType* DeviceTypes::find(std::string_view name) {
  const auto found = all_types().find(name);
  return found == all_types().end() ? nullptr : &found->second;
}

std::vector<std::string> DeviceTypes::names() {
  std::vector<std::string> names;
  for (const auto& [name, type] : all_types()) names.push_back(name);
  return names;
}

void DeviceTypes::add(DeviceType type) {
  const std::string name = type.name;
  if (!all_types().emplace(name, std::move(type)).second) twice().push_back(name);
}

std::vector<std::string> types_registered_twice() { return twice(); }

}  // namespace asterism
