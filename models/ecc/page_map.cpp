#include "ecc/page_map.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace asterism {
namespace {

static_assert(std::endian::native == std::endian::little, "beats are read as words");

std::uint32_t of_byte(const std::uint32_t (&response)[8], unsigned value) {
  std::uint32_t sum = 0;
  for (unsigned bit = 0; bit < 8; ++bit)
    if (value >> bit & 1) sum ^= response[bit];
  return sum;
}

// In the order of VGF2P8AFFINEQB: byte 7 - i is the row of bit i of the result.
std::uint64_t matrix(const std::uint32_t (&response)[8], unsigned output) {
  std::uint64_t rows = 0;
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned bit = 0; bit < 8; ++bit)
      rows |= std::uint64_t{response[bit] >> (8 * output + i) & 1} << (8 * (7 - i) + bit);
  return rows;
}

}  // namespace

void fill(PageMap& map, const std::uint32_t (&response)[half_bytes][8]) {
  for (unsigned beat = 0; beat < 4; ++beat)
    for (unsigned k = 0; k < 9; ++k) {
      const auto& of = response[9 * beat + k];
      for (unsigned value = 0; value < 256; ++value) map.slices[9 * beat + k][value] = of_byte(of, value);
      for (unsigned nibble = 0; nibble < 2; ++nibble)
        for (unsigned output = 0; output < 4; ++output)
          for (unsigned value = 0; value < 16; ++value)
            map.nibbles[k < 8 ? 8 * (beat % 2) + k : 16 + beat % 2][nibble][output][16 * (beat / 2) + value] =
                static_cast<std::uint8_t>(of_byte(of, value << 4 * nibble) >> 8 * output);
      for (unsigned output = 0; output < 4; ++output)
        for (unsigned half = 0; half < 2; ++half) {
          const std::uint64_t rows = matrix(of, output);
          if (k < 8)
            map.matrices[4 * (beat % 2) + k / 2][output][4 * half + 2 * (beat / 2) + k % 2] = rows;
          else
            map.matrices[8][output][4 * half + beat] = rows;
        }
    }
  map.first_is_sum = true;
  for (std::size_t r = 0; r < 8; ++r)
    if (!std::ranges::equal(map.matrices[r][0], map.matrices[r / 4 * 4][0])) map.first_is_sum = false;
}

std::size_t map_pages_portable(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                               std::uint8_t* out, std::size_t blocks) {
  for (std::size_t half = 0; half < 2 * blocks; ++half) {
    std::uint64_t beats[4];
    std::uint32_t checks = 0, sum = 0;
    std::memcpy(beats, data + 32 * half, sizeof beats);
    for (unsigned beat = 0; beat < 4; ++beat)
      for (unsigned k = 0; k < 8; ++k) sum ^= map.slices[9 * beat + k][beats[beat] >> 8 * k & 0xFF];
    if (parity) {
      std::memcpy(&checks, parity + 4 * half, sizeof checks);
      for (unsigned beat = 0; beat < 4; ++beat) sum ^= map.slices[9 * beat + 8][checks >> 8 * beat & 0xFF];
    }
    std::memcpy(out + 4 * half, &sum, sizeof sum);
  }
  return blocks;
}

}  // namespace asterism
