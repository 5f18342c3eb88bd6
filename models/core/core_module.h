// One A64 core as a TLM initiator. It is loosely timed: it executes up to a quantum ahead of simulated time.
//
// Instructions are executed by an Iss engine (iss.h), converted to time by an InstructionClock, and timers
// are in a GenericTimer. This module turns the engine's calls into payloads, signals and waits.
//
// - Memory. The core uses direct memory (DMI) where targets grant it, and stops at once when they withdraw
//   it. If a target grants it with InitiatorExtension::monitored, each load and store is reported by a
//   b_transport of its own after its instruction, and the core's time advances by its delay. Fetches are not
//   reported: an instruction cache is assumed to serve them. All other accesses are made by b_transport, with
//   the core's time ahead of simulated time as the delay. If the returned delay is larger, the core spends
//   the difference. If it is smaller after the target has waited, the target has synchronised.
// - Identity. The core's index travels as the master id (tlm/initiator_extension.h).
// - Signals. After an access, and after a write to a timer, the signals that the target has driven reach the
//   core before its next instruction (they settle in delta cycles, without time).
// - Waiting. The core waits for simulated time when it is a quantum beyond the next activity of anything else
//   in the simulation (and never more than 16 quanta beyond simulated time), at an expiry of its own timers,
//   and before WFI, WFE, HVC and semihosting calls. An interrupt from elsewhere is taken within a quantum and
//   one instruction, that of the core's own timer before the first instruction after its expiry.
// - Write protection. A store to a page that may not be written yet waits, at the core's time, before any
//   part of it is executed. If the core is reset while it waits, the store never happens. An access that a
//   target delays when the core is reset is marked with InitiatorExtension::aborted.
// - Caches. With a window for misses (misses_in_flight.h), the core goes on while memory is asked for lines.
//   It waits for simulated time only where it needs an answer that has not come. With prefetches under way
//   whose end is not known, it stays within 10 ns of simulated time, so that the caches know which of them
//   have ended. A reset forgets misses in flight; memory still completes what it was asked for.
// - Errors. A TLM error response or a poisoned one raises SError and is logged as a warning; of consecutive
//   poisoned responses in one block of memory, only the first one is logged. If memory refuses direct access
//   because a part of it is faulty, the core fetches from it by b_transport, one instruction at a time. A
//   poisoned fetch is an instruction abort. A line that the caches could not get is logged with the
//   instruction that has asked for it.
// - Mistakes of the program that have no effect of their own (GuestChecks) are logged as warnings.
// - Causality. Cores that are behind in time can see what a core does ahead of simulated time. Two rules keep
//   the order. A read of the counter waits until simulated time has reached the tick that it returns, so that
//   no core reads an earlier count than one that was read before, by any core. An instruction that carries a
//   message waits until simulated time has reached the core's time, so that no core sees a message before it
//   was sent (IssHost::has_to_wait). Neither waits if nothing else would act before then, and neither adds
//   simulated time.
// - Idle cores. WFI sleeps until the IRQ input rises and costs nothing. WFE and YIELD let
//   CoreConfig::event_wait pass, or less if an interrupt comes.
//
// A core is off until start(). With a single core, the final state and the count of instructions do not
// depend on the quantum, as long as what the program sees of other masters does not.
#pragma once

#include <fmt/core.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "base/random.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "core/core_config.h"
#include "core/generic_timer.h"
#include "core/guest_checks.h"
#include "core/iss.h"
#include "core/misses_in_flight.h"
#include "tlm/alarm.h"
#include "tlm/initiator_extension.h"
#include "tlm/memory_writes.h"
#include "tlm/warning_cause.h"

