// The one address map of the node: what firmware finds where and on which interrupt. The netlist, the device
// tree and the firmware's C header are made from it. A node file may move an entry ("address_map": {"uart0":
// {"base": ...}}). A superset of QEMU's virt machine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "platform/config/diagnostics.h"

namespace asterism {

class Fields;
class ConfigDocument;

struct MapEntry {
  std::string name;         // instance on the node, key in "address_map"
  std::string header_name;  // in the firmware's header
  AddressRange range;
  std::optional<unsigned> interrupt;  // SPI number
};

// What a node file may say about an entry.
struct Placement {
  std::optional<Address> base;
  std::optional<std::uint32_t> interrupt;
};
void describe(Fields& f, Placement& placement);

class AddressMap {
 public:
  // What stands on some nodes only.
  struct Fitted {
    bool gpus = false, pcram = false, nic = false, nor_flash = false;
    unsigned redistributors = 0;  // of a GICv3, as many as there are cores; 0: the node has a GIC-400
  };
  // The map of a node before overrides; DRAM has the given size.
  explicit AddressMap(Bytes dram_size) : AddressMap(dram_size, Fitted{}) {}
  AddressMap(Bytes dram_size, const Fitted& fitted);

  // Moves entries as the node file says. Unknown names, overlaps and shared interrupts go to `problems`, at
  // the place in the document (below `path`) that caused them.
  void apply(const std::map<std::string, Placement>& placements, const ConfigDocument& document,
             const std::string& path, Diagnostics& problems);

  const std::vector<MapEntry>& entries() const { return entries_; }
  const MapEntry& at(std::string_view name) const;
  AddressRange range(std::string_view name) const { return at(name).range; }
  unsigned interrupt(std::string_view name) const { return at(name).interrupt.value(); }

 private:
  void have_gicv3(unsigned redistributors);

  std::vector<MapEntry> entries_;
};

}  // namespace asterism
