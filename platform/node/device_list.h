// The devices of a node, placed: what its configuration says, checked against the rest of the node. The
// netlist, the address map and everything else that concerns all devices walks this list.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/config/config_document.h"
#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"
#include "platform/node/node_config.h"
#include "tlm/device.h"

namespace asterism {

// Whether an instance or a type may have this name: lower-case letters, digits and underscores, of which the
// first is a letter.
bool is_device_name(std::string_view name);

struct PlacedDevice {
  std::string type;
  std::string plugin;  // the file that has the type; "" if the program has it
  std::string key;     // of its object in the node: "devices.uart0"
  std::shared_ptr<const DeviceConfig> config;
  DeviceShape shape;
  DevicePlace place = {};
  std::vector<RtlUse> rtl = {};
  std::vector<unsigned> masters = {};          // of its initiators (InitiatorExtension::master)
  std::map<std::string, Origin> origins = {};  // where keys were written that may fail when the node is built

  const std::string& instance() const { return place.instance; }
  // The name of a range in the address map: "gicd".
  std::string range_name(std::size_t target) const;
};

class DeviceList final : public NodeView {
 public:
  DeviceList() = default;
  // Loads the files that the keys of devices name, and makes all checks of devices. Errors are added to
  // `problems`, at their place in the document; `path` is the path of the node in it. Throws ConfigError for
  // a file that cannot be read.
  DeviceList(const NodeConfig& node, const ConfigLibrary& library, const ConfigDocument& document,
             const std::string& path, Diagnostics& problems);

  // The main memory first, then those with registers, then further memories, each by their addresses.
  const std::vector<PlacedDevice>& all() const { return devices_; }
  const PlacedDevice* device(const std::string& instance) const;  // nullptr: there is none
  const PlacedDevice& memory() const { return devices_.front(); }
  AddressRange dram() const { return memory().place.range(); }
  // The first one that a condition holds for; nullptr: there is none.
  template <class Condition>
  const PlacedDevice* first(Condition holds) const {
    for (const PlacedDevice& device : devices_)
      if (holds(device.shape)) return &device;
    return nullptr;
  }
  const PlacedDevice* interrupt_controller() const;
  const PlacedDevice* rom() const;  // the one at the lowest address
  // The files of the host in which devices keep their state across runs, and the keys of a scenario that name
  // them.
  struct KeptFile {
    std::string key;
    std::filesystem::path file;
  };
  std::vector<KeptFile> kept_files() const;
  // The keys of a scenario that give devices an input of this kind.
  std::vector<std::string> keys_of_input(HostUse::Input input) const;
  // The number of masters that are wired to this memory, with the interconnect.
  unsigned ports_of(const PlacedDevice& memory) const;

  unsigned cores() const override { return cores_; }
  std::optional<Peer> find(const std::string& instance) const override;

 private:
  class Checks;
  std::vector<PlacedDevice> devices_;
  unsigned cores_ = 1;
};

}  // namespace asterism
