#include "platform/node/rtl_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "platform/config/config_document.h"
#include "platform/config/nearest_name.h"
#include "platform/rtl/block_build.h"

namespace asterism {
namespace {

std::string file_key(const PlacedDevice& device, const RtlUse& use) {
  return join_path(join_path(device.key, use.key), use.file_key);
}

void print_line(const std::string& line) { fmt::print(stderr, "{}\n", line); }

// The radices of the switches whose arbiters are replaced by RTL.
std::set<unsigned> radices(const NodeConfig& node, const DeviceList& devices, const AddressMap& map,
                           const PreparedFabric& fabric) {
  if (!fabric.topology)
    return {static_cast<unsigned>(std::max(fabric_masters(devices).size(), map.entries().size()))};
  const std::vector<std::string>& wanted = node.fabric.arbiter.routers;
  std::set<unsigned> found;
  for (const Topology::Router& router : fabric.topology->routers)
    if (wanted.empty() || std::ranges::count(wanted, router.name) > 0) found.insert(router.radix);
  return found;
}

void check_contract(const std::filesystem::path& file, BlockContract contract, const Origin& origin,
                    const std::string& path, Diagnostics& problems) {
  if (file.extension() != ".json") return;
  if (const auto problem = contract_problem(read_block({.file = file}), contract, origin, path))
    problems.add(*problem);
}

void check_arbiter(const ArbiterConfig& arbiter, const PreparedFabric& fabric, const ConfigDocument& document,
                   const std::string& key, Diagnostics& problems) {
  std::vector<std::string> names{"XB"};
  if (fabric.topology) {
    names.clear();
    for (const Topology::Router& router : fabric.topology->routers) names.push_back(router.name);
  }
  for (std::size_t i = 0; i < arbiter.routers.size(); ++i) {
    const std::string at = fmt::format("{}routers.{}", key, i);
    if (std::ranges::count(names, arbiter.routers[i]) == 0)
      problems.add({.origin = document.origin_of(at),
                    .path = at,
                    .problem = "there is no router \"" + arbiter.routers[i] + "\"",
                    .nearest = nearest_name(arbiter.routers[i], names)});
  }
  const Origin origin = document.origin_of(key + "variant");
  const auto file = locate_block(arbiter.variant, origin, key + "variant");
  check_contract(file, BlockContract::arbiter, origin, key + "variant", problems);
}

// Builds a block with the parameters that follow from the node, as far as the block has them.
DeviceLibrary build_device(const std::filesystem::path& file,
                           const std::map<std::string, std::uint64_t>& parameters) {
  DeviceLibrary device{.file = file, .parameters = parameters};
  if (file.extension() != ".json") return device;
  const BlockConfig block = read_block({.file = file});
  std::vector<std::string> overrides;
  for (const auto& [name, value] : parameters)
    if (block.parameters.contains(name)) overrides.push_back(fmt::format("parameters.{}={}", name, value));
  for (const BlockPort& port : block.ports)
    if (port.role == PortRole::state) device.states.push_back(port.states);
  device.file = build_block({.file = file, .overrides = std::move(overrides)}, print_line).library;
  return device;
}

}  // namespace

bool PreparedRtl::any() const {
  const auto has_block = [](const auto& device) {
    return std::ranges::any_of(device.second, [](const DeviceLibrary& block) { return !block.file.empty(); });
  };
  return !arbiters.empty() || std::ranges::any_of(devices, has_block);
}

void check_rtl(const NodeConfig& node, const DeviceList& devices, const PreparedFabric& fabric,
               const ConfigDocument& document, const std::string& path, Diagnostics& problems) {
  if (node.fabric.arbiter.impl != Impl::model)
    check_arbiter(node.fabric.arbiter, fabric, document, join_path(path, "fabric.arbiter."), problems);
  for (const PlacedDevice& device : devices.all())
    for (const RtlUse& use : device.rtl) {
      if (use.swap.impl == Impl::model) continue;
      const std::string key = join_path(path, file_key(device, use));
      const Origin origin = document.origin_of(key);
      const auto contract = enum_from_text<BlockContract>(use.contract);
      check_contract(locate_block(use.swap.variant, origin, key), contract.value(), origin, key, problems);
    }
}

PreparedRtl prepare_rtl(const NodeConfig& node, const DeviceList& devices, const AddressMap& map,
                        const PreparedFabric& fabric, const ConfigDocument& document,
                        const std::string& path) {
  PreparedRtl prepared;
  if (const ArbiterConfig& arbiter = node.fabric.arbiter; arbiter.impl != Impl::model) {
    const std::string key = path + ".fabric.arbiter.variant";
    prepared.arbiter_origin = document.origin_of(key);
    const auto file = locate_block(arbiter.variant, prepared.arbiter_origin, key);
    for (const unsigned radix : radices(node, devices, map, fabric))
      prepared.arbiters[radix] =
          build_block({.file = file, .overrides = {}, .radix = radix}, print_line).library;
  }
  for (const PlacedDevice& device : devices.all())
    for (const RtlUse& use : device.rtl) {
      DeviceLibrary& block = prepared.devices[device.instance()].emplace_back();
      if (use.swap.impl == Impl::model) continue;
      const std::string key = join_path(path, file_key(device, use));
      block = build_device(locate_block(use.swap.variant, document.origin_of(key), key), use.parameters);
    }
  return prepared;
}

}  // namespace asterism
