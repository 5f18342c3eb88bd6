#include "platform/node/devices_config.h"

#include <fmt/format.h>

#include "platform/config/diagnostics.h"
#include "platform/node/plugin.h"
#include "platform/node/plugin_watch.h"

namespace asterism {

DeviceEntry::DeviceEntry(const DeviceEntry& other)
    : type(other.type),
      plugin(other.plugin),
      base(other.base),
      interrupt(other.interrupt),
      config(other.config ? other.config->clone() : nullptr) {}

DeviceEntry& DeviceEntry::operator=(const DeviceEntry& other) { return *this = DeviceEntry(other); }

bool DeviceEntry::become(const std::string& wanted) {
  *this = {};
  const DeviceType* const found = DeviceTypes::find(wanted);
  if (!found) return false;
  type = wanted;
  config = found->config();
  return true;
}

std::string TypedOf<DeviceEntry>::provide(const std::string& type, const std::string& given,
                                          const std::filesystem::path& beside) {
  return provide_device_type(type, given, beside);
}

void describe_common_keys(Fields& f, DeviceEntry& entry) {
  f("type", entry.type, "The type of the device, which chooses its other keys.", one_of(DeviceEntry::types()),
    required());
  if (!entry.config) return;
  f("plugin", entry.plugin,
    "The shared library that has the type (docs/plugins.md): a path, or the name of a file in a folder of "
    "ASTERISM_PLUGINS. Without it, the type is one of the program's, or that of lib<type>.so in such a "
    "folder.");
  f("base", entry.base,
    "The first address of each of its ranges, mostly one. Firmware that does not read the device tree "
    "expects a device at its standard address.");
  f("interrupt", entry.interrupt,
    "The number of the shared peripheral interrupt (SPI) of each of its lines, mostly one. Without a number, "
    "no line is connected.",
    at_most(987));
}

void describe(Fields& f, DeviceEntry& entry) {
  describe_common_keys(f, entry);
  if (!entry.config) return;
  const std::string plugin = plugin_with(entry.type);
  if (plugin.empty()) return entry.config->describe(f);
  const std::string label = Diagnostic::of_file(plugin, fmt::format("the type {}", entry.type)).text();
  if (const auto thrown = call_plugin(label, "describe()", [&] { entry.config->describe(f); }))
    throw ConfigError(Diagnostic::of_file(
        plugin, fmt::format("the type {} has thrown in describe(): {}", entry.type, *thrown)));
}

}  // namespace asterism
