// The module of the DIMM-SSD: a target socket with registers, a DMA port to the memory controller, an
// interrupt line, and the writes to the memory, which it observes and may delay (write_protection.h).
//
// reset: that of the engine (dimm_ssd/dimm_ssd.h); registers take their reset values on every kind.
#pragma once

#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "dimm_ssd/dimm_ssd.h"
#include "dimm_ssd/dimm_ssd_registers.h"
#include "dimm_ssd/flash_fault.h"
#include "dimm_ssd/kept_memory.h"
#include "dimm_ssd/write_protection.h"
#include "matt/matt_hook.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/dma_initiator.h"
#include "tlm/fault_queue.h"
#include "tlm/page_counting.h"
#include "tlm/register_socket.h"

namespace asterism {

class DimmSsdModule final : public sc_core::sc_module,
                            public Device,
                            public FaultTarget<FlashFault>,
                            public MattHost,
                            public MemoryKeeper,
                            public PageCounting,
                            private DimmSsd::Memory,
                            private DimmSsd::Sink {
 public:
  using Config = DimmSsdConfig;
  using Parts = FlashPart;
  using Faults = FaultList<FlashFault>;
  static FlashPart load(const DimmSsdConfig& config, DeviceFiles& files);
  static DeviceShape shape(const DimmSsdConfig& config, const NodeFacts&);
  static std::vector<RtlUse> rtl(const DimmSsdConfig& config, const NodeView& node);
  static void check(const DimmSsdConfig& config, const FlashPart& part, const NodeView&, const DevicePlace&,
                    DeviceProblems& problems);
  static std::optional<FaultCheck<FlashFault>::Problem> problem_of(const DimmSsdConfig&, const FlashFault&) {
    return std::nullopt;  // which pages there are depends on the checkpoints that firmware takes
  }
  static std::vector<DeviceTreeNode> device_tree(const DimmSsdConfig& config, const NodeView& node,
                                                 const DevicePlace& place);

  DimmSsdRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  DmaInitiator memory;
  // Bind it to a signal that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  // `memory_range` is the range of the node's memory; an access outside of it is a bus error. Throws
  // FlashImageError for an image file that does not fit.
  DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config, const FlashPart& part,
                AddressRange memory_range, EventLog& events);
  DimmSsdModule(const sc_core::sc_module_name& name, const DimmSsdConfig& config, const FlashPart& part,
                const DeviceContext& context);

  // The writes to the memory, of which this device guards the pages that firmware lists; without them every
  // checkpoint is full. Call before simulation begins.
  void connect(MemoryWrites& writes) { protection_.connect(writes); }
  void connect(const DevicePeers& peers) override;

  void inject(const std::vector<TimedFlashFault>& faults) override;

  void keep(AddressRange pages) override { kept_.emplace(*ssd_, pages); }
  void restore(Ended ended) override;
  void save(Ended ended) override;

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory}; }
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;
  // Pages of memory: those that are `tracked` now, with the lines that were `modified` and are not copied yet
  // as far as they were reported; how often a page was `copied` and `restored`, and a write to it `waited`.
  // Blocks of flash: how often they were `erased`, their pages that are `programmed`, and those that are
  // `bad`.
  void count_pages() override;
  void report_pages(PageMap& map, const std::string& name) const override;
  const MattConfig& matt_config() const override { return config_.matt.table; }
  std::uint32_t matt_pages() const override { return ssd_->checkpointer().matt().pages(); }
  void attach_hook(MattHook* hook) override { ssd_->checkpointer().matt().attach_hook(hook); }
  const DimmSsd& engine() const { return *ssd_; }

 private:
  void connect_registers();
  void report_tracked_pages(PageMap::Area& memory) const;
  void inject_now(Picoseconds now, const FlashFault& fault);

  // DimmSsd::Memory
  void read_lines(DimmSsd::Part by, Picoseconds now, Address page, std::uint64_t lines,
                  OnAccessEnd ended) override;
  void read_preimage(DimmSsd::Part by, Picoseconds now, Address page, std::uint64_t lines,
                     OnAccessEnd ended) override;
  void write_lines(DimmSsd::Part by, Picoseconds now, Address page, std::uint64_t lines,
                   std::span<const std::byte> data, OnAccessEnd ended) override;
  void abandon(DimmSsd::Part part) override { memory.channel(static_cast<unsigned>(part)).abandon(); }
  std::optional<DimmSsd::Conflict> conflict(std::span<const Address> pages,
                                            AddressRange shadow) const override {
    return protection_.conflict(pages, shadow);
  }
  bool watch(std::span<const Address> pages) override { return protection_.watch(pages); }
  bool flush_writes(Picoseconds) override { return protection_.flush_writes(); }
  void interval_ended() override { protection_.interval_ended(); }
  std::uint64_t written_lines(Address page) override { return protection_.written_lines(page); }
  // DimmSsd::Sink
  void completed(Picoseconds at) override;
  void durable(Picoseconds at, std::uint64_t version) override;
  void failed(Picoseconds at, std::uint64_t version, DimmSsd::Error error) override;
  void released(Picoseconds at, Address page) override;

  void set_interrupt(const FieldOf<bool>& what);
  void update_interrupt();
  void rearm();

  const DimmSsdConfig config_;
  const Bytes endurance_;
  const AddressRange memory_range_;
  std::unique_ptr<FlashImage> image_;
  WriteProtection protection_;
  std::unique_ptr<DimmSsd> ssd_;
  std::optional<KeptMemory> kept_;
  Alarm alarm_, sampling_alarm_;
  FaultQueue<FlashFault> faults_;
  PageCounter copied_, restored_, waited_;
  struct {
    std::uint64_t writes_held = 0, lines_copied = 0, flash_pages = 0;
  } at_power_up_;
};

}  // namespace asterism
