// Integer instructions as functions from operands to a result, for handlers of one instruction and of fused
// pairs.
//
//   struct Example {
//     static constexpr bool uses_n, uses_m;  // which of x[op.rn] and x[op.rm] are its operands
//     // Returns the value for x[op.rd].
//     static std::uint64_t of(Cpu& cpu, const Operation& op, std::uint64_t n, std::uint64_t m);
//   };
#pragma once

#include <cstdint>

#include "core/a64/arithmetic.h"
#include "core/a64/conditions.h"
#include "core/a64/cpu.h"

namespace asterism::a64::integer {

using X = std::uint64_t;
using W = std::uint32_t;

struct OfNothing {
  static constexpr bool uses_n = false, uses_m = false;
};
struct OfN {
  static constexpr bool uses_n = true, uses_m = false;
};
struct OfM {
  static constexpr bool uses_n = false, uses_m = true;
};
struct OfBoth {
  static constexpr bool uses_n = true, uses_m = true;
};

// ---- with an immediate ----

// The constant is negative for SUB.
template <class T>
struct AddConstant : OfN {
  static X of(Cpu&, const Operation& op, X n, X) {
    return static_cast<T>(n + static_cast<X>(op.signed_imm()));
  }
};
template <class T>
struct AddsConstant : OfN {
  static X of(Cpu& cpu, const Operation& op, X n, X) {
    return add_setting_flags<T>(cpu.flags, static_cast<T>(n), op.imm);
  }
};
template <class T>
struct SubsConstant : OfN {
  static X of(Cpu& cpu, const Operation& op, X n, X) {
    return subtract_setting_flags<T>(cpu.flags, static_cast<T>(n), op.imm);
  }
};
// Selected by bits 30 and 29 (opc).
template <class T, unsigned opc>
T logic(Flags& flags, T a, T b) {
  if constexpr (opc == 0) return a & b;
  if constexpr (opc == 1) return a | b;
  if constexpr (opc == 2) return a ^ b;
  return logical_setting_flags<T>(flags, a & b);
}
// The constant is in imm, sign-extended.
template <class T, unsigned opc>
struct LogicConstant : OfN {
  static X of(Cpu& cpu, const Operation& op, X n, X) {
    return logic<T, opc>(cpu.flags, static_cast<T>(n), static_cast<T>(op.signed_imm()));
  }
};
struct SetConstant : OfNothing {
  static X of(Cpu&, const Operation& op, X, X) { return op.imm; }
};
// By rm.
template <class T, Shift shift>
struct ShiftConstant : OfN {
  static X of(Cpu&, const Operation& op, X n, X) { return shifted<T, shift>(static_cast<T>(n), op.rm); }
};

// ---- with registers; imm is the amount of a shift ----

template <class T>
struct Move : OfM {
  static X of(Cpu&, const Operation&, X, X m) { return static_cast<T>(m); }
};
template <class T, unsigned opc, bool inverted, Shift shift>
struct LogicShifted : OfBoth {
  static X of(Cpu& cpu, const Operation& op, X n, X m) {
    const T b = shifted<T, shift>(static_cast<T>(m), op.imm);
    return logic<T, opc>(cpu.flags, static_cast<T>(n), inverted ? ~b : b);
  }
};
// Selected by bits 30 (op) and 29 (S).
template <class T, unsigned op_s>
T sum(Flags& flags, T a, T b) {
  if constexpr (op_s == 0) return a + b;
  if constexpr (op_s == 1) return add_setting_flags<T>(flags, a, b);
  if constexpr (op_s == 2) return a - b;
  return subtract_setting_flags<T>(flags, a, b);
}
template <class T, unsigned op_s, Shift shift>
struct AddShifted : OfBoth {
  static X of(Cpu& cpu, const Operation& op, X n, X m) {
    return sum<T, op_s>(cpu.flags, static_cast<T>(n), shifted<T, shift>(static_cast<T>(m), op.imm));
  }
};
template <class T>
struct MultiplyAdd : OfBoth {
  static X of(Cpu& cpu, const Operation& op, X n, X m) { return static_cast<T>(cpu.x[op.ra] + n * m); }
};
// Selected by bits 30 (op) and 10 (o2): CSEL, CSINC, CSINV, CSNEG. Without a host branch, which would often
// be mispredicted.
template <class T, unsigned what, unsigned condition>
struct Select : OfBoth {
  static X of(Cpu& cpu, const Operation&, X n, X m) {
    const T a = static_cast<T>(n), other = static_cast<T>(m);
    const T b = what == 0 ? other : what == 1 ? other + 1 : what == 2 ? ~other : T{0} - other;
    const T mask = T{0} - static_cast<T>(holds<condition>(cpu.flags));
    return (a & mask) | (b & ~mask);
  }
};

// ---- handlers ----

template <class Instruction>
void one(Cpu& cpu, const Operation& op) {
  const X n = Instruction::uses_n ? cpu.x[op.rn] : 0, m = Instruction::uses_m ? cpu.x[op.rm] : 0;
  cpu.x[op.rd] = Instruction::of(cpu, op, n, m);
}

// An instruction whose result is SP: it lowers SP if SP is its operand too, and sets it otherwise.
template <auto work>
[[gnu::noinline]] const Operation* to_stack(Cpu& cpu, const Operation& op) {
  const X before = cpu.x[stack_pointer];
  work(cpu, op);
  const X sp = cpu.x[stack_pointer];
  if (op.rn != stack_pointer) {
    if (!cpu.stack.contains(sp)) cpu.find_stack();
  } else if (sp < before && sp < cpu.stack.low) {
    cpu.x[stack_pointer] = before;
    if (!cpu.leave_stack(op, sp)) return cpu.left_by_fault();
    cpu.x[stack_pointer] = sp;
    return cpu.finish(op);
  }
  return &op + 1;
}

// Two consecutive instructions. n_is_result, m_is_result: the rd of the first is the rn or rm of the second,
// which avoids a store and a load.
template <class First, class Second, bool n_is_result, bool m_is_result>
const Operation* two(Cpu& cpu, const Operation& op) {
  const Operation& next = (&op)[1];
  const X n1 = First::uses_n ? cpu.x[op.rn] : 0, m1 = First::uses_m ? cpu.x[op.rm] : 0;
  const X result = First::of(cpu, op, n1, m1);
  cpu.x[op.rd] = result;
  const X n2 = n_is_result ? result : Second::uses_n ? cpu.x[next.rn] : 0;
  const X m2 = m_is_result ? result : Second::uses_m ? cpu.x[next.rm] : 0;
  cpu.x[next.rd] = Second::of(cpu, next, n2, m2);
  return &op + 2;
}

}  // namespace asterism::a64::integer
