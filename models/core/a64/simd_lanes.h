// The lanes of SIMD registers as arrays. They are loaded and stored as a whole by memcpy, so that the
// compiler turns a plain loop over them into host vector instructions and keeps no object in memory.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/a64/cpu.h"

namespace asterism::a64 {

static_assert(std::endian::native == std::endian::little);  // lane 0 is in the low bits of d[0]

template <class T, unsigned bytes = 16>
using Lanes = std::array<T, bytes / sizeof(T)>;

// The lowest lanes of a register.
template <class T, unsigned bytes = 16>
[[gnu::always_inline]] inline Lanes<T, bytes> lanes(const Vector& v) {
  Lanes<T, bytes> result;
  std::memcpy(result.data(), v.d.data(), bytes);
  return result;
}

// The half of a register that a lengthening or narrowing instruction reads: the upper half in its form of 16
// bytes (SADDL2), otherwise the lower one.
template <class T, unsigned bytes>
[[gnu::always_inline]] inline Lanes<T, bytes == 16 ? 8 : bytes> half(const Vector& v) {
  Lanes<T, bytes == 16 ? 8 : bytes> result;
  std::memcpy(result.data(), &v.d[bytes == 16], sizeof result);
  return result;
}

// Writes a register and clears the bits above the lanes.
template <class T, std::size_t count>
[[gnu::always_inline]] inline void put(Vector& v, const std::array<T, count>& from) {
  if constexpr (count * sizeof(T) >= 8) {
    std::memcpy(v.d.data(), from.data(), count * sizeof(T));
    if constexpr (count * sizeof(T) == 8) v.d[1] = 0;
  } else {
    std::uint64_t low = 0;
    std::memcpy(&low, from.data(), count * sizeof(T));
    v.d = {low, 0};
  }
}

// Writes the half of a register that a narrowing instruction writes. XTN2 keeps the lower half.
template <unsigned bytes, class T, std::size_t count>
[[gnu::always_inline]] inline void put_half(Vector& v, const std::array<T, count>& from) {
  if constexpr (bytes == 16) {
    std::memcpy(&v.d[1], from.data(), 8);
  } else {
    put(v, from);
  }
}

template <class T>
T element(const Vector& v, unsigned index) {
  T result;
  std::memcpy(&result, reinterpret_cast<const char*>(v.d.data()) + index * sizeof(T), sizeof result);
  return result;
}
template <class T>
void set_element(Vector& v, unsigned index, T value) {
  std::memcpy(reinterpret_cast<char*>(v.d.data()) + index * sizeof(T), &value, sizeof value);
}

// ---- lane types ----

template <class T>
inline constexpr unsigned width = sizeof(T) * 8;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Signed = std::make_signed_t<T>;

namespace detail {
template <unsigned bytes>
struct OfBytes;
// clang-format off
template <> struct OfBytes<1> { using type = std::uint8_t; };
template <> struct OfBytes<2> { using type = std::uint16_t; };
template <> struct OfBytes<4> { using type = std::uint32_t; };
template <> struct OfBytes<8> { using type = std::uint64_t; };
// clang-format on
template <class T, unsigned bytes>
using Resized = std::conditional_t<std::is_signed_v<T>, Signed<typename OfBytes<bytes>::type>,
                                   typename OfBytes<bytes>::type>;
}  // namespace detail

// Twice and half as wide, of the same sign.
template <class T>
using Wide = detail::Resized<T, sizeof(T) * 2>;
template <class T>
using Narrow = detail::Resized<T, sizeof(T) / 2>;

// The type for arithmetic modulo its width: unsigned, and not promoted to int.
template <class T>
using Modulo = std::common_type_t<Unsigned<T>, unsigned>;

template <class T>
inline constexpr T least = std::numeric_limits<T>::min();
template <class T>
inline constexpr T most = std::numeric_limits<T>::max();

// ---- arithmetic of lanes ----

template <class T>
constexpr T add(T a, T b) {
  return static_cast<T>(Modulo<T>(a) + Modulo<T>(b));
}
template <class T>
constexpr T subtract(T a, T b) {
  return static_cast<T>(Modulo<T>(a) - Modulo<T>(b));
}
template <class T>
constexpr T multiply(T a, T b) {
  return static_cast<T>(Modulo<T>(a) * Modulo<T>(b));
}
template <class T>
constexpr Unsigned<T> difference(T a, T b) {
  return static_cast<Unsigned<T>>(a > b ? Modulo<T>(a) - Modulo<T>(b) : Modulo<T>(b) - Modulo<T>(a));
}
template <class T>
constexpr T all_ones_if(bool condition) {
  return static_cast<T>(condition ? -1 : 0);
}

// The nearest value in the range of T. Sets `saturated` if that differs.
template <class T, class From>
constexpr T saturate(From value, bool& saturated) {
  if (std::in_range<T>(value)) return static_cast<T>(value);
  saturated = true;
  return std::is_signed_v<From> && value < From{0} ? least<T> : most<T>;
}

template <class T>
constexpr T saturating_add(T a, T b, bool& saturated) {
  T sum{};
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  saturated = true;
  return std::is_signed_v<T> && a < T{0} ? least<T> : most<T>;
}
template <class T>
constexpr T saturating_subtract(T a, T b, bool& saturated) {
  T result{};
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  saturated = true;
  return std::is_unsigned_v<T> || a < T{0} ? least<T> : most<T>;
}

// Shifts by any distance.
template <class T>
constexpr T shift_left(T a, unsigned by) {
  return by >= width<T> ? T{0} : static_cast<T>(Modulo<T>(a) << by);
}
template <class T>
constexpr T shift_right(T a, unsigned by) {
  return static_cast<T>(by < width<T> ? a >> by : a < T{0} ? -1 : 0);
}
// Rounds to nearest, ties upwards, as if T had one more bit.
template <class T>
constexpr T rounding_shift_right(T a, unsigned by) {
  if (by == 0) return a;
  if (by > width<T>) return T{0};
  return static_cast<T>(Modulo<T>(shift_right(a, by)) + (Modulo<T>(a >> (by - 1)) & 1));
}
template <class T>
constexpr T saturating_shift_left(T a, unsigned by, bool& saturated) {
  if (by < width<T>) {
    const T shifted = shift_left(a, by);
    if (static_cast<T>(shifted >> by) == a) return shifted;
  } else if (a == T{0}) {
    return a;
  }
  saturated = true;
  return std::is_signed_v<T> && a < T{0} ? least<T> : most<T>;
}

// The upper half of 2ab. 2ab itself does not fit if both are the minimum.
template <bool rounds, class T>
constexpr T doubling_multiply_high(T a, T b, bool& saturated) {
  if (a == least<T> && b == least<T>) {
    saturated = true;
    return most<T>;
  }
  const auto twice = static_cast<Wide<T>>(Wide<T>{a} * b * 2);
  return static_cast<T>((twice + (rounds ? Wide<T>{1} << (width<T> - 1) : 0)) >> width<T>);
}

// The upper half of d 2^width + 2ab, or - 2ab, rounded. Computed without its lowest bit, which is 0, so that
// it fits.
template <bool subtracts, class T>
constexpr T doubling_multiply_accumulate_high(T a, T b, T d, bool& saturated) {
  const auto product = static_cast<Wide<T>>(Wide<T>{a} * b);
  const auto addend = static_cast<Wide<T>>(Wide<T>{d} * (Wide<T>{1} << (width<T> - 1)));
  const auto sum = static_cast<Wide<T>>(subtracts ? addend - product : addend + product);
  return saturate<T>(static_cast<Wide<T>>((sum + (Wide<T>{1} << (width<T> - 2))) >> (width<T> - 1)),
                     saturated);
}

// Without carries: over GF(2).
constexpr std::uint16_t polynomial_multiply(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0;
  for (unsigned i = 0; i < 8; ++i) product ^= (b >> i & 1u) * (unsigned{a} << i);
  return static_cast<std::uint16_t>(product);
}

inline constexpr std::uint32_t fpsr_qc = 1u << 27;

}  // namespace asterism::a64
