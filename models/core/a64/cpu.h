// One A64 core in execution: its state, its memory, and the loop that executes blocks of operations. Handlers
// have access to all of it.
//
// Counting. A block is charged to the budget as a whole when it is entered, and what was not executed is
// refunded when it is left early. instructions() is therefore exact at any time, also during a call to the
// host from the middle of a block. A block longer than what is left of the budget is executed in part, so
// that the host is called at exactly the count that it asked for.
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
#include <utility>

#include "core/a64/block.h"
#include "core/a64/exclusive_monitors.h"
#include "core/a64/memory.h"
#include "core/a64/operation.h"
#include "core/a64/speculation.h"
#include "core/a64/state.h"
#include "core/a64/translator/lockstep.h"
#include "core/a64/translator/translator.h"
#include "core/debug_port.h"
#include "core/flow_observer.h"
#include "core/iss.h"

namespace asterism::a64 {

// Additional requirements of an access.
enum class Ordering : std::uint8_t {
  normal,
  aligned,       // exclusives, acquire and release, atomics: unaligned ones fault
  unprivileged,  // LDTR, STTR: as EL0 would
};

class SpeculativeCores;

class Cpu : public State {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  // `monitors` and `speculative_cores` belong to the cores that this one shares memory with. nullptr: there
  // are none; this one does not speculate.
  Cpu(IssHost& host, unsigned core, const Options& options,
      std::shared_ptr<ExclusiveMonitors> monitors = nullptr,
      std::shared_ptr<SpeculativeCores> speculative_cores = nullptr);
  ~Cpu();
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;

  // ---- for handlers ----

  // The address of an operation's instruction.
  std::uint64_t pc_of(const Operation& op) const { return block->pc + 4 * index_of(op); }

  // Continues behind an operation that has called the host, or has changed something that attend() handles.
  // Leaves the block if there is something to handle.
  const Operation* finish(const Operation& op) {
    if (!budget.is_overdrawn()) [[likely]]
      return &op + 1;
    return leave(pc_of(op) + 4, index_of(op) + 1);
  }
  // Leaves the block after `executed` of its instructions. The loop continues at `pc`.
  const Operation* leave(std::uint64_t pc, std::uint64_t executed);
  // Leaves behind an operation that has changed the meaning of later instructions (system registers, the
  // level).
  const Operation* synchronise(const Operation& op) { return leave(pc_of(op) + 4, index_of(op) + 1); }
  // Ends a speculation before an operation, which is then executed non-speculatively.
  const Operation* end_speculation(const Operation& op);
  // Called before an operation that may be a message to other cores, or that reads a register of the host
  // (IssHost::has_to_wait). False: the block was left before the operation, which will be executed again from
  // its start, and the handler returns left_by_fault().
  bool may_execute(const Operation& op, std::optional<SystemRegister> read = std::nullopt);
  // Ends run() behind an operation.
  const Operation* stop(const Operation& op, Iss::Stop why);
  // WFE, YIELD: calls IssHost::event_wait() after the operation has retired.
  const Operation* wait_for_event(const Operation& op);

  // The target of a branch to an address: without the tag, if TCR_EL1.TBIn enables tags.
  std::uint64_t without_tag(std::uint64_t address) const;

  // Enters the next block through one of the two exits of this one: that of a taken branch (op.imm is its
  // distance in bytes), or the other one. All instructions of the block have been executed.
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
    Block* cached = jumps[target / 4 % cached_jumps];
    if (cached->pc == target && cached->context == block->context) [[likely]]
      return enter(cached);
    pc = target;
    return &jump_operation;
  }

  // Takes a synchronous exception of this instruction, which does not retire. raise_behind() is for SVC, HVC
  // and SMC, which do.
  const Operation* raise(const Operation& op, unsigned exception_class, std::uint32_t iss);
  const Operation* raise_behind(const Operation& op, unsigned exception_class, std::uint32_t iss);
  const Operation* undefined(const Operation& op) { return raise(op, esr::ec_unknown, 0); }
  // Takes an exception between two instructions, with the address of the next one.
  void take_synchronous(std::uint64_t syndrome, std::optional<std::uint64_t> fault_address);
  // Takes the abort of a load, a store, or cache maintenance, which has a bit of its own in the ISS (`more`).
  const Operation* data_abort(const Operation& op, const Fault& fault, bool is_store, std::uint32_t more = 0);
  // The handler of SIMD and floating-point instructions while CPACR_EL1 traps them.
  static const Operation* raise_fp_trap(Cpu& cpu, const Operation& op);

