#include "platform/plugin_check/checked_node.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "platform/config/config.h"
#include "platform/host/sparse_copy.h"
#include "platform/node/plugin_watch.h"
#include "platform/scenario/scenario.h"

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

// What cannot be copied is refused before anything is built.
void check_original(const DeviceList::KeptFile& kept) {
  if (!std::filesystem::exists(kept.file)) return;
  const bool is_file = std::filesystem::is_regular_file(kept.file);
  if (is_file && std::ifstream(kept.file)) return;
  throw ConfigError(
      Diagnostic{.origin = {},
                 .path = kept.key,
                 .problem = fmt::format("{} {}; the check needs a copy of it", kept.file.string(),
                                        is_file ? "cannot be read" : "is no regular file")});
}

CheckedNode node_in_document(NodeDocument loaded, const ConfigLibrary& library) {
  const InstalledFiles installed{.configs = library, .firmware = {}};
  NodeDocument unread = loaded;
  CheckedNode checked{.node = check_node(loaded, installed)};
  if (const auto kept_files = checked.node.devices.kept_files(); !kept_files.empty()) {
    checked.folder = std::make_shared<const TemporaryFolder>();
    checked.files.reserve(kept_files.size());
    for (const DeviceList::KeptFile& kept : kept_files) {
      check_original(kept);
      checked.files.push_back({kept.file, *checked.folder / kept.key});
      const std::string key =
          loaded.path.empty() ? kept.key.substr(std::string_view("node.").size()) : kept.key;
      unread.document.apply_override(key + "=" + checked.files.back().copy.string());
    }
    loaded = std::move(unread);
    checked.node = check_node(loaded, installed);
  }
  PreparedNode& node = checked.node;
  node.rtl = prepare_rtl(node.config, node.devices, node.map, node.fabric, loaded.document, loaded.path);
  if (!node.rtl.devices.empty() && !checked.folder)
    checked.folder = std::make_shared<const TemporaryFolder>();
  return checked;
}

DeviceShape shape_of(const DeviceConfig& device, const std::string& plugin, unsigned cores) {
  if (plugin.empty()) return device.shape({cores});
  DeviceShape shape;
  const std::string label = Diagnostic::of_file(plugin, "the plug-in").text();
  const auto thrown = call_plugin(label, "shape()", [&] { shape = device.shape({cores}); });
  if (thrown)
    throw ConfigError(
        Diagnostic::of_file(plugin, fmt::format("the plug-in has thrown in shape(): {}", *thrown)));
  return shape;
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

void CheckedNode::renew_copies() const {
  for (const Copied& file : files) {
    std::filesystem::remove(file.copy);
    if (std::filesystem::exists(file.original)) copy_sparse(file.original, file.copy);
  }
}

CheckedNode node_with_device(const std::string& type, const std::string& plugin,
                             const std::vector<std::string>& keys, const ConfigLibrary& library) {
  nlohmann::ordered_json device{{"type", type}};
  if (!plugin.empty()) device["plugin"] = std::filesystem::absolute(plugin).string();
  ConfigDocument unplaced = document_of(device, keys, true);
  const NodeConfig config = node_in(unplaced, library);
  const DeviceShape shape = shape_of(*config.devices.at(checked_instance).config, plugin, config.cores.count);
  add_place(device, shape);
  return node_in_document({document_of(device, keys, !shape.interrupt_controller), "", ""}, library);
}

CheckedNode node_of_file(const std::string& file, const std::vector<std::string>& keys,
                         const ConfigLibrary& library) {
  return node_in_document(load_node_document(file, keys, library), library);
}

}  // namespace asterism
