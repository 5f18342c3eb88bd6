// Short Reed-Solomon codes over GF(2^8) that correct one symbol and detect as many errors as their distance
// allows: the codes of the dual-mode memory code (abeyratne2017 section 4.4).
//
//   rs_36_32  distance 5: corrects one symbol, detects three
//   rs_18_16  distance 3: only used to detect, two symbols
//   rs_19_16  distance 4: corrects one symbol, detects two
//
// Row j of a parity-check matrix is alpha^(i*j) at position i. Position 18 of rs_19_16 is the extension of
// the code, the column (0, 0, 1). The first two syndromes are therefore those of rs_18_16, whatever the third
// parity symbol is, so that the memory can read 18 symbols first and the 19th only after an error.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ecc/gf256.h"

namespace asterism {

using Syndromes = std::array<std::uint8_t, 4>;  // those beyond the number of the code are 0

// The correction that the syndromes of one codeword imply.
struct SymbolFix {
  enum class Outcome { clean, corrected, uncorrectable };
  Outcome outcome = Outcome::clean;
  // If corrected: the position of the wrong symbol, which may be beyond the code if any location is accepted.
  unsigned position = 0;
  std::uint8_t error = 0;  // if corrected: the value to XOR to it

  bool operator==(const SymbolFix&) const = default;
};

enum class Locations {
  of_code,  // a location beyond the end of the shortened code is uncorrectable
  any       // each of the 255 locations is accepted
};

class ReedSolomon {
 public:
  // `checks` rows, 2 to 4; the last `checks` positions are parity. `extended`: the last position has the
  // column (0, ..., 0, 1).
  constexpr ReedSolomon(unsigned length, unsigned checks, bool extended = false);

  constexpr unsigned length() const { return length_; }
  constexpr unsigned checks() const { return checks_; }
  constexpr unsigned data() const { return length_ - checks_; }
  // An element of the parity-check matrix. Locations::any can also find columns beyond the end of the code.
  constexpr std::uint8_t check(unsigned row, unsigned position) const;

  // Sets the parity symbols of a codeword from its data symbols.
  constexpr void encode(std::span<std::uint8_t> codeword) const;
  constexpr Syndromes syndromes(std::span<const std::uint8_t> codeword) const;
  constexpr SymbolFix decode(const Syndromes& syndromes, Locations locations = Locations::of_code) const;

 private:
  unsigned length_, checks_;
  bool extended_;
  std::array<std::array<std::uint8_t, 4>, 4> parity_of_{};  // [parity symbol][syndrome of the data]
};

constexpr ReedSolomon::ReedSolomon(unsigned length, unsigned checks, bool extended)
    : length_(length), checks_(checks), extended_(extended) {
  // Inverts the matrix of the parity columns (Gauss and Jordan; a Vandermonde matrix has its inverse).
  std::array<std::array<std::uint8_t, 8>, 4> rows{};
  for (unsigned j = 0; j < checks; ++j) {
    for (unsigned p = 0; p < checks; ++p) rows[j][p] = check(j, data() + p);
    rows[j][4 + j] = 1;
  }
  for (unsigned column = 0; column < checks; ++column) {
    unsigned pivot = column;
    while (rows[pivot][column] == 0) ++pivot;
    const auto swapped = rows[pivot];
    rows[pivot] = rows[column];
    const std::uint8_t scale = swapped[column];
    for (unsigned i = 0; i < 8; ++i) rows[column][i] = gf256::divide(swapped[i], scale);
    for (unsigned j = 0; j < checks; ++j) {
      const std::uint8_t factor = rows[j][column];
      for (unsigned i = 0; j != column && i < 8; ++i) rows[j][i] ^= gf256::multiply(factor, rows[column][i]);
    }
  }
  for (unsigned p = 0; p < checks; ++p)
    for (unsigned j = 0; j < checks; ++j) parity_of_[p][j] = rows[p][4 + j];
}

constexpr std::uint8_t ReedSolomon::check(unsigned row, unsigned position) const {
  if (extended_ && position == length_ - 1) return row == checks_ - 1;
  return gf256::power(position * row);
}

constexpr void ReedSolomon::encode(std::span<std::uint8_t> codeword) const {
  for (unsigned p = 0; p < checks_; ++p) codeword[data() + p] = 0;
  const Syndromes of_data = syndromes(codeword);
  for (unsigned p = 0; p < checks_; ++p)
    for (unsigned j = 0; j < checks_; ++j)
      codeword[data() + p] ^= gf256::multiply(parity_of_[p][j], of_data[j]);
}

constexpr Syndromes ReedSolomon::syndromes(std::span<const std::uint8_t> codeword) const {
  Syndromes sums{};
  for (unsigned i = 0; i < length_; ++i) {
    if (codeword[i] == 0) continue;
    if (extended_ && i == length_ - 1) {
      sums[checks_ - 1] ^= codeword[i];
      continue;
    }
    unsigned exponent = gf256::log(codeword[i]);
    for (unsigned j = 0; j < sums.size(); ++j) {
      if (j < checks_) sums[j] ^= gf256::tables.power[exponent];
      exponent += i;
      if (exponent >= 255) exponent -= 255;
    }
  }
  return sums;
}

// One wrong symbol e with locator X has the syndromes e, eX, eX^2, ...: a geometric series, and two wrong
// ones never have (the distance is more than three).
constexpr SymbolFix ReedSolomon::decode(const Syndromes& s, Locations locations) const {
  constexpr SymbolFix uncorrectable{SymbolFix::Outcome::uncorrectable, 0, 0};
  if (s == Syndromes{}) return {};
  if (checks_ < 3) return uncorrectable;
  if (extended_) {
    bool only_last = true;
    for (unsigned j = 0; j + 1 < checks_; ++j) only_last = only_last && s[j] == 0;
    if (only_last) return {SymbolFix::Outcome::corrected, length_ - 1, s[checks_ - 1]};
  }
  if (s[0] == 0 || s[1] == 0) return uncorrectable;
  const std::uint8_t locator = gf256::divide(s[1], s[0]);
  for (unsigned j = 2; j < checks_; ++j)
    if (s[j] != gf256::multiply(s[j - 1], locator)) return uncorrectable;
  const unsigned position = gf256::log(locator), ordinary = length_ - (extended_ ? 1 : 0);
  if (position >= ordinary) {
    if (locations == Locations::of_code) return uncorrectable;
    // The number length - 1 denotes the extension. If any location is accepted, alpha^(length - 1) therefore
    // gets a number beyond the code.
    return {SymbolFix::Outcome::corrected, extended_ && position == length_ - 1 ? 255 : position, s[0]};
  }
  return {SymbolFix::Outcome::corrected, position, s[0]};
}

inline constexpr ReedSolomon rs_36_32{36, 4};
inline constexpr ReedSolomon rs_18_16{18, 2};
inline constexpr ReedSolomon rs_19_16{19, 3, true};

}  // namespace asterism
