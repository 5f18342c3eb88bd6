// Arithmetic and comparison.
#include "core/a64/soft_float.h"

#include <tuple>
#include <utility>

#include "core/a64/soft_float_parts.h"

namespace asterism::a64::soft_float {
namespace {

__extension__ typedef unsigned __int128 Wide;

// significand / 2^127 * 2^exponent, bit 127 set; a significand of 0 is zero. As with round(), bit 0 may stand
// for anything smaller.
struct WideNumber {
  bool sign = false;
  int exponent = 0;
  Wide significand = 0;
};

int leading_zeros(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(value));
}

WideNumber normalised(bool sign, int exponent, Wide significand) {
  if (significand == 0) return {};
  const int shift = leading_zeros(significand);
  return {sign, exponent - shift, significand << shift};
}

template <class T>
WideNumber wide(const Operand<T>& a) {
  return {a.sign, a.exponent, Wide{a.significand} << 64};  // zero stays zero
}

template <class T>
WideNumber product(const Operand<T>& a, const Operand<T>& b) {
  return normalised(a.sign != b.sign, a.exponent + b.exponent + 1, Wide{a.significand} * b.significand);
}

// Exact except for bit 0: the operands have zeros at their low ends, so that nothing is lost unless they are
// far apart.
WideNumber sum(WideNumber a, WideNumber b) {
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  if (std::tie(a.exponent, a.significand) < std::tie(b.exponent, b.significand)) std::swap(a, b);
  const auto apart = static_cast<unsigned>(a.exponent - b.exponent);
  const Wide larger = a.significand >> 1, smaller = shift_right_sticky(b.significand, apart + 1);
  return normalised(a.sign, a.exponent + 1, a.sign == b.sign ? larger + smaller : larger - smaller);
}

template <class T>
T round(FloatEnvironment& e, const WideNumber& a) {
  if (a.significand == 0) return zero<T>(e.rounding == Rounding::down);  // x - x
  const auto high = static_cast<std::uint64_t>(a.significand >> 64);
  const bool more = static_cast<std::uint64_t>(a.significand) != 0;
  return soft_float::round<T>(e, a.sign, a.exponent, high | static_cast<std::uint64_t>(more), e.rounding);
}

template <class T>
T add(FloatEnvironment& e, const Operand<T>& a, const Operand<T>& b) {
  if (a.is_infinity() && b.is_infinity() && a.sign != b.sign) return invalid<T>(e);
  if (a.is_infinity() || b.is_infinity()) return infinity<T>(a.is_infinity() ? a.sign : b.sign);
  if (a.is_zero() && b.is_zero() && a.sign == b.sign) return zero<T>(a.sign);
  return round<T>(e, sum(wide(a), wide(b)));
}

template <class T>
T multiply(FloatEnvironment& e, const Operand<T>& a, const Operand<T>& b) {
  const bool sign = a.sign != b.sign;
  if ((a.is_infinity() && b.is_zero()) || (a.is_zero() && b.is_infinity())) return invalid<T>(e);
  if (a.is_infinity() || b.is_infinity()) return infinity<T>(sign);
  if (a.is_zero() || b.is_zero()) return zero<T>(sign);
  return round<T>(e, product(a, b));
}

// floor(sqrt(value)), bit by bit.
std::uint64_t root(Wide value) {
  std::uint64_t result = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1)
    if (Wide{result | bit} * (result | bit) <= value) result |= bit;
  return result;
}

// A denormal that FZ flushes to zero.
template <class T>
T flushed(const Operand<T>& a) {
  return a.is_zero() ? zero<T>(a.sign) : a.bits;
}

// The operands are not NaNs.
template <class T>
bool is_less(const Operand<T>& a, const Operand<T>& b) {
  if (a.is_zero() && b.is_zero()) return false;
  const T x = flushed(a), y = flushed(b);
  if (a.sign != b.sign) return a.sign;
  return a.sign ? x > y : x < y;
}

template <class T, bool is_maximum>
T extreme(FloatEnvironment& e, T a_bits, T b_bits) {
  const Operand<T> a = unpack(e, a_bits), b = unpack(e, b_bits);
  if (const auto nan = process_nans(e, {a, b})) return *nan;
  if (a.is_zero() && b.is_zero()) return zero<T>(is_maximum ? a.sign && b.sign : a.sign || b.sign);
  const bool takes_a = is_maximum ? is_less(b, a) : is_less(a, b);
  return flushed(takes_a ? a : b);
}

