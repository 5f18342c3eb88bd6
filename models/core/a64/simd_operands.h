// Families of handlers (simd_tables.h) with two sources, shared by the groups "three same", "three different"
// and "by element". For the simd_*.cpp files.
#pragma once

#include "core/a64/simd_tables.h"

namespace asterism::a64 {

// The second source: all lanes of a register, or one of its elements (op.ra).
enum class Second : std::uint8_t { lanes, element };

template <class T, unsigned bytes, Second second>
[[gnu::always_inline]] inline Lanes<T, bytes> second_lanes(const Cpu& cpu, const Operation& op) {
  if constexpr (second == Second::lanes) {
    return lanes<T, bytes>(cpu.v[op.rm]);
  } else {
    Lanes<T, bytes> result;
    result.fill(element<T>(cpu.v[op.rm], op.ra));
    return result;
  }
}

// The operation on a lane is f(a, b), or f(a, b, d) with the lane of the destination. Either form may have a
// last parameter `saturated`, which it sets if it saturates.
template <auto f, class T>
[[gnu::always_inline]] inline T apply(T a, T b, T d, bool& saturated) {
  if constexpr (std::is_invocable_v<decltype(f), T, T>) {
    return f(a, b);
  } else if constexpr (std::is_invocable_v<decltype(f), T, T, bool&>) {
    return f(a, b, saturated);
  } else if constexpr (std::is_invocable_v<decltype(f), T, T, T>) {
    return f(a, b, d);
  } else {
    return f(a, b, d, saturated);
  }
}

// Lane by lane.
template <auto f, Second second = Second::lanes>
struct Lanewise {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto b = second_lanes<T, bytes, second>(cpu, op);
    const auto d = lanes<T, bytes>(cpu.v[op.rd]);
    Lanes<T, bytes> result;
    bool saturated = false;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = apply<f>(a[i], b[i], d[i], saturated);
    put(cpu.v[op.rd], result);
    if (saturated) cpu.fpsr |= fpsr_qc;
  }
};

// For lanes of T, lengthened: the result and the operands of f are twice as wide.
template <auto f, Second second = Second::lanes>
struct Long {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    constexpr unsigned half_bytes = bytes == 16 ? 8 : bytes;
    const auto a = half<T, bytes>(cpu.v[op.rn]);
    Lanes<T, half_bytes> b;
    if constexpr (second == Second::lanes) {
      b = half<T, bytes>(cpu.v[op.rm]);
    } else {
      b = second_lanes<T, half_bytes, second>(cpu, op);
    }
    const auto d = lanes<Wide<T>, half_bytes * 2>(cpu.v[op.rd]);
    Lanes<Wide<T>, half_bytes * 2> result;
    bool saturated = false;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = apply<f>(Wide<T>{a[i]}, Wide<T>{b[i]}, d[i], saturated);
    put(cpu.v[op.rd], result);
    if (saturated) cpu.fpsr |= fpsr_qc;
  }
};

// Sums of four products of bytes each, added to words.
template <Second second>
struct Dot {
  template <class T, unsigned bytes>
  static void work(Cpu& cpu, const Operation& op) {
    using Word = Lane<std::is_signed_v<T>, 2>;
    const auto a = lanes<T, bytes>(cpu.v[op.rn]);
    const auto b = std::bit_cast<Lanes<T, bytes>>(second_lanes<std::uint32_t, bytes, second>(cpu, op));
    auto result = lanes<std::uint32_t, bytes>(cpu.v[op.rd]);
    for (std::size_t i = 0; i < a.size(); ++i)
      result[i / 4] += static_cast<std::uint32_t>(Word{a[i]} * Word{b[i]});
    put(cpu.v[op.rd], result);
  }
};

// ---- multiplications of lanes ----

inline constexpr auto times = []<class T>(T a, T b) -> T { return multiply(a, b); };
inline constexpr auto multiply_add = []<class T>(T a, T b, T d) -> T { return add(d, multiply(a, b)); };
inline constexpr auto multiply_subtract = []<class T>(T a, T b, T d) -> T {
  return subtract(d, multiply(a, b));
};

inline constexpr auto doubling_high = []<class T>(T a, T b, bool& saturated) -> T {
  return doubling_multiply_high<false>(a, b, saturated);
};
inline constexpr auto rounding_doubling_high = []<class T>(T a, T b, bool& saturated) -> T {
  return doubling_multiply_high<true>(a, b, saturated);
};

inline constexpr auto rounding_doubling_high_add = []<class T>(T a, T b, T d, bool& saturated) -> T {
  return doubling_multiply_accumulate_high<false>(a, b, d, saturated);
};
inline constexpr auto rounding_doubling_high_subtract = []<class T>(T a, T b, T d, bool& saturated) -> T {
  return doubling_multiply_accumulate_high<true>(a, b, d, saturated);
};

// For lengthened lanes, whose product always fits. Twice the product may not, and neither may the sum.
inline constexpr auto doubling = []<class T>(T a, T b, bool& saturated) -> T {
  return saturating_add(multiply(a, b), multiply(a, b), saturated);
};
inline constexpr auto doubling_add = []<class T>(T a, T b, T d, bool& saturated) -> T {
  return saturating_add(d, doubling(a, b, saturated), saturated);
};
inline constexpr auto doubling_subtract = []<class T>(T a, T b, T d, bool& saturated) -> T {
  return saturating_subtract(d, doubling(a, b, saturated), saturated);
};

}  // namespace asterism::a64
