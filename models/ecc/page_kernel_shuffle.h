// The common part of the AVX2 and AVX-512 paths. Sixteen blocks at a time are transposed by four rounds of
// unpacking, so that each lane of 16 bytes holds the same raw byte of sixteen blocks, which two shuffles of
// 16-entry tables map to an output byte. Only these two paths include this file; everything in it is local to
// the including file.
#pragma once

#include <immintrin.h>

#include "ecc/page_map.h"

namespace asterism {
namespace {

// Four rounds over 16 registers move byte b of register i to byte i of register b, in each lane.
template <typename Vector, unsigned n>
inline void unpack_round(const typename Vector::Type (&x)[n], typename Vector::Type (&y)[n]) {
  for (unsigned i = 0; i < n / 2; ++i) {
    y[2 * i] = Vector::unpack_low(x[i], x[i + n / 2]);
    y[2 * i + 1] = Vector::unpack_high(x[i], x[i + n / 2]);
  }
}
template <typename Vector, unsigned n>
inline void transpose(typename Vector::Type (&x)[n]) {
  typename Vector::Type y[n];
  unpack_round<Vector>(x, y);
  unpack_round<Vector>(y, x);
  unpack_round<Vector>(x, y);
  unpack_round<Vector>(y, x);
}

struct Vector128 {
  using Type = __m128i;
  static Type unpack_low(Type a, Type b) { return _mm_unpacklo_epi8(a, b); }
  static Type unpack_high(Type a, Type b) { return _mm_unpackhi_epi8(a, b); }
};

// Loads beat b of the parity of sixteen blocks to beats[b]; all 0 without parity.
inline void load_parity(const std::uint8_t* parity, __m128i (&beats)[8]) {
  for (std::size_t i = 0; i < 8; ++i)
    beats[i] =
        parity ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(parity + 16 * i)) : _mm_setzero_si128();
  if (parity) transpose<Vector128>(beats);
}

// Adds the contribution of raw byte q of all lanes to the four sums.
template <typename Vector>
inline void add(const PageMap& map, unsigned q, typename Vector::Type bytes,
                typename Vector::Type (&sums)[4]) {
  const auto low = Vector::low_nibbles(bytes), high = Vector::high_nibbles(bytes);
  for (unsigned o = 0; o < 4; ++o)
    sums[o] = Vector::sum(sums[o], Vector::shuffle(map.nibbles[q][0][o], low),
                          Vector::shuffle(map.nibbles[q][1][o], high));
}

// outputs[half][o] is output byte o of sixteen blocks, stored to byte 8 * block + 4 * half + o.
inline void store(const __m128i (&outputs)[2][4], std::uint8_t* out) {
  __m128i words[2][4];
  for (unsigned half = 0; half < 2; ++half) {
    const auto& o = outputs[half];
    const __m128i low01 = _mm_unpacklo_epi8(o[0], o[1]), high01 = _mm_unpackhi_epi8(o[0], o[1]);
    const __m128i low23 = _mm_unpacklo_epi8(o[2], o[3]), high23 = _mm_unpackhi_epi8(o[2], o[3]);
    words[half][0] = _mm_unpacklo_epi16(low01, low23);
    words[half][1] = _mm_unpackhi_epi16(low01, low23);
    words[half][2] = _mm_unpacklo_epi16(high01, high23);
    words[half][3] = _mm_unpackhi_epi16(high01, high23);
  }
  auto* to = reinterpret_cast<__m128i*>(out);
  for (std::size_t i = 0; i < 4; ++i) {
    _mm_storeu_si128(to + 2 * i, _mm_unpacklo_epi32(words[0][i], words[1][i]));
    _mm_storeu_si128(to + 2 * i + 1, _mm_unpackhi_epi32(words[0][i], words[1][i]));
  }
}

}  // namespace
}  // namespace asterism
