// Instructions as a trace shows them: disassembled by capstone, with the registers that they read, the
// address of a load or store, and the registers that they wrote.
//
//        912 0x40200a08 f9400c00 heat_step+0x14   ldr x0, [x0, #0x18]   x0=0x40301200 [0x40301218] -> x0=0x2a
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/core_module.h"
#include "core/debug_port.h"
#include "platform/firmware/function_symbols.h"

namespace asterism {

// An instruction, and the registers before it.
struct TracedInstruction {
  std::uint64_t instructions = 0;  // retired before
  std::uint64_t pc = 0;
  std::uint32_t word = 0;
  std::array<std::uint64_t, 31> x{};
  std::uint64_t sp = 0;
  unsigned nzcv = 0;
  std::array<DebugPort::Vector, DebugPort::vectors> v{};

  TracedInstruction() = default;
  // Reads the registers of a core that is about to execute the instruction.
  TracedInstruction(CoreModule& core, std::uint64_t pc, std::uint32_t word, std::uint64_t instructions);
};

// Instructions as text: "ldr x0, [x0, #0x18]".
class Disassembler {
 public:
  Disassembler();
  ~Disassembler();
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  std::string text(std::uint64_t pc, std::uint32_t word) const;

 protected:
  std::size_t capstone_ = 0;  // a csh; 0: capstone is not available
};

class InstructionText : private Disassembler {
 public:
  explicit InstructionText(const SymbolsOfCore& symbols) : symbols_(symbols) {}

  // One line. `after` holds the registers behind the instruction.
  std::string line(const TracedInstruction& instruction, const TracedInstruction& after) const;

 private:
  const SymbolsOfCore symbols_;
};

}  // namespace asterism
