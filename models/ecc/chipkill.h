// x4 chipkill-correct, with which the dual-mode code is compared (abeyratne2017 Table 4.4): a code of 36
// symbols of 4 bits with 4 check symbols, which corrects one symbol and detects two. Each beat of two ranks
// together, 36 chips, is a codeword.
//
// No Reed-Solomon code over GF(16) is that long. The columns of the parity-check matrix are points of an
// elliptic quadric: (1, x, y, x^2 + xy + d y^2), a form whose only zero is (0, 0). No three of the points are
// collinear, so that any three columns are independent and the distance is four. The 36 points with y < 2, or
// with y = 2 and x < 4, are used.
#pragma once

#include <array>
#include <cstdint>

namespace asterism {

class Chipkill {
 public:
  static constexpr unsigned chips = 36;

  struct Fix {
    enum class Outcome : std::uint8_t { clean, corrected, uncorrectable };
    Outcome outcome = Outcome::uncorrectable;
    std::uint8_t chip = 0, error = 0;
  };

  constexpr Chipkill();

  // The contribution of an error of a chip, 0..15, to the syndrome of a beat: four symbols of 4 bits.
  constexpr std::uint16_t syndrome(unsigned chip, unsigned error) const { return syndromes_[chip][error]; }
  constexpr Fix decode(std::uint16_t syndrome) const;

  // Multiplication in GF(16) with x^4 + x + 1.
  static constexpr unsigned multiply(unsigned a, unsigned b);

 private:
  std::array<std::array<std::uint16_t, 16>, chips> syndromes_{};
};

constexpr unsigned Chipkill::multiply(unsigned a, unsigned b) {
  unsigned product = 0;
  for (unsigned bit = 0; bit < 4; ++bit)
    if (b >> bit & 1) product ^= a << bit;
  for (unsigned bit = 7; bit >= 4; --bit)
    if (product >> bit & 1) product ^= 0x13u << (bit - 4);
  return product;
}

constexpr Chipkill::Chipkill() {
  constexpr unsigned d = 8;  // its trace is 1, so that x^2 + x + d has no root and the form has no other zero
  for (unsigned chip = 0; chip < chips; ++chip) {
    const unsigned x = chip % 16, y = chip / 16;
    const std::array<unsigned, 4> column = {1, x, y,
                                            multiply(x, x) ^ multiply(x, y) ^ multiply(d, multiply(y, y))};
    for (unsigned error = 0; error < 16; ++error)
      for (unsigned row = 0; row < 4; ++row)
        syndromes_[chip][error] |= static_cast<std::uint16_t>(multiply(column[row], error) << 4 * row);
  }
}

// The first symbol of a syndrome is the error itself.
constexpr Chipkill::Fix Chipkill::decode(std::uint16_t syndrome) const {
  if (syndrome == 0) return {Fix::Outcome::clean, 0, 0};
  const unsigned error = syndrome & 15;
  for (unsigned chip = 0; error != 0 && chip < chips; ++chip)
    if (syndromes_[chip][error] == syndrome)
      return {Fix::Outcome::corrected, static_cast<std::uint8_t>(chip), static_cast<std::uint8_t>(error)};
  return {};
}

inline constexpr Chipkill chipkill_code;

}  // namespace asterism
