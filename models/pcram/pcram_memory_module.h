// PCRAM as memory of a node (pcram_memory.h): one range of addresses, which software finds in the device tree
// as a persistent memory region ("pmem-region"), and Linux shows as a disk /dev/pmemN.
//
// Each access is one of the bus, as each write wears cells and takes time: there is no direct memory. A store
// takes effect at its own time, whatever the quantum. A read of a line that is lost answers OK with the
// extension's poison set, or GENERIC_ERROR if there is no extension. Debug accesses see what was stored.
//
// reset: the contents and the wear survive every kind. power_loss and cold write the buffer to the cells, or
// lose it (the key `reserve`); warm keeps it. While the power is off (between reset(power_loss) and power_up)
// accesses answer GENERIC_ERROR.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "pcram/pcram_memory.h"
#include "pcram/pcram_node_config.h"
#include "tlm/device.h"
#include "tlm/page_counting.h"

namespace asterism {

class PcramMemoryModule final : public sc_core::sc_module, public Device, public PageCounting {
 public:
  using Config = PcramMemoryConfig;
  using Parts = PcramPart;
  static PcramPart load(const PcramMemoryConfig& config, DeviceFiles& files);
  static DeviceShape shape(const PcramMemoryConfig& config, const PcramPart& part, const NodeFacts&);
  static void check(const PcramMemoryConfig& config, const PcramPart& part, const NodeView&,
                    const DevicePlace&, DeviceProblems& problems);
  static std::vector<DeviceTreeNode> device_tree(const PcramMemoryConfig&, const DevicePlace& place);

  tlm_utils::simple_target_socket<PcramMemoryModule> target{"target"};

  PcramMemoryModule(const sc_core::sc_module_name& name, const PcramMemoryConfig& config,
                    const PcramPart& part, const DeviceContext& context);

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  ResetPhase phase() const override { return ResetPhase::memory; }
  void reset(Reset kind) override;
  void power_up() override { powered_ = true; }
  const PcramMemory& memory() const { return memory_; }
  // Of each page the `wear`: the writes of its most worn line.
  void count_pages() override {}
  void report_pages(PageMap& map, const std::string& name) const override;
  void report(Statistics& statistics) const override { memory_.report(statistics); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void lose(Bytes offset);

  const PcramMemoryConfig config_;
  const AddressRange range_;
  EventLog& events_;
  PcramMemory memory_;
  bool powered_ = true;
};

}  // namespace asterism
