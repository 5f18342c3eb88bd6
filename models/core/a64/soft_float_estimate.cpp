// Reciprocal estimates: the architecture defines every bit of them.
#include "core/a64/soft_float.h"
#include "core/a64/soft_float_parts.h"

namespace asterism::a64::soft_float {
namespace {

// RecipEstimate: 256 to 511 stands for 0.5 to 1; the result likewise for 1 to 2.
std::uint32_t estimate_reciprocal(std::uint32_t a) {
  const std::uint32_t b = (1u << 19) / (2 * a + 1);
  return (b + 1) / 2;
}

// RecipSqrtEstimate: 128 to 511 stands for 0.25 to 1.
std::uint32_t estimate_reciprocal_root(std::uint32_t a) {
  a = a < 256 ? a * 2 + 1 : ((a & ~1u) + 1) * 2;
  std::uint32_t b = 512;
  while (a * (b + 1) * (b + 1) < 1u << 28) ++b;
  return (b + 1) / 2;
}

}  // namespace

template <class T>
T reciprocal_estimate(FloatEnvironment& e, T bits) {
  using F = Float<T>;
  const Operand<T> a = unpack(e, bits);
  if (a.is_nan()) return process_nan(e, a);
  if (a.is_infinity()) return zero<T>(a.sign);
  if (a.is_zero()) {
    e.raised |= fpsr_bit::dzc;
    return infinity<T>(a.sign);
  }
  if (a.exponent < -F::bias - 1) return overflow<T>(e, a.sign, e.rounding);
  if (flushes<T, HalfIs::number>(e) && a.exponent >= F::bias - 1) {
    e.raised |= fpsr_bit::ufc;
    return zero<T>(a.sign);
  }
  const std::uint32_t estimate = estimate_reciprocal(static_cast<std::uint32_t>(a.significand >> 55));
  const int biased = F::bias - 1 - a.exponent;
  // 1.estimate; a denormal result has the leading one in its fraction.
  T fraction = static_cast<T>(static_cast<T>(estimate & 0xff) << (F::fraction_bits - 8));
  if (biased == 0) fraction = F::quiet_bit | fraction >> 1;
  if (biased == -1) fraction = F::quiet_bit >> 1 | fraction >> 2;
  return zero<T>(a.sign) | static_cast<T>(biased > 0 ? biased : 0) << F::fraction_bits | fraction;
}

template <class T>
T reciprocal_root_estimate(FloatEnvironment& e, T bits) {
  using F = Float<T>;
  const Operand<T> a = unpack(e, bits);
  if (a.is_nan()) return process_nan(e, a);
  if (a.is_zero()) {
    e.raised |= fpsr_bit::dzc;
    return infinity<T>(a.sign);
  }
  if (a.sign) return invalid<T>(e);
  if (a.is_infinity()) return zero<T>(false);
  const int biased = a.exponent + F::bias;  // 0 and less for a denormal
  const auto scaled = static_cast<std::uint32_t>(a.significand >> (biased % 2 == 0 ? 55 : 56));
  const std::uint32_t estimate = estimate_reciprocal_root(scaled);
  const int result = (3 * F::bias - 1 - biased) / 2;
  return static_cast<T>(result) << F::fraction_bits | static_cast<T>(estimate & 0xff)
                                                          << (F::fraction_bits - 8);
}

template <class T>
T reciprocal_exponent(FloatEnvironment& e, T bits) {
  using F = Float<T>;
  const Operand<T> a = unpack(e, bits);
  if (a.is_nan()) return process_nan(e, a);
  const T sign = bits & F::sign_bit;
  if ((bits & F::infinity) == 0) return sign | (F::infinity - F::smallest_normal);
  return sign | (~bits & F::infinity);
}

std::uint32_t unsigned_reciprocal_estimate(std::uint32_t a) {
  return a >> 31 == 0 ? ~0u : estimate_reciprocal(a >> 23) << 23;
}

std::uint32_t unsigned_reciprocal_root_estimate(std::uint32_t a) {
  return a >> 30 == 0 ? ~0u : estimate_reciprocal_root(a >> 23) << 23;
}

#define ASTERISM_INSTANTIATE(T)                              \
  template T reciprocal_estimate(FloatEnvironment&, T);      \
  template T reciprocal_root_estimate(FloatEnvironment&, T); \
  template T reciprocal_exponent(FloatEnvironment&, T);
ASTERISM_INSTANTIATE(std::uint16_t)
ASTERISM_INSTANTIATE(std::uint32_t)
ASTERISM_INSTANTIATE(std::uint64_t)
#undef ASTERISM_INSTANTIATE

}  // namespace asterism::a64::soft_float
