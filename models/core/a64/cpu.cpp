#include "core/a64/cpu.h"

#include <algorithm>
#include <utility>

#include "core/a64/speculative_cores.h"

namespace asterism::a64 {
namespace {

// PSTATE and SPSR_EL1.
constexpr std::uint64_t pstate_ss = 1 << 21, pstate_a = 1 << 8, pstate_i = 1 << 7, pstate_daif = 0xf << 6,
                        pstate_il = 1 << 20;

// Offsets into the vector table of one source (current level with SP_EL0, with SP_EL1, lower level).
constexpr std::uint64_t vector_synchronous = 0x000, vector_irq = 0x080, vector_serror = 0x180;

constexpr unsigned ec_illegal_state = 0x0e, ec_pc_alignment = 0x22;
// Consecutive exceptions without a retired instruction. One may interrupt the entry of another; more are a
// loop.
constexpr unsigned lock_up_after = 4;

const Operation* end_loop(Cpu&, const Operation*) { return nullptr; }

}  // namespace

const Operation Cpu::exit_operation{end_loop};
const Operation Cpu::overdrawn_operation{step<Cpu::give_back>};
const Operation Cpu::jump_operation{step<Cpu::find_jump>};

Cpu::Cpu(IssHost& host, unsigned core, const Options& options, std::shared_ptr<ExclusiveMonitors> shared,
         std::shared_ptr<SpeculativeCores> group)
    : host(host),
      memory(*this, host, this->options),
      core(core),
      options(options),
      monitors(std::move(shared)),
      speculative_cores(std::move(group)),
      speculation(speculative_cores ? std::make_unique<Speculation>(*this, *speculative_cores) : nullptr) {
  memory.register_stores_with(monitors.get());
  if (speculative_cores) speculative_cores->join(*this);
  if (options.translation.after != 0 && (translator = Translator::make(*this)))
    blocks.use_translator(*translator);
  if (translator && options.translation.is_checked) lockstep = std::make_unique<Lockstep>(*this);
  reset_state();
}

Cpu::~Cpu() {
  if (speculative_cores) speculative_cores->leave(*this);
  if (monitors) monitors->leave(*this);
}

void Cpu::reset_state() {
  static_cast<State&>(*this) = State{};
  daif = pstate_daif;
  system.sctlr = 0x00c5'0838;  // as a Cortex-A57
  memory.use_level(level);
  memory.flush();
  memory.discard_monitored();
  memory.forget_reports();
  blocks.drop(0, never);
  blocks.collect();
  new_epoch();
  block = nullptr;
  stop_requested = event_wait = code_changed = has_to_wait = false;
  serror.reset();
  stop_reason.reset();
  why.clear();
  unretired_exceptions = 0;
  taken_fault.reset();
  retired_at_exception = due_called_at_ = step_until = never;
  passing = {};
  fetched = {};
  following.how = Flow::start;
  has_stopped_here = false;
  stack = options.rules.stacks.empty() ? anywhere : StackInUse{};
  stepped = {};
  follow_debug_registers();
  counts = watches_overflows = has_interrupted = false;
  looks_at = never;
  set_attend_at();
}

// ---- the loop ----

Iss::Stop Cpu::run() {
  for (;;) {
    if (const auto stop = attend()) return *stop;
    lockstep ? lockstep->run_blocks() : run_blocks();
    if (const auto stop = std::exchange(stop_reason, std::nullopt)) {
      if (*stop == Iss::Stop::wait_for_interrupt && (irq || serror)) continue;  // WFI does not sleep
      return *stop;
    }
  }
}

// Handles between two instructions whatever is pending. Afterwards, at least one instruction may be executed.
std::optional<Iss::Stop> Cpu::attend() {
  for (;;) {
    blocks.collect();
    code_changed = false;
    if (memory.has_monitored()) {
      memory.report_monitored();
      look_at_overflows();
    }
    if (unretired_exceptions >= lock_up_after) {
      why = "exceptions recur without an instruction between them";
      return Iss::Stop::locked_up;
    }
    if (instructions() >= step_until) {
      step_until = never;
      return Iss::Stop::stepped;
    }
    if (std::exchange(stop_requested, false)) return Iss::Stop::requested;
    if (std::exchange(event_wait, false)) {
      host.event_wait();
    } else if (std::exchange(has_to_wait, false)) {
      host.wait_for_others();
    } else if (instructions() >= due_at && due_called_at_ != instructions()) {
      due_called_at_ = instructions();
      host.due();
    } else if (instructions() >= looks_at) {
      watch_overflows();
    } else if (instructions() >= stop_from && !std::exchange(has_stopped_here, true)) {
      return Iss::Stop::reached;
    } else if (!take_debug_exception() && !take_interrupts()) {
      break;
    }
  }
  set_attend_at();
  permit_one();
  return std::nullopt;
}

// The host may have asked to be called at once, which was done.
void Cpu::permit_one() {
  if (budget.left() == 0) budget.restart(1, 0), ++attend_at;
}

void Cpu::run_blocks() {
  has_stopped_here = false;
  const bool passes = is_passing(pc) && (passing.breakpoint || passing.own_breakpoint);
  const bool steps = is_stepping();
  const std::uint64_t before = instructions();
  Block* first = passes  ? find_block(pc, PartLimit{1, passing.breakpoint, passing.own_breakpoint})
                 : steps ? find_block(pc, PartLimit{1})
                         : find_block(pc);
  if (first && budget.left() < first->count)
    first = find_block(pc, PartLimit{static_cast<unsigned>(budget.left())});
  if (!first) return;
  const std::uint32_t word = steps ? blocks.last_word_of_part() : 0;
  try {
    const Operation* op = enter(first);
    if (translator)
      while (op) op = asterism_a64_call(*this, op, op->run);
    else
      while (op) op = op->run(*this, op);
  } catch (...) {
    if (block) leave(pc_of(*called_last), index_of(*called_last));
    throw;
  }
  if (steps && instructions() != before) finish_step(word);
}

const Operation* Cpu::leave(std::uint64_t to, std::uint64_t executed) {
  budget.take_back(Budget::charge(block->count - executed, block->time_from(executed)));
  pc = to;
  block = nullptr;
  return &exit_operation;
}

const Operation* Cpu::give_back(Cpu& cpu, const Operation&) { return cpu.leave(cpu.block->pc, 0); }

bool Cpu::may_speculate() const { return !irq && !serror && may_execute_tentatively(); }

bool Cpu::may_execute_tentatively() const {
  return !stop_requested && !event_wait && !code_changed && step_until == never && stop_from == never &&
         !following.observer && !debugs_itself() && !watches_overflows && !blocks.has_breakpoints() &&
         !memory.is_watching() && !memory.has_monitored();
}

void Cpu::run_speculatively(std::uint64_t until) {
  const std::uint64_t due = std::exchange(due_at, until);
  const bool was_alone = std::exchange(is_alone, false);
  is_speculating = true;
  speculation_ended = false;
  speculatively_decoded.clear();
  for (set_attend_at(); budget.left() > 0 && !speculation_ended; set_attend_at()) {
    try {
      run_blocks();
    } catch (const SpeculationEnds&) {
      speculation_ended = true;
    }
    // All blocks together had taken too much memory.
    if (std::exchange(code_changed, false)) blocks.collect();
  }
  is_speculating = false;
  is_alone = was_alone;
  due_at = due;
  set_attend_at();
}

const Operation* Cpu::end_speculation(const Operation& op) {
  speculation_ended = true;
  return leave(pc_of(op), index_of(op));
}

bool Cpu::may_execute(const Operation& op, std::optional<SystemRegister> read) {
  if (is_speculating) return end_speculation(op), false;
  if (is_alone) return true;
  {
    const InHost in(*this, op);
    if (!host.has_to_wait(read)) return true;
  }
  has_to_wait = true;
  leave(pc_of(op), index_of(op));
  return false;
}

const Operation* Cpu::stop(const Operation& op, Iss::Stop reason) {
  if (is_speculating) return end_speculation(op);
  stop_reason = reason;
  return synchronise(op);
}

// The reasons for a stop at an instruction are ignored until it is executed.
void Cpu::stop_before(const Operation& op, bool Passing::*what, Iss::Stop why) {
  leave(pc_of(op), index_of(op));
  if (!is_passing(pc)) passing = {pc, instructions()};
  passing.*what = true;
  stop_reason = why;
}

const Operation* Cpu::hit_breakpoint(Cpu& cpu, const Operation& op) {
  cpu.stop_before(op, &Passing::breakpoint, Iss::Stop::breakpoint);
  return &exit_operation;
}

bool Cpu::stop_at_watchpoint(const Operation& op, const Accessed& access) {
  const auto hit = memory.watched(without_tag(access.address), access.size, access.is_store);
  if (!hit || (is_passing(pc_of(op)) && passing.watchpoint)) return take_watchpoint(op, access);
  watch_hit = {*hit, access.is_store};
  stop_before(op, &Passing::watchpoint, Iss::Stop::watchpoint);
  return true;
}

const Operation* Cpu::wait_for_event(const Operation& op) {
  if (is_speculating) return end_speculation(op);
  event_wait = true;
  return synchronise(op);
}

const Operation* Cpu::find_taken(Cpu& cpu, const Operation& op) {
  return cpu.find_and_enter(&cpu.block->taken, cpu.pc_of(op) + static_cast<std::uint64_t>(op.signed_imm()));
}

const Operation* Cpu::find_next(Cpu& cpu, const Operation&) {
  return cpu.find_and_enter(&cpu.block->next, cpu.block->pc + std::uint64_t{4} * cpu.block->count);
}

// Blocks have addresses without tags, so that a tagged one never meets a cached jump.
const Operation* Cpu::find_jump(Cpu& cpu, const Operation&) {
  return cpu.find_and_enter(nullptr, cpu.without_tag(cpu.pc));
}

std::uint64_t Cpu::without_tag(std::uint64_t address) const {
  constexpr unsigned tbi0 = 37, tbi1 = 38, half = 55;
  if (!(system.tcr >> (address >> half & 1 ? tbi1 : tbi0) & 1)) return address;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(address << 8) >> 8);
}