  // An access that data caches make, inside a line; nullptr: it takes the slow path.
  std::uint8_t* access_line(const Operation& op, std::uint64_t address, unsigned size, unsigned element,
                            bool is_store);

  // Loads and stores on the slow path (the fast one is memory.readable() and writable()), of up to 64 bytes.
  // `data` are the little-endian bytes of guest memory. False: a fault was taken, nothing is changed, and the
  // handler returns left_by_fault(). True: the handler ends with finish(op). `element` is the size of the
  // parts that have to be aligned if SCTLR_EL1.A is set, and that are accessed as one on a device (such as
  // one register of a pair); 0: the whole access.
  bool load(const Operation& op, std::uint64_t address, unsigned size, void* data,
            Ordering ordering = Ordering::normal, unsigned element = 0);
  bool store(const Operation& op, std::uint64_t address, unsigned size, const void* data,
             Ordering ordering = Ordering::normal, unsigned element = 0);
  const Operation* left_by_fault() const { return &exit_operation; }

  // The rules for the program (GuestRules). False: the instruction was left, because of a fault or the end of
  // a speculation. True: it goes on; if a rule was violated, it was reported to the host.
  bool may_be_unaligned(const Operation& op, std::uint64_t address, unsigned size, bool is_store);
  bool may_store(const Operation& op, std::uint64_t address, std::uint64_t physical, unsigned size);
  // SP has been set to where it may be in another stack than before.
  void find_stack();
  // SP is about to be lowered below stack.low.
  bool leave_stack(const Operation& op, std::uint64_t sp);

  // The handler that replaces an instruction with a debugger's breakpoint.
  static const Operation* hit_breakpoint(Cpu& cpu, const Operation& op);

  // The first time that a word is found UNDEFINED, IssHost::undefined_instruction() is called.
  void note_undefined(std::uint32_t word, const Operation& op);

  // PSTATE in the format of SPSR.
  std::uint64_t pstate() const;
  void set_pstate(std::uint64_t value);
  void set_level(unsigned exception_level, bool sp_el1);
  Context context() const;

  // Invalidates links and cached jumps. Called after everything that may change what a virtual address refers
  // to, or the code there.
  void new_epoch();
  // A translation table base register has changed: another address space, with links and cached jumps of its
  // own.
  void select_address_space();
  // Code was changed: its blocks are dropped, and a running block is left behind its present operation.
  void drop_code(AddressRange range);

  // ---- for the engine ----

  void reset_state();
  Iss::Stop run();
  // Whether speculation is worth an offer: only the program stops the core soon, and it is neither traced nor
  // debugged.
  bool may_speculate() const;
  // Whether instructions may be executed tentatively: nobody observes them, nor stops the core at one.
  bool may_execute_tentatively() const;
  // Runs up to a count of instructions, or to the first one that must not be executed speculatively
  // (speculation.h).
  void run_speculatively(std::uint64_t until);
  // Executes blocks until one of them exits.
  void run_blocks();
  // Drops the blocks that the last speculation has decoded. They may have been decoded from bytes that it has
  // stored, or that another core has changed since. Without other cores, those of pages that it has not
  // stored to are kept.
  void drop_speculatively_decoded(bool is_alone = false);

  std::uint64_t instructions() const {
    return attend_at - static_cast<std::uint64_t>(budget.left()) -
           (block && inside ? block->count - index_of(*inside) : 0);
  }
  // Iss::executed_time().
  std::uint64_t time() const {
    return executed_time + budget.time() - (block && inside ? block->time_from(index_of(*inside)) : 0);
  }
  // Computes when attend() is called next. Called whenever one of its conditions has changed.
  void set_attend_at();
  // Makes the budget suffice for an instruction.
  void permit_one();

  // Exception entry to EL1; pc is the preferred return address.
  void take(std::uint64_t vector, std::uint64_t syndrome, std::optional<std::uint64_t> fault_address);

  std::uint64_t index_of(const Operation& op) const {
    return static_cast<std::uint64_t>(&op - block->operations());
  }

  // ---- the state of execution ----

  Block* block = nullptr;                  // in execution
  const Operation* inside = nullptr;       // the operation that is calling the host
  const Operation* called_last = nullptr;  // the last one that did: the origin of a C++ exception of the host
  const Operation* deferred = nullptr;     // the operation whose rest is executed by later()
  std::uint64_t epoch = 1;                 // of the address space in use

  static constexpr StackInUse anywhere{0, never};
  StackInUse stack = anywhere;  // without stacks in GuestRules