// A single quiet NaN is replaced by the infinity that never wins.
template <class T, bool is_maximum>
T extreme_number(FloatEnvironment& e, T a_bits, T b_bits) {
  const Kind a = unpack(e, a_bits).kind, b = unpack(e, b_bits).kind;
  if (a == Kind::quiet_nan && b != Kind::quiet_nan) a_bits = infinity<T>(is_maximum);
  if (b == Kind::quiet_nan && a != Kind::quiet_nan) b_bits = infinity<T>(is_maximum);
  return extreme<T, is_maximum>(e, a_bits, b_bits);
}

}  // namespace

template <class T>
T add(FloatEnvironment& e, T a_bits, T b_bits) {
  const Operand<T> a = unpack(e, a_bits), b = unpack(e, b_bits);
  if (const auto nan = process_nans(e, {a, b})) return *nan;
  return add(e, a, b);
}

template <class T>
T subtract(FloatEnvironment& e, T a_bits, T b_bits) {
  const Operand<T> a = unpack(e, a_bits);
  Operand<T> b = unpack(e, b_bits);
  if (const auto nan = process_nans(e, {a, b})) return *nan;  // the NaN keeps its sign
  b.sign = !b.sign;
  return add(e, a, b);
}

template <class T>
T multiply(FloatEnvironment& e, T a_bits, T b_bits) {
  const Operand<T> a = unpack(e, a_bits), b = unpack(e, b_bits);
  if (const auto nan = process_nans(e, {a, b})) return *nan;
  return multiply(e, a, b);
}

template <class T>
T multiply_extended(FloatEnvironment& e, T a_bits, T b_bits) {
  constexpr T two = Float<T>::one + Float<T>::smallest_normal;
  const Operand<T> a = unpack(e, a_bits), b = unpack(e, b_bits);
  if (const auto nan = process_nans(e, {a, b})) return *nan;
  if ((a.is_infinity() && b.is_zero()) || (a.is_zero() && b.is_infinity()))
    return zero<T>(a.sign != b.sign) | two;
  return multiply(e, a, b);
}

template <class T>
T divide(FloatEnvironment& e, T a_bits, T b_bits) {
  const Operand<T> a = unpack(e, a_bits), b = unpack(e, b_bits);
  if (const auto nan = process_nans(e, {a, b})) return *nan;
  const bool sign = a.sign != b.sign;
  if ((a.is_infinity() && b.is_infinity()) || (a.is_zero() && b.is_zero())) return invalid<T>(e);
  if (a.is_infinity()) return infinity<T>(sign);
  if (b.is_zero()) {
    e.raised |= fpsr_bit::dzc;
    return infinity<T>(sign);
  }
  if (a.is_zero() || b.is_infinity()) return zero<T>(sign);
  const Wide dividend = Wide{a.significand} << 63;
  const Wide quotient = dividend / b.significand;  // 2^62 to 2^64
  const Wide sticky = quotient * b.significand != dividend;
  return round<T>(e, normalised(sign, a.exponent - b.exponent, quotient << 64 | sticky));
}

template <class T>
T square_root(FloatEnvironment& e, T bits) {
  const Operand<T> a = unpack(e, bits);
  if (a.is_nan()) return process_nan(e, a);
  if (a.is_zero()) return zero<T>(a.sign);
  if (a.sign) return invalid<T>(e);
  if (a.is_infinity()) return infinity<T>(false);
  const bool is_odd = a.exponent & 1;
  const Wide square = Wide{a.significand} << (is_odd ? 64 : 63);
  const std::uint64_t result = root(square);
  const bool sticky = Wide{result} * result != square;
  return soft_float::round<T>(e, false, a.exponent >> 1, result | static_cast<std::uint64_t>(sticky),
                              e.rounding);
}

