#include <aarch64/simulator-aarch64.h>
#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "core/a64/oracle/machine.h"

namespace asterism::a64::oracle {
namespace {

namespace vixl = ::vixl::aarch64;

// Memory at the same address in the simulator, whose addresses are the host's, as in the other machines.
class FixedMemory {
 public:
  FixedMemory(std::uint64_t base, std::size_t size)
      : at_(mmap(std::bit_cast<void*>(base), size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)),
        size_(size) {
    if (at_ != std::bit_cast<void*>(base)) throw std::runtime_error("vixl: the memory is not free");
  }
  FixedMemory(const FixedMemory&) = delete;
  FixedMemory& operator=(const FixedMemory&) = delete;
  ~FixedMemory() { munmap(at_, size_); }
  std::span<std::uint8_t> bytes() { return {static_cast<std::uint8_t*>(at_), size_}; }

 private:
  void* at_;
  std::size_t size_;
};

class VixlMachine final : public Machine {
 public:
  std::span<std::uint8_t> data() override { return data_.bytes(); }

  void place(std::span<const std::uint32_t> program) override {
    std::memcpy(code_.bytes().data() + (program_base - code_base), program.data(), program.size_bytes());
    end_ = program_base + program.size_bytes();
    constexpr std::uint32_t branch_to_itself = 0x14000000;  // not executed, but read by literals
    std::memcpy(code_.bytes().data() + (end_ - code_base), &branch_to_itself, sizeof branch_to_itself);
  }

  Outcome run(const Registers& from) override {
    for (unsigned i = 0; i < from.x.size(); ++i)
      simulator_.WriteXRegister(i, static_cast<std::int64_t>(from.x[i]), vixl::Simulator::NoRegLog);
    simulator_.WriteXRegister(31, static_cast<std::int64_t>(from.sp), vixl::Simulator::NoRegLog,
                              vixl::Reg31IsStackPointer);
    for (unsigned i = 0; i < from.v.size(); ++i) {
      vixl::Simulator::qreg_t value;
      std::memcpy(&value, from.v[i].d.data(), sizeof value);
      simulator_.WriteQRegister(i, value, vixl::Simulator::NoRegLog);
    }
    simulator_.ReadNzcv().SetRawValue(from.nzcv << 28);
    simulator_.ReadFpcr().SetRawValue(from.fpcr);
    simulator_.WritePc(std::bit_cast<const vixl::Instruction*>(from.pc), vixl::Simulator::NoBranchLog);
    // Branches go forward only.
    while (pc() != end_) simulator_.ExecuteInstruction();
    Outcome result;
    Registers& r = result.registers;
    for (unsigned i = 0; i < r.x.size(); ++i)
      r.x[i] = static_cast<std::uint64_t>(simulator_.ReadXRegister(i));
    r.sp = static_cast<std::uint64_t>(simulator_.ReadXRegister(31, vixl::Reg31IsStackPointer));
    for (unsigned i = 0; i < r.v.size(); ++i) {
      const auto value = simulator_.ReadVRegister<vixl::Simulator::qreg_t>(i);
      std::memcpy(r.v[i].d.data(), &value, sizeof value);
    }
    r.nzcv = simulator_.ReadNzcv().GetRawValue() >> 28;
    r.fpcr = from.fpcr;
    r.fpsr = from.fpsr;
    r.pc = pc();
    return result;
  }

  void translate_by(std::span<const std::uint64_t>) override {
    throw std::logic_error("vixl has no translation of addresses");
  }

 private:
  std::uint64_t pc() const { return reinterpret_cast<std::uint64_t>(simulator_.ReadPc()); }

  FixedMemory code_{code_base, code_size}, data_{data_base, data_size};
  vixl::Decoder decoder_;
  vixl::Simulator simulator_{&decoder_};
  std::uint64_t end_ = program_base;
};

}  // namespace

std::unique_ptr<Machine> make_vixl_machine() { return std::make_unique<VixlMachine>(); }

}  // namespace asterism::a64::oracle