namespace asterism {

// Handles HVC and HLT #0xF000. Called at the core's own time, in its thread. May wait, and may start, reset
// or turn off cores, including the calling one.
class CoreCalls {
 public:
  virtual ~CoreCalls() = default;
  // `x`: x0 to x3. Returns the new x0.
  virtual std::uint64_t hypervisor_call(unsigned core, const std::array<std::uint64_t, 4>& x) = 0;
  virtual std::uint64_t semihosting_call(unsigned core, std::uint32_t operation, std::uint64_t parameter) = 0;
};

class CoreModule;

// System registers outside the core: ICC_* of a GICv3. Called at the core's own time, in its thread. Reading
// may have side effects. nullopt and false: there is no such register to read, or to write.
class CpuInterface {
 public:
  virtual ~CpuInterface() = default;
  virtual std::optional<std::uint64_t> read(unsigned core, SystemRegister which) = 0;
  virtual bool write(unsigned core, SystemRegister which, std::uint64_t value) = 0;
};

// A debugger that may stop a core between two instructions (debug_port.h).
class CoreDebugger {
 public:
  virtual ~CoreDebugger() = default;
  // Whether the core shall stop now. Called about once a quantum, and before the core runs at all.
  virtual bool wants_to_stop() const = 0;
  // The core has stopped: `requested` (after wants_to_stop()), at a breakpoint or watchpoint, or after a
  // step. Called in the core's thread at the core's own time, which does not advance. The core continues when
  // this returns.
  virtual void stopped(CoreModule& core, Iss::Stop why) = 0;
  // Whether the debugger is at work, so that no core causes what is logged.
  virtual bool is_at_work() const = 0;
  // The core was turned off or reset: a step in progress will not end. Called in any process.
  virtual void went_off(CoreModule& core) = 0;
};

// The caches of the cores, as each of them (`core`: its index) uses them in its thread (core_caches.h).
class CoreCacheAccess {
 public:
  using Miss = MissesInFlight::Id;

  virtual ~CoreCacheAccess() = default;
  // An access at the core's time `at` (IssHost::access_caches()), and the time that it takes in the caches.
  struct Answer {
    CachedAccess access;
    Picoseconds wait{};
    // The end of the access. nullopt: that of a prefetch of the line whose end is not known yet.
    std::optional<Picoseconds> not_before = 0_ps;
  };
  virtual Answer access(unsigned core, Address line, CacheAccess what, Picoseconds at) = 0;
  // IssHost::check_filtered().
  virtual void check(unsigned core, Address line, CacheAccess what, Picoseconds at) = 0;

  // What an access with traffic causes on the bus, if memory is asked at a time: at once, within the
  // instruction, for the last access; returns when memory has answered. nullopt: this is not possible.
  virtual std::optional<Picoseconds> carry_at_once(unsigned core, Picoseconds asked) = 0;
  // Keeps it, behind what is kept already, for those below.
  virtual void keep_traffic(unsigned core) = 0;
  // As carry_at_once(), for the first that is kept.
  virtual std::optional<Picoseconds> carry_kept_at_once(unsigned core, Picoseconds asked) = 0;
  // The first that is kept, behind the instruction. `delay` as in b_transport. Returns the first line whose
  // fill or write-back was answered with an error or poison, which raises SError.
  struct RefusedLine {
    Address line;
    bool is_poisoned = false;
  };
  virtual std::optional<RefusedLine> carry_traffic(unsigned core, InitiatorExtension& initiator,
                                                   sc_core::sc_time& delay) = 0;
  // The same by other processes, for a miss in flight: the traffic is taken over, and begins when memory is
  // asked. CoreModule::answered() follows. Not before the write-backs are reported: report_writes() does so
  // if they are allowed, and wait_for_writes() waits until they are (false: until a reset).
  virtual bool report_writes(unsigned core) = 0;
  virtual bool wait_for_writes(unsigned core, InitiatorExtension& initiator, sc_core::sc_time& delay) = 0;
  virtual void carry_later(unsigned core, Miss miss) = 0;
  virtual void ask_memory(unsigned core, Miss miss, Picoseconds asked) = 0;
  // A miss of a line that is being prefetched: CoreModule::answered() follows.
  virtual void wait_for_prefetch(unsigned core, Address line, Miss miss) = 0;
  // Whether there are prefetches whose end is not known.
  virtual bool is_prefetching(unsigned core) const = 0;
  // The core was reset: its misses are not in flight any more.
  virtual void forget_traffic(unsigned core) = 0;

