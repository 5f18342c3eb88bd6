// The node's address map: which address range and which interrupt each device has. The netlist, the device
// tree and the firmware's C header are generated from it. A node file may move an entry ("address_map":
// {"uart0": {"base": ...}}). The map is a superset of that of QEMU's virt machine.
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
  std::string name;         // the instance on the node, and the key in "address_map"
  std::string header_name;  // the prefix of its constants in the firmware's header
  AddressRange range;
  std::optional<unsigned> interrupt;  // SPI number
};

// What a node file may change of an entry.
struct Placement {
  std::optional<Address> base;
  std::optional<std::uint32_t> interrupt;
};
void describe(Fields& f, Placement& placement);

class AddressMap {
 public:
  // Devices that only some nodes have.
  struct Fitted {
    bool gpus = false, pcram = false, nic = false, nor_flash = false;
    unsigned redistributors = 0;  // of a GICv3: the number of cores; 0 for a node with a GIC-400
  };
  // The map before the node file moves entries. DRAM has the given size.
  explicit AddressMap(Bytes dram_size) : AddressMap(dram_size, Fitted{}) {}
  AddressMap(Bytes dram_size, const Fitted& fitted);

  // Moves entries as the node file says. Unknown names, overlapping ranges and shared interrupts are added to
  // `problems`, at the place in the document (below `path`) that causes them.
  void apply(const std::map<std::string, Placement>& placements, const ConfigDocument& document,
             const std::string& path, Diagnostics& problems);

  // Why an access to an address finds no target: "gpu: this node has none (node.gpu.count=0)" where the map
  // has room for a device that this node lacks.
  std::string explain_missing(Address address) const;

  const std::vector<MapEntry>& entries() const { return entries_; }
  const MapEntry& at(std::string_view name) const;
  AddressRange range(std::string_view name) const { return at(name).range; }
  unsigned interrupt(std::string_view name) const { return at(name).interrupt.value(); }

 private:
  void have_gicv3(unsigned redistributors);

  struct Absent {
    std::string name;
    AddressRange range;
    std::string setting;  // that leaves it out
  };
  std::vector<MapEntry> entries_;
  std::vector<Absent> absent_;
};

}  // namespace asterism
