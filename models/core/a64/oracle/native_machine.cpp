#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/a64/native_iss.h"
#include "core/a64/oracle/machine.h"
#include "core/idle_iss_host.h"

namespace asterism::a64::oracle {
namespace {

constexpr std::uint32_t branch_to_itself = 0x14000000;
constexpr unsigned ec_address_lowest = 0x20, ec_address_highest = 0x25;

class NativeMachine final : public Machine, private IdleIssHost {
 public:
  explicit NativeMachine(const Options& options)
      : code_(code_size), data_(data_size), tables_(tables_size), iss_(make_native_iss(*this, 0, options)) {
    iss_->reset();
    iss_->map_direct({Address(code_base), Bytes(code_size)}, code_.bytes().data());
    iss_->map_direct({Address(data_base), Bytes(data_size)}, data_.bytes().data());
    iss_->map_direct({Address(tables_base), Bytes(tables_size)}, tables_.bytes().data());
    for (std::uint64_t at = vectors; at < vectors + 0x800; at += 0x80) put(at, branch_to_itself);
    reset_ = iss_->state();
    reset_.system.cpacr = 3u << 20;
    reset_.system.sctlr &= ~0x18u;  // QEMU does not check the stack's alignment
    reset_.system.vbar = vectors;
  }

  std::span<std::uint8_t> data() override { return data_.bytes(); }

  void place(std::span<const std::uint32_t> program) override {
    std::memcpy(code_.bytes().data() + (program_base - code_base), program.data(), program.size_bytes());
    end_ = program_base + program.size_bytes();
    put(end_, branch_to_itself);
    iss_->invalidate_code({Address(program_base), Bytes(program.size_bytes() + 4)});
  }

  // Executes as many instructions as the program has; after its end, or after an exception, it loops in
  // place.
  Outcome run(const Registers& from) override {
    State state = reset_;
    std::copy(from.x.begin(), from.x.end(), state.x.begin());
    state.x[stack_pointer] = from.sp;
    state.v = from.v;
    state.pc = from.pc;
    state.flags.set(from.nzcv);
    state.fpcr = from.fpcr;
    state.fpsr = from.fpsr;
    iss_->set_state(state);
    iss_->call_at(iss_->instructions() + (end_ - program_base) / 4 + 1);
    if (iss_->run() != Iss::Stop::requested) throw std::runtime_error("the engine stopped: " + iss_->why());
    return outcome(iss_->state());
  }

  void translate_by(std::span<const std::uint64_t> tables) override {
    std::memcpy(tables_.bytes().data(), tables.data(), tables.size_bytes());
    reset_.system.ttbr0 = tables_base;
    reset_.system.tcr = tcr_of_tables;
    reset_.system.mair = mair_of_tables;
    reset_.system.sctlr |= 1;
  }

 private:
  void put(std::uint64_t at, std::uint32_t word) {
    std::memcpy(code_.bytes().data() + (at - code_base), &word, sizeof word);
  }

  static Outcome outcome(const State& state) {
    Outcome result;
    std::copy_n(state.x.begin(), result.registers.x.size(), result.registers.x.begin());
    result.registers.sp = state.x[stack_pointer];
    result.registers.v = state.v;
    result.registers.pc = state.pc;
    result.registers.nzcv = state.flags.nzcv();
    result.registers.fpcr = state.fpcr;
    result.registers.fpsr = state.fpsr;
    if (state.pc >= vectors) {
      result.registers.pc = state.system.elr;
      result.registers.nzcv = static_cast<std::uint32_t>(state.system.spsr >> 28);
      result.exception = {state.system.esr, {}};
      const std::uint64_t ec = esr::exception_class(state.system.esr);
      if (ec >= ec_address_lowest && ec <= ec_address_highest) result.exception->address = state.system.far;
    }
    return result;
  }

  void due() override { iss_->request_stop(); }

  Pages code_, data_, tables_;
  std::unique_ptr<NativeIss> iss_;
  State reset_;
  std::uint64_t end_ = program_base;
};

}  // namespace

std::unique_ptr<Machine> make_native_machine(const Options& options) {
  return std::make_unique<NativeMachine>(options);
}

}  // namespace asterism::a64::oracle