  // Executes DC operations and DSB; `delay` as in b_transport. False: a bus error, which raises SError.
  virtual bool maintain(unsigned core, const CacheMaintenance& what, InitiatorExtension& initiator,
                        sc_core::sc_time& delay) = 0;
  // Executes IC operations.
  virtual void invalidate_fetched(AddressRange range) = 0;
  virtual CacheCounts counts(unsigned core) const = 0;
};

class CoreModule : public sc_core::sc_module,
                   public WarningCause,
                   private IssHost,
                   private GenericTimer::Sink {
 public:
  enum class State { off, running, waiting, locked_up };
  using IssFactory = std::function<std::unique_ptr<Iss>(IssHost& host, unsigned core)>;

  tlm_utils::simple_initiator_socket<CoreModule> bus{"bus"};
  sc_core::sc_in<bool> irq{"irq"};
  sc_core::sc_out<bool> virtual_timer{"virtual_timer"};                // PPI 27
  sc_core::sc_out<bool> physical_timer{"physical_timer"};              // PPI 30
  sc_core::sc_out<bool> performance_monitors{"performance_monitors"};  // PPI 23

  CoreModule(const sc_core::sc_module_name& name, unsigned index, const CoreConfig& config,
             Picoseconds quantum, CoreCalls& calls, const IssFactory& make_iss);
  ~CoreModule() override;

  // Starts a core that is off, with all registers except pc and x0 as after reset. Ignored if the core is not
  // off.
  void start(Address entry, std::uint64_t x0);
  // Turns the core off at once; may be called in any process, at any time. No instruction has an effect
  // outside the core afterwards. Every kind of reset clears registers and timers, and keeps the count of
  // instructions. A target may still complete an access in progress; its response is ignored.
  void reset(Reset kind);
  void power_off() { reset(Reset::power_loss); }
  // Makes the core wait for an interrupt before its next instruction, as by WFI. For use in
  // hypervisor_call().
  void standby() { standby_ = true; }

  // Attaches a debugger, before the core runs for the first time.
  void debugged_by(CoreDebugger& debugger) { debugger_ = &debugger; }
  // Halts the core, or lets it continue. Simulated time advances without it. Called in another core's thread,
  // or from CoreDebugger::stopped().
  void halt(bool is_halted);
  bool is_halted() const { return is_halted_; }

  State state() const { return state_; }
  // For messages: an address of code in words, and why there is no target for an access.
  std::function<std::string(std::uint64_t)> describe_code = [](std::uint64_t pc) {
    return fmt::format("{:#x}", pc);
  };
  std::function<std::string(Address)> explain_missing_target = [](Address) {
    return std::string("there is no device or memory");
  };
  // WarningCause: the instruction that this core executes.
  std::optional<Cause> cause() const override;

  // The access that was refused, or answered with poison; nullopt: not known, or a fault of another kind.
  struct RefusedAccess {
    Address address;  // physical
    bool is_poisoned = false;
    std::uint64_t instructions = 0;  // retired before it was known
  };
  std::optional<RefusedAccess> cause_of(const TakenFault& fault) const;

  // Why the core is locked up, for a report: an explanation, pc, ESR and FAR.
  const std::string& lock_up_reason() const { return lock_up_reason_; }
  unsigned index() const { return index_; }
  std::uint64_t instructions() const { return iss_->instructions(); }
  Iss& iss() { return *iss_; }
  const Iss& iss() const { return *iss_; }
  // The core's own time, which may be ahead of simulated time.
  Picoseconds local_time() const { return misses_.after_waits(executed_until()); }
  // For observers that begin in the middle of a run. Called about once a quantum, between two instructions,
  // and before the core runs at all. Until the next call the core executes no more than
  // max_instructions_ahead() instructions, in no more than max_time_ahead() unless an access takes longer.
  std::function<void()> on_quantum;
  Picoseconds max_time_ahead() const;
  std::uint64_t max_instructions_ahead() const;
  void report(Statistics& statistics) const;

  // Accesses memory as this core sees it, by transport_dbg, without time or side effects. False: a byte is
  // not accessible.
  bool read_memory(Address first, std::span<std::byte> data);
  bool write_memory(Address first, std::span<const std::byte> data);
  // The same for a semihosting call of this core, in its thread: waits while a page may not be written. False
  // also if the memory was reset meanwhile.
  bool write_memory_when_allowed(Address first, std::span<const std::byte> data);
  // Writes registers of devices as a store of this core would, by transport_dbg and without time. False:
  // refused.
  bool write_registers(Address first, std::span<const std::byte> data);

  // Whether an instruction can be fetched from an address. This is so only in memory that grants direct
  // access.
  bool is_executable(Address address) { return grant(address); }

  // Memory was changed by another master or a debugger: instructions there are decoded again.
  void invalidate_code(AddressRange range) { iss_->invalidate_code(range); }
  // Iss::collect_writes(): the lines that this core has stored to.
  std::vector<PageLines> collect_writes(AddressRange range) { return iss_->collect_writes(range); }
  // The memory whose `writes` are asked before stores (Iss::ask_before_stores()). Before simulation begins.
  void connect(MemoryWrites& writes) { writes_ = &writes; }
  void ask_before_stores(AddressRange range) { iss_->ask_before_stores(range); }
  // The system registers of the interrupt controller's CPU interface; nullptr: none. Before simulation
  // begins.
  void set_cpu_interface(CpuInterface* registers) { cpu_interface_ = registers; }
  // What this core finds in the program is reported to `checks`, and logged. Before simulation begins.
  void report_to(GuestChecks& checks) { checks_ = &checks; }

  // The caches between this core and the bus, for which Iss::use_caches() was called. Before simulation
  // begins.
  void use(CoreCacheAccess& caches) { caches_ = &caches; }
  bool has_caches() const { return caches_ != nullptr; }
  // Cache events for the performance monitors.
  CacheCounts cache_counts() const { return caches_->counts(index_); }
  // For the caches. The line of a miss in flight has come, or the prefetch that it waits for has ended; one
  // of their accesses was answered with an error, or poisoned; they are reset.
  void answered(MissesInFlight::Id miss, Picoseconds end);
  void caches_refused(Address line, bool is_poisoned, std::optional<MissesInFlight::Id> miss);
  void forget_misses();
  // Another core has invalidated translations.
  void invalidate_translations() { iss_->invalidate_translations(); }
  // This core has changed instructions (IC IVAU, write_memory()), or invalidated translations. The platform
  // notifies the other cores.
  std::function<void(AddressRange)> code_changed = [](AddressRange) {};
  std::function<void()> invalidated_translations = [] {};
  // Reports each change of activity: off, running, waiting for an interrupt or an event (WFE, YIELD), blocked
  // in a store to a protected page, or locked up.
  enum class Activity { off, running, waiting, blocked, locked_up };
  std::function<void(Activity)> on_activity = [](Activity) {};
  // With a translator in lockstep (a64::Translation).
  std::function<void(const TranslationMismatch&)> on_translation_mismatch = [](const TranslationMismatch&) {};
  // This core has locked up. Called in its thread; may reset it.
  std::function<void()> on_lock_up = [] {};

 private:
  struct StartRequest {
    Address entry;
    std::uint64_t x0;
  };

  // IssHost
  bool load(Address address, unsigned size, std::uint64_t& value) override;
  bool store(Address address, unsigned size, std::uint64_t value) override;
  bool load_descriptor(Address address, std::uint64_t& value) override;
  void touch(Address address) override;
  bool fetch(Address address, std::uint32_t& word) override;
  void about_to_store(Address page, unsigned line) override;
  void on_monitored_accesses(std::span<const MonitoredAccess> accesses) override;
  CachedAccess access_caches(Address address, CacheAccess what, bool walks) override;
  void carry_cache_traffic() override;
  void check_filtered(Address address, CacheAccess what) override;
  void maintain_caches(const CacheMaintenance& what) override;
  bool has_to_wait(std::optional<SystemRegister> read) override;
  void wait_for_others() override;
  void spins() override;
  std::optional<std::uint64_t> read_register(SystemRegister which) override;
  std::optional<std::uint64_t> peek_register(SystemRegister which) override {
    return timer_.read(which, local_time());
  }
  bool write_register(SystemRegister which, std::uint64_t value) override;
  CoreCounts counts() override;
  bool counts_caches() const override { return has_caches(); }
  std::uint64_t instructions_at(std::uint64_t cycles) override;
  void performance_interrupt(bool level) override;
  void due() override;
  void event_wait() override;
  void instructions_changed(AddressRange range) override;
  void translations_changed() override;
  void undefined_instruction(std::uint32_t word, Address pc) override;
  void found(const GuestFinding& finding) override { report(finding, {}); }
  void translation_differs(const TranslationMismatch& mismatch) override {
    on_translation_mismatch(mismatch);
  }
  // GenericTimer::Sink
  void timer_outputs(Picoseconds at, GenericTimer::Outputs outputs) override;

  void execute();
  void leave(Iss::Stop stop);
  void handle_hypervisor_call();
  void handle_semihosting_call();
  void lock_up();
  void wait_for_interrupt();

  bool is_on() const { return state_ != State::off; }
  enum class Access { load, store, fetch, walk };
  bool access(Access kind, Address address, unsigned size, std::uint64_t& value);
  template <class F>
  bool call_target(F f);
  template <class F>
  void call_caches(F f);
  bool succeeded(Access kind, Address address, unsigned size);
  std::string why_it_failed(Address address) const;
  void keep_cause_of_serror(std::optional<RefusedAccess> cause);
  void check_register(Access kind, Address address, unsigned size);
  void report(const GuestFinding& finding, const std::string& name);
  bool grant(Address address);
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last);
  bool debug(tlm::tlm_command command, Address first, std::byte* data, std::size_t size);

