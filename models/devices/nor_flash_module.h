// A bank of NOR flash (nor_flash.h) as a TLM target.
//
// While it is in read-array mode, masters get direct memory for loads and fetches, so that code runs from it;
// a store, which is a command, invalidates that. Each access over the bus takes the configured latency;
// programming and erasing take no time, as in QEMU. Debug transport reads and writes the contents in any
// state of the chips, without a command. The contents survive every kind of reset.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <span>
#include <systemc>
#include <tlm>

#include "base/reset.h"
#include "base/statistics.h"
#include "base/units.h"
#include "devices/nor_flash.h"
#include "devices/nor_flash_config.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"

namespace asterism {

class Fields;

class NorFlashModule final : public sc_core::sc_module, public Device, public Rom {
 public:
  using Config = NorFlashConfig;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static void check(const Config& config, const NodeView& node, const DevicePlace& place,
                    DeviceProblems& problems);
  // One device tree node for a bank and those that follow it, as on QEMU's virt machine.
  static std::vector<DeviceTreeNode> device_tree(const Config& config, const NodeView& node,
                                                 const DevicePlace& place);

  // All bits are set at first.
  NorFlashModule(const sc_core::sc_module_name& name, const NorFlashConfig& config);
  NorFlashModule(const sc_core::sc_module_name& name, const NorFlashConfig& config, const DeviceContext&)
      : NorFlashModule(name, config) {}

  tlm_utils::simple_target_socket<NorFlashModule> target{"target"};

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  void program(std::span<const std::byte> contents) override;
  void reset(Reset) override;
  void report(Statistics& statistics) const override;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void load(tlm::tlm_generic_payload& payload);
  void store(const tlm::tlm_generic_payload& payload);
  void withdraw();

  const sc_core::sc_time latency_;
  NorFlash flash_;
  std::uint64_t loads_ = 0, stores_ = 0;
};

}  // namespace asterism
