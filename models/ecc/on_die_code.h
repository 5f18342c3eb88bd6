// On-die ECC of a DDR5 chip: a Hamming code (136,128), which corrects one bit inside the chip (JESD79-5). The
// controller sees only its result. Two wrong bits may have the syndrome of a third one, which is then wrong,
// too; others have none of a bit's, and the chip delivers them as they are, without a sign.
//
// An x4 chip delivers 64 of the 128 bits; the others belong to the next column. Which code vendors use is not
// public. Here it is a shortened cyclic Hamming code: the columns are consecutive powers of a primitive
// element of GF(2^8), first those of the check bits, each with one set bit, then those of the delivered bits
// and of the others. They are spread over all bytes, so that about half of two wrong bits have the syndrome
// of a third one; with columns that were closed under sums, most of them would.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace asterism {

// The bits of one word of a chip, or its errors.
struct OnDieWord {
  std::uint64_t delivered = 0, other = 0;
  std::uint8_t check = 0;
  bool operator==(const OnDieWord&) const = default;
};

class OnDieCode {
 public:
  constexpr OnDieCode();

  constexpr std::uint8_t syndrome(const OnDieWord& word) const;
  constexpr void encode(OnDieWord& word) const {
    word.check = 0;
    word.check = syndrome(word);
  }
  // Corrects in place, or miscorrects.
  constexpr void decode(OnDieWord& word) const;

 private:
  static constexpr unsigned data_bits = 128, none = 255;
  static constexpr unsigned polynomial = 0x11d;  // x^8 + x^4 + x^3 + x^2 + 1
  std::array<std::uint8_t, data_bits> columns_{};
  std::array<std::uint8_t, 256> bit_of_{};  // by syndrome: data bits, then check bits
};

constexpr OnDieCode::OnDieCode() {
  bit_of_.fill(none);
  unsigned power = 1;
  const auto next = [&power] {
    const auto column = static_cast<std::uint8_t>(power);
    power = power << 1 ^ (power >= 0x80 ? polynomial : 0);
    return column;
  };
  for (unsigned check = 0; check < 8; ++check) bit_of_[next()] = static_cast<std::uint8_t>(data_bits + check);
  for (unsigned bit = 0; bit < data_bits; ++bit) {
    columns_[bit] = next();
    bit_of_[columns_[bit]] = static_cast<std::uint8_t>(bit);
  }
}

constexpr std::uint8_t OnDieCode::syndrome(const OnDieWord& word) const {
  std::uint8_t sum = word.check;
  for (std::uint64_t bits = word.delivered; bits != 0; bits &= bits - 1)
    sum ^= columns_[static_cast<unsigned>(std::countr_zero(bits))];
  for (std::uint64_t bits = word.other; bits != 0; bits &= bits - 1)
    sum ^= columns_[64 + static_cast<unsigned>(std::countr_zero(bits))];
  return sum;
}

constexpr void OnDieCode::decode(OnDieWord& word) const {
  const std::uint8_t found = syndrome(word);
  if (found == 0) return;
  const unsigned bit = bit_of_[found];
  if (bit < 64)
    word.delivered ^= std::uint64_t{1} << bit;
  else if (bit < data_bits)
    word.other ^= std::uint64_t{1} << (bit - 64);
  else if (bit != none)
    word.check ^= static_cast<std::uint8_t>(1u << (bit - data_bits));
}

inline constexpr OnDieCode on_die_code;

}  // namespace asterism
