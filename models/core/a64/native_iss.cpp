#include "core/a64/native_iss.h"

#include "core/a64/cpu.h"

namespace asterism {
namespace {

using a64::Cpu;

class A64Iss final : public NativeIss {
 public:
  A64Iss(IssHost& host, unsigned core, const a64::Options& options) : cpu_(host, core, options) {}

  void reset() override { cpu_.reset_state(); }
  void start(Address entry, std::uint64_t x0) override { cpu_.pc = entry.value(), cpu_.x[0] = x0; }
  Stop run() override { return cpu_.run(); }
  void request_stop() override { cpu_.stop_requested = true, cpu_.set_attend_at(); }
  std::string why() const override { return cpu_.why; }

  std::uint64_t instructions() const override { return cpu_.instructions(); }
  void call_at(std::uint64_t instructions) override { cpu_.due_at = instructions, cpu_.set_attend_at(); }
  void set_irq(bool level) override { cpu_.irq = level, cpu_.set_attend_at(); }
  void raise_serror(std::uint32_t iss) override {
    if (!cpu_.serror) cpu_.serror = iss, cpu_.set_attend_at();
  }

  void map_direct(AddressRange range, std::uint8_t* host, bool is_shown) override {
    cpu_.memory.map(range, host, is_shown);
    cpu_.drop_code(range);  // other memory may stand there now
    cpu_.new_epoch();
  }
  void unmap_direct(AddressRange range) override {
    cpu_.memory.unmap(range);
    cpu_.drop_code(range);
    cpu_.new_epoch();
  }
  void invalidate_code(AddressRange range) override { cpu_.drop_code(range); }
  void invalidate_translations() override {
    cpu_.memory.flush();
    cpu_.new_epoch();
  }
  bool collect_writes(AddressRange range, WriteObserver& observer) override {
    return cpu_.memory.collect_writes(range, observer), true;
  }
  bool guard_writes(AddressRange range) override { return cpu_.memory.guard(range), true; }

  std::uint64_t read(CoreRegister which) const override;
  void write(CoreRegister which, std::uint64_t value) override;

  a64::State state() const override { return cpu_; }
  void set_state(const a64::State& state) override;
  void on_undefined(std::function<void(std::uint32_t word, Address pc)> told) override {
    cpu_.on_undefined = std::move(told);
  }

 private:
  Cpu cpu_;
};

std::uint64_t A64Iss::read(CoreRegister which) const {
  using enum CoreRegister;
  if (which <= x30) return cpu_.x[static_cast<std::size_t>(which)];
  switch (which) {
    case sp:
      return cpu_.x[a64::stack_pointer];
    case pc:
      return cpu_.block && cpu_.inside ? cpu_.pc_of(*cpu_.inside) : cpu_.pc;
    case pstate:
      return cpu_.pstate();
    case elr:
      return cpu_.system.elr;
    case spsr:
      return cpu_.system.spsr;
    case esr:
      return cpu_.system.esr;
    case far:
      return cpu_.system.far;
    default:
      return cpu_.system.vbar;
  }
}

void A64Iss::write(CoreRegister which, std::uint64_t value) {
  using enum CoreRegister;
  if (which <= x30) {
    cpu_.x[static_cast<std::size_t>(which)] = value;
    return;
  }
  switch (which) {
    case sp:
      cpu_.x[a64::stack_pointer] = value;
      break;
    case pc:
      cpu_.pc = value;
      break;
    case pstate:
      cpu_.set_pstate(value);
      break;
    case elr:
      cpu_.system.elr = value;
      break;
    case spsr:
      cpu_.system.spsr = value;
      break;
    case esr:
      cpu_.system.esr = value;
      break;
    case far:
      cpu_.system.far = value;
      break;
    default:
      cpu_.system.vbar = value;
  }
}

void A64Iss::set_state(const a64::State& state) {
  static_cast<a64::State&>(cpu_) = state;
  cpu_.memory.use_level(state.level);
  cpu_.memory.flush();
  cpu_.new_epoch();
  cpu_.set_attend_at();
}

}  // namespace

std::unique_ptr<NativeIss> make_native_iss(IssHost& host, unsigned core, const a64::Options& options) {
  return std::make_unique<A64Iss>(host, core, options);
}

}  // namespace asterism
