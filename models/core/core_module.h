// One A64 core as a TLM initiator, loosely timed: it runs ahead of everybody else by at most a quantum.
//
// What is where: instructions in an Iss engine (iss.h), time in an InstructionClock, timers in a GenericTimer;
// this module turns the engine's calls into payloads, signals and waits.
//
// - Direct memory where targets grant it, withdrawn at once; where that is under the condition that accesses are
//   shown (tlm/initiator_extension.h), each load and store is shown after the instruction that it belongs
//   to, one after the other, and its time is the core's. Fetches are not: an instruction cache serves them. All else by b_transport with the core's lead over
//   simulated time as the delay. A delay that comes back larger is time the core spends; one that comes back
//   smaller after the target waited means that the target synchronised.
// - The core's index travels as the master id (tlm/initiator_extension.h).
// - After an access, and after a write to a timer, whatever the target did to its wires arrives before the
//   next instruction (signals settle in delta cycles, without time).
// - The core waits for simulated time when it is a quantum beyond the next activity of anybody else (while
//   nothing else is going to happen, 16 quanta beyond simulated time), at an expiry of its own timers, and
//   before WFI, WFE, HVC and semihosting. An interrupt from elsewhere is taken within a quantum and one
//   instruction; that of the core's own timer before the first instruction after its expiry.
// - A store to a guarded page that its guard does not admit waits, at the core's time, before anything of it is done. A
//   reset ends the wait as far as the core is concerned: the store never happens. An access that a target keeps waiting at
//   a reset is told so by InitiatorExtension::aborted.
// - A TLM error response or a poisoned one is an SError, and a warning in the log; of poisoned ones in a row that lie in
//   one block of memory, the first. Memory that refuses direct access because a part of it is broken is fetched from by
//   b_transport, an instruction at a time: a poisoned one is an instruction abort.
// - Causality. What a core does while it is ahead of simulated time can be seen by cores that are behind it.
//   So that nobody reads an earlier counter than one that was read before, by whatever core, a read of the
//   counter waits until simulated time has reached the value's tick. So that nobody sees a message before it
//   was sent, what carries one waits until simulated time has reached the core's (IssHost::has_to_wait).
//   Neither waits while nobody else would do anything until then, and no simulated time is added.
// - WFI sleeps on the IRQ wire and costs nothing. WFE and YIELD let CoreConfig::event_wait pass, or less when
//   an interrupt comes.
//
// A core is off until start(). With a single core, the final state and the count of instructions do not
// depend on the quantum, as long as what the program sees of other masters does not.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <systemc>

#include "base/random.h"
#include "base/reset.h"
#include "base/statistics.h"
#include "base/write_guard.h"
#include "core/core_config.h"
#include "core/generic_timer.h"
#include "core/iss.h"
#include "core/past_caches.h"
#include "tlm/alarm.h"
#include "tlm/initiator_extension.h"

namespace asterism {

// HVC and HLT #0xF000. Called at the core's own time, in its thread: may wait, may start, reset or turn off
// cores (the calling one too).
class CoreCalls {
 public:
  virtual ~CoreCalls() = default;
  // x0 to x3 as the core has them; returns the new x0.
  virtual std::uint64_t hypervisor_call(unsigned core, const std::array<std::uint64_t, 4>& x) = 0;
  virtual std::uint64_t semihosting_call(unsigned core, std::uint32_t operation, std::uint64_t parameter) = 0;
};

class CoreModule;

// System registers outside the core: ICC_* of a GICv3. Called at the core's own time, in its thread; reading may act. nullopt and
// false: there is no such register to be read, or written.
class CpuInterface {
 public:
  virtual ~CpuInterface() = default;
  virtual std::optional<std::uint64_t> read(unsigned core, SystemRegister which) = 0;
  virtual bool write(unsigned core, SystemRegister which, std::uint64_t value) = 0;
};

// Who may stop a core between two instructions (debug_port.h).
class CoreDebugger {
 public:
  virtual ~CoreDebugger() = default;
  // Whether the core shall stop now. Asked about once a quantum, and before the core runs at all.
  virtual bool wants_to_stop() const = 0;
  // In the core's thread, at the core's own time, which does not pass: the core goes on when this returns. `why`:
  // requested, for one that wants_to_stop(); breakpoint, watchpoint or stepped.
  virtual void stopped(CoreModule& core, Iss::Stop why) = 0;
  // The core is off, perhaps to start again: a step that it was to make will not end. From any process.
  virtual void went_off(CoreModule& core) = 0;
};

class CoreModule : public sc_core::sc_module, private IssHost, private GenericTimer::Sink {
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

