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
#include "tlm/device_tree.h"

namespace asterism {

class Fields;

class NorFlashModule : public sc_core::sc_module {
 public:
  // `size` is a multiple of NorFlash::block_size. The bank begins with `contents`; all other bits are set.
  NorFlashModule(const sc_core::sc_module_name& name, const NorFlashConfig& config, Bytes size,
                 std::span<const std::byte> contents = {});

  tlm_utils::simple_target_socket<NorFlashModule> target{"target"};

  void reset(Reset);
  void report(Statistics& statistics) const;
  // The device tree node of a node's two banks: one device, as on QEMU's virt machine.
  static DeviceTreeNode device_tree(AddressRange first, AddressRange second);

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
