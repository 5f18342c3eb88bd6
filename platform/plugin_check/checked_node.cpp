#include "platform/plugin_check/checked_node.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/config/config.h"

namespace asterism {
namespace {

constexpr std::uint64_t first_base = 0x20'0000'0000;
constexpr unsigned first_interrupt = 4;

ConfigDocument document_of(const nlohmann::ordered_json& device, const std::vector<std::string>& keys,
                           bool has_gic) {
  nlohmann::ordered_json node{{"memory", {{"size", "64MiB"}, {"ranks", 1}}},
                              {"devices", {{checked_instance, device}}}};
  if (has_gic) node["devices"]["gic"] = {{"type", "gic400"}, {"base", {"0x0800_0000", "0x0801_0000"}}};
  ConfigDocument document = ConfigDocument::parse(node.dump(), "the node of the check");
  for (const std::string& key : keys)
    document.apply_override(fmt::format("devices.{}.{}", checked_instance, key));
  return document;
}

NodeConfig node_in(ConfigDocument& document, const ConfigLibrary& library) {
  Diagnostics problems;
  NodeConfig config = read_config<NodeConfig>(document, &library, problems);
  problems.throw_if_any();
  return config;
}

PreparedNode node_in_document(ConfigDocument document, const ConfigLibrary& library) {
  Diagnostics problems;
  PreparedNode node = prepare_node(node_in(document, library), {"node"}, library, document, "", problems);
  problems.throw_if_any();
  node.rtl = prepare_rtl(node.config, node.devices, node.map, node.fabric, document, "");
  return node;
}

// Ranges one after the other, and lines.
void add_place(nlohmann::ordered_json& device, const DeviceShape& shape) {
  std::uint64_t base = first_base;
  for (const DeviceTarget& target : shape.targets) {
    if (!target.own_key.empty()) continue;
    device["base"].push_back(fmt::format("{:#x}", base));
    base += (target.size.count() + 4095) / 4096 * 4096;
  }
  unsigned number = first_interrupt;
  for (const DeviceInterrupt& line : shape.interrupts)
    if (line.own_key.empty()) device["interrupt"].push_back(number++);
}

}  // namespace

PreparedNode node_with_device(const std::string& type, const std::string& plugin,
                              const std::vector<std::string>& keys, const ConfigLibrary& library) {
  nlohmann::ordered_json device{{"type", type}};
  if (!plugin.empty()) device["plugin"] = std::filesystem::absolute(plugin).string();
  ConfigDocument unplaced = document_of(device, keys, true);
  const NodeConfig config = node_in(unplaced, library);
  const DeviceShape shape = config.devices.at(checked_instance).config->shape({config.cores.count});
  add_place(device, shape);
  return node_in_document(document_of(device, keys, !shape.interrupt_controller), library);
}

PreparedNode node_of_file(const std::string& file, const std::vector<std::string>& keys,
                          const ConfigLibrary& library) {
  ConfigDocument document = ConfigDocument::load(library.locate("nodes", file));
  for (const std::string& key : keys) document.apply_override(key);
  return node_in_document(std::move(document), library);
}

}  // namespace asterism
