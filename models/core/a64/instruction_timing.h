// The time of instructions by an interval model (core/core_timing.h), as far as it is known from the code.
//
// The code of a line of 64 bytes is divided into basic blocks: behind branches, and before those that
// branches of the line jump to. A basic block takes the longest of
//   - its instructions / the width of the core,
//   - for integers, memory, vectors and branches, the sum of what their pipelines need,
//   - the longest chain of latencies from a register at its begin to the same register at its end, which is
//     what an iteration of a loop has to wait for the one before.
// All of its instructions take an equal share of that, whoever jumps into it. A branch takes its expected
// penalty in addition. So an instruction's time depends on nothing but the line that it is in, and does not
// change with breakpoints or quanta.
//
// Left out: dependences through memory and between basic blocks (such a chain is cut, and the block behind it
// seems independent); forwarding between pipelines; the decoding of instructions into several operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/core_timing.h"

namespace asterism::a64 {

inline constexpr std::size_t instructions_of_line = 16;

// In thousandths of a cycle, at least 1.
using LineTimes = std::array<std::uint16_t, instructions_of_line>;
LineTimes times_of_line(std::span<const std::uint32_t, instructions_of_line> code, const CoreTiming& timing);

// What an instruction is to a pipeline.
enum class InstructionClass : std::uint8_t {
  integer,
  multiply,
  divide,
  load,
  store,
  fp_add,
  fp_multiply,
  fp_fused,
  fp_divide,
  vector,
  system,
  branch,
};
// A bit for each register: X0 to X30 from bit 0, the flags, V0 to V31 from bit 32. XZR and SP are none: the
// stack pointer is seldom what a loop waits for.
struct Dependences {
  InstructionClass is = InstructionClass::system;
  std::uint64_t from = 0, to = 0;
};
Dependences dependences(std::uint32_t word);

}  // namespace asterism::a64
