// One A64 core at work: its state, its memory, and the loop that runs blocks of operations. Handlers see all of it.
//
// Counting. A block is paid for as a whole when it is entered (`left` goes down by its count) and what was not executed
// is paid back when it is left early. So instructions() is exact at any time, also during a call to the host from
// the middle of a block; and a block that is longer than what is left is run in part, so that the host is called at
// exactly the count that it asked for.
//
// Leaving. A handler leaves a block by returning what leave(), finish(), raise() or stop() returned.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/a64/block.h"
#include "core/a64/exclusive_monitors.h"
#include "core/a64/memory.h"
#include "core/a64/operation.h"
#include "core/a64/speculation.h"
#include "core/a64/state.h"
#include "core/debug_port.h"
#include "core/flow_observer.h"
#include "core/iss.h"

namespace asterism::a64 {

// What an access asks for beyond its bytes.
enum class Ordering : std::uint8_t {
  normal,
  aligned,       // exclusives, acquire and release, atomics: an unaligned one faults
  unprivileged,  // LDTR, STTR: as EL0 would
};

class SpeculativeCores;

class Cpu : public State {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  // `monitors` and `speculative_cores` belong to the cores that this one shares memory with. nullptr: there are none; this one
  // does not speculate.
  Cpu(IssHost& host, unsigned core, const Options& options,
      std::shared_ptr<ExclusiveMonitors> monitors = nullptr,
      std::shared_ptr<SpeculativeCores> speculative_cores = nullptr);
  ~Cpu();
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;

  // ---- for handlers ----

  // The address of an operation's instruction.
  std::uint64_t pc_of(const Operation& op) const { return block->pc + 4 * index_of(op); }

  // Goes on behind an operation that has called the host or changed what ends blocks look at; or leaves, when
  // there is something to attend to.
  const Operation* finish(const Operation& op) {
    if (left >= 0) [[likely]]
      return &op + 1;
    return leave(pc_of(op) + 4, index_of(op) + 1);
  }
  // Leaves the block after `executed` of its instructions; the loop goes on at `pc`.
  const Operation* leave(std::uint64_t pc, std::uint64_t executed);
  // Leaves behind an operation, which has changed what later instructions mean (system registers, the level).
  const Operation* synchronise(const Operation& op) { return leave(pc_of(op) + 4, index_of(op) + 1); }
  // Ends a speculation before an operation, which is then executed non-speculatively.
  const Operation* end_speculation(const Operation& op);
  // Before an operation that other cores may take as a message, or that reads a register of the host
  // (IssHost::has_to_wait). False: the block has been left before it, and the handler returns
  // left_by_fault(); it will be executed from the start.
  bool may_execute(const Operation& op, std::optional<SystemRegister> read = std::nullopt);
  // Ends run() behind an operation.
  const Operation* stop(const Operation& op, Iss::Stop why);
  // WFE, YIELD: IssHost::event_wait() once the operation has retired.
  const Operation* wait_for_event(const Operation& op);

  // Where a branch to an address leads: without its tag, when TCR_EL1.TBIn says that it has one.
  std::uint64_t without_tag(std::uint64_t address) const;

  // Goes to one of a block's ends: that of a branch that is taken (op.imm is its distance in bytes), or the other. All
  // instructions of the block are done.
  const Operation* follow_taken(const Operation& op) {
    if (block->taken.epoch == epoch) [[likely]]
      return enter(block->taken.block);
    return later<find_taken>(*this, op);
  }
  const Operation* follow_next(const Operation& op) {
    if (block->next.epoch == epoch) [[likely]]
      return enter(block->next.block);
    return later<find_next>(*this, op);
  }
  const Operation* jump(std::uint64_t target) {
    Block* cached = jumps[target / 4 % jumps.size()];
    if (cached->pc == target && cached->context == block->context) [[likely]]
      return enter(cached);
    pc = target;
    return &jump_operation;
  }

  // A synchronous exception of this instruction: it does not retire (SVC, HVC and SMC do, and return behind themselves).
  const Operation* raise(const Operation& op, unsigned exception_class, std::uint32_t iss);
  const Operation* raise_behind(const Operation& op, unsigned exception_class, std::uint32_t iss);
  const Operation* undefined(const Operation& op) { return raise(op, esr::ec_unknown, 0); }
  // Taken between two instructions, with the address of the next one.
  void take_synchronous(std::uint64_t syndrome, std::optional<std::uint64_t> fault_address);
  // Of a load, a store or cache maintenance, which has its own bit in the ISS: `more`.
  const Operation* data_abort(const Operation& op, const Fault& fault, bool is_store, std::uint32_t more = 0);
  // What an instruction of SIMD and floating point is while CPACR_EL1 traps them.
  static const Operation* raise_fp_trap(Cpu& cpu, const Operation& op);

