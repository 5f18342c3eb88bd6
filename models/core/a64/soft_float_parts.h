// Shared parts of soft_float*.cpp, which alone include this: unpacked numbers, NaN selection, rounding.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>

#include "core/a64/soft_float.h"

namespace asterism::a64::soft_float {

enum class Kind : std::uint8_t { zero, number, infinity, quiet_nan, signalling_nan };

// A number is significand / 2^63 * 2^exponent, with bit 63 of the significand set.
template <class T>
struct Operand {
  T bits = 0;
  Kind kind = Kind::zero;
  bool sign = false;
  int exponent = 0;
  std::uint64_t significand = 0;

  bool is_zero() const { return kind == Kind::zero; }
  bool is_infinity() const { return kind == Kind::infinity; }
  bool is_nan() const { return kind >= Kind::quiet_nan; }
};

template <class T>
constexpr T zero(bool sign) {
  return sign ? Float<T>::sign_bit : T{0};
}
template <class T>
constexpr T infinity(bool sign) {
  return zero<T>(sign) | Float<T>::infinity;
}

// Bits that are shifted out set bit 0 (sticky).
template <class Wide>
constexpr Wide shift_right_sticky(Wide value, unsigned by) {
  constexpr unsigned width = 8 * sizeof(Wide);
  if (by == 0) return value;
  if (by >= width) return value != 0;
  return value >> by | ((value << (width - by)) != 0);
}

// The use of a half: for arithmetic, with FZ16 controlling whether denormals are zero; or for conversions,
// which keep denormals and may use the alternative format (AHP).
enum class HalfIs : std::uint8_t { number, format };

template <class T, HalfIs half>
bool flushes(const FloatEnvironment& e) {
  if constexpr (Float<T>::bits == 16) return half == HalfIs::number && e.flush_halves_to_zero;
  return e.flush_to_zero;
}
template <class T, HalfIs half>
bool is_alternative(const FloatEnvironment& e) {
  return Float<T>::bits == 16 && half == HalfIs::format && e.alternative_half;
}

// FPUnpack, FPUnpackCV.
template <class T, HalfIs half = HalfIs::number>
Operand<T> unpack(FloatEnvironment& e, T bits) {
  using F = Float<T>;
  Operand<T> result{.bits = bits, .sign = (bits & F::sign_bit) != 0};
  const std::uint64_t fraction = bits & F::fraction_mask;
  const int biased = bits >> F::fraction_bits & F::maximum_biased;
  if (biased == F::maximum_biased && !is_alternative<T, half>(e)) {
    if (fraction == 0)
      result.kind = Kind::infinity;
    else
      result.kind = bits & F::quiet_bit ? Kind::quiet_nan : Kind::signalling_nan;
  } else if (biased == 0) {
    if (fraction == 0) return result;
    if (flushes<T, half>(e)) {
      if (F::bits != 16) e.raised |= fpsr_bit::idc;
      return result;
    }
    const int shift = std::countl_zero(fraction);
    result.kind = Kind::number;
    result.exponent = F::minimum_exponent + 63 - static_cast<int>(F::fraction_bits) - shift;
    result.significand = fraction << shift;
  } else {
    result.kind = Kind::number;
    result.exponent = biased - F::bias;
    result.significand = (std::uint64_t{1} << F::fraction_bits | fraction) << (63 - F::fraction_bits);
  }
  return result;
}

// FPProcessNaN.
template <class T>
T process_nan(FloatEnvironment& e, const Operand<T>& nan) {
  if (nan.kind == Kind::signalling_nan) e.raised |= fpsr_bit::ioc;
  return e.default_nan ? Float<T>::default_nan : nan.bits | Float<T>::quiet_bit;
}

// FPProcessNaNs, FPProcessNaNs3: the first signalling NaN, otherwise the first quiet one.
template <class T>
std::optional<T> process_nans(FloatEnvironment& e, std::initializer_list<Operand<T>> operands) {
  for (const Kind kind : {Kind::signalling_nan, Kind::quiet_nan})
    for (const Operand<T>& operand : operands)
      if (operand.kind == kind) return process_nan(e, operand);
  return {};
}

template <class T>
T invalid(FloatEnvironment& e) {
  e.raised |= fpsr_bit::ioc;
  return Float<T>::default_nan;
}

// Whether a magnitude is rounded up, given the truncated part `error` in units of 2^-64.
inline bool rounds_up(Rounding rounding, bool sign, bool is_odd, std::uint64_t error) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  switch (rounding) {
    case Rounding::nearest_even:
      return error > half || (error == half && is_odd);
    case Rounding::nearest_away:
      return error >= half;
    case Rounding::up:
      return error != 0 && !sign;
    case Rounding::down:
      return error != 0 && sign;
    default:
      return false;
  }
}

// A result that is too large becomes infinity or the largest number.
inline bool overflows_to_infinity(Rounding rounding, bool sign) {
  return rounding == Rounding::nearest_even || rounding == (sign ? Rounding::down : Rounding::up);
}

template <class T>
T overflow(FloatEnvironment& e, bool sign, Rounding rounding) {
  e.raised |= fpsr_bit::ofc | fpsr_bit::ixc;
  return overflows_to_infinity(rounding, sign) ? infinity<T>(sign) : zero<T>(sign) | Float<T>::largest_normal;
}

// FPRound, FPRoundCV: rounds significand / 2^63 * 2^exponent. Bit 63 is set, and bit 0 may be sticky.
// Tininess is detected before rounding.
template <class T, HalfIs half = HalfIs::number>
T round(FloatEnvironment& e, bool sign, int exponent, std::uint64_t significand, Rounding rounding) {
  using F = Float<T>;
  constexpr unsigned dropped_bits = 63 - F::fraction_bits;
  if (flushes<T, half>(e) && exponent < F::minimum_exponent) {
    e.raised |= fpsr_bit::ufc;  // and not IXC
    return zero<T>(sign);
  }
  int biased = std::max(exponent - F::minimum_exponent + 1, 0);
  if (biased == 0)
    significand = shift_right_sticky(significand, static_cast<unsigned>(F::minimum_exponent - exponent));
  std::uint64_t mantissa = significand >> dropped_bits;
  const std::uint64_t error = significand << (64 - dropped_bits);
  if (biased == 0 && error != 0) e.raised |= fpsr_bit::ufc;
  if (rounds_up(rounding, sign, mantissa & 1, error)) {
    ++mantissa;
    if (mantissa == std::uint64_t{1} << F::fraction_bits) biased = 1;
    if (mantissa == std::uint64_t{2} << F::fraction_bits) ++biased, mantissa >>= 1;
  }
  if (rounding == Rounding::odd && error != 0) mantissa |= 1;
  if (is_alternative<T, half>(e)) {
    if (biased > F::maximum_biased) {
      e.raised |= fpsr_bit::ioc;  // and not IXC
      return static_cast<T>(zero<T>(sign) | (F::sign_bit - 1));
    }
  } else if (biased >= F::maximum_biased) {
    return overflow<T>(e, sign, rounding);
  }
  if (error != 0) e.raised |= fpsr_bit::ixc;
  return static_cast<T>(zero<T>(sign) | static_cast<T>(biased) << F::fraction_bits |
                        (mantissa & F::fraction_mask));
}

}  // namespace asterism::a64::soft_float
