// The memory controllers of a node: any number of masters on one memory of many channels.
//
// Ports are sockets of equal rank (the fabric, the DIMM-SSD, ...); addresses are offsets into the DRAM. A
// DramSystem (dram_system.h) computes the time of an access, and an EccMemory (ecc_memory.h) passes its
// contents through the code of each block.
//
//   fidelity loose   an access is answered at once, with the latency of the controller, that of DRAM by the
//                    state of bank and bus, that of the decoder, and the cost of fetching parity
//   fidelity exact   an access waits in the queues and is scheduled with all others
//
// Direct memory covers what no fault touches: with fidelity loose and a sound memory, the whole DRAM. Pages
// with faults that are all corrected are granted on the condition that accesses are monitored
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
#include "memory/dram.h"
#include "memory/dram_system.h"
#include "memory/ecc_memory.h"
#include "memory/fault_arrivals.h"
#include "memory/memory_config.h"
#include "memory/memory_registers.h"
#include "memory/patrol_scrubber.h"
#include "tlm/alarm.h"
#include "tlm/device_tree.h"
#include "tlm/memory_writes.h"
#include "tlm/register_socket.h"

namespace asterism {

struct TimedMemoryFault {
  Picoseconds at;
  MemoryFault fault;
};

class MemoryController : public sc_core::sc_module, private DramSystem::Sink {
 public:
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
  };
  MemoryController(const sc_core::sc_module_name& name, const Settings& settings, unsigned port_count,
                   EventLog& events);
  ~MemoryController() override;

  // Loads contents in zero time, like a boot ROM.
  void load(Bytes offset, std::span<const std::byte> contents);
  // Throws std::invalid_argument with a message for the user.
  void inject(const MemoryFault& fault);
  // Injects a further fault at its time.
  void inject(const TimedMemoryFault& fault);
  BlockLocation locate(Bytes offset) const { return ecc_.locate(offset); }
  // The number of the controller whose channel holds the block at this offset.
  unsigned controller_at(Bytes offset) const { return locate(offset).channel / config_.dram.channels; }
  Bytes size() const { return dram_.size(); }
  void attach_hook(CodecHook* hook);
  // Called before contents are read or written by other means than direct memory.
  std::function<void(AddressRange offsets, bool to_store)> before_access;
  // The contents as last written, in zero time. The span must be read at once.
  std::span<const std::byte> written(Bytes offset, Bytes size) const {
    if (before_access) before_access({Address(offset.count()), size}, false);
    return {dram_.data() + offset.count(), size.count()};
  }
  // Who observes and delays the writes to this memory.
  MemoryWrites& writes() { return *all_writes_; }
  // From now on that is the list of another memory of the node, which outlives this one.
  void report_writes_to(MemoryWrites& writes) { all_writes_ = &writes; }

  void reset(Reset kind);
  void power_up();
  void report(Statistics& statistics) const;
  // "1 fault, 3 errors corrected, 2 uncorrectable, 0 silent"; "" while there was no fault.
  std::string summary() const;
  static DeviceTreeNode device_tree(AddressRange range, unsigned spi);

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
  void notify_before_access(const tlm::tlm_generic_payload& payload) const;
  void notify_before_any_access() const;
  void copy(tlm::tlm_generic_payload& payload);
  void count(const tlm::tlm_generic_payload& payload);
  std::optional<Picoseconds> wait_for_permission(const tlm::tlm_generic_payload& payload, const Part& part,
                                                 Picoseconds at);
  std::optional<Picoseconds> enter(const tlm::tlm_generic_payload& payload, unsigned first, Picoseconds at,
                                   std::optional<Entered>& last);
  void report_access(const tlm::tlm_generic_payload& payload, const Part& part);
  BlockAccess contents(tlm::tlm_generic_payload& payload, unsigned first, unsigned count, Picoseconds at);
  Picoseconds loose_time(Picoseconds start, const tlm::tlm_generic_payload& payload,
                         const BlockLocation& block, const BlockAccess& access);
  Picoseconds exact_time(Picoseconds start, const BlockLocation& block, bool is_write,
                         const BlockAccess& access);
  Picoseconds exact_access(Picoseconds start, const BlockLocation& block, bool is_write);

  void completed(std::uint64_t id, Picoseconds at) override;
  void advance_timing(Picoseconds to);
  void withdraw(AddressRange offsets);

  void connect_registers();
  void show_range();
  void set_range(EccMode mode);
  void report_error(const MemoryError& error, bool is_new);
  void update_interrupt();
  void scrub_every(Picoseconds interval);
  void rearm();
  void handle_alarm(Picoseconds now);

  const MemoryConfig config_;
  const Address base_;
  Dram dram_;
  DramSystem timing_;
  EccMemory ecc_;
  PatrolScrubber scrubber_;
  FaultArrivals arrivals_;
  std::vector<TimedMemoryFault> faults_;  // sorted by time
  std::size_t next_fault_ = 0;
  EventLog& events_;
  Alarm timing_alarm_, alarm_;

  MemoryWrites own_list_;
  MemoryWrites* all_writes_ = &own_list_;
  std::uint64_t resets_ = 0;
  bool powered_ = true, has_hook_ = false;
  Picoseconds timing_now_;  // exact: the latest time that the timing engine has seen
  std::uint64_t next_id_ = 0;
  std::map<std::uint64_t, Waiting*> waiting_;
  std::vector<Waiting*> full_;  // for a place in a queue
  std::uint64_t reads_ = 0, writes_ = 0, bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace asterism
