// A code as a linear map of raw bytes over GF(2), in the forms in which the paths of page_codec.h apply it.
//
// A half block has 36 raw bytes: beats 0 to 3 (or 4 to 7) with 8 data bytes and a parity byte each; byte
// (beat, k) is at 9 * beat + k, and parity at k = 8. The map yields 4 bytes; nibbles of chips, pairs of beats
// and the matrix of the code are all folded into it. Both halves of a block have the same map.
//
// It consists of plain arrays: the paths for vector units are compiled with their instructions, and an inline
// function of the standard library that they share with other code would be linked with these instructions
// everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace asterism {

inline constexpr unsigned half_bytes = 36;

struct PageMap {
  // The 4 bytes that each value of a raw byte yields.
  std::uint32_t slices[half_bytes][256];
  // For byte shuffles: [8 * (beat % 2) + k, then 16 + beat % 2 for parity][low or high nibble][output byte];
  // lanes of 16 entries for beats 0, 1 and 2, 3.
  alignas(64) std::uint8_t nibbles[18][2][4][32];
  // For GFNI, a bit matrix for each 8 bytes of a vector: registers 4 * (beat % 2) + k / 2, words
  // 2 * (beat / 2) + k % 2; in register 8, which is parity, words are beats.
  alignas(64) std::uint64_t matrices[9][4][8];
  // Whether registers 0 to 3 share one matrix for output byte 0, and so do 4 to 7: it is then a sum of
  // symbols, like the first syndrome.
  bool first_is_sum;
};

// `response` holds the 4 bytes that each bit of each raw byte yields.
void fill(PageMap& map, const std::uint32_t (&response)[half_bytes][8]);

// The paths process as many whole groups of blocks as there are, write 8 bytes for each block, and return the
// number of blocks processed. `parity` may be null, which means 0.
using PageKernel = std::size_t (*)(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                                   std::uint8_t* out, std::size_t blocks);
std::size_t map_pages_portable(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                               std::uint8_t* out, std::size_t blocks);
std::size_t map_pages_avx2(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                           std::uint8_t* out, std::size_t blocks);
std::size_t map_pages_avx512(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                             std::uint8_t* out, std::size_t blocks);
std::size_t map_pages_gfni(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                           std::uint8_t* out, std::size_t blocks);

}  // namespace asterism