  // From off to running, with all registers as after reset but the pc and x0. Ignored unless the core is off.
  void start(Address entry, std::uint64_t x0);
  // At once, from any process and at any instant: no instruction has an effect outside the core after this.
  // Registers and timers lose their contents by every kind; the count of instructions stays. What a target
  // does about an access under way is the target's matter; its answer is dropped.
  void reset(Reset kind);
  void power_off() { reset(Reset::power_loss); }
  // The core waits for an interrupt as by WFI before its next instruction; from hypervisor_call().
  void standby() { standby_ = true; }

  // From before the core runs for the first time.
  void debugged_by(CoreDebugger& debugger) { debugger_ = &debugger; }
  // Keeps the core from executing instructions, or no longer; simulated time goes on without it. From another core's thread, or
  // from CoreDebugger::stopped().
  void hold(bool held);
  bool is_held() const { return held_; }

  State state() const { return state_; }
  // Why the core is locked up, for a report: words, pc, ESR and FAR.
  const std::string& lock_up_reason() const { return lock_up_reason_; }
  unsigned index() const { return index_; }
  std::uint64_t instructions() const { return iss_->instructions(); }
  Iss& iss() { return *iss_; }
  void report(Statistics& statistics) const;

  // Memory as this core sees it, by transport_dbg: no time, no side effects. False where a byte is not there.
  bool read_memory(Address first, std::span<std::byte> data);
  bool write_memory(Address first, std::span<const std::byte> data);

  // Whether an instruction can be fetched there: only from memory that grants direct access.
  bool is_executable(Address address) { return grant(address); }

  // Memory was changed by another master or a debugger: instructions there are decoded anew.
  void invalidate_code(AddressRange range) { iss_->invalidate_code(range); }
  // Iss::collect_writes: the lines that this core has stored to.
  void collect_writes(AddressRange range, WriteObserver& observer) { iss_->collect_writes(range, observer); }
  // Iss::guard_writes: first stores to pages of the range ask the guard. An empty range ends that.
  void guard_writes(AddressRange range, WriteGuard& guard) {
    guard_ = &guard;
    iss_->guard_writes(range);
  }
  // Who has the system registers of an interrupt controller's CPU interface; nullptr: nobody. Before simulation begins.
  void interrupted_by(CpuInterface* registers) { cpu_interface_ = registers; }

  // A shown access that somebody on the way to the bus serves without time: it goes no further. `at`: the
  // core's time.
  std::function<bool(const ShownAccess&, Picoseconds at)> served;
  // What is asked of data caches beside that; `delay` as in b_transport. False: a bus error, which is an
  // SError. nullptr: there are none.
  std::function<bool(const CacheMaintenance&, InitiatorExtension& who, sc_core::sc_time& delay)> maintain;
  // What that somebody counts, for the performance monitors; nullptr: nobody does.
  std::function<CacheCounts()> cache_counts;
  // Another core has invalidated translations.
  void invalidate_translations() { iss_->invalidate_translations(); }
  // This core made instructions change (IC IVAU, write_memory()), or invalidated translations: the platform tells the
  // other cores.
  std::function<void(AddressRange)> code_changed = [](AddressRange) {};
  std::function<void()> invalidated_translations = [] {};
  // What it does from now on, told as it changes: running; waiting for an interrupt or, a while, for an event (WFE, YIELD);
  // with a store that a guard holds up; locked up; or off.
  enum class Activity { off, running, waiting, held, locked_up };
  std::function<void(Activity)> on_activity = [](Activity) {};
  // This core is State::locked_up. Called in its thread; may reset it.
  std::function<void()> on_lock_up = [] {};

