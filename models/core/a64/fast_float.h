// The floating-point operations that instructions consist of, in up to three forms:
//
//   soft()   the result of the architecture (soft_float.h)
//   fast()   the same by the host's arithmetic, if that is valid; FPSR then does not change
//   host()   for basic operations: the host's result, which is valid under the conditions of
//            takes_host_results()
//
// The host rounds to nearest and keeps denormals. Its result is valid if FPCR selects the same, the result is
// an ordinary number (no NaN, no infinity, nothing near a denormal, because these raise flags), and IXC does
// not change: it is already set, or the operation is known to be exact. Results are thus equal on all hosts.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/a64/cpu.h"
#include "core/a64/soft_float.h"

namespace asterism::a64 {

using Half = std::uint16_t;
using Single = std::uint32_t;
using Double = std::uint64_t;

template <class T>
struct Fast {
  T bits = 0;
  bool stands = false;
};

// Calls soft() with the present FPCR, and adds the flags that it raises to FPSR.
template <class Compute, class... Arguments>
[[gnu::noinline]] auto softly(Cpu& cpu, Arguments... arguments) {
  FloatEnvironment e(cpu.fpcr);
  const auto result = Compute::soft(e, arguments...);
  cpu.fpsr |= e.raised;
  return result;
}

namespace fast_float {

template <class T>
using Host = std::conditional_t<sizeof(T) == 4, float, double>;
template <class T>
Host<T> host(T bits) {
  return std::bit_cast<Host<T>>(bits);
}
inline Single to_bits(float value) { return std::bit_cast<Single>(value); }
inline Double to_bits(double value) { return std::bit_cast<Double>(value); }

// FPCR rounds to nearest and keeps denormals.
inline bool is_plain(const State& state) { return (state.fpcr & (fpcr_bit::fz | fpcr_bit::rmode)) == 0; }
inline bool keeps_denormals(const State& state) { return (state.fpcr & fpcr_bit::fz) == 0; }
inline bool inexact_is_known(const State& state) { return state.fpsr & fpsr_bit::ixc; }

// Ordinary results of the host are valid without further checks.
inline bool takes_host_results(const State& state) { return is_plain(state) && inexact_is_known(state); }

// The result is beyond the smallest normal number, so that there was neither overflow nor, before rounding,
// underflow.
template <class T>
bool is_ordinary(T result) {
  constexpr T first = Float<T>::smallest_normal + 1;
  return static_cast<T>(absolute(result) - first) < static_cast<T>(Float<T>::infinity - first);
}
template <class T>
bool is_zero(T value) {
  return absolute(value) == 0;
}

// Whether an ordinary result was not rounded. Some exact results are not recognised.
template <class F>
bool is_exact_sum(F a, F b, F sum) {
  const F part_b = sum - a, part_a = sum - part_b;
  return (a - part_a) + (b - part_b) == 0;
}
template <class T>
int trailing_zeros(T value) {
  return std::countr_zero(static_cast<T>((value & Float<T>::fraction_mask) | Float<T>::smallest_normal));
}
template <class T>
bool is_exact_product(T a, T b) {
  return trailing_zeros(a) + trailing_zeros(b) > static_cast<int>(Float<T>::fraction_bits);
}

// A sum that is zero is exact, and has the host's sign.
template <class T>
Fast<T> sum(const State& state, Host<T> a, Host<T> b) {
  const Host<T> result = a + b;
  const T bits = to_bits(result);
  const bool is_right = is_ordinary(bits) && (inexact_is_known(state) || is_exact_sum(a, b, result));
  return {bits, is_plain(state) && (is_right || is_zero(bits))};
}

template <class T>
Fast<T> product(const State& state, T a, T b) {
  const T bits = to_bits(host(a) * host(b));
  const bool is_right = is_ordinary(bits) && (inexact_is_known(state) || is_exact_product(a, b));
  return {bits, is_plain(state) && (is_right || (is_zero(bits) && (is_zero(a) || is_zero(b))))};
}

// A fused multiply-add whose product and sum are both exact, so that the host needs no instruction for it.
template <class T>
Fast<T> exact_multiply_add(const State& state, T addend, T a, T b) {
  const Host<T> product = host(a) * host(b), result = product + host(addend);
  const T product_bits = to_bits(product), bits = to_bits(result);
  const bool is_exact = (is_ordinary(product_bits) && is_exact_product(a, b)) ||
                        (is_zero(product_bits) && (is_zero(a) || is_zero(b)));
  const bool is_right = is_ordinary(bits) && is_exact_sum(product, host(addend), result);
  return {bits, is_plain(state) && is_exact && (is_right || is_zero(bits))};
}

// The host's fused multiply-add. Debian's x86-64 baseline has none, so that its use is decided at run time.
#if defined(__x86_64__) && !defined(__FMA__)
inline bool host_has_fma() { return __builtin_cpu_supports("fma"); }
inline float fused(float addend, float a, float b) {
  asm("vfmadd231ss %2, %1, %0" : "+x"(addend) : "x"(a), "x"(b));
  return addend;
}
inline double fused(double addend, double a, double b) {
  asm("vfmadd231sd %2, %1, %0" : "+x"(addend) : "x"(a), "x"(b));
  return addend;
}
#else
#if defined(__FMA__) || defined(__aarch64__)
inline bool host_has_fma() { return true; }
#else
inline bool host_has_fma() { return false; }
#endif
inline float fused(float addend, float a, float b) { return __builtin_fmaf(a, b, addend); }
inline double fused(double addend, double a, double b) { return __builtin_fma(a, b, addend); }
#endif

inline float host_root(float value) { return __builtin_sqrtf(value); }
inline double host_root(double value) { return __builtin_sqrt(value); }

}  // namespace fast_float

// ---- two operands ----

template <class T>
struct Add {
  static T host(T a, T b) { return fast_float::to_bits(fast_float::host(a) + fast_float::host(b)); }
  static Fast<T> fast(const State& state, T a, T b) {
    return fast_float::sum<T>(state, fast_float::host(a), fast_float::host(b));
  }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::add(e, a, b); }
};