const Operation* Cpu::find_and_enter(Link* link, std::uint64_t target) {
  const std::uint64_t began = epoch;
  pc = target;
  block = nullptr;
  Block* found = find_block(target);
  if (!found) return &exit_operation;
  if (epoch == began && !blocks.is_part(found)) {
    memory.note_execution(target);
    if (link) *link = {found, epoch};
    jumps[target / 4 % cached_jumps] = found;
  }
  return enter(found);
}

Block* Cpu::find_block(std::uint64_t target, std::optional<PartLimit> limit) {
  if (target % 4 != 0) {
    take(vector_synchronous, esr::make(ec_pc_alignment, 0), target);
    return nullptr;
  }
  const auto [translation, fault] = memory.translate(target, Access::fetch, level);
  if (fault) return abort_fetch(*fault), nullptr;
  const auto direct = memory.direct(translation.physical);
  if (!direct) {
    if (is_speculating) return speculation_ended = true, nullptr;
    fetch(translation.physical);
    if (stop_requested) return nullptr;  // after a reset, or for a debugger
    if (!fetched.word) return abort_fetch({target, fault_status::external_abort}), nullptr;
  }
  if (illegal) {
    take(vector_synchronous, esr::make(ec_illegal_state, 0), std::nullopt);
    return nullptr;
  }
  const Context now = context();
  if (!direct)
    return blocks.make_part({translation.physical, target, now,
                             reinterpret_cast<const std::uint8_t*>(&*fetched.word), false, true},
                            {1, limit && limit->passes_first, limit && limit->passes_own});
  const BlockCache::Place place{translation.physical, target, now, direct->host, direct->is_monitored};
  Block* found = limit ? nullptr : blocks.find(translation.physical, target, now);
  if (!found && !may_execute_first(translation.physical)) return nullptr;
  if (!found) {
    const auto [first, bytes] = decoded_from(translation.physical);
    if (!memory.claim(*direct->info, first, bytes, Access::fetch)) return speculation_ended = true, nullptr;
  }
  if (limit) return blocks.make_part(place, *limit);
  if (!found) {
    if (blocks.bytes() > options.block_bytes) drop_code({Address(0), Bytes(never)});
    found = blocks.make(place);
    const std::uint64_t page = translation.physical & Memory::page_mask;
    memory.set_code_lines(page, blocks.code_lines(page));
    if (is_speculating) speculatively_decoded.push_back(translation.physical);
  }
  return found;
}