  // Loads and stores off the fast path (memory.readable(), memory.writable()), of up to 64 bytes; little-endian bytes of
  // guest memory in `data`. False: a fault was taken, nothing is changed, and the handler returns left_by_fault().
  // True: the handler ends in finish(op). `element`: bytes that have to be aligned by themselves when SCTLR_EL1.A is set,
  // and that travel together to a device (a register of a pair); 0: all.
  bool load(const Operation& op, std::uint64_t address, unsigned size, void* data,
            Ordering ordering = Ordering::normal, unsigned element = 0);
  bool store(const Operation& op, std::uint64_t address, unsigned size, const void* data,
             Ordering ordering = Ordering::normal, unsigned element = 0);
  const Operation* left_by_fault() const { return &exit_operation; }

  // The operation that stands for an instruction with a breakpoint.
  static const Operation* hit_breakpoint(Cpu& cpu, const Operation& op);

  // The first time that a word is found UNDEFINED, IssHost::undefined_instruction() is called.
  void note_undefined(std::uint32_t word, const Operation& op);

  // PSTATE as SPSR has it.
  std::uint64_t pstate() const;
  void set_pstate(std::uint64_t value);
  void set_level(unsigned exception_level, bool sp_el1);
  Context context() const;

  // Whatever may change where a virtual address leads, or what is there: links and cached jumps no longer hold.
  void new_epoch();
  // Code was changed: blocks go, and the one that is running ends behind its present operation.
  void drop_code(AddressRange range);

  // ---- for the engine ----

  void reset_state();
  Iss::Stop run();
  // Whether speculation is worth an offer: only the program stops the core soon, and it is neither traced nor debugged.
  bool may_speculate() const;
  // Runs up to a count of instructions, or to the first one that must not be executed speculatively (speculation.h).
  void run_speculatively(std::uint64_t until);

  std::uint64_t instructions() const {
    return attend_at - static_cast<std::uint64_t>(left) -
           (block && inside ? block->count - index_of(*inside) : 0);
  }
  // Some of what set_attend_at() looks at has changed.
  void set_attend_at();

  // Exception entry to EL1; pc is the preferred return address.
  void take(std::uint64_t vector, std::uint64_t syndrome, std::optional<std::uint64_t> fault_address);

  std::uint64_t index_of(const Operation& op) const {
    return static_cast<std::uint64_t>(&op - block->operations());
  }

  // ---- where it stands ----

  Block* block = nullptr;                  // that is running
  const Operation* inside = nullptr;       // the operation that is in a call to the host
  const Operation* called_last = nullptr;  // or was last: the one that an exception of the host comes from
  const Operation* deferred = nullptr;     // the operation of which later() does the rest
  std::uint64_t epoch = 1;

  std::int64_t left = 0;  // instructions until something needs a look, the running block already taken off
  std::uint64_t attend_at = 0;  // the count at which left is 0
  std::uint64_t due_at = never;

  IssHost& host;
  Memory memory;
  const unsigned core;
  const Options options;
  const std::shared_ptr<ExclusiveMonitors> monitors;
  const std::shared_ptr<SpeculativeCores> speculative_cores;
  BlockCache blocks{options};

  bool stop_requested = false, irq = false, event_wait = false, code_changed = false;
  bool has_to_wait = false;                                // for others, before the next instruction
  bool is_speculating = false, speculation_ended = false;  // before its count
  bool is_alone = true;                                    // Iss::set_alone; false while speculating
  std::optional<Iss::Stop> stop_reason;
  std::string why;
  std::uint64_t retired_at_exception = never;
  unsigned unretired_exceptions = 0;

  // ---- for a debugger (core/debug_port.h) ----

  std::uint64_t step_until = never;  // a count: run() stops there, and where an exception is taken before
  WatchHit watch_hit;
  // The instruction at which run() has stopped, and at what: it is executed when run() goes on with it.
  struct Passing {
    std::uint64_t pc = 0, count = never;
    bool breakpoint = false, watchpoint = false, own_breakpoint = false;
  } passing;
  bool is_passing(std::uint64_t address) const {
    return passing.count == instructions() && passing.pc == address;
  }
  // What IssHost::fetch() has given for the next instruction, which is fetched once even where it does not begin at once.
  struct Fetched {
    std::uint64_t physical = 0, count = never;
    std::optional<std::uint32_t> word;  // nullopt: a bus error
  } fetched;
  struct Accessed {
    std::uint64_t address;
    unsigned size;
    bool is_store, as_el0 = false;  // LDTR, STTR
  };
  // Before an access is made. True: a debugger's watchpoint stops run() before its instruction, or one of the
  // guest's is taken.
  bool stop_at_watchpoint(const Operation& op, const Accessed& access);

  // ---- for a debugger within the guest (self_hosted_debug.cpp) ----

  // One of the registers of debug has changed: what is in force follows.
  void follow_debug_registers();
  // What stands for an instruction at which the guest has set a breakpoint: its exception, if the core is in
  // the state for it.
  static const Operation* meet_own_breakpoint(Cpu& cpu, const Operation& op);
  bool take_watchpoint(const Operation& op, const Accessed& access);
  // Software step, and breakpoints that compare contexts alone.
  bool take_debug_exception();
  // PSTATE.SS after an exception return to a PSTATE and level, which has yet to take place.
  bool steps_after_return(std::uint64_t to_pstate, unsigned to_level) const;
  // Breakpoints, watchpoints and steps of the guest are to be met soon, so that the core does not speculate.
  bool debugs_itself() const { return may_step || meets_contexts; }

