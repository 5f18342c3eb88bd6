// The DIMM-SSD on the node: registers in front, a port to the memory controller behind, an interrupt line.
// Reset contract: that of the engine (dimm_ssd/dimm_ssd.h); registers take their reset values on every kind.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <memory>
#include <systemc>

#include "dimm_ssd/dimm_ssd.h"
#include "dimm_ssd/dimm_ssd_registers.h"
#include "tlm/alarm.h"
#include "tlm/device_tree.h"
#include "tlm/initiator_extension.h"
#include "tlm/register_socket.h"

namespace asterism {

class DimmSsdModule : public sc_core::sc_module, private DimmSsd::Memory, private DimmSsd::Sink {
 private:
  DimmSsdRegisters registers_;

 public:
  RegisterSocket registers{"registers", registers_, Picoseconds(10'000)};
  // Addresses of the node less `memory_base`.
  tlm_utils::simple_initiator_socket<DimmSsdModule> memory{"memory"};
  // To a wire that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // The device changed memory: whoever keeps copies of it (decoded instructions) drops them.
  std::function<void(AddressRange)> on_memory_written = [](AddressRange) {};

  // `memory_range`: where the node's memory is; what lies outside of it is no memory (bus error).
  // Throws FlashImageError for an image file that does not fit.
  DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config, const FlashPart& part,
                AddressRange memory_range, EventLog& events);

  void reset(Reset kind);
  void power_up();
  static DeviceTreeNode device_tree(AddressRange range, unsigned spi);
  const DimmSsd& engine() const { return *ssd_; }
  void report(Statistics& statistics) const { ssd_->report(statistics); }

 private:
  Outcome read_lines(Picoseconds now, Address page, std::uint64_t lines, std::span<std::byte> data) override;
  Outcome write_lines(Picoseconds now, Address page, std::uint64_t lines,
                      std::span<const std::byte> data) override;
  bool watch(std::span<const Address>) override { return false; }
  void interval_ended() override {}
  std::uint64_t written_lines(Address) override { return 0; }
  Outcome access(tlm::tlm_command command, Address page, std::uint64_t lines, std::byte* data);
  void completed(Picoseconds at) override;
  void durable(Picoseconds, std::uint64_t) override {}
  void failed(Picoseconds, std::uint64_t, DimmSsd::Error) override {}
  void released(Picoseconds, Address) override {}
  void update_interrupt();

  AddressRange memory_range_;
  std::unique_ptr<FlashImage> image_;
  std::unique_ptr<DimmSsd> ssd_;
  Alarm alarm_;
  InitiatorExtension master_;
};

}  // namespace asterism