// What a block at this place may depend on: its instructions, and with a timing the code of the lines beside
// theirs in its page (instruction_timing.h).
std::pair<std::uint64_t, std::uint64_t> Cpu::decoded_from(std::uint64_t physical) const {
  const std::uint64_t page = physical & Memory::page_mask, page_end = page + Memory::page_size;
  std::uint64_t first = physical, end = std::min(physical + std::uint64_t{4} * max_block, page_end);
  if (options.timing) {
    first = first / Memory::line * Memory::line;
    if (first > page) first -= Memory::line;
    end = std::min((end + Memory::line - 1) / Memory::line * Memory::line + Memory::line, page_end);
  }
  return {first, end - first};
}

// Whether a block that is not known yet may be decoded. The rule for the program is checked only then.
bool Cpu::may_execute_first(std::uint64_t physical) {
  const AddressRange* const range = memory.violated_by_execution(physical);
  if (!range) return true;
  if (is_speculating) return speculation_ended = true, false;
  host.found({.check = GuestCheck::no_execute, .pc = Address(pc), .address = Address(pc), .within = *range});
  memory.execution_reported(physical);
  return !stop_requested;  // after a reset
}

void Cpu::drop_speculatively_decoded(bool is_alone) {
  bool any = false;
  for (const std::uint64_t physical : speculatively_decoded) {
    if (is_alone && !memory.has_stored_speculatively(physical)) continue;
    any |= blocks.drop(physical, physical + 3);
    const std::uint64_t page = physical & Memory::page_mask;
    memory.set_code_lines(page, blocks.code_lines(page));
  }
  if (any) new_epoch();  // kept blocks have links to those that are gone
  blocks.collect();
}

