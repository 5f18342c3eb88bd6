// A CXL SSD as a memory of a node: a window of addresses that cores and DMA reach as cacheable memory, and
// registers. The engine is flash_cache.h, and what is in front of it cxl_link.h.
//
// An access that finds its line in the cache takes the time of link and DRAM. One that does not waits for
// flash, as long as that takes, and holds its place in the queue of the device (cxl_link.h) meanwhile: when
// such accesses have all places, others wait for one, also for lines in the cache, and get one in the order
// of their arrival. Lines of a payload are served one after the other; those that have arrived hold places,
// too. A write that a tracker delays (tlm/memory_writes.h) gives its places back until it is allowed, because
// the tracker may have to read the page first.
//
// Direct memory is granted on the condition that accesses are monitored (tlm/initiator_extension.h): fills
// and write-backs of the host's caches, or without caches each load and store, come to the device as
// payloads. A store is in the device when it has come there: what is still in a cache of the host when the
// power fails is lost. Pages with lines of an unreadable flash page are not granted.
//
// A poisoned line is answered OK with the extension's poison set, or GENERIC_ERROR without an extension.
// Writes are refused with GENERIC_ERROR when the flash has become read-only.
//
// reset: that of the engine; cold clears the counts. Faults that have occurred do not occur again. While the
// power is off, accesses answer GENERIC_ERROR; from power_up() on they wait until the flash has been read
// back. Every kind answers waiting accesses with GENERIC_ERROR.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <list>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "cxl/cxl_link.h"
#include "cxl/cxl_ssd_config.h"
#include "cxl/cxl_ssd_registers.h"
#include "cxl/flash_cache.h"
#include "flash/flash_failure.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/fault_queue.h"
#include "tlm/memory_writes.h"
#include "tlm/register_socket.h"

namespace asterism {

struct CxlSsdParts {
  CxlPart expander;
  FlashPart flash;
  DramPart dram;
};

class CxlSsdModule final : public sc_core::sc_module,
                           public Device,
                           public NodeMemory,
                           public FaultTarget<FlashFailure>,
                           private FlashCache::Sink {
 public:
  using Config = CxlSsdConfig;
  using Parts = CxlSsdParts;
  using Faults = FaultList<FlashFailure>;
  static CxlSsdParts load(const CxlSsdConfig& config, DeviceFiles& files);
  static DeviceShape shape(const CxlSsdConfig& config, const CxlSsdParts& parts, const NodeFacts&);
  static void check(const CxlSsdConfig& config, const CxlSsdParts& parts, const NodeView&, const DevicePlace&,
                    DeviceProblems& problems);
  static std::vector<DeviceTreeNode> device_tree(const CxlSsdConfig&, const DevicePlace& place);
  static std::optional<FaultCheck<FlashFailure>::Problem> problem_of(const CxlSsdConfig& config,
                                                                     const FlashFailure& fault);

  CxlSsdRegisters registers;
  RegisterSocket target;
  sc_core::sc_out<bool> interrupt{"interrupt"};

  CxlSsdModule(const sc_core::sc_module_name& name, const CxlSsdConfig& config, const CxlSsdParts& parts,
               const DeviceContext& context);

  // Device
  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&ports_[0]->host, &target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  ResetPhase phase() const override { return ResetPhase::memory; }
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;

  // NodeMemory
  tlm::tlm_target_socket<>& port(unsigned index) override { return ports_.at(index)->host; }
  void load(Bytes offset, std::span<const std::byte> contents) override;
  MemoryWrites& writes() override { return *all_writes_; }
  void report_writes_to(MemoryWrites& writes) override { all_writes_ = &writes; }
  bool has_decoder() const override { return false; }
  FaultOutcome inject(const FaultRequest&, Bytes) override { return FaultOutcome::no_such_place; }
  unsigned part_at(Bytes) const override { return 0; }
  std::string summary() const override;

  void inject(const std::vector<Timed<FlashFailure>>& faults) override;

 private:
  struct Port final : sc_core::sc_module {
    Port(const sc_core::sc_module_name& name, CxlSsdModule& owner);
    tlm_utils::simple_target_socket<Port> host{"host"};

   private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
      owner_.transport(payload, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return owner_.debug(payload); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
      return owner_.grant(payload, dmi);
    }
    CxlSsdModule& owner_;
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool grant(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  // The lines of a payload on their way through the device.
  using Lines = std::vector<CxlLink::Sent>;
  class HeldPlaces;
  class Waiting;
  bool enter(tlm::tlm_generic_payload& payload, CxlLink::Sent& line);
  bool is_behind_others(const CxlLink::Sent& line) const;
  void hold(Lines& lines, std::size_t first);
  void give_back(Lines& lines, std::size_t first);
  bool wait_until_allowed(tlm::tlm_generic_payload& payload, const PageLines& written, Lines& lines,
                          std::size_t line, Picoseconds at);
  std::optional<Picoseconds> access(tlm::tlm_generic_payload& payload, unsigned first, unsigned count,
                                    Lines& lines, std::size_t line, Picoseconds at);
  void move(tlm::tlm_generic_payload& payload, unsigned first, unsigned count);
  void withdraw(Bytes first, Bytes size);
  void inject_now(const FlashFailure& fault);
  void connect_registers();
  void raise(std::uint32_t event);
  void update_interrupt();
  void rearm();

  // FlashCache::Sink
  void ready(Picoseconds at) override;
  void changed(Picoseconds at) override;
  void flushed(Picoseconds at, bool ok) override;
  void lost(Picoseconds at, Bytes page) override;

  const CxlSsdConfig config_;
  const AddressRange window_;
  EventLog& events_;
  CxlLink link_;
  std::unique_ptr<FlashImage> image_;
  std::unique_ptr<FlashCache> cache_;
  std::vector<std::unique_ptr<Port>> ports_;
  MemoryWrites own_writes_;
  MemoryWrites* all_writes_ = &own_writes_;
  Alarm alarm_;
  FaultQueue<FlashFailure> faults_;
  sc_core::sc_event changed_;
  std::list<Picoseconds> waiting_;  // for a place: when they have arrived, sorted
  sc_core::sc_event place_;         // one of them may have a place now
  bool powered_ = true, has_failed_ = false;
  std::uint64_t resets_ = 0, lost_pages_ = 0, poisoned_reads_ = 0, flash_faults_ = 0,
                flash_faults_missed_ = 0;
};

}  // namespace asterism
