// The memory controllers of a node: any number of masters on one memory of many channels.
//
// Ports are sockets of equal rank (the fabric, the DIMM-SSD, ...); addresses are offsets into the DRAM. A
// DramSystem (dram_system.h) computes the time of an access, and an EccMemory (ecc_memory.h) passes its
// contents through the code of each block.
//
//   fidelity loose   an access is answered at once, with the latency of the controller, that of DRAM by the
//                    state of bank and bus, that of the decoder, and the cost of fetching parity
//   contended        the same, with a wait that is expected by the load of the channel and the bank, which is
//                    much faster
//   exact            an access waits in the queues and is scheduled with all others; masters take turns for
//                    the places of a full queue
//
// Direct memory covers what no fault touches: with a sound memory, and unless fidelity is exact, all DRAM.
// Pages with faults that are all corrected are granted on the condition that accesses are monitored
// (tlm/initiator_extension.h), so that each is decoded and counted. Pages with an uncorrectable block are not
// granted. Grants are withdrawn when this changes. An uncorrectable read answers OK with the extension's
// poison set, or GENERIC_ERROR if there is no extension. Debug accesses see what was written.
//
// Every write of every port is reported to writes() (tlm/memory_writes.h), whatever its master, and may
// have to wait for permission before any of it is done. Monitored writes are not reported: they are stores
// of a core that stores directly, and asks and reports by itself. A debug write that would have to wait is
// refused (no bytes).
//
// Accesses of masters on the dies of the DRAM itself (InitiatorExtension::on_die) pass the code and the write
// protection, but take no time, do not occupy a bus and are not counted as accesses.
//
// Only cores are granted direct memory: direct stores of another master would be unobserved.
//
// Registers (memory_registers.h): ranges of another mode, the error log with its interrupt, the patrol
// scrubber.
//
// reset: that of the engines. While the power is off (between reset(power_loss) and power_up) accesses answer
// GENERIC_ERROR. Every kind of reset answers waiting accesses with GENERIC_ERROR.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/event_log.h"
#include "base/statistics.h"
#include "ecc/codec_hook.h"
#include "memory/dram.h"
#include "memory/dram_system.h"
#include "memory/ecc_memory.h"
#include "memory/fault_arrivals.h"
#include "memory/memory_config.h"
#include "memory/memory_registers.h"
#include "memory/on_die_scrubber.h"
#include "memory/patrol_scrubber.h"
#include "tlm/alarm.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/memory_writes.h"
#include "tlm/page_counting.h"
#include "tlm/register_socket.h"
#include "tlm/timed_path.h"