void Cpu::fetch(std::uint64_t physical) {
  if (fetched.physical == physical && fetched.count == instructions()) return;
  std::uint32_t word = 0;
  const bool is_there = host.fetch(Address(physical), word);
  fetched = {physical, instructions(), is_there ? std::optional(word) : std::nullopt};
}

// ---- counting ----

void Cpu::set_attend_at() {
  const std::uint64_t count = instructions();
  const std::uint64_t rest = block && inside ? block->count - index_of(*inside) : 0;
  std::uint64_t at = std::max(std::min({due_at, executes_until, step_until, stop_from, looks_at}), count);
  if (stop_requested || event_wait || code_changed || memory.has_monitored() || (irq && !(daif & pstate_i)) ||
      (serror && !(daif & pstate_a)) || (debugs_itself() && gives_debug_exceptions()))
    at = count;
  const std::uint64_t wanted =
      std::min<std::uint64_t>(at - count, options.timing ? Budget::most_timed : Budget::most);
  const std::uint64_t rest_time = block && inside ? block->time_from(index_of(*inside)) : 0;
  executed_time = time();
  budget.restart(static_cast<std::int64_t>(wanted) - static_cast<std::int64_t>(rest), rest_time);
  attend_at = count + wanted;
}

void Cpu::new_epoch() {
  for (Jumps& each : jumps_of_spaces_) each.epoch = 0;
  memory.forget_execution();
  use_jumps(*jumps_in_use_);
}

void Cpu::select_address_space() {
  const auto [space, is_kept] = memory.select_address_space();
  if (!is_kept) jumps_of_spaces_[space].epoch = 0;
  use_jumps(jumps_of_spaces_[space]);
}

void Cpu::use_jumps(Jumps& of_space) {
  jumps_in_use_ = &of_space;
  if (of_space.epoch == 0) {
    of_space.epoch = ++last_epoch_;
    if (!of_space.targets) of_space.targets = std::make_unique<std::array<Block*, cached_jumps>>();
    of_space.targets->fill(&nowhere);
  }
  epoch = of_space.epoch;
  jumps = of_space.targets->data();
}

void Cpu::drop_code(AddressRange range) {
  if (range.size.count() == 0) return;
  fetched = {};
  const std::uint64_t first = range.first.value(), size = range.size.count();
  const std::uint64_t last = size - 1 > never - first ? never : first + (size - 1);
  if (!blocks.drop(first, last)) return;
  new_epoch();
  code_changed = true;
  set_attend_at();
}

// ---- observers of the control flow ----

// An observer that asks again, with the same boundaries, misses nothing; for a new one the core starts.
void Cpu::follow(FlowObserver* observer, FlowQuestion question) {
  if (observer != following.observer) following = {.observer = observer};
  following.instructions = question.instructions;
  blocks.follow(observer ? std::optional(std::move(question)) : std::nullopt);
  drop_code({Address(0), Bytes(never)});
}

