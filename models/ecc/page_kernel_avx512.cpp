// Compiled for AVX-512 with byte instructions; called only if the host supports them. A register holds a
// block.
#include "ecc/page_kernel_shuffle.h"

namespace asterism {
namespace {

struct Vector512 {
  using Type = __m512i;
  static Type unpack_low(Type a, Type b) { return _mm512_unpacklo_epi8(a, b); }
  static Type unpack_high(Type a, Type b) { return _mm512_unpackhi_epi8(a, b); }
  static Type low_nibbles(Type x) { return _mm512_and_si512(x, _mm512_set1_epi8(15)); }
  static Type high_nibbles(Type x) { return low_nibbles(_mm512_srli_epi16(x, 4)); }
  static Type shuffle(const std::uint8_t* table, Type index) {
    const __m256i half = _mm256_load_si256(reinterpret_cast<const __m256i*>(table));
    return _mm512_shuffle_epi8(_mm512_broadcast_i64x4(half), index);
  }
  static Type sum(Type a, Type b, Type c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
};

__m512i parity_lanes(const __m128i (&beats)[8], unsigned odd) {
  const __m256i first = _mm256_set_m128i(beats[2 + odd], beats[odd]);
  const __m256i second = _mm256_set_m128i(beats[6 + odd], beats[4 + odd]);
  return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

}  // namespace

std::size_t map_pages_avx512(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                             std::uint8_t* out, std::size_t blocks) {
  std::size_t done = 0;
  for (; done + 16 <= blocks; done += 16) {
    __m128i beats[8], outputs[2][4];
    load_parity(parity ? parity + 8 * done : nullptr, beats);
    __m512i x[16], sums[4];
    for (unsigned i = 0; i < 16; ++i) x[i] = _mm512_loadu_si512(data + 64 * (done + i));
    transpose<Vector512>(x);
    for (auto& sum : sums) sum = _mm512_setzero_si512();
    for (unsigned q = 0; q < 16; ++q) add<Vector512>(map, q, x[q], sums);
    for (unsigned odd = 0; parity && odd < 2; ++odd)
      add<Vector512>(map, 16 + odd, parity_lanes(beats, odd), sums);
    for (unsigned o = 0; o < 4; ++o)
      for (unsigned half = 0; half < 2; ++half) {
        const __m256i lanes = half ? _mm512_extracti64x4_epi64(sums[o], 1) : _mm512_castsi512_si256(sums[o]);
        outputs[half][o] = _mm_xor_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
      }
    store(outputs, out + 8 * done);
  }
  return done;
}

}  // namespace asterism
