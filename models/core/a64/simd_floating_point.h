// Shared by the files of SIMD floating point: an operation of fast_float.h is applied to each lane of the
// operands that the shape of the instruction selects. All lanes are computed before any is written.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>

#include "core/a64/cpu.h"
#include "core/a64/decoder.h"
#include "core/a64/fast_float.h"
#include "core/a64/simd_lanes.h"

namespace asterism::a64 {

// The rows of the other files, which simd_floating_point.cpp joins.
std::span<const Row> simd_floating_point_two_register_rows();
std::span<const Row> simd_floating_point_by_element_rows();
std::span<const Row> simd_half_precision_rows();

namespace simd_float {

template <class T>
T lane(const Vector& v, unsigned index) {
  T result;
  std::memcpy(&result, reinterpret_cast<const char*>(v.d.data()) + index * sizeof(T), sizeof result);
  return result;
}

// ---- operands of lane i ----

struct One {
  template <class T, unsigned count>
  static std::tuple<T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    return {lane<T>(cpu.v[op.rn], i)};
  }
};
struct OneAndImmediate {
  template <class T, unsigned count>
  static std::tuple<T, unsigned> of(const Cpu& cpu, const Operation& op, unsigned i) {
    return {lane<T>(cpu.v[op.rn], i), op.imm};
  }
};
struct OneAndZero {
  template <class T, unsigned count>
  static std::tuple<T, T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    return {lane<T>(cpu.v[op.rn], i), T{0}};
  }
};
struct ZeroAndOne {
  template <class T, unsigned count>
  static std::tuple<T, T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    return {T{0}, lane<T>(cpu.v[op.rn], i)};
  }
};
struct Two {
  template <class T, unsigned count>
  static std::tuple<T, T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    return {lane<T>(cpu.v[op.rn], i), lane<T>(cpu.v[op.rm], i)};
  }
};
// Adjacent pairs of lanes, first of Vn, then of Vm.
struct Pair {
  template <class T, unsigned count>
  static std::tuple<T, T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    const Vector& v = cpu.v[2 * i < count ? op.rn : op.rm];
    const unsigned first = 2 * i % count;
    return {lane<T>(v, first), lane<T>(v, first + 1)};
  }
};
// Both of Vn.
struct ScalarPair {
  template <class T, unsigned count>
  static std::tuple<T, T> of(const Cpu& cpu, const Operation& op, unsigned) {
    return {lane<T>(cpu.v[op.rn], 0), lane<T>(cpu.v[op.rn], 1)};
  }
};
// Vd, to which the product is added.
template <bool negates>
struct Three {
  template <class T, unsigned count>
  static std::tuple<T, T, T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    const T a = lane<T>(cpu.v[op.rn], i);
    return {lane<T>(cpu.v[op.rd], i), negates ? negate(a) : a, lane<T>(cpu.v[op.rm], i)};
  }
};
// op.ra is the one element of Vm.
struct TwoByElement {
  template <class T, unsigned count>
  static std::tuple<T, T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    return {lane<T>(cpu.v[op.rn], i), lane<T>(cpu.v[op.rm], op.ra)};
  }
};
template <bool negates>
struct ThreeByElement {
  template <class T, unsigned count>
  static std::tuple<T, T, T> of(const Cpu& cpu, const Operation& op, unsigned i) {
    const T a = lane<T>(cpu.v[op.rn], i);
    return {lane<T>(cpu.v[op.rd], i), negates ? negate(a) : a, lane<T>(cpu.v[op.rm], op.ra)};
  }
};

// ---- work ----

template <class T, unsigned count, class Compute, class Operands>
const Operation* lanewise_softly(Cpu& cpu, const Operation& op) {
  std::array<T, count> result;
  for (unsigned i = 0; i < count; ++i)
    result[i] = std::apply([&](auto... values) { return static_cast<T>(softly<Compute>(cpu, values...)); },
                           Operands::template of<T, count>(cpu, op, i));
  put(cpu.v[op.rd], result);
  return &op + 1;
}

template <class T, unsigned count, class Compute, class Operands>
const Operation* lanewise_each(Cpu& cpu, const Operation& op) {
  std::array<T, count> result;
  bool all_stand = true;
  for (unsigned i = 0; i < count; ++i) {
    const auto [bits, stands] = std::apply([&](auto... values) { return Compute::fast(cpu, values...); },
                                           Operands::template of<T, count>(cpu, op, i));
    result[i] = static_cast<T>(bits);
    all_stand &= stands;
  }
  if (!all_stand) [[unlikely]]
    return later<lanewise_softly<T, count, Compute, Operands>>(cpu, op);
  put(cpu.v[op.rd], result);
  return &op + 1;
}

