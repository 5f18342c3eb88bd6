// Floating point as in Arm's pseudocode (Arm DDI 0487, J1.3: shared/functions/float), in integer arithmetic:
// every bit of every result, and the flags of FPSR, are those of the architecture on any host.
//
// A value is its bits: std::uint16_t is a half, std::uint32_t a single, std::uint64_t a double precision
// number. A FloatEnvironment passes the controls of FPCR to each call, and collects the flags for FPSR.
// Armv8.0-A does not trap floating-point exceptions.
//
// This is the slow path and the reference; fast_float.h uses the host's arithmetic where both must agree.
#pragma once

#include <cstdint>

namespace asterism::a64 {

namespace fpcr_bit {
inline constexpr std::uint32_t ahp = 1 << 26, dn = 1 << 25, fz = 1 << 24, rmode = 3 << 22, fz16 = 1 << 19;
inline constexpr std::uint32_t writable = ahp | dn | fz | rmode | fz16;  // the others read as zero
}  // namespace fpcr_bit

namespace fpsr_bit {
inline constexpr std::uint32_t ioc = 1 << 0;  // invalid operation
inline constexpr std::uint32_t dzc = 1 << 1;  // division by zero
inline constexpr std::uint32_t ofc = 1 << 2;  // overflow
inline constexpr std::uint32_t ufc = 1 << 3;  // underflow
inline constexpr std::uint32_t ixc = 1 << 4;  // inexact
inline constexpr std::uint32_t idc = 1 << 7;  // an input denormal was flushed to zero; not for halves
inline constexpr std::uint32_t qc = 1 << 27;  // saturation of SIMD integers
inline constexpr std::uint32_t writable = qc | idc | ixc | ufc | ofc | dzc | ioc;
}  // namespace fpsr_bit

// The first four as in FPCR.RMode.
enum class Rounding : std::uint8_t { nearest_even, up, down, toward_zero, nearest_away, odd };

struct FloatEnvironment {
  explicit FloatEnvironment(std::uint32_t fpcr)
      : rounding(static_cast<Rounding>(fpcr >> 22 & 3)),
        flush_to_zero(fpcr & fpcr_bit::fz),
        flush_halves_to_zero(fpcr & fpcr_bit::fz16),
        default_nan(fpcr & fpcr_bit::dn),
        alternative_half(fpcr & fpcr_bit::ahp) {}

  Rounding rounding;
  bool flush_to_zero, flush_halves_to_zero, default_nan;
  bool alternative_half;     // for conversions between formats only
  std::uint32_t raised = 0;  // bits of FPSR
};

template <class T>
struct FloatFormat;
template <>
struct FloatFormat<std::uint16_t> {
  static constexpr unsigned fraction_bits = 10, exponent_bits = 5;
};
template <>
struct FloatFormat<std::uint32_t> {
  static constexpr unsigned fraction_bits = 23, exponent_bits = 8;
};
template <>
struct FloatFormat<std::uint64_t> {
  static constexpr unsigned fraction_bits = 52, exponent_bits = 11;
};

// Constants of a format, as bits.
template <class T>
struct Float : FloatFormat<T> {
  using FloatFormat<T>::fraction_bits, FloatFormat<T>::exponent_bits;
  static constexpr unsigned bits = 8 * sizeof(T);
  static constexpr int maximum_biased = (1 << exponent_bits) - 1;  // of infinities and NaNs
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr int minimum_exponent = 1 - bias;  // of a normal number
  static constexpr T sign_bit = static_cast<T>(T{1} << (bits - 1));
  static constexpr T fraction_mask = static_cast<T>((T{1} << fraction_bits) - 1);
  static constexpr T infinity = static_cast<T>(static_cast<T>(maximum_biased) << fraction_bits);
  static constexpr T quiet_bit = static_cast<T>(T{1} << (fraction_bits - 1));
  static constexpr T default_nan = infinity | quiet_bit;
  static constexpr T smallest_normal = static_cast<T>(T{1} << fraction_bits);
  static constexpr T largest_normal = infinity - 1;
  static constexpr T one = static_cast<T>(static_cast<T>(bias) << fraction_bits);
};

template <class T>
constexpr T negate(T value) {
  return value ^ Float<T>::sign_bit;
}
template <class T>
constexpr T absolute(T value) {
  return value & static_cast<T>(~Float<T>::sign_bit);
}
template <class T>
constexpr bool is_nan(T value) {
  return absolute(value) > Float<T>::infinity;
}

// FPExpandImm / VFPExpandImm: the eight bits of an FMOV.
template <class T>
constexpr T expand_immediate(unsigned imm8) {
  using F = Float<T>;
  const T high_bit = imm8 >> 6 & 1;
  const T replicated = high_bit ? static_cast<T>((T{1} << (F::exponent_bits - 3)) - 1) : T{0};
  const T exponent =
      static_cast<T>((high_bit ^ 1) << (F::exponent_bits - 1) | replicated << 2 | (imm8 >> 4 & 3));
  return static_cast<T>((imm8 & 0x80 ? F::sign_bit : T{0}) | exponent << F::fraction_bits |
                        static_cast<T>(imm8 & 0xf) << (F::fraction_bits - 4));
}

namespace soft_float {

template <class T>
T add(FloatEnvironment& e, T a, T b);
template <class T>
T subtract(FloatEnvironment& e, T a, T b);
template <class T>
T multiply(FloatEnvironment& e, T a, T b);
template <class T>
T multiply_extended(FloatEnvironment& e, T a, T b);  // FMULX: zero times infinity is two
template <class T>
T divide(FloatEnvironment& e, T a, T b);
template <class T>
T square_root(FloatEnvironment& e, T a);
template <class T>
T multiply_add(FloatEnvironment& e, T addend, T a, T b);  // rounded once

// As NZCV. Quiet NaNs are an invalid operation when signal_quiet.
template <class T>
unsigned compare(FloatEnvironment& e, T a, T b, bool signal_quiet);

template <class T>
T maximum(FloatEnvironment& e, T a, T b);
template <class T>
T minimum(FloatEnvironment& e, T a, T b);
template <class T>
T maximum_number(FloatEnvironment& e, T a, T b);  // a number rather than a quiet NaN
template <class T>
T minimum_number(FloatEnvironment& e, T a, T b);

// Estimates of eight bits, and the steps that refine them.
template <class T>
T reciprocal_estimate(FloatEnvironment& e, T a);
template <class T>
T reciprocal_root_estimate(FloatEnvironment& e, T a);
template <class T>
T reciprocal_exponent(FloatEnvironment& e, T a);
template <class T>
T reciprocal_step(FloatEnvironment& e, T a, T b);  // 2 - a * b
template <class T>
T reciprocal_root_step(FloatEnvironment& e, T a, T b);  // (3 - a * b) / 2
std::uint32_t unsigned_reciprocal_estimate(std::uint32_t a);
std::uint32_t unsigned_reciprocal_root_estimate(std::uint32_t a);

// `exact`: a result that differs from its operand raises IXC.
template <class T>
T round_to_integral(FloatEnvironment& e, T a, Rounding rounding, bool exact);

// a * 2^fraction_bits as an Int (32 or 64 bits, of a half also 16, signed or not), saturated.
template <class Int, class T>
Int to_integer(FloatEnvironment& e, T a, unsigned fraction_bits, Rounding rounding);
// value / 2^fraction_bits.
template <class T, class Int>
T from_integer(FloatEnvironment& e, Int value, unsigned fraction_bits);

template <class To, class From>
To convert(FloatEnvironment& e, From a, Rounding rounding);

}  // namespace soft_float
}  // namespace asterism::a64
