#include "core/core_module.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/syndrome.h"
#include "tlm/log.h"
#include "tlm/register.h"
#include "tlm/time.h"

namespace asterism {
namespace {

// How far a core may execute beyond simulated time while nothing else happens, in quanta. It limits by how
// much the core is ahead when the simulation ends or is inspected from outside.
constexpr std::uint64_t max_quanta_ahead = 16;

// How far beyond simulated time it may execute while prefetches are in flight.
constexpr Picoseconds ahead_of_prefetches = 10_ns;

// And after it has accessed memory through its caches. What an access waits there for others is expected from
// what they have done (load_meter.h), which has to be known soon enough.
constexpr Picoseconds ahead_of_memory = 1_us;

constexpr std::uint64_t poisoned_block = 64;  // bytes that memory poisons together

constexpr AddressRange everything{Address(0), Bytes(std::numeric_limits<std::uint64_t>::max())};

// MRS of the feature registers, op0 3, op1 0, CRn 0: defined at EL1 alone.
bool reads_id_register(std::uint32_t word) { return (word & 0xffff'f000) == 0xd538'0000; }

// An instruction abort by the bus, from the same or a lower level: there is nothing at the address, or memory
// with an uncorrectable error.
bool is_unreadable_code(std::uint64_t esr) {
  const std::uint64_t exception_class = esr >> 26 & 0x3f, fault_status = esr & 0x3f;
  return (exception_class == 0x20 || exception_class == 0x21) && fault_status == 0x10;
}

}  // namespace

namespace {

MissesInFlight misses_of(const CoreTiming* timing, Frequency clock) {
  const InstructionClock units(clock, 1);
  if (!timing) return {{}, 0_ps, units};
  return {timing->misses,
          Picoseconds(
              static_cast<std::uint64_t>(timing->load.latency * 1e12 / static_cast<double>(clock.count()))),
          units};
}

}  // namespace

CoreModule::CoreModule(const sc_core::sc_module_name& name, unsigned index, const CoreConfig& config,
                       Picoseconds quantum, CoreCalls& calls, const IssFactory& make_iss)
    : sc_module(name),
      index_(index),
      clock_(config.instruction_clock()),
      units_(config.clock, 1),
      frequency_(config.clock),
      quantum_(std::max(quantum, Picoseconds(1))),
      event_wait_(config.event_wait),
      walk_(config.caches.tlb ? config.caches.tlb->walk : 0_ps),
      aborts_refused_loads_(config.load_errors == LoadErrors::abort),
      has_tlb_(config.caches.model != CacheModel::none && config.caches.tlb),
      calls_(calls),
      timer_(config.counter),
      iss_(make_iss(*this, index)),
      is_timed_(iss_->timing() != nullptr),
      alarm_("timer", [this](Picoseconds now) { ring(now); }),
      misses_(misses_of(iss_->timing(), config.clock)),
      misses_alarm_("misses", [this](Picoseconds) { begin_more_misses(); }) {
  bus.register_invalidate_direct_mem_ptr(this, &CoreModule::invalidate_direct_mem_ptr);
  initiator_.master = index;
  payload_.set_extension(&initiator_);
  debug_payload_.set_extension(&initiator_);

  sc_core::sc_spawn_options thread;
  thread.set_stack_size(256 << 10);  // the engine decodes on it
  sc_core::sc_spawn([this] { execute(); }, sc_core::sc_gen_unique_name("execute"), &thread);
  sc_core::sc_spawn_options method;
  method.spawn_method();
  method.set_sensitivity(&irq);
  sc_core::sc_spawn([this] { irq_changed(); }, sc_core::sc_gen_unique_name("irq_changed"), &method);
}

CoreModule::~CoreModule() {
  payload_.clear_extension(&initiator_);
  debug_payload_.clear_extension(&initiator_);
}

// ---- control ----

void CoreModule::start(Address entry, std::uint64_t x0) {
  if (is_on()) return;
  state_ = State::running;
  on_activity(Activity::running);
  start_ = StartRequest{entry, x0};
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void CoreModule::reset(Reset kind) {
  timer_.reset(kind);
  has_overflowed_ = false;
  alarm_.arm(now());  // lowers the outputs
  start_.reset();
  standby_ = false;
  lock_up_reason_.clear();
  last_poisoned_.reset();
  serror_of_.reset(), serror_before_of_.reset(), serror_within_.reset(), abort_of_.reset();
  forget_misses();
  if (caches_) caches_->forget_traffic(index_);
  if (!is_on()) return;
  state_ = State::off;
  on_activity(Activity::off);
  if (debugger_) debugger_->went_off(*this);
  iss_->request_stop();
  initiator_.aborted = in_access_;
  // Between instructions, nothing more is executed. Inside one, the rest of it is left without direct memory.
  if (in_access_) iss_->unmap_direct(everything);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void CoreModule::halt(bool is_halted) {
  if (std::exchange(is_halted_, is_halted) == is_halted) return;
  if (is_halted) return iss_->request_stop();
  if (state_ != State::running) return;
  if (local_time() < now()) {
    clock_stopped_ += now() - local_time();
    rebase();
  }
  schedule();
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void CoreModule::report(Statistics& statistics) const {
  statistics.add("instructions", iss_->instructions());
  statistics.add("bus_reads", bus_reads_);
  statistics.add("bus_writes", bus_writes_);
  statistics.add("bus_errors", bus_errors_);
  statistics.add("interrupt_waits", interrupt_waits_);
  if (has_tlb_) statistics.add("tlb_walks", walks_);
}

// ---- the thread ----

void CoreModule::execute() {
  for (;;) {
    if (const auto request = std::exchange(start_, std::nullopt)) {
      iss_->reset();
      iss_->start(request->entry, request->x0);
      rebase();
      schedule();
    }
    if (state_ != State::running || is_halted_) {
      sc_core::wait(wake_);
      continue;
    }
    if (debugger_ && debugger_->wants_to_stop()) {
      debugger_->stopped(*this, Iss::Stop::requested);
      continue;
    }
    if (on_quantum) on_quantum();
    const Iss::Stop stop = iss_->run();
    if (state_ == State::running && !start_) leave(stop);
  }
}

void CoreModule::leave(Iss::Stop stop) {
  switch (stop) {
    case Iss::Stop::requested:
      break;
    case Iss::Stop::wait_for_interrupt:
      wait_for_interrupt();
      break;
    case Iss::Stop::hypervisor_call:
      handle_hypervisor_call();
      break;
    case Iss::Stop::semihosting_call:
      handle_semihosting_call();
      break;
    case Iss::Stop::breakpoint:
    case Iss::Stop::watchpoint:
    case Iss::Stop::stepped:
    case Iss::Stop::reached:
      debugger_->stopped(*this, stop);
      break;
    case Iss::Stop::locked_up:
      lock_up();
  }
}

void CoreModule::wait_for_interrupt() {
  ++interrupt_waits_;
  synchronise();
  if (state_ != State::running) return;
  state_ = State::waiting;
  const Picoseconds began = local_time();
  on_activity(Activity::waiting);
  while (state_ == State::waiting && !irq.read()) {
    wake_on_irq_ = true;
    sc_core::wait(wake_);
    wake_on_irq_ = false;
  }
  if (state_ != State::waiting) return;  // reset, perhaps started again
  clock_stopped_ += now() - began;
  state_ = State::running;
  on_activity(Activity::running);
  rebase();
  schedule();
}

void CoreModule::handle_hypervisor_call() {
  synchronise();
  if (state_ != State::running) return;
  using enum CoreRegister;
  in_call_ = true;
  const std::uint64_t result =
      calls_.hypervisor_call(index_, {iss_->read(x0), iss_->read(x1), iss_->read(x2), iss_->read(x3)});
  in_call_ = false;
  settle();
  if (state_ != State::running || start_) return;
  iss_->write(x0, result);
  schedule();
  if (std::exchange(standby_, false)) wait_for_interrupt();
}

void CoreModule::handle_semihosting_call() {
  synchronise();
  if (state_ != State::running) return;
  using enum CoreRegister;
  in_call_ = true;
  const std::uint64_t result =
      calls_.semihosting_call(index_, static_cast<std::uint32_t>(iss_->read(x0)), iss_->read(x1));
  in_call_ = false;
  settle();
  if (state_ != State::running || start_) return;
  iss_->write(x0, result);
  schedule();
}

void CoreModule::lock_up() {
  synchronise();
  if (state_ != State::running) return;
  state_ = State::locked_up;
  on_activity(Activity::locked_up);
  using enum CoreRegister;
  lock_up_reason_ =
      fmt::format("{}: pc {}, ESR {:#x} ({}), FAR {:#x}{}", iss_->why(), describe_code(iss_->read(pc)),
                  iss_->read(esr), describe_syndrome(iss_->read(esr)), iss_->read(far),
                  is_unreadable_code(iss_->read(esr)) ? "; the code there cannot be read" : "");
  log(name()).error("core is locked up: {}", lock_up_reason_);
  on_lock_up();
}

// ---- time ----

// Sets the core's time to simulated time.
void CoreModule::rebase() {
  if (const Picoseconds local = pass_waits().until; now() > local) misses_.shift(now() - local);
  base_time_ = now();
  base_count_ = iss_->instructions();
  base_units_ = iss_->executed_time();
}

// Lets simulated time catch up with the core.
void CoreModule::synchronise() {
  if (!wait_for_misses()) return;
  const Picoseconds target = local_time();
  // If the core's own timer expires at this very time, before or after the core wakes, its interrupt has to
  // arrive before the next instruction.
  const bool expires = alarm_.armed() && *alarm_.armed() <= target;
  wait_until(target, false);
  uses_memory_ = false;
  if (expires) settle();
}

// Waits until a time, a reset of the core, or (if until_irq) a high IRQ input.
void CoreModule::wait_until(Picoseconds time, bool until_irq) {
  wake_on_irq_ = until_irq;
  while (state_ == State::running && !start_ && now() < time && !(until_irq && irq.read())) {
    wake_.notify(to_sc_time(time - now()));
    sc_core::wait(wake_);
  }
  wake_on_irq_ = false;
  wake_.cancel();
}

// Lets signals that were driven at this time reach the core: a device drives one during an access, the
// interrupt controller follows in the next delta cycle, and the core's input in the one after. Stops early
// when no activity is pending.
void CoreModule::settle() {
  constexpr int deltas = 4;
  for (int i = 0; i < deltas && sc_core::sc_pending_activity_at_current_time(); ++i)
    sc_core::wait(sc_core::SC_ZERO_TIME);
}

// The earliest time at which anything else in the simulation can act.
Picoseconds CoreModule::next_activity() const {
  const sc_core::sc_time left = sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext());
  const Picoseconds never(std::numeric_limits<std::uint64_t>::max());
  return to_picoseconds(left) < never - now() ? now() + to_picoseconds(left) : never;
}

// How far the core may execute before it waits for simulated time: a quantum beyond the next activity of
// anything else, and not beyond an expiry of its own timer.
Picoseconds CoreModule::horizon(Picoseconds next_activity) const {
  const Picoseconds furthest = now() + max_quanta_ahead * quantum_;
  const bool is_prefetching = caches_ && caches_->is_prefetching(index_);
  const Picoseconds most = is_prefetching ? ahead_of_prefetches : uses_memory_ ? ahead_of_memory : quantum_;
  const Picoseconds ahead = std::min(quantum_, most);
  const Picoseconds horizon = std::min(std::min(next_activity, furthest) + ahead, furthest);
  return alarm_.armed() ? std::min(horizon, *alarm_.armed()) : horizon;
}

// Sets when the engine calls due() next. Called again after everything by which the core may have affected
// others.
void CoreModule::schedule() { schedule(next_call()); }

CoreModule::NextCall CoreModule::next_call() const {
  const Picoseconds activity = next_activity(), next = horizon(activity);
  return {next, count_at(next), activity >= next, local_time()};
}

void CoreModule::schedule(const NextCall& next) {
  scheduled_at_ = now();
  call_at(next.time, next.count, next.local);
  iss_->set_alone(next.is_alone);
}

void CoreModule::call_at(Picoseconds time, std::uint64_t count, Picoseconds local) {
  constexpr std::uint64_t part = 8;
  called_at_ = time;
  may_wait_ = is_timed_ && time > local ? (time - local) / part : 0_ps;
  iss_->call_at(count);
}

// At a time at the latest.
void CoreModule::call_until(Picoseconds time) {
  if (time < called_at_) call_at(time, count_at(time), local_time());
}

// The number of instructions that the core has retired at a time, if it waits for nothing before that. With
// timed instructions this is an estimate, from the average of the last ones.
std::uint64_t CoreModule::count_at(Picoseconds time) const {
  if (!is_timed_) return base_count_ + (time > base_time_ ? clock_.instructions(time - base_time_) : 0);
  const Picoseconds local = local_time();
  return iss_->instructions() + (time > local ? units_.instructions(time - local) / average_units_ : 0);
}

std::uint64_t CoreModule::max_instructions_ahead() const {
  const CoreTiming* const timing = iss_->timing();
  if (!timing) return clock_.instructions(max_time_ahead());
  return units_.instructions(max_time_ahead()) / std::max(1000 / timing->width, 1u);
}

// Over at least some hundred instructions, so that it follows the phases of a program.
void CoreModule::average_time() {
  constexpr std::uint64_t enough = 256;
  const std::uint64_t count = iss_->instructions(), units = iss_->executed_time();
  if (!is_timed_ || count - averaged_count_ < enough) return;
  average_units_ = std::max<std::uint64_t>((units - averaged_units_) / (count - averaged_count_), 1);
  averaged_count_ = count;
  averaged_units_ = units;
}

Picoseconds CoreModule::max_time_ahead() const { return (max_quanta_ahead + 1) * quantum_; }

void CoreModule::due() {
  if (!wait_for_misses()) return;
  if (on_quantum) on_quantum();
  average_time();
  if (debugger_ && debugger_->wants_to_stop()) iss_->request_stop();  // times are as without a debugger
  if (horizon() <= local_time()) {
    offer_speculation();
    synchronise();
    const NextCall next = next_call();  // by the state before the speculation, as without one
    iss_->commit_speculation();
    return schedule(next);
  }
  schedule();
}

// The core is about to wait for simulated time. Afterwards it goes on for at least a quantum, or to an expiry
// of its own timer.
void CoreModule::offer_speculation() {
  Picoseconds until = local_time() + quantum_;
  if (alarm_.armed()) until = std::min(until, *alarm_.armed());
  if (until <= local_time()) return;
  iss_->allow_speculation(count_at(until));
}

void CoreModule::event_wait() {
  synchronise();
  if (state_ == State::running && !start_) on_activity(Activity::waiting);
  wait_until(now() + event_wait_, true);
  if (state_ == State::running && !start_) on_activity(Activity::running);
  rebase();
  schedule();
}

// ---- interrupts and the timer ----

void CoreModule::irq_changed() {
  iss_->set_irq(irq.read());
  if (irq.read() && wake_on_irq_) wake_.notify(sc_core::SC_ZERO_TIME);
}

void CoreModule::ring(Picoseconds now) {
  timer_.advance_to(now, *this);
  performance_monitors.write(has_overflowed_);
  alarm_.arm(timer_.next_event());
}

void CoreModule::timer_outputs(Picoseconds, GenericTimer::Outputs outputs) {
  virtual_timer.write(outputs.virtual_timer);
  physical_timer.write(outputs.physical_timer);
}

bool CoreModule::has_to_wait(std::optional<SystemRegister> read) {
  if (state_ != State::running || start_) return false;
  const Picoseconds activity = next_activity(), time = local_time();
  return activity < time && (!read || activity < timer_.ticked(*read, time));
}

void CoreModule::wait_for_others() {
  synchronise();
  if (state_ == State::running && !start_) schedule();
}

// The latency of a contended line varies. Without that, cores whose loops take the same time could repeat one
// pattern for ever in which one of them never finds the lock free.
void CoreModule::spins() {
  if (state_ != State::running || start_) return;
  stall_until(local_time() + duration(Cycles(spinning_.next() % 8), frequency_));
  schedule();
}

// Programs read the time behind an ISB, which waits for the loads before it.
std::optional<std::uint64_t> CoreModule::read_register(SystemRegister which) {
  const Picoseconds local = local_time();
  if (!wait_until_known([this] { return misses_.last_load_end(); })) return std::nullopt;
  if (local_time() > local) go_on();
  if (const auto value = timer_.read(which, local_time())) return value;
  if (!cpu_interface_) return std::nullopt;
  synchronise();
  if (state_ != State::running || start_) return std::nullopt;
  const auto value = cpu_interface_->read(index_, which);
  settle();
  schedule();
  return value;
}

bool CoreModule::write_register(SystemRegister which, std::uint64_t value) {
  synchronise();
  if (state_ != State::running || start_) return true;
  const bool is_timers = timer_.write(which, value, now());
  if (is_timers)
    alarm_.arm(now());
  else if (!cpu_interface_ || !cpu_interface_->write(index_, which, value))
    return false;
  settle();
  schedule();
  return true;
}

void CoreModule::instructions_changed(AddressRange range) {
  if (caches_) caches_->invalidate_fetched(range);
  code_changed(range);
}
void CoreModule::translations_changed() { invalidated_translations(); }

void CoreModule::undefined_instruction(std::uint32_t word, Address) {
  if (reads_id_register(word))
    return;  // as programs do under a kernel that emulates such reads, such as Linux
  log(name()).warn("undefined instruction {:#010x} (logged once for each instruction word)", word);
}

// ---- mistakes of the program ----

void CoreModule::report(const GuestFinding& finding, const std::string& name) {
  if (!checks_ || !checks_->reports(finding.check) || state_ != State::running || start_) return;
  const GuestChecks::Log wanted = checks_->add(finding);
  const bool stops = checks_->stops(finding.check);
  if (wanted == GuestChecks::Log::no && !stops) return;
  std::string text = to_text(finding, name);
  if (finding.check == GuestCheck::no_execute)  // pc says little there
    text += fmt::format(", x30 is {}", describe_code(iss_->read(CoreRegister::x30)));
  if (wanted != GuestChecks::Log::no)
    log(this->name())
        .warn(
            "{}{}", text,
            wanted == GuestChecks::Log::last
                ? fmt::format(" (further places of node.checks.{} are only counted)", to_text(finding.check))
                : "");
  if (!stops) return;
  if (finding.check != GuestCheck::no_execute)
    text += fmt::format(", pc {}", describe_code(finding.pc.value()));
  in_access_ = true;
  synchronise();
  if (state_ == State::running && !start_) checks_->on_stop(fmt::format("{}: {}", this->name(), text));
  in_access_ = false;
}

// An access to a device, by b_transport.
void CoreModule::check_register(Access kind, Address address, unsigned size) {
  const Register* const misfit = initiator_.misfit;
  if (!misfit) return;
  report({.check = GuestCheck::register_width,
          .pc = Address(iss_->read(CoreRegister::pc)),
          .address = address,
          .size = size,
          .is_store = kind == Access::store},
         misfit->bank().device() + "." + misfit->name());
}

// ---- performance monitors ----

CoreCounts CoreModule::counts() {
  CoreCounts counts;
  counts.cycles = cycles_in(local_time() - clock_stopped_, frequency_).count();
  counts.stall_cycles = cycles_in(stalled_, frequency_).count();
  if (caches_) {
    counts.caches = cache_counts();
    counts.bus_accesses = counts.caches.memory_accesses + bypassed_;
  }
  return counts;
}

std::uint64_t CoreModule::instructions_at(std::uint64_t cycles) {
  const Picoseconds time = duration(Cycles(cycles), frequency_) + clock_stopped_;
  return count_at(time);
}

// Called behind the instruction at which the counter has overflowed. The interrupt arrives before the next
// one.
void CoreModule::performance_interrupt(bool level) {
  synchronise();
  if (state_ != State::running || start_) return;
  has_overflowed_ = level;
  alarm_.arm(now());
  settle();
  schedule();
}

// The core has executed instructions until `executed`. Its waits for misses that are due become a part of
// its time, which is returned.
MissesInFlight::Passed CoreModule::pass_waits(Picoseconds executed) {
  const MissesInFlight::Passed passed = misses_.pass(executed);
  base_time_ += passed.until - executed;
  stalled_ += passed.until - executed;
  return passed;
}

// The core waits for an access.
void CoreModule::stall_until(Picoseconds time) {
  const Picoseconds local = pass_waits().until;
  if (time <= local) return;
  misses_.shift(time - local);
  base_time_ += time - local;
  stalled_ += time - local;
}

// What the core executes until its next call shrinks by its waits, which is computed again now and then.
MissesInFlight::Passed CoreModule::pass_waits_and_go_on(Picoseconds executed) {
  const MissesInFlight::Passed passed = pass_waits(executed);
  const Picoseconds wait = passed.until - executed;
  if (wait <= may_wait_)
    may_wait_ -= wait;
  else
    call_at(called_at_, count_at(called_at_), local_time());
  return passed;
}

// Lets simulated time pass until a miss in flight has ended. False: the core was reset meanwhile.
bool CoreModule::wait_for_miss() {
  in_access_ = true;
  sc_core::wait(misses_ended_ | wake_);
  in_access_ = false;
  return state_ == State::running && !start_;
}

// Waits until the core's time is known. False: the core was reset meanwhile.
bool CoreModule::wait_for_misses() {
  while (!pass_waits().is_known)
    if (!wait_for_miss()) return false;
  return true;
}

// Stalls until time(), and waits until that is known. False: the core was reset meanwhile.
template <class F>
bool CoreModule::wait_until_known(F time) {
  for (;;) {
    if (const std::optional<Picoseconds> until = time()) {
      stall_until(*until);
      return true;
    }
    if (!wait_for_miss()) return false;
  }
}

// After a wait for misses, until the next call that was set before it.
void CoreModule::go_on() {
  if (now() != scheduled_at_) iss_->set_alone(next_activity() >= called_at_);
  call_at(called_at_, count_at(called_at_), local_time());
}

// ---- memory ----

bool CoreModule::load(Address address, unsigned size, std::uint64_t& value) {
  value = 0;
  ++bus_reads_, ++bypassed_;
  return access(Access::load, address, size, value);
}

bool CoreModule::store(Address address, unsigned size, std::uint64_t value) {
  ++bus_writes_, ++bypassed_;
  return access(Access::store, address, size, value);
}

bool CoreModule::load_descriptor(Address address, std::uint64_t& value) {
  value = 0;
  ++bus_reads_, ++bypassed_;
  return access(Access::walk, address, sizeof value, value);
}

bool CoreModule::fetch(Address address, std::uint32_t& word) {
  if (state_ != State::running || start_ || grant(address) || !initiator_.poison) return false;
  ++bus_reads_;
  std::uint64_t value = 0;
  if (!access(Access::fetch, address, sizeof word, value)) return false;
  word = static_cast<std::uint32_t>(value);
  return true;
}

// Calls f(delay), which leaves the core, and advances the core's time by the delay. False: the core was reset
// meanwhile.
template <class F>
bool CoreModule::call_target(F f) {
  if (!wait_for_misses()) return false;
  sc_core::sc_time delay = to_sc_time(local_time() - now());
  in_access_ = true;
  f(delay);
  settle();
  in_access_ = false;
  if (state_ != State::running || start_) return false;
  stall_until(now() + to_picoseconds(delay));
  schedule();
  return true;
}

bool CoreModule::access(Access kind, Address address, unsigned size, std::uint64_t& value) {
  if (state_ != State::running || start_) return true;  // in the rest of an instruction, after a reset
  payload_.set_command(kind == Access::store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(address.value());
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(size);
  payload_.set_streaming_width(size);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  initiator_.poison = initiator_.aborted = false;
  initiator_.misfit = nullptr;
  if (!call_target([this](sc_core::sc_time& delay) { bus->b_transport(payload_, delay); })) return true;
  check_register(kind, address, size);
  if (!succeeded(kind, address, size)) return false;
  if (payload_.is_dmi_allowed() && !initiator_.monitored) grant(address);
  return true;
}

bool CoreModule::succeeded(Access kind, Address address, unsigned size) {
  if (payload_.is_response_ok() && !initiator_.poison) return true;
  ++bus_errors_;
  const bool is_aborted = kind == Access::fetch || kind == Access::walk ||
                          (kind == Access::load && aborts_refused_loads_ && !initiator_.monitored);
  const RefusedAccess refused{address, initiator_.poison, iss_->instructions()};
  if (is_aborted)
    abort_of_ = refused;
  else
    keep_cause_of_serror(refused);
  if (initiator_.poison) {
    const Address block(address.value() - address.value() % poisoned_block);
    if (std::exchange(last_poisoned_, block) == block) return false;
  }
  static constexpr const char* names[] = {"load", "store", "fetch", "walk of the translation tables, a load"};
  log(name()).warn("{} of {} bytes at {:#x}: {}, {}", names[static_cast<std::size_t>(kind)], size,
                   address.value(), why_it_failed(address),
                   kind == Access::fetch  ? "an instruction abort"
                   : kind == Access::walk ? "an abort"
                   : is_aborted           ? "a data abort"
                                          : "an SError");
  return false;
}

// Of several refused accesses while an SError is pending, the first is the cause of it. What is refused
// within the handler of an SError is the cause of another one.
void CoreModule::keep_cause_of_serror(std::optional<RefusedAccess> cause) {
  if (iss_->is_serror_pending()) return;
  const auto fault = iss_->fault();
  const bool handles_serror = fault && esr::exception_class(fault->syndrome) == esr::ec_serror;
  const auto within = handles_serror ? std::optional(fault->instructions) : std::nullopt;
  if (!within || within != serror_within_) serror_before_of_ = serror_of_;
  serror_of_ = cause, serror_within_ = within;
}

std::optional<CoreModule::RefusedAccess> CoreModule::cause_of(const TakenFault& fault) const {
  const std::uint64_t what = esr::exception_class(fault.syndrome);
  if (what == esr::ec_serror) return serror_within_ == fault.instructions ? serror_before_of_ : serror_of_;
  constexpr std::uint64_t status = 0x3f;
  const bool is_abort = what == esr::ec_data_abort || what == esr::ec_data_abort - 1 ||
                        what == esr::ec_instruction_abort || what == esr::ec_instruction_abort - 1;
  if (!is_abort || (fault.syndrome & status) != esr::synchronous_external_abort) return std::nullopt;
  return abort_of_ && abort_of_->instructions == fault.instructions ? abort_of_ : std::nullopt;
}

std::string CoreModule::why_it_failed(Address address) const {
  if (initiator_.poison) return "poisoned data";
  switch (payload_.get_response_status()) {
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
      return explain_missing_target(address);
    case tlm::TLM_COMMAND_ERROR_RESPONSE:
      return "the target does not support this kind of access";
    case tlm::TLM_BURST_ERROR_RESPONSE:
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE:
      return "the target does not support an access of this size";
    default:
      return "the target has refused it";
  }
}

std::optional<WarningCause::Cause> CoreModule::cause() const {
  if (debugger_ && debugger_->is_at_work()) return std::nullopt;
  const std::string_view full = name();
  constexpr std::string_view node = "node.";
  Cause cause{.instance = std::string(full),
              .name = std::string(full.starts_with(node) ? full.substr(node.size()) : full)};
  if (in_report_) return cause;
  const std::uint64_t pc = asked_by_.value_or(iss_->read(CoreRegister::pc) - (in_call_ ? 4 : 0));
  cause.place = [this, pc] { return describe_code(pc); };
  // What the handler of a fault does wrongly, for example on a stack that has overflown, follows from it.
  const auto fault = iss_->fault();
  cause.address = fault ? fault->pc : pc;
  return cause;
}

void CoreModule::on_monitored_accesses(std::span<const MonitoredAccess> accesses) {
  for (const MonitoredAccess& each : accesses) {
    if (state_ != State::running || start_) return;
    ++(each.is_store ? bus_writes_ : bus_reads_);
    if (!each.is_cached) ++bypassed_;
    initiator_.monitored = true;
    std::uint64_t unused = 0;
    in_report_ = true;
    const bool ok = access(each.is_store ? Access::store : Access::load, each.address, each.size, unused);
    in_report_ = false;
    initiator_.monitored = false;
    if (!ok) iss_->raise_serror(esr::serror_bus_error);
  }
}

CachedAccess CoreModule::access_caches(Address address, CacheAccess what, bool walks) {
  if (state_ != State::running || start_) return {};
  const auto [local, is_known] = pass_waits_and_go_on(executed_until());
  auto [access, wait, not_before] = caches_->access(index_, address, what, local);
  if (walks) ++walks_, wait += walk_;
  if (!access.has_traffic && wait == 0_ps && not_before && *not_before <= local) return access;
  if (access.has_traffic) {
    ++(what == CacheAccess::store ? bus_writes_ : bus_reads_);
    if (quantum_ > ahead_of_memory && !std::exchange(uses_memory_, true)) call_until(local + ahead_of_memory);
  }
  const MissesInFlight::Miss miss{iss_->access_registers(), what, iss_->instructions()};
  if (is_known && not_before && pending_misses_.empty())
    if (const auto begun = misses_.begin(miss, local)) {
      const Picoseconds asked = *begun + wait;
      if (const auto end = access.has_traffic ? caches_->carry_at_once(index_, asked) : asked) {
        misses_.end(std::max(*end, *not_before));
        access.has_traffic = !pass_waits_and_go_on(local).is_known;
        return access;
      }
    }
  const PendingMiss pending{miss, address,   iss_->read(CoreRegister::pc), access.has_traffic, local,
                            wait, not_before};
  if (access.has_traffic) caches_->keep_traffic(index_);
  const bool is_next = is_known && (pending_misses_.empty() || !access.has_traffic);
  if (is_next && carry(pending)) {
    access.has_traffic = !pass_waits_and_go_on(local).is_known;
    return access;
  }
  pending_misses_.push_back(pending);
  access.has_traffic = true;
  return access;
}

// Carries the traffic of an access at once, or leaves it to other processes. False: neither is possible now.
bool CoreModule::carry(const PendingMiss& pending) {
  const auto begun = misses_.begin(pending.miss, pending.at);
  if (begun && pending.not_before) {
    const Picoseconds asked = *begun + pending.wait;
    if (const auto end = pending.has_traffic ? caches_->carry_kept_at_once(index_, asked) : asked) {
      misses_.end(std::max(*end, *pending.not_before));
      return true;
    }
  }
  if (!misses_.has_window() || (pending.has_traffic && !caches_->report_writes(index_))) return false;
  leave_open(pending, begun);
  return true;
}

void CoreModule::check_filtered(Address address, CacheAccess what) {
  caches_->check(index_, address, what, local_time());
}

// Calls f(delay), which may make monitored accesses on the bus, and returns whether they were answered.
template <class F>
void CoreModule::call_caches(F f) {
  if (state_ != State::running || start_) return;
  initiator_.poison = initiator_.aborted = false;
  initiator_.monitored = true;
  bool ok = true;
  const bool goes_on = call_target([&](sc_core::sc_time& delay) { ok = f(delay); });
  initiator_.monitored = false;
  if (!goes_on || ok) return;
  keep_cause_of_serror(std::nullopt);
  iss_->raise_serror(esr::serror_bus_error);
}

// Behind the instruction. Misses begin as if they had been carried within it: later by what the core has had
// to wait since.
void CoreModule::carry_cache_traffic() {
  if (!misses_.has_window()) return carry_and_wait();
  const Picoseconds base = base_time_;
  for (PendingMiss& pending : std::exchange(pending_misses_, {})) {
    if (!wait_for_misses()) return;
    call_caches(
        [this](sc_core::sc_time& delay) { return caches_->wait_for_writes(index_, initiator_, delay); });
    if (state_ != State::running || start_) return;
    pending.at += base_time_ - base;
    carry(pending);
  }
  if (wait_for_misses()) go_on();
}

void CoreModule::carry_and_wait() {
  call_caches([this](sc_core::sc_time& delay) {
    const Picoseconds local = now() + to_picoseconds(delay);
    for (const PendingMiss& each : std::exchange(pending_misses_, {})) {
      const Picoseconds asked = *misses_.begin(each.miss, misses_.after_waits(each.at)) + each.wait;
      sc_core::sc_time until_filled = to_sc_time(std::max(asked, now()) - now());
      const auto refused = caches_->carry_traffic(index_, initiator_, until_filled);
      if (state_ != State::running || start_) return true;
      if (refused) {
        asked_by_ = each.pc;
        caches_refused(Address(refused->line.value() - refused->line.value() % poisoned_block),
                       refused->is_poisoned, std::nullopt);
      }
      misses_.end(std::max(now() + to_picoseconds(until_filled), *each.not_before));
    }
    delay = to_sc_time(std::max(local, now()) - now());
    return true;
  });
}

// ---- open misses ----

void CoreModule::leave_open(const PendingMiss& pending, std::optional<Picoseconds> begun) {
  const MissesInFlight::Id miss = misses_.end_later();
  open_misses_[miss] = {.pc = pending.pc,
                        .has_traffic = pending.has_traffic,
                        .wait = pending.wait,
                        .end = pending.not_before.value_or(0_ps),
                        .unknown = pending.not_before ? 1u : 2u};
  if (pending.has_traffic) caches_->carry_later(index_, miss);
  if (caches_->is_prefetching(index_)) call_until(pending.at + ahead_of_prefetches);
  if (!pending.not_before) caches_->wait_for_prefetch(index_, pending.line, miss);
  if (begun)
    begin_open(miss, *begun);
  else
    misses_alarm_.arm(misses_.next_event());
}

void CoreModule::begin_open(MissesInFlight::Id miss, Picoseconds at) {
  OpenMiss& open = open_misses_.at(miss);
  const Picoseconds asked = std::max(at + open.wait, now());
  if (!open.has_traffic) return answered(miss, asked);
  open.end = std::max(open.end, asked);
  caches_->ask_memory(index_, miss, asked);
}

void CoreModule::answered(MissesInFlight::Id miss, Picoseconds end) {
  const auto found = open_misses_.find(miss);
  if (found == open_misses_.end()) return;  // reset meanwhile
  OpenMiss& open = found->second;
  open.end = std::max(open.end, end);
  if (--open.unknown != 0) return;
  misses_.end(miss, open.end);
  open_misses_.erase(found);
  if (!begins_misses_) begin_more_misses();
}

void CoreModule::begin_more_misses() {
  begins_misses_ = true;
  while (const auto begun = misses_.next_begun(now())) begin_open(begun->miss, begun->at);
  begins_misses_ = false;
  misses_alarm_.arm(misses_.next_event());
  misses_ended_.notify(sc_core::SC_ZERO_TIME);
}

void CoreModule::caches_refused(Address line, bool is_poisoned, std::optional<MissesInFlight::Id> miss) {
  if (state_ != State::running || start_) return;
  ++bus_errors_;
  keep_cause_of_serror(RefusedAccess{line, is_poisoned, iss_->instructions()});
  if (const auto open = miss ? open_misses_.find(*miss) : open_misses_.end(); open != open_misses_.end())
    asked_by_ = open->second.pc;
  in_report_ = !asked_by_;
  {
    const WarningCausedBy this_core(*this);
    log(name()).warn("line at {:#x} of the caches: {}, an SError", line.value(),
                     is_poisoned ? "poisoned data" : "the bus has answered with an error");
  }
  asked_by_.reset(), in_report_ = false;
  iss_->raise_serror(esr::serror_bus_error);
}

void CoreModule::forget_misses() {
  misses_.reset();
  pending_misses_.clear();
  open_misses_.clear();
  misses_alarm_.arm(std::nullopt);
  misses_ended_.notify(sc_core::SC_ZERO_TIME);
}

void CoreModule::maintain_caches(const CacheMaintenance& what) {
  if (!caches_ || state_ != State::running || start_) return;
  if (what.kind == CacheMaintenance::Kind::wait && !wait_until_known([this] { return misses_.last_end(); }))
    return;
  call_caches([&](sc_core::sc_time& delay) { return caches_->maintain(index_, what, initiator_, delay); });
}

void CoreModule::touch(Address address) {
  if (state_ == State::running && !start_) grant(address);
}

void CoreModule::about_to_store(Address page, unsigned line) {
  if (state_ != State::running || start_) return;
  if (writes_->is_store_allowed(page)) return writes_->store_begins(local_time(), page, name());
  in_access_ = true;
  synchronise();
  if (state_ == State::running && !start_) {
    on_activity(Activity::blocked);
    writes_->before_store({page, std::uint64_t{1} << line});
  }
  in_access_ = false;
  if (state_ != State::running || start_) return;
  on_activity(Activity::running);
  stall_until(now());
  schedule();
  writes_->store_begins(local_time(), page, name());
}

// Requests direct memory around an address.
bool CoreModule::grant(Address address) {
  tlm::tlm_dmi dmi;
  payload_.set_command(tlm::TLM_READ_COMMAND);
  payload_.set_address(address.value());
  initiator_.monitored = initiator_.poison = false;
  const bool granted = bus->get_direct_mem_ptr(payload_, dmi);
  const bool is_monitored = std::exchange(initiator_.monitored, false);
  if (!granted) return false;
  const AddressRange range = between(dmi.get_start_address(), dmi.get_end_address());
  if (!dmi.is_read_allowed() || !range.contains(address)) return false;
  if (dmi.is_write_allowed())
    iss_->map_direct(range, dmi.get_dmi_ptr(), is_monitored);
  else
    iss_->map_read_only(range, dmi.get_dmi_ptr(), is_monitored);
  return true;
}

void CoreModule::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  iss_->unmap_direct(between(first, last));
}

bool CoreModule::read_memory(Address first, std::span<std::byte> data) {
  return debug(tlm::TLM_READ_COMMAND, first, data.data(), data.size());
}

bool CoreModule::write_memory(Address first, std::span<const std::byte> data) {
  // A write command does not change the data.
  if (!debug(tlm::TLM_WRITE_COMMAND, first, const_cast<std::byte*>(data.data()), data.size())) return false;
  const AddressRange range{first, Bytes(data.size())};
  iss_->invalidate_code(range);
  code_changed(range);
  return true;
}

bool CoreModule::write_memory_when_allowed(Address first, std::span<const std::byte> data) {
  while (!data.empty()) {
    const AddressRange rest{first, Bytes(data.size())};
    const Bytes size = std::min(rest.size, page_of(first) + tracked_page - first);
    if (writes_ && !writes_->wait_until_allowed(first_page_lines(rest))) return false;
    if (!write_memory(first, data.first(size.count()))) return false;
    first += size;
    data = data.subspan(size.count());
  }
  return true;
}

bool CoreModule::write_registers(Address first, std::span<const std::byte> data) {
  initiator_.writes_registers = true;
  const bool is_done = debug(tlm::TLM_WRITE_COMMAND, first, const_cast<std::byte*>(data.data()), data.size());
  initiator_.writes_registers = false;
  return is_done;
}

bool CoreModule::debug(tlm::tlm_command command, Address first, std::byte* data, std::size_t size) {
  while (size != 0) {
    const auto length = static_cast<unsigned>(std::min<std::size_t>(size, 1u << 30));
    debug_payload_.set_command(command);
    debug_payload_.set_address(first.value());
    debug_payload_.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    debug_payload_.set_data_length(length);
    debug_payload_.set_streaming_width(length);
    debug_payload_.set_byte_enable_ptr(nullptr);
    debug_payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (bus->transport_dbg(debug_payload_) != length) return false;
    first += Bytes(length);
    data += length;
    size -= length;
  }
  return true;
}

}  // namespace asterism