  // The core's time without waits for misses in flight that have not been found out about.
  Picoseconds executed_until() const {
    return base_time_ + (is_timed_ ? units_.time(iss_->executed_time() - base_units_)
                                   : clock_.time(iss_->instructions() - base_count_));
  }
  void rebase();
  MissesInFlight::Passed pass_waits(Picoseconds executed);
  MissesInFlight::Passed pass_waits() { return pass_waits(executed_until()); }
  MissesInFlight::Passed pass_waits_and_go_on(Picoseconds executed);
  void stall_until(Picoseconds time);
  struct PendingMiss;
  bool carry(const PendingMiss& pending);
  void leave_open(const PendingMiss& pending, std::optional<Picoseconds> begun);
  void begin_open(MissesInFlight::Id miss, Picoseconds at);
  void begin_more_misses();
  void carry_and_wait();
  bool wait_for_miss();
  template <class F>
  bool wait_until_known(F time);
  bool wait_for_misses();
  void go_on();
  void synchronise();
  void wait_until(Picoseconds time, bool until_irq);
  void settle();
  Picoseconds next_activity() const;
  Picoseconds horizon() const { return horizon(next_activity()); }
  Picoseconds horizon(Picoseconds next_activity) const;
  // When the engine is to call due(), and whether nothing else can act before.
  struct NextCall {
    Picoseconds time;
    std::uint64_t count;
    bool is_alone;
    Picoseconds local;  // the core's time
  };
  NextCall next_call() const;
  void schedule();
  void schedule(const NextCall& next);
  void call_at(Picoseconds time, std::uint64_t count, Picoseconds local);
  void call_until(Picoseconds time);
  std::uint64_t count_at(Picoseconds time) const;
  void average_time();
  void offer_speculation();
  void ring(Picoseconds now);
  void irq_changed();

