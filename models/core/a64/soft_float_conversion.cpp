// Conversions between formats, to and from integers, and rounding to integral values.
#include <limits>
#include <type_traits>

#include "core/a64/soft_float.h"
#include "core/a64/soft_float_parts.h"

namespace asterism::a64::soft_float {
namespace {

struct Magnitude {
  std::uint64_t value;
  bool is_exact;
};

// A number below 2^64 in magnitude, times 2^scale, rounded to an integer.
template <class T>
Magnitude to_magnitude(const Operand<T>& a, int exponent, Rounding rounding) {
  const std::uint64_t integer = exponent < 0 ? 0 : a.significand >> (63 - exponent);
  std::uint64_t error = 0;  // in units of 2^-64
  if (exponent < 0)
    error = shift_right_sticky(a.significand, static_cast<unsigned>(-1 - exponent));
  else if (exponent < 63)
    error = a.significand << (exponent + 1);
  return {integer + rounds_up(rounding, a.sign, integer & 1, error), error == 0};
}

template <class Int>
Int saturated(FloatEnvironment& e, bool sign) {
  e.raised |= fpsr_bit::ioc;
  return sign ? std::numeric_limits<Int>::min() : std::numeric_limits<Int>::max();
}

}  // namespace

template <class Int, class T>
Int to_integer(FloatEnvironment& e, T bits, unsigned fraction_bits, Rounding rounding) {
  using Unsigned = std::make_unsigned_t<Int>;
  const Operand<T> a = unpack(e, bits);
  if (a.is_nan()) {
    e.raised |= fpsr_bit::ioc;
    return 0;
  }
  if (a.is_zero()) return 0;
  const int exponent = a.exponent + static_cast<int>(fraction_bits);
  if (a.is_infinity() || exponent >= 64) return saturated<Int>(e, a.sign);
  const auto [magnitude, is_exact] = to_magnitude(a, exponent, rounding);
  // The magnitude of Int's limit on this side of zero.
  const std::uint64_t most = static_cast<Unsigned>(std::numeric_limits<Int>::max()) + std::uint64_t{a.sign};
  if (magnitude > (std::is_signed_v<Int> || !a.sign ? most : 0)) return saturated<Int>(e, a.sign);
  if (!is_exact) e.raised |= fpsr_bit::ixc;
  const auto value = static_cast<Unsigned>(magnitude);
  return static_cast<Int>(a.sign ? Unsigned{0} - value : value);
}

template <class T, class Int>
T from_integer(FloatEnvironment& e, Int value, unsigned fraction_bits) {
  if (value == 0) return 0;
  const bool sign = std::is_signed_v<Int> && value < 0;
  const auto bits = static_cast<std::uint64_t>(value);  // extends the sign
  const std::uint64_t magnitude = sign ? 0 - bits : bits;
  const int shift = std::countl_zero(magnitude);
  return round<T>(e, sign, 63 - shift - static_cast<int>(fraction_bits), magnitude << shift, e.rounding);
}

template <class T>
T round_to_integral(FloatEnvironment& e, T bits, Rounding rounding, bool exact) {
  const Operand<T> a = unpack(e, bits);
  if (a.is_nan()) return process_nan(e, a);
  if (a.is_zero()) return zero<T>(a.sign);
  if (a.is_infinity() || a.exponent >= static_cast<int>(Float<T>::fraction_bits)) return bits;
  const auto [magnitude, is_exact] = to_magnitude(a, a.exponent, rounding);
  if (exact && !is_exact) e.raised |= fpsr_bit::ixc;
  if (magnitude == 0) return zero<T>(a.sign);
  const int shift = std::countl_zero(magnitude);
  return round<T>(e, a.sign, 63 - shift, magnitude << shift, Rounding::toward_zero);
}

namespace {
// FPConvertNaN: the sign and the fraction's upper bits are kept.
template <class To, class From>
To convert_nan(From nan) {
  const bool sign = nan & Float<From>::sign_bit;
  const std::uint64_t left = std::uint64_t{nan} << (64 - Float<From>::fraction_bits);
  return zero<To>(sign) | Float<To>::default_nan | static_cast<To>(left >> (64 - Float<To>::fraction_bits));
}
}  // namespace

template <class To, class From>
To convert(FloatEnvironment& e, From bits, Rounding rounding) {
  const Operand<From> a = unpack<From, HalfIs::format>(e, bits);
  const bool without_specials = is_alternative<To, HalfIs::format>(e);
  if (a.is_nan()) {
    if (a.kind == Kind::signalling_nan || without_specials) e.raised |= fpsr_bit::ioc;
    if (without_specials) return zero<To>(a.sign);
    return e.default_nan ? Float<To>::default_nan : convert_nan<To>(bits);
  }
  if (a.is_infinity()) {
    if (!without_specials) return infinity<To>(a.sign);
    e.raised |= fpsr_bit::ioc;
    return static_cast<To>(zero<To>(a.sign) | (Float<To>::sign_bit - 1));
  }
  if (a.is_zero()) return zero<To>(a.sign);
  return round<To, HalfIs::format>(e, a.sign, a.exponent, a.significand, rounding);
}

#define ASTERISM_INSTANTIATE_INTEGER(T, Int)                                 \
  template Int to_integer<Int, T>(FloatEnvironment&, T, unsigned, Rounding); \
  template T from_integer<T, Int>(FloatEnvironment&, Int, unsigned);
#define ASTERISM_INSTANTIATE(T)                  \
  ASTERISM_INSTANTIATE_INTEGER(T, std::int32_t)  \
  ASTERISM_INSTANTIATE_INTEGER(T, std::uint32_t) \
  ASTERISM_INSTANTIATE_INTEGER(T, std::int64_t)  \
  ASTERISM_INSTANTIATE_INTEGER(T, std::uint64_t) \
  template T round_to_integral(FloatEnvironment&, T, Rounding, bool);
ASTERISM_INSTANTIATE(std::uint16_t)
ASTERISM_INSTANTIATE_INTEGER(std::uint16_t, std::int16_t)
ASTERISM_INSTANTIATE_INTEGER(std::uint16_t, std::uint16_t)
ASTERISM_INSTANTIATE(std::uint32_t)
ASTERISM_INSTANTIATE(std::uint64_t)
#undef ASTERISM_INSTANTIATE
#undef ASTERISM_INSTANTIATE_INTEGER
template std::uint16_t convert(FloatEnvironment&, std::uint32_t, Rounding);
template std::uint16_t convert(FloatEnvironment&, std::uint64_t, Rounding);
template std::uint32_t convert(FloatEnvironment&, std::uint16_t, Rounding);
template std::uint32_t convert(FloatEnvironment&, std::uint64_t, Rounding);
template std::uint64_t convert(FloatEnvironment&, std::uint16_t, Rounding);
template std::uint64_t convert(FloatEnvironment&, std::uint32_t, Rounding);

}  // namespace asterism::a64::soft_float