template <class T>
struct Subtract {
  static T host(T a, T b) { return fast_float::to_bits(fast_float::host(a) - fast_float::host(b)); }
  static Fast<T> fast(const State& state, T a, T b) {
    return fast_float::sum<T>(state, fast_float::host(a), -fast_float::host(b));
  }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::subtract(e, a, b); }
};

template <class T>
struct AbsoluteDifference {
  static T host(T a, T b) { return absolute(Subtract<T>::host(a, b)); }
  static Fast<T> fast(const State& state, T a, T b) {
    const Fast<T> result = Subtract<T>::fast(state, a, b);
    return {absolute(result.bits), result.stands};
  }
  static T soft(FloatEnvironment& e, T a, T b) { return absolute(soft_float::subtract(e, a, b)); }
};

template <class T>
struct Multiply {
  static T host(T a, T b) { return fast_float::to_bits(fast_float::host(a) * fast_float::host(b)); }
  static Fast<T> fast(const State& state, T a, T b) { return fast_float::product(state, a, b); }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::multiply(e, a, b); }
};

template <class T>
struct MultiplyNegated {
  static Fast<T> fast(const State& state, T a, T b) {
    const Fast<T> result = fast_float::product(state, a, b);
    return {negate(result.bits), result.stands};
  }
  static T soft(FloatEnvironment& e, T a, T b) { return negate(soft_float::multiply(e, a, b)); }
};

template <class T>
struct MultiplyExtended {
  static T host(T a, T b) { return Multiply<T>::host(a, b); }
  static Fast<T> fast(const State& state, T a, T b) { return fast_float::product(state, a, b); }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::multiply_extended(e, a, b); }
};

template <class T>
struct Divide {
  static T host(T a, T b) { return fast_float::to_bits(fast_float::host(a) / fast_float::host(b)); }
  static Fast<T> fast(const State& state, T a, T b) {
    using namespace fast_float;
    const T bits = host(a, b);
    const bool is_exact = is_exact_product(bits, b) && Multiply<T>::host(bits, b) == a;
    return {bits, is_plain(state) && is_ordinary(bits) && (inexact_is_known(state) || is_exact)};
  }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::divide(e, a, b); }
};

template <class T, bool is_maximum>
Fast<T> fast_extreme(const State& state, T a, T b) {
  using namespace fast_float;
  if (!keeps_denormals(state) || is_nan(a) || is_nan(b)) return {};
  if (host(a) == host(b)) return {is_maximum ? a & b : a | b, true};  // differ at most in the sign of zero
  return {(host(a) > host(b)) == is_maximum ? a : b, true};
}

template <class T>
struct Maximum {
  static Fast<T> fast(const State& state, T a, T b) { return fast_extreme<T, true>(state, a, b); }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::maximum(e, a, b); }
};
template <class T>
struct Minimum {
  static Fast<T> fast(const State& state, T a, T b) { return fast_extreme<T, false>(state, a, b); }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::minimum(e, a, b); }
};
template <class T>
struct MaximumNumber {
  static Fast<T> fast(const State& state, T a, T b) { return fast_extreme<T, true>(state, a, b); }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::maximum_number(e, a, b); }
};
template <class T>
struct MinimumNumber {
  static Fast<T> fast(const State& state, T a, T b) { return fast_extreme<T, false>(state, a, b); }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::minimum_number(e, a, b); }
};

