#include "ecc/on_die_code.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

OnDieWord with_flipped(OnDieWord word, unsigned bit) {
  if (bit < 64)
    word.delivered ^= std::uint64_t{1} << bit;
  else if (bit < 128)
    word.other ^= std::uint64_t{1} << (bit - 64);
  else
    word.check ^= static_cast<std::uint8_t>(1u << (bit - 128));
  return word;
}

TEST(OnDieCodeTest, CorrectsEachOfItsBits) {
  OnDieWord truth{0x0123'4567'89AB'CDEF, 0xFEDC'BA98'7654'3210, 0};
  on_die_code.encode(truth);
  for (unsigned bit = 0; bit < 136; ++bit) {
    OnDieWord word = with_flipped(truth, bit);
    on_die_code.decode(word);
    EXPECT_EQ(word, truth) << bit;
  }
}

// Any two bits have the syndrome of a third one, or of none.
TEST(OnDieCodeTest, MiscorrectsTwoBitsIntoThree) {
  unsigned made_worse = 0, pairs = 0;
  for (unsigned a = 0; a < 136; ++a)
    for (unsigned b = 0; b < a; ++b, ++pairs) {
      const OnDieWord two = with_flipped(with_flipped({}, a), b);
      OnDieWord decoded = two;
      on_die_code.decode(decoded);
      EXPECT_NE(decoded, OnDieWord());
      if (decoded == two) continue;
      ++made_worse;
      EXPECT_EQ(
          std::popcount(decoded.delivered) + std::popcount(decoded.other) + std::popcount(decoded.check), 3);
    }
  EXPECT_EQ(pairs, 9180u);
  EXPECT_EQ(made_worse, 4836u);
}

}  // namespace
}  // namespace asterism