template <class T>
T multiply_add(FloatEnvironment& e, T addend, T a_bits, T b_bits) {
  const Operand<T> c = unpack(e, addend), a = unpack(e, a_bits), b = unpack(e, b_bits);
  const bool no_product = (a.is_infinity() && b.is_zero()) || (a.is_zero() && b.is_infinity());
  if (const auto nan = process_nans(e, {c, a, b}))
    return c.kind == Kind::quiet_nan && no_product ? invalid<T>(e) : *nan;
  const bool sign = a.sign != b.sign, infinite = a.is_infinity() || b.is_infinity();
  if (no_product || (c.is_infinity() && infinite && c.sign != sign)) return invalid<T>(e);
  if (c.is_infinity() || infinite) return infinity<T>(infinite ? sign : c.sign);
  if (c.is_zero() && (a.is_zero() || b.is_zero()) && c.sign == sign) return zero<T>(sign);
  return round<T>(e, sum(wide(c), product(a, b)));
}

namespace {
// constant - a * b, optionally halved. The negation comes first, also of a NaN.
template <class T>
T fused_step(FloatEnvironment& e, T constant, T a_bits, T b_bits, bool half) {
  const Operand<T> a = unpack(e, negate(a_bits)), b = unpack(e, b_bits);
  if (const auto nan = process_nans(e, {a, b})) return *nan;
  const bool no_product = (a.is_infinity() && b.is_zero()) || (a.is_zero() && b.is_infinity());
  if (a.is_infinity() || b.is_infinity()) {
    if (!no_product) return infinity<T>(a.sign != b.sign);
    return half ? constant - Float<T>::smallest_normal : constant;
  }
  WideNumber result = sum(wide(unpack(e, constant)), product(a, b));
  if (half) --result.exponent;
  return round<T>(e, result);
}
}  // namespace

template <class T>
T reciprocal_step(FloatEnvironment& e, T a, T b) {
  return fused_step<T>(e, expand_immediate<T>(0x00), a, b, false);  // 2.0
}

template <class T>
T reciprocal_root_step(FloatEnvironment& e, T a, T b) {
  return fused_step<T>(e, expand_immediate<T>(0x08), a, b, true);  // 3.0
}

template <class T>
unsigned compare(FloatEnvironment& e, T a_bits, T b_bits, bool signal_quiet) {
  constexpr unsigned equal = 0b0110, less = 0b1000, greater = 0b0010, unordered = 0b0011;
  const Operand<T> a = unpack(e, a_bits), b = unpack(e, b_bits);
  if (a.is_nan() || b.is_nan()) {
    if (signal_quiet || a.kind == Kind::signalling_nan || b.kind == Kind::signalling_nan)
      e.raised |= fpsr_bit::ioc;
    return unordered;
  }
  return is_less(a, b) ? less : is_less(b, a) ? greater : equal;
}

template <class T>
T maximum(FloatEnvironment& e, T a, T b) {
  return extreme<T, true>(e, a, b);
}
template <class T>
T minimum(FloatEnvironment& e, T a, T b) {
  return extreme<T, false>(e, a, b);
}
template <class T>
T maximum_number(FloatEnvironment& e, T a, T b) {
  return extreme_number<T, true>(e, a, b);
}
template <class T>
T minimum_number(FloatEnvironment& e, T a, T b) {
  return extreme_number<T, false>(e, a, b);
}

#define ASTERISM_INSTANTIATE(T)                             \
  template T add(FloatEnvironment&, T, T);                  \
  template T subtract(FloatEnvironment&, T, T);             \
  template T multiply(FloatEnvironment&, T, T);             \
  template T multiply_extended(FloatEnvironment&, T, T);    \
  template T divide(FloatEnvironment&, T, T);               \
  template T square_root(FloatEnvironment&, T);             \
  template T multiply_add(FloatEnvironment&, T, T, T);      \
  template T reciprocal_step(FloatEnvironment&, T, T);      \
  template T reciprocal_root_step(FloatEnvironment&, T, T); \
  template unsigned compare(FloatEnvironment&, T, T, bool); \
  template T maximum(FloatEnvironment&, T, T);              \
  template T minimum(FloatEnvironment&, T, T);              \
  template T maximum_number(FloatEnvironment&, T, T);       \
  template T minimum_number(FloatEnvironment&, T, T);
ASTERISM_INSTANTIATE(std::uint16_t)
ASTERISM_INSTANTIATE(std::uint32_t)
ASTERISM_INSTANTIATE(std::uint64_t)
#undef ASTERISM_INSTANTIATE

}  // namespace asterism::a64::soft_float
