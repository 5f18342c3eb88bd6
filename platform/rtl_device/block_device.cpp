#include "platform/rtl_device/block_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "platform/config/diagnostics.h"
#include "platform/config/nearest_name.h"
#include "platform/rtl/block_build.h"
#include "platform/rtl_device/block_registers.h"

namespace asterism {
namespace {

const RegisteredDevice<BlockDevice> block_device_type{
    "rtl", "A device in SystemVerilog, which its block.json describes; no model of it is needed."};

constexpr const char* block_key = "block";

void check_parameters(const BlockDeviceConfig& config, const BlockConfig& block) {
  std::vector<std::string> names;
  for (const auto& [name, value] : block.parameters) names.push_back(name);
  Diagnostics problems;
  for (const auto& [name, value] : config.parameters)
    if (!block.parameters.contains(name))
      problems.add({.origin = {},
                    .path = "parameters." + name,
                    .problem = fmt::format("{} has no parameter {} in its block.json", block.name, name),
                    .nearest = nearest_name(name, names)});
  problems.throw_if_any();
}

bool has_master(const BlockConfig& block) {
  return std::ranges::any_of(block.ports, [](const BlockPort& port) {
    return port.role == PortRole::bus && port.side == BusSide::master;
  });
}

}  // namespace

static_assert(member_count<BlockDeviceConfig>() == 5);
void describe(Fields& f, BlockDeviceConfig& c) {
  f("impl", c.impl, "What answers. There is nothing but the RTL, which needs Verilator.",
    one_of({Impl::rtl}));
  f("block", c.block, "The block.json of the device, of the contract bus_device.", required(),
    may_be_beside());
  f("clock", c.clock,
    "The clock of the RTL, which software finds in the device tree. A faster one answers earlier, and costs "
    "host time for each cycle that is not idle.",
    within(1_kHz, 4_GHz));
  f("parameters", c.parameters, "Values for parameters of the block, in place of those in its block.json.");
  f("trace", c.trace, "Which signals of the RTL are recorded.");
}

BlockConfig BlockDevice::load(const BlockDeviceConfig& config, DeviceFiles&) {
  const std::filesystem::path file = locate_block(config.block, {}, block_key);
  if (file.extension() != ".json")
    throw ConfigError(Diagnostic{.origin = {},
                                 .path = block_key,
                                 .problem = "",
                                 .expected = "a block.json, which says what the device has",
                                 .got = fmt::format("\"{}\"", config.block)});
  BlockConfig block = read_block({.file = file});
  if (const auto problem = contract_problem(block, BlockContract::bus_device, {}, block_key))
    throw ConfigError(*problem);
  check_parameters(config, block);
  return block;
}

DeviceShape BlockDevice::shape(const BlockDeviceConfig&, const BlockConfig& block, const NodeFacts&) {
  const auto registers = std::make_shared<const BlockRegisters>(block);
  DeviceShape shape{.targets = {{.size = registers->size(), .registers = registers}}};
  shape.interrupts.resize(
      static_cast<std::size_t>(std::ranges::count(block.ports, PortRole::interrupt, &BlockPort::role)));
  if (has_master(block)) shape.initiators.emplace_back();
  return shape;
}

std::vector<RtlUse> BlockDevice::rtl(const BlockDeviceConfig& config, const NodeView&) {
  return {
      {.file_key = block_key,
       .contract = "bus_device",
       .swap = {.impl = config.impl, .variant = config.block, .clock = config.clock, .trace = config.trace},
       .parameters = {config.parameters.begin(), config.parameters.end()}}};
}

std::vector<DeviceTreeNode> BlockDevice::device_tree(const BlockDeviceConfig& config,
                                                     const BlockConfig& block, const DevicePlace& place) {
  if (!block.device || block.device->compatible.empty()) return {};
  DeviceTreeNode node = device_tree_node(block.name, block.device->compatible, place);
  node.set("clock-frequency", DeviceTreeNode::Cells{static_cast<std::uint32_t>(config.clock.count())});
  return {node};
}

}  // namespace asterism