const Operation* Cpu::report_entry(Cpu& cpu, const Operation* op) {
  const Block& block = *cpu.block;
  const EntryReport& report = *block.entry_report;
  const std::uint64_t count = cpu.attend_at - static_cast<std::uint64_t>(cpu.budget.left()) - block.count;
  Following& following = cpu.following;
  {
    const InHost in(cpu, *op);
    cpu.report_flow(block.pc, block.physical, report.region, count);
  }
  following.end = report.end;
  following.end_count = count + block.count;
  following.from = block.pc + std::uint64_t{4} * block.count;
  if (following.instructions) following.observer->executes(block.pc, report.word, count);
  return continue_with(report.run, cpu, op);
}

const Operation* Cpu::count_execution(Cpu& cpu, const Operation* op) {
  Block& block = *cpu.block;
  if (--block.until_translation != 0) return block.first(cpu, op);
  block.until_translation = cpu.options.translation.after;
  cpu.translator->want(block);
  return continue_with(block.region ? BlockCache::entry_of(block) : block.first, cpu, block.operations());
}

const Operation* Cpu::fetch_line(Cpu& cpu, const Operation* op) {
  if (cpu.is_speculating) return cpu.end_speculation(*op);
  const Handler run = cpu.block->held;
  cpu.fetch_line_of(*op);
  if (cpu.memory.has_monitored() || cpu.budget.is_overdrawn()) return cpu.leave(cpu.block->pc, 0);
  return continue_with(run, cpu, op);
}

void Cpu::fetch_line_of(const Operation& op) {
  const InHost in(*this, op);
  const std::uint64_t line = block->physical / Memory::line;
  if (blocks.is_newest(line)) return memory.check_fetch(line * Memory::line);
  blocks.fetched(line, memory.fetch_line(line * Memory::line));
  if (memory.has_monitored()) set_attend_at();
}

void Cpu::report_flow(std::uint64_t to, std::uint64_t physical, std::size_t region, std::uint64_t count) {
  Flow how = std::exchange(following.how, Flow::jump);
  if (how == Flow::jump && following.end_count == count) how = following.end;
  following.end_count = never;
  if (how == Flow::jump && region == following.region) return;
  following.region = region;
  following.observer->goes({.how = how,
                            .to = to,
                            .physical = physical,
                            .region = region,
                            .from = following.from,
                            .instructions = count});
}

// ---- exceptions ----

const Operation* Cpu::raise(const Operation& op, unsigned exception_class, std::uint32_t iss) {
  if (is_speculating) return end_speculation(op);
  leave(pc_of(op), index_of(op));
  take(vector_synchronous, esr::make(exception_class, iss), std::nullopt);
  return &exit_operation;
}

const Operation* Cpu::raise_behind(const Operation& op, unsigned exception_class, std::uint32_t iss) {
  if (is_speculating) return end_speculation(op);
  synchronise(op);
  single_step &= !is_stepping();  // the step is done
  take_synchronous(esr::make(exception_class, iss), std::nullopt);
  return &exit_operation;
}

void Cpu::take_synchronous(std::uint64_t syndrome, std::optional<std::uint64_t> fault_address) {
  take(vector_synchronous, syndrome, fault_address);
}

const Operation* Cpu::raise_fp_trap(Cpu& cpu, const Operation& op) {
  constexpr std::uint32_t always = 0x1e0'0000;  // CV, COND: as for an A64 instruction
  return cpu.raise(op, esr::ec_fp_trap, always);
}

const Operation* Cpu::data_abort(const Operation& op, const Fault& fault, bool is_store, std::uint32_t more) {
  if (is_speculating) return end_speculation(op);
  leave(pc_of(op), index_of(op));
  abort(esr::ec_data_abort, fault.status | std::uint32_t{is_store} << 6 | more, fault.address);
  return &exit_operation;
}

void Cpu::abort_fetch(const Fault& fault) { abort(esr::ec_instruction_abort, fault.status, fault.address); }

// From EL0 the class is one less.
void Cpu::abort(unsigned exception_class, std::uint32_t iss, std::uint64_t address) {
  take(vector_synchronous, esr::make(exception_class - (level == 0 ? 1 : 0), iss), address);
}

bool Cpu::take_interrupts() {
  if (step_until != never) return false;
  if (serror && !(daif & pstate_a)) {
    take(vector_serror, esr::make(esr::ec_serror, *std::exchange(serror, std::nullopt)), std::nullopt);
    return true;
  }
  if (irq && !(daif & pstate_i)) {
    take(vector_irq, system.esr, std::nullopt);  // an interrupt leaves ESR as it is
    return true;
  }
  return false;
}