template <class T>
struct ReciprocalStep {
  static Fast<T> fast(const State&, T, T) { return {}; }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::reciprocal_step(e, a, b); }
};
template <class T>
struct ReciprocalRootStep {
  static Fast<T> fast(const State&, T, T) { return {}; }
  static T soft(FloatEnvironment& e, T a, T b) { return soft_float::reciprocal_root_step(e, a, b); }
};

// Comparisons of lanes: all ones for true.
enum class Relation : std::uint8_t { equal, greater_equal, greater };

template <class T, Relation relation, bool of_magnitudes = false>
struct Compare {
  static Fast<T> fast(const State& state, T a, T b) {
    using namespace fast_float;
    if (!keeps_denormals(state) || is_nan(a) || is_nan(b)) return {};
    if (of_magnitudes) a = absolute(a), b = absolute(b);
    const bool result = relation == Relation::equal           ? host(a) == host(b)
                        : relation == Relation::greater_equal ? host(a) >= host(b)
                                                              : host(a) > host(b);
    return {result ? static_cast<T>(~T{0}) : T{0}, true};
  }
  static T soft(FloatEnvironment& e, T a, T b) {
    constexpr unsigned equal = 0b0110, greater = 0b0010;
    if (of_magnitudes) a = absolute(a), b = absolute(b);
    const unsigned nzcv = soft_float::compare(e, a, b, relation != Relation::equal);
    const bool result =
        (relation != Relation::greater && nzcv == equal) || (relation != Relation::equal && nzcv == greater);
    return result ? static_cast<T>(~T{0}) : T{0};
  }
};
template <class T>
using IsEqual = Compare<T, Relation::equal>;
template <class T>
using IsGreaterOrEqual = Compare<T, Relation::greater_equal>;
template <class T>
using IsGreater = Compare<T, Relation::greater>;
template <class T>
using IsGreaterOrEqualInMagnitude = Compare<T, Relation::greater_equal, true>;
template <class T>
using IsGreaterInMagnitude = Compare<T, Relation::greater, true>;

// ---- three operands ----

// Fast if it is exact, on any host.
template <class T>
struct ExactMultiplyAdd {
  static Fast<T> fast(const State& state, T addend, T a, T b) {
    return fast_float::exact_multiply_add(state, addend, a, b);
  }
  static T soft(FloatEnvironment& e, T addend, T a, T b) { return soft_float::multiply_add(e, addend, a, b); }
};
// Fast on hosts that have an instruction for it.
template <class T>
struct HostMultiplyAdd {
  static T host(T addend, T a, T b) {
    return fast_float::to_bits(
        fast_float::fused(fast_float::host(addend), fast_float::host(a), fast_float::host(b)));
  }
  static Fast<T> fast(const State& state, T addend, T a, T b) {
    const T bits = host(addend, a, b);
    if (fast_float::takes_host_results(state) && fast_float::is_ordinary(bits)) [[likely]]
      return {bits, true};
    return fast_float::exact_multiply_add(state, addend, a, b);
  }
  static T soft(FloatEnvironment& e, T addend, T a, T b) { return soft_float::multiply_add(e, addend, a, b); }
};
template <class T, bool with_host_fma>
using MultiplyAdd = std::conditional_t<with_host_fma, HostMultiplyAdd<T>, ExactMultiplyAdd<T>>;

// ---- one operand ----

// These operate on bits, also of NaNs.
template <class T>
struct Same {
  static Fast<T> fast(const State&, T a) { return {a, true}; }
  static T soft(FloatEnvironment&, T a) { return a; }
};
template <class T>
struct Absolute {
  static Fast<T> fast(const State&, T a) { return {absolute(a), true}; }
  static T soft(FloatEnvironment&, T a) { return absolute(a); }
};
template <class T>
struct Negate {
  static Fast<T> fast(const State&, T a) { return {negate(a), true}; }
  static T soft(FloatEnvironment&, T a) { return negate(a); }
};

template <class T>
struct SquareRoot {
  static Fast<T> fast(const State& state, T a) {
    using namespace fast_float;
    if (!is_plain(state) || !is_ordinary(a) || (a & Float<T>::sign_bit)) return {};
    const T bits = to_bits(host_root(host(a)));
    return {bits,
            inexact_is_known(state) || (is_exact_product(bits, bits) && host(bits) * host(bits) == host(a))};
  }
  static T soft(FloatEnvironment& e, T a) { return soft_float::square_root(e, a); }
};