  const unsigned index_;
  const InstructionClock clock_;  // if all instructions take the same time
  const InstructionClock units_;  // otherwise, of Iss::executed_time()
  const Frequency frequency_;
  const Picoseconds quantum_, event_wait_, walk_;
  const bool aborts_refused_loads_;
  const bool has_tlb_;
  CoreCalls& calls_;
  GenericTimer timer_;
  std::unique_ptr<Iss> iss_;
  const bool is_timed_;  // by units_
  Alarm alarm_;

  State state_ = State::off;
  std::optional<StartRequest> start_;
  bool standby_ = false;
  MemoryWrites* writes_ = nullptr;
  CpuInterface* cpu_interface_ = nullptr;
  CoreCacheAccess* caches_ = nullptr;
  GuestChecks* checks_ = nullptr;
  CoreDebugger* debugger_ = nullptr;
  bool is_halted_ = false;
  // In a call to a target, or waiting for signals to settle after one: inside an instruction.
  bool in_access_ = false;
  // In a call by an instruction that is behind pc (HVC, HLT); or reporting accesses whose instruction is not
  // known any more.
  bool in_call_ = false, in_report_ = false;
  std::optional<std::uint64_t>
      asked_by_;  // while a refused line is logged: the instruction that asked for it
  bool wake_on_irq_ = false;
  sc_core::sc_event wake_;
  std::string lock_up_reason_;
  std::optional<Address> last_poisoned_;  // the block of the last warning
  std::optional<RefusedAccess> abort_of_;
  // The causes of the last SError and of the one before. The last may be pending until the handler of the one
  // before has ended, which was taken after serror_within_ instructions.
  std::optional<RefusedAccess> serror_of_, serror_before_of_;
  std::optional<std::uint64_t> serror_within_;

