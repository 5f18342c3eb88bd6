// What a code does to raw bytes, as a linear map over GF(2): the forms in which the paths of page_codec.h apply it.
//
// A half block is 36 raw bytes: beats 0 to 3 (or 4 to 7) with 8 data bytes and a parity byte each, byte (beat, k) of
// them at 9 * beat + k and parity at k = 8. The map takes it to 4 bytes; nibbles of chips, pairs of beats and the
// code's own matrix are all folded into it. Both halves of a block map alike.
//
// Plain arrays: the paths for vector units are compiled with their instructions, and an inline function of the standard
// library that they shared with the rest would be theirs everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace asterism {

inline constexpr unsigned half_bytes = 36;

struct PageMap {
  // The 4 bytes that each value of a raw byte gives.
  std::uint32_t slices[half_bytes][256];
  // For byte shuffles: [8 * (beat % 2) + k, then 16 + beat % 2 for parity][low or high nibble][output byte]; lanes of 16
  // entries for beats 0, 1 and 2, 3.
  alignas(64) std::uint8_t nibbles[18][2][4][32];
  // For GFNI, a bit matrix for each 8 bytes of a vector: registers 4 * (beat % 2) + k / 2, words 2 * (beat / 2) + k % 2;
  // register 8 is parity, words are beats.
  alignas(64) std::uint64_t matrices[9][4][8];
  // Whether registers 0 to 3 have one matrix for output byte 0, and 4 to 7 one, too: it is a sum of symbols then, as the
  // first syndrome is.
  bool first_is_sum;
};

// `response`: the 4 bytes that each bit of each raw byte gives.
void fill(PageMap& map, const std::uint32_t (&response)[half_bytes][8]);

// Paths: take as many whole groups of blocks as there are, give 8 bytes for each block, and return how many they took.
// `parity` may be null: it counts as 0 then.
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