template <class T, Rounding rounding>
struct Round {
  static Fast<T> fast(const State&, T) { return {}; }
  static T soft(FloatEnvironment& e, T a) { return soft_float::round_to_integral(e, a, rounding, false); }
};
template <class T>
using RoundToNearest = Round<T, Rounding::nearest_even>;
template <class T>
using RoundUp = Round<T, Rounding::up>;
template <class T>
using RoundDown = Round<T, Rounding::down>;
template <class T>
using RoundTowardZero = Round<T, Rounding::toward_zero>;
template <class T>
using RoundToNearestAway = Round<T, Rounding::nearest_away>;

template <class T, bool exact>
struct RoundAsSet {
  static Fast<T> fast(const State&, T) { return {}; }
  static T soft(FloatEnvironment& e, T a) { return soft_float::round_to_integral(e, a, e.rounding, exact); }
};
template <class T>
using RoundByFpcr = RoundAsSet<T, false>;
template <class T>
using RoundByFpcrExact = RoundAsSet<T, true>;

template <class To, class From>
struct Convert {
  static Fast<To> fast(const State& state, From a) {
    using namespace fast_float;
    if constexpr (sizeof(From) == 4 && sizeof(To) == 8) {
      return {to_bits(static_cast<double>(host(a))), is_ordinary(a) || is_zero(a)};
    } else if constexpr (sizeof(From) == 8 && sizeof(To) == 4) {
      const auto single = static_cast<float>(host(a));
      const bool is_right =
          is_ordinary(to_bits(single)) && (inexact_is_known(state) || static_cast<double>(single) == host(a));
      return {to_bits(single), is_plain(state) && (is_right || is_zero(a))};
    }
    return {};
  }
  static To soft(FloatEnvironment& e, From a) { return soft_float::convert<To>(e, a, e.rounding); }
};

// Conversions to integers with `fraction_bits`. The fast form has none, and rounds toward zero, which
// compilers use.
template <class Int, class T>
struct ToInteger {
  static Fast<Int> fast(const State& state, T a) {
    using namespace fast_float;
    constexpr auto half = static_cast<Host<T>>(std::uint64_t{1} << (8 * sizeof(Int) - 1));
    constexpr Host<T> limit = std::is_signed_v<Int> ? half : 2 * half;
    const Host<T> value = host(a);
    const bool is_inside = value < limit && (std::is_signed_v<Int> ? value > -limit : value >= 0);
    if (!is_inside || !(is_ordinary(a) || is_zero(a))) return {};
    const auto result = static_cast<Int>(value);
    return {result, inexact_is_known(state) || static_cast<Host<T>>(result) == value};
  }
  static Int soft(FloatEnvironment& e, T a, unsigned fraction_bits, Rounding rounding) {
    return soft_float::to_integer<Int>(e, a, fraction_bits, rounding);
  }
};

template <class T, class Int>
struct FromInteger {
  static Fast<T> fast(const State& state, Int value) {
    using namespace fast_float;
    const T bits = to_bits(static_cast<Host<T>>(value));
    constexpr unsigned fraction_bits = Float<T>::fraction_bits;
    if constexpr (8 * sizeof(Int) <= fraction_bits) {
      return {bits, true};
    } else {
      constexpr Int most = Int{1} << fraction_bits;
      const bool is_exact = value <= most && (!std::is_signed_v<Int> || value >= Int{0} - most);
      return {bits, is_exact || (is_plain(state) && inexact_is_known(state))};
    }
  }
  static T soft(FloatEnvironment& e, Int value, unsigned fraction_bits) {
    return soft_float::from_integer<T>(e, value, fraction_bits);
  }
};

template <class T>
struct ReciprocalEstimate {
  static Fast<T> fast(const State&, T) { return {}; }
  static T soft(FloatEnvironment& e, T a) { return soft_float::reciprocal_estimate(e, a); }
};
template <class T>
struct ReciprocalRootEstimate {
  static Fast<T> fast(const State&, T) { return {}; }
  static T soft(FloatEnvironment& e, T a) { return soft_float::reciprocal_root_estimate(e, a); }
};
template <class T>
struct ReciprocalExponent {
  static Fast<T> fast(const State&, T) { return {}; }
  static T soft(FloatEnvironment& e, T a) { return soft_float::reciprocal_exponent(e, a); }
};

}  // namespace asterism::a64
