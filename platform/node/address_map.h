// The node's address map: the address ranges of all its devices, with their interrupts and registers. It
// follows from the list of devices, and what shows devices to people, debuggers and firmware is made from it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "platform/node/device_list.h"
#include "tlm/register.h"

namespace asterism {

struct MapEntry {
  std::string name;         // "uart0", "gicd"
  std::string header_name;  // the prefix of its constants in the firmware's header: "UART0"
  AddressRange range;
  std::vector<unsigned> interrupts = {};               // SPI numbers
  std::string device = {}, type = {};                  // the instance and its type
  std::shared_ptr<const RegisterBank> registers = {};  // nullptr: a memory
};

class AddressMap {
 public:
  AddressMap() = default;
  explicit AddressMap(const DeviceList& devices);
  explicit AddressMap(std::vector<MapEntry> entries) : entries_(std::move(entries)) {}

  // In order of their addresses, the ranges of a device that continue each other together.
  const std::vector<MapEntry>& entries() const { return entries_; }
  const MapEntry* find(std::string_view name) const;  // nullptr: there is none

  // A map with devices that this node may lack, for explain_missing().
  void compare_with(const AddressMap& usual);
  // Why an access to an address finds no target: "this node has no gpu" where other nodes have one.
  std::string explain_missing(Address address) const;

 private:
  std::vector<MapEntry> entries_;
  std::vector<MapEntry> absent_;  // of the map that was compared
};

// "SPI 22, 23"; "" without interrupts.
std::string interrupt_text(const MapEntry& entry);

}  // namespace asterism
