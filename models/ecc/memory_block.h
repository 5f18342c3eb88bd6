// 64 bytes of a DIMM in the layout of its chips (abeyratne2017 section 4.4, Figs 4.5 and 4.6).
//
// Each of 18 x4 chips gives 4 bits in each of 8 beats: chips 0 to 15 data, 16 and 17 parity. Beat b carries
// data bytes 8b to 8b+7 and parity byte b. Chip c holds the low (c even) or high (c odd) nibble of data byte
// 8b + c/2; chip 16 holds the low and chip 17 the high nibble of the parity byte. Two beats make one 8-bit
// symbol of each chip: symbol p has beat 2p in its low nibble and beat 2p+1 in its high one. The third parity
// symbols of strong ECC, one for each p, are in another rank.
//
// The difference of two blocks is also represented: an error pattern, which decodes in the same way whatever
// the data, as the codes are linear.
#pragma once

#include <array>
#include <cstdint>

namespace asterism {

constexpr unsigned block_bytes = 64;
constexpr unsigned data_chips = 16, block_chips = 18;
constexpr unsigned block_beats = 8, chip_symbols = 4;

struct MemoryBlock {
  std::array<std::uint8_t, block_bytes> data{};
  std::array<std::uint8_t, block_beats> parity{};
  std::array<std::uint8_t, chip_symbols> third{};

  // Ranges: chip 0..17, beat 0..7, symbol 0..3.
  std::uint8_t nibble(unsigned chip, unsigned beat) const;
  void flip_nibble(unsigned chip, unsigned beat, std::uint8_t bits);
  std::uint8_t symbol(unsigned chip, unsigned p) const;
  void flip_symbol(unsigned chip, unsigned p, std::uint8_t bits);

  MemoryBlock& operator^=(const MemoryBlock& other);
  bool operator==(const MemoryBlock&) const = default;
};

inline std::uint8_t MemoryBlock::nibble(unsigned chip, unsigned beat) const {
  const std::uint8_t byte = chip < data_chips ? data[8 * beat + chip / 2] : parity[beat];
  return chip % 2 ? byte >> 4 : byte & 15;
}
inline void MemoryBlock::flip_nibble(unsigned chip, unsigned beat, std::uint8_t bits) {
  std::uint8_t& byte = chip < data_chips ? data[8 * beat + chip / 2] : parity[beat];
  byte ^= static_cast<std::uint8_t>((bits & 15) << (chip % 2 ? 4 : 0));
}
inline std::uint8_t MemoryBlock::symbol(unsigned chip, unsigned p) const {
  return static_cast<std::uint8_t>(nibble(chip, 2 * p) | nibble(chip, 2 * p + 1) << 4);
}
inline void MemoryBlock::flip_symbol(unsigned chip, unsigned p, std::uint8_t bits) {
  flip_nibble(chip, 2 * p, bits & 15);
  flip_nibble(chip, 2 * p + 1, bits >> 4);
}
inline MemoryBlock& MemoryBlock::operator^=(const MemoryBlock& other) {
  for (unsigned i = 0; i < data.size(); ++i) data[i] ^= other.data[i];
  for (unsigned i = 0; i < parity.size(); ++i) parity[i] ^= other.parity[i];
  for (unsigned i = 0; i < third.size(); ++i) third[i] ^= other.third[i];
  return *this;
}

}  // namespace asterism