  Budget budget;                // until attend(), without the running block
  std::uint64_t attend_at = 0;  // the count at which nothing is left of it
  std::uint64_t due_at = never;
  std::uint64_t executes_until = never;  // a count at which run_blocks() ends, whatever it has to attend to
  std::uint64_t executed_time = 0;       // before `budget` was restarted

  IssHost& host;
  Memory memory;
  const unsigned core;
  const Options options;
  const std::shared_ptr<ExclusiveMonitors> monitors;
  const std::shared_ptr<SpeculativeCores> speculative_cores;
  BlockCache blocks{options};

  bool stop_requested = false, irq = false, event_wait = false, code_changed = false;
  bool has_to_wait = false;                                // for other cores, before the next instruction
  bool is_speculating = false, speculation_ended = false;  // before its count
  std::vector<std::uint64_t> speculatively_decoded;        // physical addresses of blocks
  bool is_alone = true;                                    // Iss::set_alone; false while speculating
  std::optional<Iss::Stop> stop_reason;
  std::string why;
  std::optional<TakenFault> taken_fault;  // Iss::fault()
  std::uint64_t retired_at_exception = never;
  unsigned unretired_exceptions = 0;

  // ---- for a debugger (core/debug_port.h) ----

  std::uint64_t step_until = never;  // a count: run() stops there, or earlier at an exception
  std::uint64_t stop_from = never;   // a count: run() stops before each instruction from there on
  bool has_stopped_here = false;     // for that reason, before the next instruction
  WatchHit watch_hit;
  // The instruction at which run() has stopped, and for which reasons. These are ignored when run() continues
  // with it.
  struct Passing {
    std::uint64_t pc = 0, count = never;
    bool breakpoint = false, watchpoint = false, own_breakpoint = false;
  } passing;
  bool is_passing(std::uint64_t address) const {
    return passing.count == instructions() && passing.pc == address;
  }
  // The result of IssHost::fetch() for the next instruction, which is fetched only once even if it is not
  // executed at once.
  struct Fetched {
    std::uint64_t physical = 0, count = never;
    std::optional<std::uint32_t> word;  // nullopt: a bus error
  } fetched;
  struct Accessed {
    std::uint64_t address;
    unsigned size;
    bool is_store, as_el0 = false;  // LDTR, STTR
  };
  // Called before an access. True: a debugger's watchpoint stops run() before the instruction, or the
  // exception of one of the guest's watchpoints is taken.
  bool stop_at_watchpoint(const Operation& op, const Accessed& access);

  // ---- for a debugger within the guest (self_hosted_debug.cpp) ----

  // A debug register has changed: updates the breakpoints, watchpoints and steps in force.
  void follow_debug_registers();
  // The handler that replaces an instruction with a breakpoint of the guest: it takes the exception, if the
  // breakpoint applies in the core's state.
  static const Operation* meet_own_breakpoint(Cpu& cpu, const Operation& op);
  bool take_watchpoint(const Operation& op, const Accessed& access);
  // Takes the exceptions of software step and of breakpoints that compare the context only.
  bool take_debug_exception();
  // PSTATE.SS after an exception return to this PSTATE and level.
  bool steps_after_return(std::uint64_t to_pstate, unsigned to_level) const;
  // The guest steps, or has breakpoints without an address. The core then does not speculate.
  bool debugs_itself() const { return may_step || meets_contexts; }

  // ---- performance monitors (performance_monitors.cpp) ----

  // Adds the events up to now to the counters. Called before changes of their registers or of the exception
  // level.
  void count_events();
  void count_exception();
  void count_by_software(std::uint64_t mask);  // PMSWINC_EL0
  // One of their registers has changed, after count_events().
  void follow_performance_monitors();
  bool counts = false;  // a counter is enabled
  // Makes attend() check for overflows soon, if one interrupts.
  void look_at_overflows() {
    if (watches_overflows) looks_at = 0;
  }

  // ---- for profiles and traces (core/flow_observer.h) ----

  // nullptr ends the reports.
  void follow(FlowObserver* observer, FlowQuestion question);
  // The handler of a block's first operation if its entry is reported: reports it, then calls the operation's
  // own handler.
  static const Operation* report_entry(Cpu& cpu, const Operation* op);
  // The handler of a block's first operation if its line is not the last one used of its set in the
  // instruction cache: fetches it, then calls the operation's own handler.
  static const Operation* fetch_line(Cpu& cpu, const Operation* op);
  // The handler of a block's first operation that counts how often it is executed, for the translator.
  static const Operation* count_execution(Cpu& cpu, const Operation* op);
  // How control reaches the next block, and from where, as far as that is known in advance.
  struct Following {
    FlowObserver* observer = nullptr;
    bool instructions = false;
    Flow how = Flow::start;  // jump: if the last block was executed completely, its end decides
    Flow end = Flow::jump;
    std::uint64_t end_count = never, from = 0;
    std::size_t region = 0;
  } following;