namespace asterism {

using TimedMemoryFault = Timed<MemoryFault>;

class MemoryController final : public sc_core::sc_module,
                               public Device,
                               public NodeMemory,
                               public FaultTarget<MemoryFault>,
                               public CodecHost,
                               public PageCounting,
                               private DramSystem::Sink,
                               private TimedPath {
 public:
  using Config = MemoryConfig;
  using Parts = MemoryParts;
  using Faults = FaultList<MemoryFault>;
  static Parts load(const MemoryConfig& config, DeviceFiles& files);
  static DeviceShape shape(const MemoryConfig& config, const NodeFacts&);
  static std::vector<RtlUse> rtl(const MemoryConfig& config, const NodeView&);
  static void check(const MemoryConfig& config, const Parts& parts, const NodeView&, const DevicePlace&,
                    DeviceProblems& problems);
  static std::optional<FaultCheck<MemoryFault>::Problem> problem_of(const MemoryConfig& config,
                                                                    const Parts& parts,
                                                                    const MemoryFault& fault);
  static std::vector<DeviceTreeNode> device_tree(const MemoryConfig& config, const DevicePlace& place);

  using Port = tlm_utils::simple_target_socket<MemoryController>;
  sc_core::sc_vector<Port> ports{"port"};
  MemoryRegisters registers;
  RegisterSocket target;
  sc_core::sc_out<bool> interrupt{"interrupt"};

  struct Settings {
    MemoryConfig config;
    DramPart part;
    Address base;  // of the memory in the node: registers contain physical addresses
    std::uint64_t seed = 1;
    std::vector<TimedMemoryFault> faults = {};  // valid ones (fault_problem())
    std::optional<DramCurves> curves = {};      // of the part: required with fidelity contended
  };
  MemoryController(const sc_core::sc_module_name& name, const Settings& settings, unsigned port_count,
                   EventLog& events);
  MemoryController(const sc_core::sc_module_name& name, const MemoryConfig& config, const Parts& parts,
                   const DeviceContext& context);
  ~MemoryController() override;

  tlm::tlm_target_socket<>& port(unsigned index) override { return ports[index]; }
  void load(Bytes offset, std::span<const std::byte> contents) override;
  // Throws std::invalid_argument with a message for the user.
  void inject(const MemoryFault& fault);
  // Injects further faults at their times.
  void inject(const TimedMemoryFault& fault);
  void inject(const std::vector<TimedMemoryFault>& faults) override {
    for (const TimedMemoryFault& fault : faults) inject(fault);
  }
  bool has_decoder() const override { return config_.ecc.mode != EccMode::none; }
  FaultOutcome inject(const FaultRequest& request, Bytes offset) override;
  BlockLocation locate(Bytes offset) const { return ecc_.locate(offset); }
  unsigned part_at(Bytes offset) const override { return locate(offset).channel / config_.dram.channels; }
  Bytes size() const { return dram_.size(); }
  EccProfile codec_profile() const override { return config_.ecc.profile; }
  std::optional<Ddr5Code> rank_code() const override { return config_.ecc.rank_code; }
  void attach_hook(CodecHook* hook) override;
  void attach_hook(RankCodecHook* hook) override;
  // The contents as last written, in zero time. The span must be read at once.
  std::span<const std::byte> written(Bytes offset, Bytes size) const {
    if (before_access) before_access({Address(offset.count()), size}, false);
    return {dram_.data() + offset.count(), size.count()};
  }
  MemoryWrites& writes() override { return *all_writes_; }
  void report_writes_to(MemoryWrites& writes) override { all_writes_ = &writes; }

  // Registers and their interrupt are there only if the configuration says where.
  std::vector<tlm::tlm_target_socket<>*> targets() override;
  std::vector<sc_core::sc_out<bool>*> interrupts() override;
  ResetPhase phase() const override { return ResetPhase::memory; }
  void reset(Reset kind) override;
  void power_up() override;
  void report(Statistics& statistics) const override;
  // The pages that were `written` since the contents were lost; errors that the decoder has `corrected` and
  // found `uncorrectable`; pages that are `faulty` now: 1, or 2 if a block of them is uncorrectable.
  void count_pages() override;
  void report_pages(PageMap& map, const std::string& name) const override;
  // "1 fault, 3 errors corrected, 2 uncorrectable, 0 silent"; "" while there was no fault.
  std::string summary() const override;

 private:
  struct Waiting;
  struct Part;
  struct Entered {
    Address page;
    std::uint64_t delta_cycle;
    bool operator==(const Entered&) const = default;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  Picoseconds access(const Access& access, Picoseconds at) override;
  void notify_before_access(const tlm::tlm_generic_payload& payload) const;
  void notify_before_any_access() const;
  void copy(tlm::tlm_generic_payload& payload);
  void count(bool is_write, unsigned bytes);
  std::optional<Picoseconds> wait_for_permission(const tlm::tlm_generic_payload& payload, const Part& part,
                                                 Picoseconds at);
  std::optional<Picoseconds> enter(const tlm::tlm_generic_payload& payload, unsigned first, Picoseconds at,
                                   std::optional<Entered>& last);
  void report_access(const tlm::tlm_generic_payload& payload, const Part& part);
  BlockAccess contents(tlm::tlm_generic_payload& payload, unsigned first, unsigned count, Picoseconds at);
  // Who makes an access, and how.
  struct Request {
    unsigned master;
    bool is_write, is_posted;
  };
  Picoseconds loose_time(Picoseconds start, const Request& request, const BlockLocation& block,
                         const BlockAccess& access);
  Picoseconds exact_time(Picoseconds start, const Request& request, const BlockLocation& block,
                         const BlockAccess& access);
  Picoseconds exact_access(Picoseconds start, unsigned master, const BlockLocation& block, bool is_write);
  void give_places();

  void completed(std::uint64_t id, Picoseconds at) override;
  void advance_timing(Picoseconds to);
  void withdraw(AddressRange offsets);

  void connect_registers();
  // Of the chip that ECS_SELECT selects.
  OnDieScrubResult on_die_result() const;
  void show_range();
  void set_range(EccMode mode);
  void report_error(const MemoryError& error, bool is_new);
  void call_observers(const MemoryError& error) const;
  void update_interrupt();
  void scrub_every(Picoseconds interval);
  void rearm();
  void handle_alarm(Picoseconds now);

  const MemoryConfig config_;
  const Address base_;
  const bool has_faults_;  // which are modelled for the chips of a rank that the code is of
  Dram dram_;
  DramSystem timing_;
  EccMemory ecc_;
  PatrolScrubber scrubber_;
  OnDieScrubber on_die_scrubber_;
  FaultArrivals arrivals_;
  std::vector<TimedMemoryFault> faults_;  // sorted by time
  std::size_t next_fault_ = 0;
  EventLog& events_;
  Alarm timing_alarm_, alarm_;

  struct Unconnected;
  std::shared_ptr<Unconnected> unconnected_;  // what registers are connected to that have no address
  MemoryWrites own_list_;
  MemoryWrites* all_writes_ = &own_list_;
  std::uint64_t resets_ = 0;
  bool powered_ = true, has_hook_ = false;
  Picoseconds timing_now_;  // exact: the latest time that the timing engine has seen
  std::uint64_t next_id_ = 0;
  std::map<std::uint64_t, Waiting*> waiting_;
  std::vector<Waiting*> full_;   // for a place in a queue, in the order in which they came
  std::vector<unsigned> turns_;  // the master that got the last place of each queue
  PageCounter corrected_, uncorrectable_;
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace asterism
