#include "platform/node/prepared_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/config/config.h"
#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

// Without this check a misspelt instance would be ignored.
void check_log(const NodeConfig& node, const DeviceList& devices, const std::vector<std::string>& names,
               const ConfigDocument& document, const std::string& path, Diagnostics& problems) {
  const std::vector<std::string> instances = log_instances(devices, names);
  for (const auto& [instance, level] : node.log)
    if (std::ranges::count(instances, instance) == 0)
      problems.add({.origin = document.origin_of(path),
                    .path = path,
                    .problem = fmt::format("there is no instance \"{}\"", instance),
                    .nearest = nearest_name(instance, instances)});
}

}  // namespace

std::vector<std::string> log_instances(const DeviceList& devices, const std::vector<std::string>& names) {
  std::vector<std::string> blocks{"fabric", "power", "semihosting"};
  for (const PlacedDevice& device : devices.all()) blocks.push_back(device.instance());
  for (std::uint32_t core = 0; core < devices.cores(); ++core)
    blocks.push_back("core" + std::to_string(core));
  std::vector<std::string> instances{"systemc"};
  for (const std::string& name : names) {
    instances.push_back(name);
    for (const std::string& block : blocks) instances.push_back(fmt::format("{}.{}", name, block));
  }
  return instances;
}

PreparedNode prepare_node(NodeConfig config, const std::vector<std::string>& names,
                          const ConfigLibrary& library, const ConfigDocument& document,
                          const std::string& path, Diagnostics& problems) {
  PreparedNode node{.name = {}, .config = std::move(config)};
  try {
    const std::size_t before = problems.size();
    if (node.config.runs == NodeProgram::firmware)
      node.devices = DeviceList(node.config, library, document, path, problems);
    if (problems.size() != before) return node;
    node.map = AddressMap(node.devices);
    check_log(node.config, node.devices, names, document, join_path(path, "log"), problems);
    node.fabric = prepare_fabric(node.config, node.devices, node.map, library, document, path, problems);
    check_rtl(node.config, node.devices, node.fabric, document, path, problems);
    if (node.config.runs == NodeProgram::firmware && node.config.cores.timing)
      node.core_timing = load_config<CoreTiming>(library, "cores", *node.config.cores.timing);
  } catch (const ConfigError& error) {
    if (problems.empty()) throw;
    problems.add(error.diagnostics());
  }
  return node;
}

}  // namespace asterism
