// The check bits of PCRAM: 8 for each 8 bytes, so that one wrong cell of 72 is corrected and two are detected
// (dong2011 section 3 has 64 data bits and 8 of ECC, and does not name the code). It is an odd-weight-column
// code (Hsiao, IBM Journal of Research and Development, 1970): the columns of the data bits are the 56 bytes
// of weight 3 and eight of weight 5, and those of the check bits have weight 1. Zero data have zero check
// bits. More than two wrong cells may be taken for one, or none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace asterism {

class WordCode {
 public:
  enum class Result { clean, corrected, uncorrectable };

  static constexpr std::uint8_t check(std::uint64_t data) {
    std::uint8_t bits = 0;
    for (unsigned byte = 0; byte < 8; ++byte) bits ^= tables.sums[byte][data >> 8 * byte & 0xff];
    return bits;
  }

  static constexpr Result correct(std::uint64_t& data, std::uint8_t stored) {
    const std::uint8_t syndrome = check(data) ^ stored;
    if (syndrome == 0) return Result::clean;
    if (std::popcount(syndrome) == 1) return Result::corrected;  // a check bit
    const std::uint8_t bit = tables.bits[syndrome];
    if (bit == no_bit) return Result::uncorrectable;
    data ^= std::uint64_t{1} << bit;
    return Result::corrected;
  }

 private:
  static constexpr std::uint8_t no_bit = 0xff;
  struct Tables {
    std::array<std::array<std::uint8_t, 256>, 8> sums{};  // of the columns of a byte's bits
    std::array<std::uint8_t, 256> bits{};                 // whose column a syndrome is
  };
  static constexpr Tables make() {
    Tables t;
    std::array<std::uint8_t, 64> columns{};
    unsigned found = 0;
    for (int weight : {3, 5})
      for (unsigned value = 0; value < 256 && found < columns.size(); ++value)
        if (std::popcount(value) == weight) columns[found++] = static_cast<std::uint8_t>(value);
    t.bits.fill(no_bit);
    for (unsigned bit = 0; bit < columns.size(); ++bit) t.bits[columns[bit]] = static_cast<std::uint8_t>(bit);
    for (unsigned byte = 0; byte < 8; ++byte)
      for (unsigned value = 0; value < 256; ++value)
        for (unsigned bit = 0; bit < 8; ++bit)
          if ((value >> bit & 1) != 0) t.sums[byte][value] ^= columns[8 * byte + bit];
    return t;
  }
  static const Tables tables;
};
inline constexpr WordCode::Tables WordCode::tables = WordCode::make();

}  // namespace asterism