 private:
  struct StartRequest {
    Address entry;
    std::uint64_t x0;
  };

  // IssHost
  bool load(Address address, unsigned size, std::uint64_t& value) override;
  bool store(Address address, unsigned size, std::uint64_t value) override;
  void touch(Address address) override;
  bool fetch(Address address, std::uint32_t& word) override;
  void about_to_store(Address page, unsigned line) override;
  void shown(std::span<const ShownAccess> accesses) override;
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
  bool counts_caches() const override { return cache_counts != nullptr; }
  std::uint64_t instructions_at(std::uint64_t cycles) override;
  void performance_interrupt(bool level) override;
  void due() override;
  void event_wait() override;
  void instructions_changed(AddressRange range) override;
  void translations_changed() override;
  void undefined_instruction(std::uint32_t word, Address pc) override;
  // GenericTimer::Sink
  void timer_outputs(Picoseconds at, GenericTimer::Outputs outputs) override;

  void execute();
  void leave(Iss::Stop stop);
  void handle_hypervisor_call();
  void handle_semihosting_call();
  void lock_up();
  void wait_for_interrupt();

  bool is_on() const { return state_ != State::off; }
  enum class Access { load, store, fetch };
  bool access(Access kind, Address address, unsigned size, std::uint64_t& value);
  template <class F>
  bool takes_time(F f);
  bool succeeded(Access kind, Address address, unsigned size);
  bool grant(Address address);
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last);
  bool debug(tlm::tlm_command command, Address first, std::byte* data, std::size_t size);

  Picoseconds local_time() const { return base_time_ + clock_.time(iss_->instructions() - base_count_); }
  void rebase();
  void take_from_bus(Picoseconds time);
  void synchronise();
  void wait_until(Picoseconds time, bool until_irq);
  void settle();
  Picoseconds next_activity() const;
  Picoseconds horizon() const { return horizon(next_activity()); }
  Picoseconds horizon(Picoseconds next_activity) const;
  void schedule();
  void offer_speculation();
  void ring(Picoseconds now);
  void irq_changed();

  const unsigned index_;
  const InstructionClock clock_;
  const Frequency frequency_;
  const Picoseconds quantum_, event_wait_;
  CoreCalls& calls_;
  GenericTimer timer_;
  std::unique_ptr<Iss> iss_;
  Alarm alarm_;

  State state_ = State::off;
  std::optional<StartRequest> start_;
  bool standby_ = false;
  WriteGuard* guard_ = nullptr;
  CpuInterface* cpu_interface_ = nullptr;
  CoreDebugger* debugger_ = nullptr;
  bool held_ = false;
  bool in_access_ = false;  // in somebody else's hands, or settling after that: inside an instruction
  bool wake_on_irq_ = false;
  sc_core::sc_event wake_;
  std::string lock_up_reason_;
  std::optional<Address> last_poisoned_;  // block that was warned about

  // The core's own time: base_time_ when base_count_ instructions were retired.
  Picoseconds base_time_;
  std::uint64_t base_count_ = 0;
  // Of it, what the performance monitors leave out or tell apart: the core's clock stood still; a load or
  // store waited.
  Picoseconds clock_stopped_, stalled_;
  Random spinning_{index_};
  bool has_overflowed_ = false;  // their interrupt

  tlm::tlm_generic_payload payload_, debug_payload_;
  InitiatorExtension who_;
  PastCaches past_;

  std::uint64_t bus_reads_ = 0, bus_writes_ = 0, bus_errors_ = 0, interrupt_waits_ = 0;
  std::uint64_t past_caches_ = 0;  // accesses that are no memory's, or not cached
};

}  // namespace asterism
