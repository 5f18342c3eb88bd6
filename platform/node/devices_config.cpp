#include "platform/node/devices_config.h"

namespace asterism {

DeviceEntry::DeviceEntry(const DeviceEntry& other)
    : type(other.type),
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

void describe(Fields& f, DeviceEntry& entry) {
  f("type", entry.type, "The type of the device, which chooses its other keys.", one_of(DeviceEntry::types()),
    required());
  if (!entry.config) return;
  f("base", entry.base,
    "The first address of each of its ranges, mostly one. Firmware that does not read the device tree "
    "expects a device at its standard address.");
  f("interrupt", entry.interrupt,
    "The number of the shared peripheral interrupt (SPI) of each of its lines, mostly one. Without a number, "
    "no line is connected.",
    at_most(987));
  entry.config->describe(f);
}

}  // namespace asterism
