// Compiled for AVX2; called only if the host supports it. A register holds half a block.
#include "ecc/page_kernel_shuffle.h"

namespace asterism {
namespace {

struct Vector256 {
  using Type = __m256i;
  static Type unpack_low(Type a, Type b) { return _mm256_unpacklo_epi8(a, b); }
  static Type unpack_high(Type a, Type b) { return _mm256_unpackhi_epi8(a, b); }
  static Type low_nibbles(Type x) { return _mm256_and_si256(x, _mm256_set1_epi8(15)); }
  static Type high_nibbles(Type x) { return low_nibbles(_mm256_srli_epi16(x, 4)); }
  static Type shuffle(const std::uint8_t* table, Type index) {
    return _mm256_shuffle_epi8(_mm256_load_si256(reinterpret_cast<const Type*>(table)), index);
  }
  static Type sum(Type a, Type b, Type c) { return _mm256_xor_si256(a, _mm256_xor_si256(b, c)); }
};

}  // namespace

std::size_t map_pages_avx2(const PageMap& map, const std::uint8_t* data, const std::uint8_t* parity,
                           std::uint8_t* out, std::size_t blocks) {
  std::size_t done = 0;
  for (; done + 16 <= blocks; done += 16) {
    __m128i beats[8], outputs[2][4];
    load_parity(parity ? parity + 8 * done : nullptr, beats);
    for (std::size_t half = 0; half < 2; ++half) {
      __m256i x[16], sums[4];
      for (unsigned i = 0; i < 16; ++i)
        x[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + 64 * (done + i) + 32 * half));
      transpose<Vector256>(x);
      for (auto& sum : sums) sum = _mm256_setzero_si256();
      for (unsigned q = 0; q < 16; ++q) add<Vector256>(map, q, x[q], sums);
      for (unsigned odd = 0; parity && odd < 2; ++odd)
        add<Vector256>(map, 16 + odd, _mm256_set_m128i(beats[4 * half + 2 + odd], beats[4 * half + odd]),
                       sums);
      for (unsigned o = 0; o < 4; ++o)
        outputs[half][o] =
            _mm_xor_si128(_mm256_castsi256_si128(sums[o]), _mm256_extracti128_si256(sums[o], 1));
    }
    store(outputs, out + 8 * done);
  }
  return done;
}

}  // namespace asterism
