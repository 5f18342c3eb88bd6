// The module of the DIMM-SSD: a target socket with registers, an initiator socket to the memory controller,
// an interrupt line, and the stores of the cores, which it observes and may delay (write_watch.h).
//
// reset: that of the engine (dimm_ssd/dimm_ssd.h); registers take their reset values on every kind.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "dimm_ssd/dimm_ssd.h"
#include "dimm_ssd/dimm_ssd_registers.h"
#include "dimm_ssd/write_watch.h"
#include "tlm/alarm.h"
#include "tlm/device_tree.h"
#include "tlm/initiator_extension.h"
#include "tlm/register_socket.h"

namespace asterism {

class DimmSsdModule : public sc_core::sc_module, private DimmSsd::Memory, private DimmSsd::Sink {
 public:
  DimmSsdRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  // Addresses are offsets from the first address of the memory.
  tlm_utils::simple_initiator_socket<DimmSsdModule> memory{"memory"};
  // Bind it to a signal that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // `memory_range` is the range of the node's memory; an access outside of it is a bus error. Throws
  // FlashImageError for an image file that does not fit.
  DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config, const FlashPart& part,
                AddressRange memory_range, EventLog& events);

  // Sets the tracker that observes stores; without one every checkpoint is full. Call before simulation
  // begins.
  void set_store_tracker(StoreTracker& tracker) { watch_.tracker = &tracker; }
  // The lines that caches had to write back are in memory.
  void flushed();
  // For masters whose writes cannot wait: they ask for permission before they write.
  WriteGuard& guard() { return watch_; }

  // Injects further faults in flash at their times.
  void inject(const std::vector<TimedFlashFault>& faults);

  void reset(Reset kind);
  void power_up();
  static DeviceTreeNode device_tree(AddressRange range, unsigned spi);
  // Attaches RTL in place of the table of modified pages, or in lockstep with it. Call before simulation
  // begins.
  void attach_hook(MattHook* hook) { ssd_->checkpointer().matt().attach_hook(hook); }
  const DimmSsd& engine() const { return *ssd_; }
  void report(Statistics& statistics) const { ssd_->report(statistics); }

 private:
  void connect_registers();
  void inject_next(Picoseconds now);

  // DimmSsd::Memory
  Outcome read_lines(Picoseconds now, Address page, std::uint64_t lines, std::span<std::byte> data) override;
  Outcome read_preimage(Picoseconds now, Address page, std::uint64_t lines,
                        std::span<std::byte> data) override;
  Outcome write_lines(Picoseconds now, Address page, std::uint64_t lines,
                      std::span<const std::byte> data) override;
  bool watch(std::span<const Address> pages) override { return watch_.watch(pages); }
  bool flush_writes(Picoseconds now) override { return watch_.flush_writes(now); }
  void interval_ended() override { watch_.interval_ended(); }
  std::uint64_t written_lines(Address page) override { return watch_.written_lines(page); }
  // DimmSsd::Sink
  void completed(Picoseconds) override { set_interrupt(registers.interrupt_status.complete); }
  void durable(Picoseconds, std::uint64_t) override { set_interrupt(registers.interrupt_status.durable); }
  void failed(Picoseconds at, std::uint64_t version, DimmSsd::Error error) override;
  void released(Picoseconds at, Address page) override;

  Outcome access(tlm::tlm_command command, Address page, std::uint64_t lines, std::byte* data);
  void peek(Address page, std::span<std::byte> data);
  void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, Address address,
            std::span<std::byte> data);
  void set_interrupt(const FieldOf<bool>& what);
  void update_interrupt();
  void rearm();

  const AddressRange memory_range_;
  const Picoseconds sampling_;
  const Bytes endurance_;
  std::unique_ptr<FlashImage> image_;
  WriteWatch watch_;
  std::unique_ptr<DimmSsd> ssd_;
  Alarm alarm_, sampling_alarm_, fault_alarm_;
  std::deque<TimedFlashFault> faults_;  // sorted by time
  InitiatorExtension master_;
  struct {
    std::uint64_t writes_held = 0, lines_copied = 0, flash_pages = 0;
  } at_power_up_;
};

}  // namespace asterism
