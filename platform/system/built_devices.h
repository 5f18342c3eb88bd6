// The devices of a node as modules: built from the list, connected to each other and to the interconnect,
// reset and powered up in their order. Everything here walks the list; no device is named.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "base/page_map.h"
#include "base/statistics.h"
#include "fabric/interconnect.h"
#include "platform/node/address_map.h"
#include "platform/node/device_list.h"
#include "platform/node/rtl_preparation.h"
#include "platform/system/rtl_blocks.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"

namespace asterism {

class BuiltDevices final : public DevicePeers {
 public:
  struct Settings {
    std::string node;  // the instance path of the node
    Picoseconds quantum;
    std::uint64_t seed;
    const RtlOptions& rtl_options;
    EventLog& events;
  };
  // Builds all devices, in the module that is being constructed. `list` and `rtl` outlive it. Throws
  // ConfigError for what only building a device shows.
  BuiltDevices(const DeviceList& list, const PreparedRtl& rtl, const Settings& settings);

  // The device of a name, if it has the role; nullptr otherwise.
  template <class Role>
  Role* find_as(const std::string& instance) const {
    Device* const device = find(instance);
    return device ? device->as<Role>() : nullptr;
  }
  // Calls `visit` with each device that has the role, and its entry in the list.
  template <class Role>
  void for_each(const std::function<void(Role&, const PlacedDevice&)>& visit) const {
    for (const Built& built : devices_)
      if (Role* const role = built.device->as<Role>()) visit(*role, *built.placed);
  }
  Device* find(const std::string& instance) const override;
  InterruptController* interrupt_controller() const;  // nullptr: there is none
  // The line of a device, once it is connected. Throws std::invalid_argument.
  const InterruptController::Wire& interrupt(const std::string& instance, std::size_t line) const;
  // Injects a fault into the memory that has its address.
  FaultOutcome inject(const FaultRequest& request) const;
  NodeMemory& main_memory() const { return *find_as<NodeMemory>(asterism::main_memory); }

  // Connects targets, masters and interrupts. `tapped` returns the socket to bind in a master's place.
  // `dram_parts` are the nodes of the memory controllers in the interconnect, if they have their own.
  using Tapped = std::function<tlm::tlm_initiator_socket<>&(tlm::tlm_initiator_socket<>&)>;
  void connect(Interconnect& fabric, const AddressMap& map, const Tapped& tapped,
               const std::vector<std::string>& dram_parts);

  // Resets the devices of a phase.
  void reset(ResetPhase phase, Reset kind);
  void power_up();

  std::vector<RtlBlock*> rtl() const;
  // What has happened to pages and blocks (tlm/page_counting.h); `node` is the node's instance path.
  void count_pages();
  void report_pages(PageMap& map, const std::string& node) const;
  // A group for each device that has statistics.
  void report(Statistics& node) const;

 private:
  struct Built {
    const PlacedDevice* placed;
    std::unique_ptr<Device> device;
    std::vector<std::unique_ptr<RtlBlock>> rtl;
    std::vector<const InterruptController::Wire*> interrupts = {};
  };

  void build(const PlacedDevice& placed, const PreparedRtl& rtl, const Settings& settings);
  void connect_initiators(Interconnect& fabric, const Tapped& tapped);
  void connect_interrupts();

  const DeviceList& list_;
  std::vector<Built> devices_;
  std::deque<InterruptController::Wire> unconnected_;
};

}  // namespace asterism