// If the host's results are used as they are, the compiler turns the loops into vector instructions.
template <class T, unsigned count, class Compute, class Operands>
const Operation* lanewise_on_host(Cpu& cpu, const Operation& op) {
  std::array<T, count> result;
  for (unsigned i = 0; i < count; ++i)
    result[i] = std::apply([](auto... values) { return Compute::host(values...); },
                           Operands::template of<T, count>(cpu, op, i));
  bool all_stand = fast_float::takes_host_results(cpu);
  for (unsigned i = 0; i < count; ++i) all_stand &= fast_float::is_ordinary(result[i]);
  if (!all_stand) [[unlikely]]
    return later<lanewise_each<T, count, Compute, Operands>>(cpu, op);
  put(cpu.v[op.rd], result);
  return &op + 1;
}

template <class T, unsigned count, class Compute, class Operands>
constexpr Handler lanewise() {
  if constexpr (count > 1 && requires { Compute::host; })
    return step<lanewise_on_host<T, count, Compute, Operands>>;
  else
    return step<lanewise_each<T, count, Compute, Operands>>;
}

// ---- integers and fixed point, op.imm fraction bits: a lane's integer has its width ----

template <class T, bool is_signed>
using IntegerOf = std::conditional_t<is_signed, std::make_signed_t<T>, T>;

template <class T, bool is_signed, Rounding rounding>
struct ToLane {
  using Int = IntegerOf<T, is_signed>;
  static Fast<T> fast(const State& state, T a, unsigned fraction_bits) {
    if (rounding != Rounding::toward_zero || fraction_bits != 0) return {};
    const Fast<Int> result = ToInteger<Int, T>::fast(state, a);
    return {static_cast<T>(result.bits), result.stands};
  }
  static T soft(FloatEnvironment& e, T a, unsigned fraction_bits) {
    return static_cast<T>(soft_float::to_integer<Int>(e, a, fraction_bits, rounding));
  }
};
template <bool is_signed, Rounding rounding>
struct To {
  template <class T>
  using Lane = ToLane<T, is_signed, rounding>;
};

template <class T, bool is_signed>
struct FromLane {
  using Int = IntegerOf<T, is_signed>;
  static Fast<T> fast(const State& state, T a, unsigned fraction_bits) {
    if (fraction_bits != 0) return {};
    return FromInteger<T, Int>::fast(state, static_cast<Int>(a));
  }
  static T soft(FloatEnvironment& e, T a, unsigned fraction_bits) {
    return soft_float::from_integer<T>(e, static_cast<Int>(a), fraction_bits);
  }
};
template <class T>
using FromSigned = FromLane<T, true>;
template <class T>
using FromUnsigned = FromLane<T, false>;

// ---- decoding ----

inline void registers(Decoding& d) { d.op.rd = d.vector(0), d.op.rn = d.vector(5), d.op.rm = d.vector(16); }

// 2S, 4S and 2D.
template <template <class> class Compute, class Operands>
bool decode_vector(Decoding& d) {
  registers(d);
  const bool is_double = d.bit(22), q = d.bit(30);
  if (is_double && !q) return false;
  d.op.run = is_double ? lanewise<Double, 2, Compute<Double>, Operands>()
             : q       ? lanewise<Single, 4, Compute<Single>, Operands>()
                       : lanewise<Single, 2, Compute<Single>, Operands>();
  return true;
}
template <template <class> class Compute, class Operands>
bool decode_scalar(Decoding& d) {
  registers(d);
  d.op.run = d.bit(22) ? lanewise<Double, 1, Compute<Double>, Operands>()
                       : lanewise<Single, 1, Compute<Single>, Operands>();
  return true;
}

template <class Operands>
bool decode_vector_fused(Decoding& d) {
  return fast_float::host_has_fma() ? decode_vector<HostMultiplyAdd, Operands>(d)
                                    : decode_vector<ExactMultiplyAdd, Operands>(d);
}
template <class Operands>
bool decode_scalar_fused(Decoding& d) {
  return fast_float::host_has_fma() ? decode_scalar<HostMultiplyAdd, Operands>(d)
                                    : decode_scalar<ExactMultiplyAdd, Operands>(d);
}

}  // namespace simd_float
}  // namespace asterism::a64
