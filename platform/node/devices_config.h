// The devices of a node in its configuration: an object by instance name, whose keys depend on the type.
//
//   "devices": {
//     "uart1": { "type": "pl011", "base": "0x0904_0000", "interrupt": 8, "input": "script", ... },
//     "nic1":  { "type": "nic", "base": "0x0b06_0000", "interrupt": 21 },
//     "copier": { "type": "acme_dma", "plugin": "libacme_dma.so", "base": "0x0b20_0000", "interrupt": 40 } }
//
// The types are those that are linked into the program (tlm/device.h), and those of plug-ins (plugin.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/units.h"
#include "platform/config/type_file.h"
#include "tlm/device.h"

namespace asterism {

struct DeviceEntry {
  std::string type = {};
  std::optional<std::string> plugin = {};  // the absolute path of the plug-in that has the type
  OneOrMore<Address> base = {};
  OneOrMore<std::uint32_t> interrupt = {};
  std::unique_ptr<DeviceConfig> config = nullptr;  // the keys of the type; nullptr before become()

  DeviceEntry() = default;
  DeviceEntry(const DeviceEntry& other);
  DeviceEntry& operator=(const DeviceEntry& other);
  DeviceEntry(DeviceEntry&&) = default;
  DeviceEntry& operator=(DeviceEntry&&) = default;

  static constexpr std::string_view selector = "type";
  static std::vector<std::string> types() { return DeviceTypes::names(); }
  static std::string meaning(const std::string& type) { return DeviceTypes::find(type)->meaning; }
  bool become(const std::string& wanted);
};
void describe(Fields& f, DeviceEntry& entry);
// The keys that do not depend on the type.
void describe_common_keys(Fields& f, DeviceEntry& entry);

// An entry in a description. Its type may be that of a plug-in.
template <>
class TypedOf<DeviceEntry> final : public TypedValue, public TypeFromFile {
 public:
  explicit TypedOf(DeviceEntry& entry) : entry_(entry) {}
  std::string_view selector() const override { return DeviceEntry::selector; }
  std::vector<std::string> types() const override { return DeviceEntry::types(); }
  std::string meaning(const std::string& type) const override { return DeviceEntry::meaning(type); }
  bool become(const std::string& type) override { return entry_.become(type); }
  std::string_view file_key() const override { return "plugin"; }
  std::string provide(const std::string& type, const std::string& given,
                      const std::filesystem::path& beside) override;
  void walk(Fields& fields) override { describe(fields, entry_); }

 private:
  DeviceEntry& entry_;
};

using DevicesConfig = std::map<std::string, DeviceEntry>;

}  // namespace asterism