  // The core's own time was base_time_ when base_count_ instructions were retired.
  Picoseconds base_time_;
  Picoseconds called_at_;     // schedule(): the time of the next call of due()
  Picoseconds scheduled_at_;  // simulated time of the last schedule()
  Picoseconds may_wait_;      // for misses, before the count of instructions until then is computed again
  bool uses_memory_ = false;  // by its caches, since it last waited for simulated time
  std::uint64_t base_count_ = 0, base_units_ = 0;
  // The average of an instruction, from those since a count.
  std::uint64_t average_units_ = 1000, averaged_count_ = 0, averaged_units_ = 0;
  // Of that time, for the performance monitors: with the core's clock stopped; with a load or store waiting.
  Picoseconds clock_stopped_, stalled_;
  Random spinning_{index_};
  bool has_overflowed_ = false;  // level of the performance monitors' interrupt

  MissesInFlight misses_;
  // An access at a time, and the time that it takes in the caches.
  struct PendingMiss {
    MissesInFlight::Miss miss;
    Address line;
    std::uint64_t pc;
    bool has_traffic;
    Picoseconds at, wait;
    std::optional<Picoseconds> not_before;
  };
  std::vector<PendingMiss> pending_misses_;  // of an instruction
  // An open miss: its end as far as it is known, and how many of its begin and answers are not.
  struct OpenMiss {
    std::uint64_t pc;
    bool has_traffic;
    Picoseconds wait, end;
    unsigned unknown;
  };
  std::map<MissesInFlight::Id, OpenMiss> open_misses_;
  bool begins_misses_ = false;
  Alarm misses_alarm_;
  sc_core::sc_event misses_ended_;

  tlm::tlm_generic_payload payload_, debug_payload_;
  InitiatorExtension initiator_;

  std::uint64_t bus_reads_ = 0, bus_writes_ = 0, bus_errors_ = 0, interrupt_waits_ = 0;
  std::uint64_t walks_ = 0;     // of tables, because the TLB did not hold a translation
  std::uint64_t bypassed_ = 0;  // accesses to devices, or not cached
};

}  // namespace asterism
