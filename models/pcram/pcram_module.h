// The PCRAM of a node: a target socket with registers (pcram_registers.h), a DMA port to the memory
// controller, and an interrupt line.
//
// Beside the DRAM, pages pass the memory controller and take its time. On the DRAM they only pass the
// memory's code: neither a save nor a load occupies the DDR bus or takes the controller's time, and a page
// that the code cannot correct is not saved. Dirty pages are determined there when an incremental save is
// requested, by comparison with what was saved last: a page that was written with the same bytes counts as
// clean.
//
// reset: that of pcram/pcram_copier.h; registers take their reset values on every kind.
#pragma once

#include <systemc>

#include "pcram/pcram_copier.h"
#include "pcram/pcram_registers.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/dma_initiator.h"
#include "tlm/page_counting.h"
#include "tlm/register_socket.h"

namespace asterism {

class PcramModule final : public sc_core::sc_module,
                          public Device,
                          public PageCounting,
                          private PcramCopier::Sink {
 public:
  using Config = PcramConfig;
  using Parts = PcramPart;
  static PcramPart load(const PcramConfig& config, DeviceFiles& files);
  static DeviceShape shape(const PcramConfig& config, const NodeFacts&);
  static void check(const PcramConfig& config, const PcramPart& part, const NodeView& node,
                    const DevicePlace&, DeviceProblems& problems);
  static std::vector<DeviceTreeNode> device_tree(const PcramConfig& config, const NodeView& node,
                                                 const DevicePlace& place);

  PcramRegisters registers;
  RegisterSocket target{"target", registers, Picoseconds(10'000)};
  DmaInitiator memory;
  // Bind it to a signal that several processes may write (devices/gic400.h).
  sc_core::sc_out<bool> interrupt{"interrupt"};

  PcramModule(const sc_core::sc_module_name& name, const PcramConfig& config, const PcramPart& part,
              AddressRange memory_range, EventLog& events);
  PcramModule(const sc_core::sc_module_name& name, const PcramConfig& config, const PcramPart& part,
              const DeviceContext& context);

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  std::vector<tlm::tlm_initiator_socket<>*> initiators() override { return {&memory}; }
  // Before the memory: what it reads at this instant is still there.
  ResetPhase phase() const override { return ResetPhase::masters; }
  void reset(Reset kind) override;
  const PcramCopier& copier() const { return copier_; }
  // Of each page the `wear`: the writes of its most worn line.
  void count_pages() override {}
  void report_pages(PageMap& map, const std::string& name) const override;
  void report(Statistics& statistics) const override { copier_.report(statistics); }

 private:
  void connect_registers();
  void command(std::uint32_t value);
  void find_dirty(const PcramCopier::Command& command);
  void update_interrupt();

  void completed(Picoseconds at) override;

  const AddressRange memory_range_;
  PcramCopier copier_;
  Alarm alarm_;
};

}  // namespace asterism