// An interrupt is no fault, nor is a call or what a debugger within the guest asks for. A program at EL0 may
// fault as often as it likes, for example to get its pages, so a fault of its kernel is the more important.
void Cpu::keep_fault(std::uint64_t vector, std::uint64_t syndrome, std::optional<std::uint64_t> address) {
  const std::uint64_t exception_class = esr::exception_class(syndrome);
  const bool is_call = exception_class >= esr::ec_svc && exception_class <= esr::ec_smc;
  const bool is_debugging =
      exception_class >= esr::ec_breakpoint_lower && exception_class <= esr::ec_watchpoint_lower + 1;
  if (vector == vector_irq || (vector == vector_synchronous && (is_call || is_debugging))) return;
  constexpr std::uint64_t el1 = 1 << 2;
  if (taken_fault && (taken_fault->pstate & el1 || level == 0)) return;
  TakenFault& fault = taken_fault.emplace();
  std::copy_n(x.begin(), fault.x.size(), fault.x.begin());
  fault.sp = x[stack_pointer], fault.pc = pc, fault.pstate = pstate();
  fault.syndrome = syndrome, fault.address = address;
  fault.instructions = instructions();
}

void Cpu::take(std::uint64_t vector, std::uint64_t syndrome, std::optional<std::uint64_t> fault_address) {
  if (is_speculating) return void(speculation_ended = true);  // at a fetch
  keep_fault(vector, syndrome, fault_address);
  const std::uint64_t count = instructions();
  if (following.observer) {
    // An interrupt behind a call interrupts the called function.
    if (following.how == Flow::jump && following.end_count == count) {
      const std::uint64_t physical = memory.physical(pc).value_or(0);
      report_flow(pc, physical, blocks.region_of(pc, physical), count);
    }
    following.how = Flow::exception;
    following.from = pc;
  }
  if (step_until != never) step_until = count;
  has_stopped_here = false;
  unretired_exceptions = count == retired_at_exception ? unretired_exceptions + 1 : 0;
  retired_at_exception = count;

  if (counts) count_exception();
  const std::uint64_t source = level == 0 ? 0x400 : uses_sp_el1 ? 0x200 : 0x000;
  system.spsr = pstate();
  system.elr = pc;
  system.esr = syndrome;
  if (fault_address) system.far = *fault_address;
  set_level(1, true);
  daif = pstate_daif;
  illegal = single_step = false;
  pc = without_tag(system.vbar + source + vector);
}

std::uint64_t Cpu::pstate() const {
  return std::uint64_t{flags.nzcv()} << 28 | (single_step ? pstate_ss : 0) | (illegal ? pstate_il : 0) |
         daif | std::uint64_t{level} << 2 | static_cast<std::uint64_t>(uses_sp_el1);
}

void Cpu::set_pstate(std::uint64_t value) {
  flags.set(static_cast<unsigned>(value >> 28 & 0xf));
  illegal = value & pstate_il;
  single_step = value & pstate_ss;
  daif = static_cast<std::uint32_t>(value & pstate_daif);
  set_level(value >> 2 & 3, value & 1);
}

void Cpu::set_level(unsigned exception_level, bool sp_el1) {
  (uses_sp_el1 ? system.sp_el1 : system.sp_el0) = x[stack_pointer];
  uses_sp_el1 = exception_level != 0 && sp_el1;
  x[stack_pointer] = uses_sp_el1 ? system.sp_el1 : system.sp_el0;
  level = static_cast<std::uint8_t>(exception_level);
  if (!stack.contains(x[stack_pointer])) find_stack();
  memory.use_level(level);
}

Context Cpu::context() const {
  const unsigned fpen = system.cpacr >> 20 & 3;
  return {level == 0, fpen == 3 || (fpen == 1 && level == 1), interprets};
}

void Cpu::note_undefined(std::uint32_t word, const Operation& op) {
  constexpr std::size_t max_words = 256;  // a program that executes data has many
  if (is_speculating || undefined_words.size() == max_words || !undefined_words.insert(word).second) return;
  const InHost in(*this, op);
  host.undefined_instruction(word, Address(pc_of(op)));
}

}  // namespace asterism::a64
