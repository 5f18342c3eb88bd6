#include "core/a64/native_iss.h"

#include <algorithm>
#include <utility>

#include "core/a64/cpu.h"
#include "core/a64/system_register_table.h"
#include "core/debug_port.h"

namespace asterism {
namespace {

using a64::Cpu;

class A64Iss final : public NativeIss, private DebugPort {
 public:
  A64Iss(IssHost& host, unsigned core, const a64::Options& options,
         std::shared_ptr<a64::ExclusiveMonitors> monitors,
         std::shared_ptr<a64::SpeculativeCores> speculative_cores)
      : own_(host, core, options, std::move(monitors), std::move(speculative_cores)) {}

  void reset() override { cpu().reset_state(); }
  void start(Address entry, std::uint64_t x0) override { cpu().pc = entry.value(), cpu().x[0] = x0; }
  Stop run() override { return own_.run(); }
  void request_stop() override { cpu().stop_requested = true, cpu().set_attend_at(); }
  std::string why() const override { return cpu().why; }
  std::optional<TakenFault> fault() const override { return cpu().taken_fault; }

  const CoreTiming* timing() const override { return own_.options.timing.get(); }
  std::uint64_t executed_time() const override {
    return own_.speculation && own_.speculation->is_outstanding() ? own_.speculation->committed_time()
                                                                  : own_.time();
  }
  AccessRegisters access_registers() override;
  std::uint64_t instructions() const override {
    return own_.speculation && own_.speculation->is_outstanding() ? own_.speculation->committed_instructions()
                                                                  : own_.instructions();
  }
  void allow_speculation(std::uint64_t until) override {
    if (own_.speculation) own_.speculation->offer(until);
  }
  void commit_speculation() override {
    if (own_.speculation) own_.speculation->commit();
  }
  void call_at(std::uint64_t instructions) override {
    cpu().due_at = instructions;
    cpu().look_at_overflows();  // the time of later instructions may have changed
    cpu().set_attend_at();
  }
  void set_alone(bool is_alone) override { cpu().is_alone = is_alone; }
  void set_irq(bool level) override { cpu().irq = level, cpu().set_attend_at(); }
  void raise_serror(std::uint32_t iss) override {
    if (!cpu().serror) cpu().serror = iss, cpu().set_attend_at();
  }
  bool is_serror_pending() const override { return cpu().serror.has_value(); }

  void map_direct(AddressRange range, std::uint8_t* host, bool is_monitored) override {
    cpu().memory.map(range, host, is_monitored);
    forget_code(range);
  }
  void map_read_only(AddressRange range, const std::uint8_t* host, bool is_monitored) override {
    cpu().memory.map_read_only(range, host, is_monitored);
    forget_code(range);
  }
  void unmap_direct(AddressRange range) override {
    cpu().memory.unmap(range);
    forget_code(range);
  }
  void invalidate_code(AddressRange range) override { cpu().drop_code(range); }
  void invalidate_translations() override {
    cpu().memory.flush();
    cpu().memory.flush_timed_tlb();
    cpu().new_epoch();
  }
  std::vector<PageLines> collect_writes(AddressRange range) override {
    return cpu().memory.collect_writes(range);
  }
  void use_caches(LineFilter& filter, CacheUse use) override {
    cpu().memory.use_caches(filter, use.checks, use.tlb);
    if (use.fetches) cpu().blocks.use_instruction_cache(use.checks);
  }
  void forget_fetched(AddressRange range) override { cpu().blocks.forget_fetched(range); }
  void ask_before_stores(AddressRange range) override { cpu().memory.ask_before_stores(range); }

  std::uint64_t read(CoreRegister which) const override;
  void write(CoreRegister which, std::uint64_t value) override;

  DebugPort& debug_port() override { return *this; }
  TranslationCounts translation() const override {
    TranslationCounts counts;
    counts.is_refused = own_.options.translation.after != 0 && !own_.translator;
    if (own_.translator) counts = own_.translator->counts();
    if (own_.lockstep) counts.compared = own_.lockstep->compared();
    return counts;
  }
  void follow(FlowObserver* observer, FlowQuestion question) override {
    cpu().follow(observer, std::move(question));
  }

  a64::State state() const override { return cpu(); }
  void set_state(const a64::State& state) override;

 private:
  // The range may refer to other memory now.
  void forget_code(AddressRange range) {
    cpu().drop_code(range);
    cpu().new_epoch();
  }
  void set_breakpoints(std::vector<std::uint64_t> addresses) override;
  void set_watchpoints(std::vector<Watchpoint> watchpoints) override {
    cpu().memory.set_watchpoints(std::move(watchpoints));
  }
  WatchHit watch_hit() const override { return cpu().watch_hit; }
  void step() override { cpu().step_until = cpu().instructions() + 1, cpu().set_attend_at(); }
  void cancel_step() override { cpu().step_until = Cpu::never, cpu().set_attend_at(); }
  void stop_from(std::uint64_t count) override {
    if (std::exchange(cpu().stop_from, count) != count) cpu().has_stopped_here = false;
    cpu().set_attend_at();
  }
  bool is_between_instructions() const override { return cpu().block == nullptr; }

