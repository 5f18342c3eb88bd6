// Digests of a byte, with which the one of many places that has a number is found by comparing sixteen places
// at a time: few others have the same digest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace asterism {

inline constexpr std::size_t digests_at_once = 16;
inline constexpr std::uint8_t no_digest = 0;  // of no number

constexpr std::uint8_t digest_of(std::uint64_t number) {
  const auto digest = static_cast<std::uint8_t>(number * 0x9e37'79b9'7f4a'7c15 >> 56);
  return digest == no_digest ? 1 : digest;
}

// Bit i: digest i of sixteen is the wanted one.
inline std::uint32_t equal_digests(const std::uint8_t* digests, std::uint8_t wanted) {
#if defined(__SSE2__)
  __m128i all;
  std::memcpy(&all, digests, sizeof all);
  const __m128i is_equal = _mm_cmpeq_epi8(all, _mm_set1_epi8(static_cast<char>(wanted)));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(is_equal));
#else
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < digests_at_once; ++i) bits |= (digests[i] == wanted ? 1u : 0u) << i;
  return bits;
#endif
}

}  // namespace asterism
