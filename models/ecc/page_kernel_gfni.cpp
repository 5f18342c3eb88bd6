// Compiled for AVX-512 with VBMI and GFNI; called only if the host supports them.
//
// Eight blocks at a time. Three rounds of unpacking transpose them so that each 64-bit word of a register
// holds the same raw byte of the eight blocks; a bit matrix for each word maps it to an output byte, and the
// words of a half block are summed.
#include <immintrin.h>

#include "ecc/page_map.h"

namespace asterism {
namespace {

// Byte 8 * block + beat to byte 8 * beat + block: a transposition of 8 x 8 bytes.
alignas(64) constexpr std::uint8_t transposition[64] = {
    0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
    50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
    37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};

// From lanes (half 0, outputs 0 and 1), (half 1, outputs 0 and 1), then those of outputs 2 and 3, each word
// an output of eight blocks, to byte 8 * block + 4 * half + output.
constexpr auto gathering = [] {
  struct {
    alignas(64) std::uint8_t from[64];
  } order{};
  for (unsigned block = 0; block < 8; ++block)
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned output = 0; output < 4; ++output)
        order.from[8 * block + 4 * half + output] =
            static_cast<std::uint8_t>(16 * (half + output / 2 * 2) + 8 * (output % 2) + block);
  return order;
}();

inline void unpack_round(const __m512i (&x)[8], __m512i (&y)[8]) {
  for (std::size_t i = 0; i < 4; ++i) {
    y[2 * i] = _mm512_unpacklo_epi8(x[i], x[i + 4]);
    y[2 * i + 1] = _mm512_unpackhi_epi8(x[i], x[i + 4]);
  }
}

inline __m512i sum3(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }

inline __m512i product(const PageMap& map, __m512i bytes, unsigned r, unsigned output) {
  return _mm512_gf2p8affine_epi64_epi8(bytes, _mm512_load_si512(map.matrices[r][output]), 0);
}

// The four output bytes of eight blocks, as words that are still to be summed over beats and pairs of chips.
template <bool first_is_sum>
inline void map_group(const PageMap& map, const std::uint8_t* data, __m512i checks, __m512i (&sums)[4]) {
  constexpr std::size_t ahead = 512;
  __m512i x[8], y[8];
  for (std::size_t i = 0; i < 8; ++i) {
    x[i] = _mm512_loadu_si512(data + 64 * i);
    _mm_prefetch(reinterpret_cast<const char*>(data + 64 * i + ahead), _MM_HINT_T0);
  }
  unpack_round(x, y);
  unpack_round(y, x);
  unpack_round(x, y);
  for (unsigned o = 0; o < 4; ++o) {
    __m512i sum = product(map, checks, 8, o);
    if (first_is_sum && o == 0) {
      const __m512i even = sum3(y[0], y[1], _mm512_xor_si512(y[2], y[3]));
      const __m512i odd = sum3(y[4], y[5], _mm512_xor_si512(y[6], y[7]));
      sum = sum3(sum, product(map, even, 0, 0), product(map, odd, 4, 0));
    } else {
      for (unsigned r = 0; r < 8; r += 2)
        sum = sum3(sum, product(map, y[r], r, o), product(map, y[r + 1], r + 1, o));
    }
    sums[o] = sum;
  }
}

// The place of a group of eight blocks: eight pages of 64 blocks are processed alternately, because the host
// fetches eight streams from memory faster than one.
inline std::size_t first_block(std::size_t step, std::size_t blocks) {
  constexpr std::size_t page = 64, pages = 8;
  const std::size_t base = step / (page * pages) * (page * pages), group = (step - base) / 8;
  return base + page * pages > blocks ? step : base + group % pages * page + group / pages * 8;
}

template <bool first_is_sum>
std::size_t map_pages(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                      std::uint8_t* out, std::size_t blocks) {
  const __m512i transpose = _mm512_load_si512(transposition), gather = _mm512_load_si512(gathering.from);
  const std::size_t taken = blocks / 8 * 8;
  for (std::size_t step = 0; step < taken; step += 8) {
    const std::size_t at = first_block(step, blocks);
    __m512i sums[4], checks = _mm512_setzero_si512();
    if (parity) checks = _mm512_permutexvar_epi8(transpose, _mm512_loadu_si512(parity + 8 * at));
    map_group<first_is_sum>(map, data + 64 * at, checks, sums);
    const __m512i low =
        _mm512_xor_si512(_mm512_unpacklo_epi64(sums[0], sums[1]), _mm512_unpackhi_epi64(sums[0], sums[1]));
    const __m512i high =
        _mm512_xor_si512(_mm512_unpacklo_epi64(sums[2], sums[3]), _mm512_unpackhi_epi64(sums[2], sums[3]));
    const __m512i halves =
        _mm512_xor_si512(_mm512_shuffle_i64x2(low, high, 0x88), _mm512_shuffle_i64x2(low, high, 0xDD));
    _mm512_storeu_si512(out + 8 * at, _mm512_permutexvar_epi8(gather, halves));
  }
  return taken;
}

}  // namespace

std::size_t map_pages_gfni(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                           std::uint8_t* out, std::size_t blocks) {
  return map.first_is_sum ? map_pages<true>(map, data, parity, out, blocks)
                          : map_pages<false>(map, data, parity, out, blocks);
}

}  // namespace asterism