  bool write_pstate(std::uint64_t value) override;
  Vector read_vector(unsigned index) const override { return {cpu().v[index].d[0], cpu().v[index].d[1]}; }
  void write_vector(unsigned index, Vector value) override { cpu().v[index].d = {value.low, value.high}; }
  std::uint32_t fpsr() const override { return cpu().fpsr; }
  std::uint32_t fpcr() const override { return cpu().fpcr; }
  void set_fpsr(std::uint32_t value) override { cpu().fpsr = value & a64::fpsr_writable; }
  void set_fpcr(std::uint32_t value) override { cpu().fpcr = value & a64::writable_fpcr(cpu()); }

  std::span<const std::string> system_registers() const override;
  std::uint64_t read_system(std::size_t index) override;
  bool write_system(std::size_t index, std::uint64_t value) override;
  std::optional<Address> physical(std::uint64_t address) override;

  // The core in its committed state: every access from outside rolls a speculation back.
  const Cpu& cpu() const {
    if (own_.speculation) own_.speculation->roll_back();
    return own_;
  }
  Cpu& cpu() {
    if (own_.speculation) own_.speculation->roll_back();
    return own_;
  }

  Cpu own_;
};

AccessRegisters A64Iss::access_registers() {
  if (!own_.block || !own_.inside) return {};
  AccessRegisters access = own_.block->registers_of_access(own_.index_of(*own_.inside));
  const std::int64_t offset = static_cast<std::int64_t>(own_.memory.accessed() % a64::Memory::line);
  AccessRegisters::Companions of_line;
  for (const AccessRegisters::Companion& each : access.companions)
    if (const std::int64_t at = offset + each.distance; at >= 0 && at < std::int64_t{a64::Memory::line})
      of_line.add(each);
  access.companions = of_line;
  return access;
}

std::uint64_t A64Iss::read(CoreRegister which) const {
  using enum CoreRegister;
  if (which <= x30) return cpu().x[static_cast<std::size_t>(which)];
  switch (which) {
    case sp:
      return cpu().x[a64::stack_pointer];
    case pc:
      return cpu().block && cpu().inside ? cpu().pc_of(*cpu().inside) : cpu().pc;
    case pstate:
      return cpu().pstate();
    case elr:
      return cpu().system.elr;
    case spsr:
      return cpu().system.spsr;
    case esr:
      return cpu().system.esr;
    case far:
      return cpu().system.far;
    default:
      return cpu().system.vbar;
  }
}

void A64Iss::write(CoreRegister which, std::uint64_t value) {
  using enum CoreRegister;
  if (which <= x30) {
    cpu().x[static_cast<std::size_t>(which)] = value;
    return;
  }
  switch (which) {
    case sp:
      cpu().x[a64::stack_pointer] = value;
      cpu().find_stack();
      break;
    case pc:
      cpu().pc = value;
      break;
    case pstate:
      cpu().count_events();
      cpu().set_pstate(value);
      break;
    case elr:
      cpu().system.elr = value;
      break;
    case spsr:
      cpu().system.spsr = value;
      break;
    case esr:
      cpu().system.esr = value;
      break;
    case far:
      cpu().system.far = value;
      break;
    default:
      cpu().system.vbar = value;
  }
}

void A64Iss::set_state(const a64::State& state) {
  static_cast<a64::State&>(cpu()) = state;
  cpu().find_stack();
  cpu().memory.use_level(state.level);
  cpu().memory.flush();
  cpu().new_epoch();
  cpu().follow_debug_registers();
  cpu().follow_performance_monitors();
  cpu().set_attend_at();
}

// ---- for a debugger ----

void A64Iss::set_breakpoints(std::vector<std::uint64_t> addresses) {
  std::ranges::sort(addresses);
  cpu().blocks.set_breakpoints(std::move(addresses));
  cpu().drop_code({Address(0), Bytes(Cpu::never)});
}

bool A64Iss::write_pstate(std::uint64_t value) {
  constexpr std::uint64_t mode = 0x1f, el0t = 0, el1t = 4, el1h = 5;
  const std::uint64_t wanted = value & mode;
  if (wanted != el0t && wanted != el1t && wanted != el1h) return false;
  cpu().count_events();
  cpu().set_pstate(value);
  cpu().look_at_overflows();
  cpu().set_attend_at();
  return true;
}

std::optional<Address> A64Iss::physical(std::uint64_t address) {
  const auto found = cpu().memory.physical(cpu().without_tag(address));
  return found ? std::optional(Address(*found)) : std::nullopt;
}

std::span<const std::string> A64Iss::system_registers() const {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const a64::SystemRegisterRow* row : a64::reported_system_registers()) result.emplace_back(row->name);
    return result;
  }();
  return names;
}

std::uint64_t A64Iss::read_system(std::size_t index) {
  return a64::inspect(cpu(), *a64::reported_system_registers()[index]);
}

bool A64Iss::write_system(std::size_t index, std::uint64_t value) {
  if (!a64::alter(cpu(), *a64::reported_system_registers()[index], value)) return false;
  cpu().set_attend_at();
  return true;
}

}  // namespace

std::unique_ptr<NativeIss> make_native_iss(IssHost& host, unsigned core, const a64::Options& options,
                                           std::shared_ptr<a64::ExclusiveMonitors> monitors,
                                           std::shared_ptr<a64::SpeculativeCores> speculative_cores) {
  return std::make_unique<A64Iss>(host, core, options, std::move(monitors), std::move(speculative_cores));
}

}  // namespace asterism
