// Integer arithmetic of A64 instructions (Arm DDI 0487, shared/functions/integer). T is std::uint64_t for X
// registers and std::uint32_t for W registers.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/a64/state.h"

namespace asterism::a64 {

template <class T>
inline constexpr unsigned bits_of = sizeof(T) * 8;

// The lowest `count` bits set; `count` is at most the width.
template <std::unsigned_integral T>
constexpr T ones(unsigned count) {
  return count == 0 ? T{0} : static_cast<T>(~T{0} >> (bits_of<T> - count));
}

template <class T>
void set_nz(Flags& flags, T result) {
  flags.negative = static_cast<std::uint64_t>(result) << (64 - bits_of<T>);
  flags.zero_if = result;
}

template <class T>
T add_setting_flags(Flags& flags, T a, T b) {
  std::make_signed_t<T> ignored;
  const T result = a + b;
  set_nz(flags, result);
  flags.c = result < a;
  flags.v = __builtin_add_overflow(static_cast<std::make_signed_t<T>>(a),
                                   static_cast<std::make_signed_t<T>>(b), &ignored);
  return result;
}

template <class T>
T subtract_setting_flags(Flags& flags, T a, T b) {
  std::make_signed_t<T> ignored;
  const T result = a - b;
  set_nz(flags, result);
  flags.c = a >= b;
  flags.v = __builtin_sub_overflow(static_cast<std::make_signed_t<T>>(a),
                                   static_cast<std::make_signed_t<T>>(b), &ignored);
  return result;
}

// AddWithCarry().
template <class T>
T add_with_carry(Flags& flags, T a, T b, bool carry) {
  const T result = a + b + carry;
  set_nz(flags, result);
  flags.c = carry ? result <= a : result < a;
  flags.v = ((a ^ result) & (b ^ result)) >> (bits_of<T> - 1);
  return result;
}

template <class T>
T logical_setting_flags(Flags& flags, T result) {
  set_nz(flags, result);
  flags.c = false, flags.v = 0;
  return result;
}

enum class Shift : std::uint8_t { lsl, lsr, asr, ror, none };

// `amount` is below the width.
template <class T, Shift shift>
constexpr T shifted(T value, unsigned amount) {
  using Signed = std::make_signed_t<T>;
  if constexpr (shift == Shift::lsl) return value << amount;
  if constexpr (shift == Shift::lsr) return value >> amount;
  if constexpr (shift == Shift::asr) return static_cast<T>(static_cast<Signed>(value) >> amount);
  if constexpr (shift == Shift::ror) return value >> amount | value << ((bits_of<T> - amount) % bits_of<T>);
  return value;
}

}  // namespace asterism::a64
