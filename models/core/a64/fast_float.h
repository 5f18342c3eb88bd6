// Floating point for handlers: the host's arithmetic where it must give what soft_float.h does, result and flags, else that.
//
// The host rounds to nearest and keeps denormals. Its result stands when FPCR asks for the same, the result is an ordinary
// number (no NaN, no infinity, nothing near a denormal, where flags are raised), and IXC says nothing new: it is set already,
// or the operation is shown to be exact. So all hosts agree.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/a64/cpu.h"
#include "core/a64/soft_float.h"

// A handler that works with the host's fused multiply-add carries this, and is chosen by host_has_fma().
#if defined(__x86_64__) && !defined(__FMA__)
#define ASTERISM_WITH_FMA [[gnu::target("fma")]]
#else
#define ASTERISM_WITH_FMA
#endif

namespace asterism::a64 {

inline bool host_has_fma() {
#if defined(__x86_64__) && !defined(__FMA__)
  return __builtin_cpu_supports("fma");
#elif defined(__FMA__) || defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

// Calls soft_float's `operation` with FPCR as it stands, and adds what it raises to FPSR.
template <auto operation, class... Arguments>
[[gnu::noinline]] auto slowly(Cpu& cpu, Arguments... arguments) {
  FloatEnvironment e(cpu.fpcr);
  const auto result = operation(e, arguments...);
  cpu.fpsr |= e.raised;
  return result;
}

// As step(), for work that carries ASTERISM_WITH_FMA.
template <auto work>
ASTERISM_WITH_FMA const Operation* step_with_fma(Cpu& cpu, const Operation* op) {
  work(cpu, *op);
  const Operation* next = op + 1;
  if constexpr (threaded) {
    return next->run(cpu, next);
  } else {
    return next;
  }
}

namespace fast_float {

template <class T>
using Host = std::conditional_t<sizeof(T) == 4, float, double>;
template <class T>
Host<T> host(T bits) {
  return std::bit_cast<Host<T>>(bits);
}

// Rounds to nearest and keeps denormals.
inline bool is_plain(const Cpu& cpu) { return (cpu.fpcr & (fpcr_bit::fz | fpcr_bit::rmode)) == 0; }
inline bool keeps_denormals(const Cpu& cpu) { return (cpu.fpcr & fpcr_bit::fz) == 0; }
inline bool inexact_is_known(const Cpu& cpu) { return cpu.fpsr & fpsr_bit::ixc; }

// Neither overflow nor, before rounding, underflow can have led to this result: a number beyond the smallest normal one.
template <class T>
bool is_ordinary(T result) {
  constexpr T first = Float<T>::smallest_normal + 1;
  return static_cast<T>(absolute(result) - first) < static_cast<T>(Float<T>::infinity - first);
}
template <class T>
bool is_zero(T value) {
  return absolute(value) == 0;
}

// That nothing was rounded; some exact results are not seen to be. Results are ordinary.
template <class F>
bool is_exact_sum(F a, F b, F sum) {
  const F b_part = sum - a, a_part = sum - b_part;
  return (a - a_part) + (b - b_part) == 0;
}
template <class T>
int trailing_zeros(T value) {
  return std::countr_zero(static_cast<T>((value & Float<T>::fraction_mask) | Float<T>::smallest_normal));
}
template <class T>
bool is_exact_product(T a, T b) {
  return trailing_zeros(a) + trailing_zeros(b) > static_cast<int>(Float<T>::fraction_bits);
}

template <class T>
T add(Cpu& cpu, T a, T b) {
  if (is_plain(cpu)) [[likely]] {
    const Host<T> sum = host(a) + host(b);
    const T bits = std::bit_cast<T>(sum);
    // A sum that is zero is exact.
    if ((is_ordinary(bits) && (inexact_is_known(cpu) || is_exact_sum(host(a), host(b), sum))) ||
        is_zero(bits)) [[likely]]
      return bits;
  }
  return slowly<soft_float::add<T>>(cpu, a, b);
}

template <class T>
T subtract(Cpu& cpu, T a, T b) {
  if (is_plain(cpu)) [[likely]] {
    const Host<T> difference = host(a) - host(b);
    const T bits = std::bit_cast<T>(difference);
    if ((is_ordinary(bits) && (inexact_is_known(cpu) || is_exact_sum(host(a), -host(b), difference))) ||
        is_zero(bits)) [[likely]]
      return bits;
  }
  return slowly<soft_float::subtract<T>>(cpu, a, b);
}

template <class T>
bool is_product(const Cpu& cpu, T a, T b, T product) {
  return (is_ordinary(product) && (inexact_is_known(cpu) || is_exact_product(a, b))) ||
         (is_zero(product) && (is_zero(a) || is_zero(b)));
}
template <class T>
T multiply(Cpu& cpu, T a, T b) {
  const T product = std::bit_cast<T>(host(a) * host(b));
  if (is_plain(cpu) && is_product(cpu, a, b, product)) [[likely]]
    return product;
  return slowly<soft_float::multiply<T>>(cpu, a, b);
}
template <class T>
T multiply_extended(Cpu& cpu, T a, T b) {
  const T product = std::bit_cast<T>(host(a) * host(b));
  if (is_plain(cpu) && is_product(cpu, a, b, product)) [[likely]]
    return product;
  return slowly<soft_float::multiply_extended<T>>(cpu, a, b);
}
template <class T>
T multiply_negated(Cpu& cpu, T a, T b) {
  return negate(multiply(cpu, a, b));
}

template <class T>
T divide(Cpu& cpu, T a, T b) {
  if (is_plain(cpu) && !is_zero(b)) [[likely]] {
    const T quotient = std::bit_cast<T>(host(a) / host(b));
    if (is_ordinary(quotient) &&
        (inexact_is_known(cpu) || (is_exact_product(quotient, b) && host(quotient) * host(b) == host(a))))
        [[likely]]
      return quotient;
  }
  return slowly<soft_float::divide<T>>(cpu, a, b);
}

inline float host_root(float value) { return __builtin_sqrtf(value); }
inline double host_root(double value) { return __builtin_sqrt(value); }

template <class T>
T square_root(Cpu& cpu, T a) {
  if (is_plain(cpu) && is_ordinary(a) && !(a & Float<T>::sign_bit)) [[likely]] {
    const T root = std::bit_cast<T>(host_root(host(a)));
    if (inexact_is_known(cpu) || (is_exact_product(root, root) && host(root) * host(root) == host(a)))
        [[likely]]
      return root;
  }
  return slowly<soft_float::square_root<T>>(cpu, a);
}

// Where both steps are exact, a fused operation is a product and a sum.
template <class T>
struct ProductAndSum {
  T sum;
  bool is_exact;
};
template <class T>
ProductAndSum<T> multiply_and_add(T addend, T a, T b) {
  const Host<T> product = host(a) * host(b), sum = product + host(addend);
  const T product_bits = std::bit_cast<T>(product), bits = std::bit_cast<T>(sum);
  const bool is_exact = (is_ordinary(product_bits) && is_exact_product(a, b)) ||
                        (is_zero(product_bits) && (is_zero(a) || is_zero(b)));
  return {bits,
          is_exact && ((is_ordinary(bits) && is_exact_sum(product, host(addend), sum)) || is_zero(bits))};
}

template <class T>
T multiply_add(Cpu& cpu, T addend, T a, T b) {
  if (const auto exact = multiply_and_add(addend, a, b); exact.is_exact && is_plain(cpu)) return exact.sum;
  return slowly<soft_float::multiply_add<T>>(cpu, addend, a, b);
}

// Where the host has an instruction for it.
#if defined(__x86_64__) && !defined(__FMA__)
[[gnu::target("fma"), gnu::always_inline]] inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
[[gnu::target("fma"), gnu::always_inline]] inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#else
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
#endif

template <class T>
ASTERISM_WITH_FMA T multiply_add_with_fma(Cpu& cpu, T addend, T a, T b) {
  if (is_plain(cpu)) [[likely]] {
    if (inexact_is_known(cpu)) [[likely]] {
      const T result = std::bit_cast<T>(fused(host(a), host(b), host(addend)));
      if (is_ordinary(result)) [[likely]]
        return result;
    } else if (const auto exact = multiply_and_add(addend, a, b); exact.is_exact) {
      return exact.sum;
    }
  }
  return slowly<soft_float::multiply_add<T>>(cpu, addend, a, b);
}

// NZCV goes to cpu.flags.
template <class T, bool signal_quiet>
void compare(Cpu& cpu, T a, T b) {
  if (keeps_denormals(cpu) && !is_nan(a) && !is_nan(b)) [[likely]] {
    const bool is_less = host(a) < host(b);
    cpu.flags.negative = std::uint64_t{is_less} << 63;
    cpu.flags.zero_if = host(a) != host(b);
    cpu.flags.c = !is_less;
    cpu.flags.v = false;
    return;
  }
  cpu.flags.set(slowly<soft_float::compare<T>>(cpu, a, b, signal_quiet));
}

// As lanes say it: all ones for true.
enum class Relation : std::uint8_t { equal, greater_equal, greater };
template <class T, Relation relation>
T holds_of(Cpu& cpu, T a, T b) {
  bool result;
  if (keeps_denormals(cpu) && !is_nan(a) && !is_nan(b)) [[likely]] {
    result = relation == Relation::equal           ? host(a) == host(b)
             : relation == Relation::greater_equal ? host(a) >= host(b)
                                                   : host(a) > host(b);
  } else {
    const unsigned nzcv = slowly<soft_float::compare<T>>(cpu, a, b, relation != Relation::equal);
    result = relation == Relation::equal           ? nzcv == 0b0110
             : relation == Relation::greater_equal ? nzcv == 0b0110 || nzcv == 0b0010
                                                   : nzcv == 0b0010;
  }
  return result ? static_cast<T>(~T{0}) : T{0};
}

template <class T, bool is_maximum, auto soft>
T extreme(Cpu& cpu, T a, T b) {
  if (keeps_denormals(cpu) && !is_nan(a) && !is_nan(b)) [[likely]] {
    if (host(a) == host(b)) return is_maximum ? a & b : a | b;  // differ at most in the sign of zero
    return (host(a) > host(b)) == is_maximum ? a : b;
  }
  return slowly<soft>(cpu, a, b);
}
template <class T>
T maximum(Cpu& cpu, T a, T b) {
  return extreme<T, true, soft_float::maximum<T>>(cpu, a, b);
}
template <class T>
T minimum(Cpu& cpu, T a, T b) {
  return extreme<T, false, soft_float::minimum<T>>(cpu, a, b);
}
template <class T>
T maximum_number(Cpu& cpu, T a, T b) {
  return extreme<T, true, soft_float::maximum_number<T>>(cpu, a, b);
}
template <class T>
T minimum_number(Cpu& cpu, T a, T b) {
  return extreme<T, false, soft_float::minimum_number<T>>(cpu, a, b);
}

inline std::uint64_t to_double(Cpu& cpu, std::uint32_t a) {
  if (is_ordinary(a) || is_zero(a)) [[likely]]
    return std::bit_cast<std::uint64_t>(static_cast<double>(host(a)));
  return slowly<soft_float::convert<std::uint64_t, std::uint32_t>>(cpu, a, Rounding::nearest_even);
}
[[gnu::noinline]] inline std::uint32_t to_single_slowly(Cpu& cpu, std::uint64_t a) {
  FloatEnvironment e(cpu.fpcr);
  const auto result = soft_float::convert<std::uint32_t>(e, a, e.rounding);
  cpu.fpsr |= e.raised;
  return result;
}
inline std::uint32_t to_single(Cpu& cpu, std::uint64_t a) {
  if (is_plain(cpu)) [[likely]] {
    const auto single = static_cast<float>(host(a));
    const auto bits = std::bit_cast<std::uint32_t>(single);
    if ((is_ordinary(bits) && (inexact_is_known(cpu) || static_cast<double>(single) == host(a))) ||
        is_zero(a)) [[likely]]
      return bits;
  }
  return to_single_slowly(cpu, a);
}

// Toward zero and without a scale, as compilers ask for; else soft_float's.
template <class Int, class T>
Int truncate(Cpu& cpu, T a) {
  constexpr Host<T> limit = std::is_signed_v<Int> ? Host<T>(std::uint64_t{1} << (8 * sizeof(Int) - 1))
                                                  : 2 * Host<T>(std::uint64_t{1} << (8 * sizeof(Int) - 1));
  const Host<T> value = host(a);
  const bool is_inside = value < limit && (std::is_signed_v<Int> ? value > -limit : value >= 0);
  if (is_inside && (is_ordinary(a) || is_zero(a))) [[likely]] {
    const auto result = static_cast<Int>(value);
    if (inexact_is_known(cpu) || static_cast<Host<T>>(result) == value) [[likely]]
      return result;
  }
  return slowly<soft_float::to_integer<Int, T>>(cpu, a, 0u, Rounding::toward_zero);
}

template <class T, class Int>
T from_integer(Cpu& cpu, Int value) {
  const auto result = static_cast<Host<T>>(value);
  // The magnitude has no more bits than a fraction holds: exact.
  constexpr Int most =
      Int{1} << (8 * sizeof(Int) > Float<T>::fraction_bits + 1 ? Float<T>::fraction_bits : 0);
  if constexpr (8 * sizeof(Int) <= Float<T>::fraction_bits) {
    return std::bit_cast<T>(result);
  } else {
    const bool is_exact = value <= most && (!std::is_signed_v<Int> || value >= Int{0} - most);
    if (is_exact || (is_plain(cpu) && inexact_is_known(cpu))) [[likely]]
      return std::bit_cast<T>(result);
    return slowly<soft_float::from_integer<T, Int>>(cpu, value, 0u);
  }
}

}  // namespace fast_float
}  // namespace asterism::a64
