// A CXL.mem expander as a memory of a node: a window of addresses that cores and DMA reach as cacheable
// memory, and registers.
//
// The DRAM is a memory of the type `memory`, which the registry builds; this module is the link in front of
// each of its ports (cxl_link.h). Contents, codes, faults, direct memory and the reports of writes are those
// of the memory. Direct memory goes through; its timed path (tlm/timed_path.h) includes the link, so that
// fills of caches take as long as any access.
//
// Poison: a line whose read is uncorrectable, or that was injected, is answered OK with the extension's
// poison set, or GENERIC_ERROR without an extension, until all of it has been written or Clear Poison was
// given (poison_list.h). Nothing else is affected: viral containment is off. Pages with a poisoned line are
// not granted. A write by the host's caches clears poison, too, as it is a whole line.
//
// reset: that of the memory. With a supply of its own, power_loss and cold leave memory and list as a warm
// reset does; while the node has no power, the link is down, and accesses answer GENERIC_ERROR.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "cxl/cxl_fault.h"
#include "cxl/cxl_link.h"
#include "cxl/cxl_memory_config.h"
#include "cxl/cxl_registers.h"
#include "cxl/poison_list.h"
#include "memory/fault_overlay.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/fault_queue.h"
#include "tlm/page_counting.h"
#include "tlm/register_socket.h"
#include "tlm/timed_path.h"

namespace asterism {

struct CxlParts {
  CxlPart expander;
  MemoryParts media;
};

class CxlMemoryModule final : public sc_core::sc_module,
                              public Device,
                              public NodeMemory,
                              public FaultTarget<MemoryFault>,
                              public FaultTarget<CxlFault>,
                              public PageCounting {
 public:
  using Config = CxlMemoryConfig;
  using Parts = CxlParts;
  using Faults = FaultList<MemoryFault, CxlFault>;
  static CxlParts load(const CxlMemoryConfig& config, DeviceFiles& files);
  static DeviceShape shape(const CxlMemoryConfig& config, const CxlParts& parts, const NodeFacts&);
  static void check(const CxlMemoryConfig& config, const CxlParts& parts, const NodeView& node,
                    const DevicePlace& place, DeviceProblems& problems);
  static std::optional<FaultCheck<MemoryFault>::Problem> problem_of(const CxlMemoryConfig& config,
                                                                    const CxlParts& parts,
                                                                    const MemoryFault& fault);
  static std::optional<FaultCheck<CxlFault>::Problem> problem_of(const CxlMemoryConfig& config,
                                                                 const CxlParts&, const CxlFault& fault);
  static std::vector<DeviceTreeNode> device_tree(const CxlMemoryConfig&, const DevicePlace& place);

  CxlRegisters registers;
  RegisterSocket target;
  sc_core::sc_out<bool> interrupt{"interrupt"};

  CxlMemoryModule(const sc_core::sc_module_name& name, const CxlMemoryConfig& config, const CxlParts& parts,
                  const DeviceContext& context);

  // Device
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&ports_[0]->host, &target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  ResetPhase phase() const override { return ResetPhase::memory; }
  void connect(const DevicePeers& peers) override { media_->connect(peers); }
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;

  // NodeMemory
  tlm::tlm_target_socket<>& port(unsigned index) override { return ports_.at(index)->host; }
  void load(Bytes offset, std::span<const std::byte> contents) override;
  MemoryWrites& writes() override { return memory_->writes(); }
  void report_writes_to(MemoryWrites& writes) override { memory_->report_writes_to(writes); }
  bool has_decoder() const override { return memory_->has_decoder(); }
  FaultOutcome inject(const FaultRequest& request, Bytes offset) override {
    return memory_->inject(request, offset);
  }
  unsigned part_at(Bytes offset) const override { return memory_->part_at(offset); }
  std::string summary() const override;

  void inject(const std::vector<Timed<MemoryFault>>& faults) override;
  void inject(const std::vector<Timed<CxlFault>>& faults) override;
  void count_pages() override;
  void report_pages(PageMap& map, const std::string& name) const override;

 private:
  // A port of the memory, with the link before it.
  struct Port final : sc_core::sc_module, TimedPath {
    Port(const sc_core::sc_module_name& name, CxlMemoryModule& owner);
    Picoseconds access(const Access& access, Picoseconds at) override;

    tlm_utils::simple_target_socket<Port> host{"host"};
    tlm_utils::simple_initiator_socket<Port> media{"media"};

   private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last);

    CxlMemoryModule& owner_;
    TimedPath* path_ = nullptr;  // of the memory
  };

  void found(const FoundError& error);
  void inject_poison(Bytes offset);
  bool poison(Bytes offset, PoisonSource source);  // whether the line was not poisoned before
  // Notes which lines a payload has written, and marks one that reads a poisoned line.
  void pass_poison(tlm::tlm_generic_payload& payload);
  void connect_registers();
  void execute(std::uint32_t opcode);
  CxlReturn result_of(CxlCommand command);
  void raise(std::uint32_t event);
  void update_interrupt();

  const CxlMemoryConfig config_;
  const AddressRange window_;
  EventLog& events_;
  CxlLink link_;
  PoisonList poison_;
  std::unique_ptr<Device> media_;
  NodeMemory* memory_;  // the same
  std::vector<std::unique_ptr<Port>> ports_;
  FaultQueue<CxlFault> faults_;
  bool powered_ = true;
  std::uint64_t corrected_ = 0, poisoned_reads_ = 0, poisoned_lines_ = 0;
};

}  // namespace asterism
