#include "platform/system/node_device_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/affinity.h"
#include "base/random.h"

namespace asterism {
namespace {

using Nodes = std::vector<DeviceTreeNode>;

// Of several nodes of one name, the first describes the device, and the others add their `reg`.
void add(Nodes& nodes, DeviceTreeNode node) {
  const auto known = std::ranges::find(nodes, node.name, &DeviceTreeNode::name);
  if (known == nodes.end()) return nodes.push_back(std::move(node));
  if (!node.find("reg")) return;
  for (auto& [property, value] : known->properties)
    if (property == "reg") {
      auto& cells = std::get<DeviceTreeNode::Cells>(value);
      const auto& more = std::get<DeviceTreeNode::Cells>(*node.find("reg"));
      cells.insert(cells.end(), more.begin(), more.end());
    }
}

// Of a node that has a `reg`.
std::uint64_t first_address(const DeviceTreeNode& node) {
  const auto& cells = std::get<DeviceTreeNode::Cells>(*node.find("reg"));
  return std::uint64_t{cells.at(0)} << 32 | cells.at(1);
}

// Moves the node of a device before the first one that is compatible with it.
void put_first(Nodes& nodes, const DeviceTreeNode& device) {
  const auto own = std::ranges::find(nodes, device.name, &DeviceTreeNode::name);
  const auto first = std::ranges::find_if(nodes, [&](const DeviceTreeNode& each) {
    return each.find("compatible") && *each.find("compatible") == *device.find("compatible");
  });
  if (first < own) std::rotate(first, own, own + 1);
}

DeviceTreeNode chosen_node(const NodeConfig& node, const DeviceList& devices,
                           const DeviceTreeContents& contents) {
  DeviceTreeNode chosen{"chosen", contents.chosen};
  const PlacedDevice* const console =
      devices.first([](const DeviceShape& shape) { return shape.is_serial_line; });
  if (console)
    for (const DeviceTreeNode& each : console->config->device_tree(devices, console->place))
      chosen.set("stdout-path", {("/" + each.name).c_str()});
  DeviceTreeNode::Cells auxiliary;
  for (std::uint32_t core = node.cores.count - node.cores.auxiliary; core < node.cores.count; ++core)
    auxiliary.push_back(affinity_of(core));
  if (!auxiliary.empty()) chosen.set("asterism,auxiliary-cores", auxiliary);
  return chosen;
}

DeviceTreeNode::Cells cells(Address address) {
  return {static_cast<std::uint32_t>(address.value() >> 32), static_cast<std::uint32_t>(address.value())};
}

DeviceTreeNode cpus_node(const NodeConfig& node, const SpinTable* spin_table) {
  DeviceTreeNode cpus{"cpus"};
  cpus.set("#address-cells", {1}).set("#size-cells", DeviceTreeNode::Cells{0});
  for (std::uint32_t core = 0; core < node.cores.count; ++core) {
    DeviceTreeNode cpu{fmt::format("cpu@{:x}", affinity_of(core))};
    cpu.set("device_type", {"cpu"})
        .set("compatible", {"arm,cortex-a57"})
        .set("reg", DeviceTreeNode::Cells{affinity_of(core)});
    cpu.set("enable-method", {spin_table ? "spin-table" : "psci"});
    if (spin_table) cpu.set("cpu-release-addr", cells(spin_table->release_address(core)));
    cpus.children.push_back(std::move(cpu));
  }
  return cpus;
}

// The timers and performance monitors of the cores, whose interrupts are private.
Nodes core_devices() {
  DeviceTreeNode timer{"timer"};  // PPIs 13, 14, 11, 10: secure, physical, virtual, hypervisor
  timer.set("compatible", {"arm,armv8-timer", "arm,armv7-timer"}).set("always-on");
  timer.set("interrupts",
            {1, 13, dt::level_high, 1, 14, dt::level_high, 1, 11, dt::level_high, 1, 10, dt::level_high});
  DeviceTreeNode performance_monitors{"pmu"};
  performance_monitors.set("compatible", {"arm,armv8-pmuv3"}).set("interrupts", {1, 7, dt::level_high});
  return {timer, performance_monitors};
}

DeviceTreeNode clock_node() {
  DeviceTreeNode clock{"apb-pclk"};
  clock.set("compatible", {"fixed-clock"})
      .set("#clock-cells", DeviceTreeNode::Cells{0})
      .set("clock-frequency", {dt::apb_clock_hertz});
  clock.set("clock-output-names", {"clk24mhz"}).set("phandle", {dt::apb_clock});
  return clock;
}

}  // namespace

DeviceTreeProperties chosen_for_linux(const std::string& bootargs, AddressRange initrd, std::uint64_t seed) {
  DeviceTreeNode chosen{"chosen"};
  if (!bootargs.empty()) chosen.set("bootargs", {bootargs.c_str()});
  if (initrd.size.count() != 0) {
    chosen.set("linux,initrd-start", cells(initrd.first));
    chosen.set("linux,initrd-end", cells(initrd.first + initrd.size));
  }
  Random random(seed);
  DeviceTreeNode::Cells seeds;
  for (int i = 0; i < 10; ++i) seeds.push_back(static_cast<std::uint32_t>(random.next()));
  chosen.set("kaslr-seed", DeviceTreeNode::Cells(seeds.begin(), seeds.begin() + 2));
  chosen.set("rng-seed", DeviceTreeNode::Cells(seeds.begin() + 2, seeds.end()));
  return chosen.properties;
}

DeviceTreeNode node_device_tree(const NodeConfig& node, const DeviceList& devices,
                                const DeviceTreeContents& contents) {
  const bool has_interrupts = devices.interrupt_controller() != nullptr;
  DeviceTreeNode root{""};
  root.set("#address-cells", {2}).set("#size-cells", {2}).set("compatible", {"linux,dummy-virt"});
  root.set("model", {"asterism"});
  if (has_interrupts) root.set("interrupt-parent", {dt::interrupt_controller});

  DeviceTreeNode psci{"psci"};
  psci.set("compatible", {"arm,psci-1.0", "arm,psci-0.2", "arm,psci"}).set("method", {"hvc"});
  Nodes memories, others, without_registers;
  for (const PlacedDevice& device : devices.all())
    for (DeviceTreeNode& each : device.config->device_tree(devices, device.place)) {
      const std::vector<DeviceTarget>& targets = device.shape.targets;
      const bool has_registers = !targets.empty() && targets[0].registers;
      Nodes& kind = each.find("device_type")                                        ? memories
                    : each.find("reg") && (has_registers || device.shape.is_memory) ? others
                                                                                    : without_registers;
      add(kind, std::move(each));
    }
  std::ranges::stable_sort(others, {}, first_address);
  if (const PlacedDevice* const device = devices.device(contents.preferred))
    for (const DeviceTreeNode& each : device->config->device_tree(devices, device->place))
      put_first(others, each);

  Nodes& all = root.children;
  all = {chosen_node(node, devices, contents), psci, cpus_node(node, contents.spin_table)};
  all.insert(all.end(), memories.begin(), memories.end());
  if (has_interrupts)
    for (DeviceTreeNode& each : core_devices()) all.push_back(std::move(each));
  all.push_back(clock_node());
  all.insert(all.end(), others.begin(), others.end());
  all.insert(all.end(), without_registers.begin(), without_registers.end());
  return root;
}

}  // namespace asterism
