// What an instruction depends on, for models of its time: the registers that it reads and writes, and which
// pipelines execute it.
#pragma once

#include <cstdint>

namespace asterism::a64 {

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
  other,
  branch,
};

// A bit for each register: X0 to X30 from bit 0, the flags, V0 to V31 from bit 32. XZR is none, and neither
// is SP: it is seldom what a loop waits for.
struct Dependences {
  InstructionClass is = InstructionClass::other;
  std::uint64_t from = 0, to = 0;
  // Of a load or store. Of `to`: the base register that it updates, which is known without its access. Of
  // `from`: those that its address depends on.
  std::uint64_t base = 0, address = 0;
};
Dependences dependences(std::uint32_t word);

}  // namespace asterism::a64
