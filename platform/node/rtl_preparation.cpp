#include "platform/node/rtl_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "cosim/rtl_matt.h"
#include "cosim/rtl_zone_monitor.h"
#include "dimm_ssd/dimm_ssd.h"
#include "platform/config/config_document.h"
#include "platform/config/nearest_name.h"
#include "platform/rtl/block_build.h"

namespace asterism {
namespace {

void print_line(const std::string& line) { fmt::print(stderr, "{}\n", line); }

// The radices of the switches whose arbiters are replaced by RTL.
std::set<unsigned> radices(const NodeConfig& node, const AddressMap& map, const PreparedFabric& fabric) {
  if (!fabric.topology)
    return {std::max<unsigned>(node.cores.count, static_cast<unsigned>(map.entries().size()))};
  const std::vector<std::string>& wanted = node.fabric.arbiter.routers;
  std::set<unsigned> found;
  for (const Topology::Router& router : fabric.topology->routers)
    if (wanted.empty() || std::ranges::count(wanted, router.name) > 0) found.insert(router.radix);
  return found;
}

void check_contract(const std::filesystem::path& file, BlockContract contract, const Origin& origin,
                    const std::string& path, Diagnostics& problems) {
  if (file.extension() != ".json") return;
  const BlockConfig block = read_block({.file = file});
  if (block.contract == contract) return;
  const auto quoted = [](BlockContract c) { return "\"" + std::string(to_text(c)) + "\""; };
  problems.add({.origin = origin,
                .path = path,
                .problem = "",
                .expected = "a block of the contract " + quoted(contract),
                .got = quoted(block.contract)});
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

bool swaps_monitors(const GpusConfig& config) {
  return config.count > 0 && config.monitor_rtl.impl != Impl::model;
}

// The number of pages that the table of the DIMM-SSD can track.
std::uint32_t trackable_pages(const AddressMap& map) {
  return static_cast<std::uint32_t>(map.range("dram").size / DimmSsd::memory_page);
}

}  // namespace

void check_rtl(const NodeConfig& node, const PreparedFabric& fabric, const ConfigDocument& document,
               const std::string& path, Diagnostics& problems) {
  const std::string prefix = path.empty() ? "" : path + ".";
  if (node.fabric.arbiter.impl != Impl::model)
    check_arbiter(node.fabric.arbiter, fabric, document, prefix + "fabric.arbiter.", problems);
  if (node.rtc.swap.impl != Impl::model) {
    const std::string key = prefix + "rtc.variant";
    const Origin origin = document.origin_of(key);
    const auto file = locate_block(node.rtc.swap.variant, origin, key);
    check_contract(file, BlockContract::bus_device, origin, key, problems);
  }
  if (node.memory.codec.impl != Impl::model) {
    const std::string key = prefix + "memory.codec.variant";
    const Origin origin = document.origin_of(key);
    const auto file = locate_block(node.memory.codec.variant, origin, key);
    check_contract(file, BlockContract::codec, origin, key, problems);
  }
  if (node.dimm_ssd.matt.swap.impl != Impl::model) {
    const std::string key = prefix + "dimm_ssd.matt.variant";
    const Origin origin = document.origin_of(key);
    const auto file = locate_block(node.dimm_ssd.matt.swap.variant, origin, key);
    check_contract(file, BlockContract::matt, origin, key, problems);
  }
  if (swaps_monitors(node.gpu)) {
    const std::string key = prefix + "gpu.monitor_rtl.variant";
    const Origin origin = document.origin_of(key);
    const auto file = locate_block(node.gpu.monitor_rtl.variant, origin, key);
    check_contract(file, BlockContract::zone_monitor, origin, key, problems);
  }
}

PreparedRtl prepare_rtl(const NodeConfig& node, const AddressMap& map, const PreparedFabric& fabric,
                        const ConfigDocument& document, const std::string& path) {
  PreparedRtl prepared;
  if (const ArbiterConfig& arbiter = node.fabric.arbiter; arbiter.impl != Impl::model) {
    const std::string key = path + ".fabric.arbiter.variant";
    prepared.arbiter_origin = document.origin_of(key);
    const auto file = locate_block(arbiter.variant, prepared.arbiter_origin, key);
    for (const unsigned radix : radices(node, map, fabric))
      prepared.arbiters[radix] =
          build_block({.file = file, .overrides = {}, .radix = radix}, print_line).library;
  }
  if (const NodeRtcConfig& rtc = node.rtc; rtc.swap.impl != Impl::model) {
    const std::string key = path + ".rtc.variant";
    prepared.rtc_origin = document.origin_of(key);
    prepared.rtc =
        build_device(locate_block(rtc.swap.variant, prepared.rtc_origin, key),
                     {{"ClockHz", rtc.swap.clock.count()}, {"StartSeconds", rtc.device.start_seconds()}});
  }
  if (const CodecConfig& codec = node.memory.codec; codec.impl != Impl::model) {
    const std::string key = path + ".memory.codec.variant";
    prepared.codec_origin = document.origin_of(key);
    prepared.codec = build_device(locate_block(codec.variant, prepared.codec_origin, key),
                                  {{"Profile", static_cast<std::uint64_t>(node.memory.ecc.profile)}});
  }
  if (const MattBlockConfig& matt = node.dimm_ssd.matt; matt.swap.impl != Impl::model) {
    const std::string key = path + ".dimm_ssd.matt.variant";
    prepared.matt_origin = document.origin_of(key);
    prepared.matt = build_device(locate_block(matt.swap.variant, prepared.matt_origin, key),
                                 RtlMatt::parameters(matt.table, trackable_pages(map)));
  }
  if (const GpusConfig& gpu = node.gpu; swaps_monitors(gpu)) {
    const std::string key = path + ".gpu.monitor_rtl.variant";
    prepared.monitor_origin = document.origin_of(key);
    prepared.monitor =
        build_device(locate_block(gpu.monitor_rtl.variant, prepared.monitor_origin, key),
                     RtlZoneMonitor::parameters(gpu.device.monitor, gpu.device.zones_per_channel()));
  }
  return prepared;
}

}  // namespace asterism
