// GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11D), in which alpha = 2 generates all 255
// non-zero elements. Addition is XOR.
#pragma once

#include <array>
#include <cstdint>

namespace asterism::gf256 {

struct Tables {
  std::array<std::uint8_t, 510>
      power{};  // of alpha; repeated, so that a sum of two logarithms needs no modulus
  std::array<std::uint8_t, 256> log{};  // that of 0 is undefined, and 0 here

  constexpr Tables() {
    unsigned x = 1;
    for (unsigned i = 0; i < 255; ++i) {
      power[i] = power[i + 255] = static_cast<std::uint8_t>(x);
      log[x] = static_cast<std::uint8_t>(i);
      x = x << 1 ^ (x & 0x80 ? 0x11D : 0);
    }
  }
};
inline constexpr Tables tables;

// alpha^exponent.
constexpr std::uint8_t power(unsigned exponent) { return tables.power[exponent % 255]; }
// x must not be 0.
constexpr unsigned log(std::uint8_t x) { return tables.log[x]; }

constexpr std::uint8_t multiply(std::uint8_t x, std::uint8_t y) {
  return x && y ? tables.power[tables.log[x] + tables.log[y]] : std::uint8_t{0};
}
// y must not be 0.
constexpr std::uint8_t divide(std::uint8_t x, std::uint8_t y) {
  return x ? tables.power[tables.log[x] + 255 - tables.log[y]] : std::uint8_t{0};
}

}  // namespace asterism::gf256