  // Recent targets of indirect branches, of the address space in use.
  static constexpr std::size_t cached_jumps = 512;
  Block** jumps = nullptr;
  Block nowhere{.context = 0xff};  // of no context: for unused entries of `jumps`

  std::set<std::uint32_t> undefined_words;

  const std::unique_ptr<Speculation> speculation;  // nullptr: without `speculative_cores`

  static const Operation exit_operation;       // ends the loop
  static const Operation overdrawn_operation;  // gives back what an entered block was charged

  std::unique_ptr<Translator> translator;
  std::unique_ptr<Lockstep> lockstep;  // nullptr: translated code is not checked
  bool interprets = false;             // executes blocks that are never translated

 private:
  const Operation* enter(Block* to) {
    budget.add(to->charge);
    block = to;
    if (budget.is_overdrawn()) [[unlikely]]
      return &overdrawn_operation;
    return to->operations();
  }
  struct Jumps {
    std::uint64_t epoch = 0;  // 0: of none
    std::unique_ptr<std::array<Block*, cached_jumps>> targets{};
  };
  void use_jumps(Jumps& of_space);
  std::array<Jumps, Memory::address_spaces> jumps_of_spaces_;
  Jumps* jumps_in_use_ = jumps_of_spaces_.data();
  std::uint64_t last_epoch_ = 1;
  static const Operation jump_operation;
  static const Operation* find_taken(Cpu& cpu, const Operation& op);
  static const Operation* find_next(Cpu& cpu, const Operation& op);
  static const Operation* find_jump(Cpu& cpu, const Operation& op);
  static const Operation* give_back(Cpu& cpu, const Operation& op);
  const Operation* find_and_enter(Link* link, std::uint64_t target);
  void fetch(std::uint64_t physical);
  // The block at a virtual address; nullptr if an exception was taken, or the fetch has to wait. With a
  // limit, it is made by BlockCache::make_part().
  Block* find_block(std::uint64_t target, std::optional<PartLimit> limit = {});
  std::pair<std::uint64_t, std::uint64_t> decoded_from(std::uint64_t physical) const;  // and how many bytes
  void stop_before(const Operation& op, bool Passing::*what, Iss::Stop why);

  void fetch_line_of(const Operation& op);
  void report_flow(std::uint64_t to, std::uint64_t physical, std::size_t region, std::uint64_t count);

  bool report(const Operation& op, GuestFinding finding);
  bool may_execute_first(std::uint64_t physical);

  std::optional<Iss::Stop> attend();
  bool take_interrupts();

  bool is_debugged() const;
  void keep_fault(std::uint64_t vector, std::uint64_t syndrome, std::optional<std::uint64_t> address);
  bool gives_debug_exceptions(unsigned from, bool masked) const;
  bool gives_debug_exceptions() const;
  bool is_stepping() const;
  bool is_at_breakpoint(std::uint64_t address) const;
  bool is_linked_context(std::uint64_t control) const;
  void finish_step(std::uint32_t word);
  void take_debug(unsigned from_el0, std::uint32_t iss, std::optional<std::uint64_t> address);
  bool may_step = false;        // MDSCR_EL1.SS is in force
  bool meets_contexts = false;  // a breakpoint without an address is in force
  struct {
    std::uint64_t count = never;  // behind the last stepped instruction
    bool load_exclusive = false;
  } stepped;

  bool counts_here(std::uint64_t filter) const;
  void add_to_counter(unsigned counter, std::uint64_t events);
  std::uint64_t next_overflow() const;
  std::uint64_t overflow_of(unsigned event, std::uint64_t rest) const;
  void watch_overflows();
  bool watches_overflows = false;  // an overflow interrupts
  bool has_interrupted = false;    // level of the interrupt output
  std::uint64_t looks_at = never;  // count at which watch_overflows() is due
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

// Wraps a call to the host. During the call, the count of instructions is that of the operation.
class InHost {
 public:
  InHost(Cpu& cpu, const Operation& op) : cpu_(cpu), before_(std::exchange(cpu.inside, &op)) {
    cpu.called_last = &op;
  }
  ~InHost() { cpu_.inside = before_; }
  InHost(const InHost&) = delete;
  InHost& operator=(const InHost&) = delete;

 private:
  Cpu& cpu_;
  const Operation* before_;  // an access that is reported calls the host twice
};

}  // namespace asterism::a64
