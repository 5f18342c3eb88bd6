// Handlers of conditional branches, alone and behind another instruction.
#pragma once

#include "core/a64/conditions.h"
#include "core/a64/cpu.h"

namespace asterism::a64 {

// op.imm is the distance in bytes.
inline const Operation* taken(Cpu& cpu, const Operation& op) { return cpu.follow_taken(op); }
inline const Operation* taken_if(bool condition, Cpu& cpu, const Operation& op) {
  return condition ? cpu.follow_taken(op) : cpu.follow_next(op);
}

template <unsigned condition>
const Operation* branch_if(Cpu& cpu, const Operation& op) {
  return taken_if(holds<condition>(cpu.flags), cpu, op);
}

template <class T, bool zero>
const Operation* compare_and_branch(Cpu& cpu, const Operation& op) {
  return taken_if((static_cast<T>(cpu.x[op.rd]) == 0) == zero, cpu, op);
}

// ra is the bit.
template <bool zero>
const Operation* test_and_branch(Cpu& cpu, const Operation& op) {
  return taken_if((cpu.x[op.rd] >> op.ra & 1) != static_cast<std::uint64_t>(zero), cpu, op);
}

}  // namespace asterism::a64
