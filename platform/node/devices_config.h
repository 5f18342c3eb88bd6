// The devices of a node in its configuration: an object by instance name, whose keys depend on the type.
//
//   "devices": {
//     "uart1": { "type": "pl011", "base": "0x0904_0000", "interrupt": 8, "input": "script", ... },
//     "nic1":  { "type": "nic", "base": "0x0b06_0000", "interrupt": 21 } }
//
// The types are those that are linked into the program (tlm/device.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/units.h"
#include "tlm/device.h"

namespace asterism {

struct DeviceEntry {
  std::string type = {};
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

using DevicesConfig = std::map<std::string, DeviceEntry>;

}  // namespace asterism