  // ---- performance monitors (performance_monitors.cpp) ----

  // Adds up to their counters what has happened up to now. Before whatever changes what is counted: their
  // registers, the level.
  void count_events();
  void count_exception();
  void count_by_software(std::uint64_t mask);  // PMSWINC_EL0
  // One of their registers has changed, after count_events().
  void follow_performance_monitors();
  bool counts = false;  // a counter is enabled
  // Looks soon whether a counter has overflowed, where that interrupts.
  void look_at_overflows() {
    if (watches_overflows) looks_at = 0;
  }

  // ---- for profiles and traces (core/flow_observer.h) ----

  // nullptr: nobody follows.
  void follow(FlowObserver* observer, FlowQuestion question);
  // The handler of a block's first operation when its entry is told: told, then the operation's own.
  static const Operation* tell_entry(Cpu& cpu, const Operation* op);
  // How control comes to the next block, and where it comes from, as far as that is known before.
  struct Following {
    FlowObserver* observer = nullptr;
    bool instructions = false;
    Flow how = Flow::start;  // jump: what ends the last block decides, if all of it was executed
    Flow end = Flow::jump;
    std::uint64_t end_count = never, from = 0;
    std::size_t region = 0;
  } following;

  std::array<Block*, 512> jumps;   // where indirect branches went
  Block nowhere{.context = 0xff};  // of no context: where none went yet

  std::set<std::uint32_t> undefined_words;

  const std::unique_ptr<Speculation> speculation;  // nullptr: without `speculative_cores`

  static const Operation exit_operation;  // ends the loop

 private:
  const Operation* enter(Block* to) {
    left -= to->count;
    block = to;
    if (left < 0) [[unlikely]]
      return &overdrawn_operation;
    return to->operations();
  }
  static const Operation jump_operation, overdrawn_operation;
  static const Operation* find_taken(Cpu& cpu, const Operation& op);
  static const Operation* find_next(Cpu& cpu, const Operation& op);
  static const Operation* find_jump(Cpu& cpu, const Operation& op);
  static const Operation* give_back(Cpu& cpu, const Operation& op);
  const Operation* find_and_enter(Link* link, std::uint64_t target);
  void fetch(std::uint64_t physical);
  // The block at a virtual address; nullptr when an exception was taken, or the fetch has to wait. With a limit:
  // BlockCache::make_part().
  Block* find_block(std::uint64_t target, std::optional<PartLimit> limit = {});
  void stop_before(const Operation& op, bool Passing::*what, Iss::Stop why);

  void tell_flow(std::uint64_t to, std::size_t region, std::uint64_t count);

  std::optional<Iss::Stop> attend();
  bool take_interrupts();

  bool is_debugged() const;
  bool gives_debug_exceptions(unsigned from, bool masked) const;
  bool gives_debug_exceptions() const;
  bool is_stepping() const;
  bool is_at_breakpoint(std::uint64_t address) const;
  bool is_linked_context(std::uint64_t control) const;
  void finish_step(std::uint32_t word);
  void take_debug(unsigned from_el0, std::uint32_t iss, std::optional<std::uint64_t> address);
  bool may_step = false;        // MDSCR_EL1.SS is in force
  bool meets_contexts = false;  // so is a breakpoint that asks for no address
  struct {
    std::uint64_t count = never;  // behind the last instruction that was stepped
    bool load_exclusive = false;
  } stepped;

  bool counts_here(std::uint64_t filter) const;
  void add_to_counter(unsigned counter, std::uint64_t events);
  std::uint64_t next_overflow() const;
  std::uint64_t overflow_of(unsigned event, std::uint64_t rest) const;
  void watch_overflows();
  bool watches_overflows = false;  // one interrupts
  bool has_interrupted = false;    // the output of the monitors
  std::uint64_t looks_at = never;  // count at which watch_overflows() is due
  void run_blocks();
  void abort_fetch(const Fault& fault);
  void abort(unsigned exception_class, std::uint32_t iss, std::uint64_t address);

  std::uint64_t due_called_at_ = never;  // count
};

template <auto work>
const Operation* later(Cpu& cpu, const Operation& op) {
  static constexpr auto rest = [](Cpu& cpu, const Operation&) { return work(cpu, *cpu.deferred); };
  static constexpr Operation operation{step<rest>};
  cpu.deferred = &op;
  return &operation;
}

// What a call to the host is wrapped in: meanwhile the count of instructions is that of the operation.
class InHost {
 public:
  InHost(Cpu& cpu, const Operation& op) : cpu_(cpu) { cpu.inside = cpu.called_last = &op; }
  ~InHost() { cpu_.inside = nullptr; }
  InHost(const InHost&) = delete;
  InHost& operator=(const InHost&) = delete;

 private:
  Cpu& cpu_;
};

}  // namespace asterism::a64
