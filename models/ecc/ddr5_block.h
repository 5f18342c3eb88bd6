// 64 bytes of a DDR5 subchannel in the layout of its x4 chips: 32 data bits in each of 16 beats from chips 0
// to 7, and check bits from chips 8 and 9. A rank with 36 bits has no chip 9.
//
// A chip's 64 bits of a block are one word here: bit 4 * beat + pin. Beat b carries data bytes 4b to 4b+3;
// chip c holds the low (c even) or high (c odd) nibble of byte 4b + c/2.
//
// The difference of two blocks is also represented: an error pattern, which decodes in the same way whatever
// the data, as the codes are linear.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ecc/memory_block.h"

namespace asterism {

constexpr unsigned ddr5_chips = 10, ddr5_data_chips = 8, ddr5_beats = 16;

struct Ddr5Block {
  std::array<std::uint64_t, ddr5_chips> chips{};

  Ddr5Block& operator^=(const Ddr5Block& other) {
    for (unsigned c = 0; c < ddr5_chips; ++c) chips[c] ^= other.chips[c];
    return *this;
  }
  bool operator==(const Ddr5Block&) const = default;
};

inline void put_data(Ddr5Block& block, std::span<const std::uint8_t, block_bytes> data) {
  for (unsigned c = 0; c < ddr5_data_chips; ++c) {
    block.chips[c] = 0;
    for (unsigned beat = 0; beat < ddr5_beats; ++beat) {
      const unsigned byte = data[4 * beat + c / 2];
      block.chips[c] |= std::uint64_t{c % 2 ? byte >> 4 : byte & 15} << 4 * beat;
    }
  }
}
inline std::array<std::uint8_t, block_bytes> data_of(const Ddr5Block& block) {
  std::array<std::uint8_t, block_bytes> data{};
  for (unsigned c = 0; c < ddr5_data_chips; ++c)
    for (unsigned beat = 0; beat < ddr5_beats; ++beat) {
      const auto nibble = static_cast<unsigned>(block.chips[c] >> 4 * beat & 15);
      data[4 * beat + c / 2] |= static_cast<std::uint8_t>(nibble << (c % 2 ? 4 : 0));
    }
  return data;
}

}  // namespace asterism
