#include "base/random.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

// First outputs of the reference implementation (splitmix64.c, seed 1234567).
TEST(Random, MatchesTheReferenceSequence) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(Random, AnyElementIsReachableDirectly) {
  Random random(7);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(Random(7).at(i), random.next());
}

TEST(Random, BelowCoversItsRangeAndNoMore) {
  Random random(1);
  unsigned seen = 0;
  for (int i = 0; i < 200; ++i) seen |= 1u << random.below(6);
  EXPECT_EQ(seen, 0b111111u);
}

}  // namespace
}  // namespace asterism
