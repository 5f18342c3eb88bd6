#include "ecc/fault_pattern.h"

#include <gtest/gtest.h>

#include <map>

namespace asterism {
namespace {

TEST(FaultMask, CoversWhatTheShapeSays) {
  EXPECT_EQ(fault_mask(FaultShape::bit, 9), 0x0000'0200u);
  EXPECT_EQ(fault_mask(FaultShape::pin, 9), 0x2222'2222u);
  EXPECT_EQ(fault_mask(FaultShape::word, 9), 0x0000'0F00u);
  EXPECT_EQ(fault_mask(FaultShape::chip, 9), 0xFFFF'FFFFu);
}

TEST(FaultPattern, OfAWordLiesInOneBeatOfOneChip) {
  Random random(1);
  const MemoryBlock pattern = draw_fault(EccProfile::strict, FaultShape::word, 5, 4 * 3, random);
  EXPECT_NE(pattern.nibble(5, 3), 0);
  MemoryBlock rest = pattern;
  rest.flip_nibble(5, 3, pattern.nibble(5, 3));
  EXPECT_EQ(rest, MemoryBlock{});
}

TEST(FaultPattern, OfTheThesisGivesEachCoveredSymbolEveryErrorButNone) {
  Random random(2);
  std::map<std::uint32_t, unsigned> seen;
  for (int i = 0; i < 8100; ++i) ++seen[draw_errors(EccProfile::thesis, 0x2222'2222, random)];
  EXPECT_EQ(seen.size(), 81u);  // three errors in each of four symbols
  for (const auto& [errors, times] : seen) {
    for (unsigned p = 0; p < 4; ++p) EXPECT_NE(errors >> 8 * p & 0xFF, 0u);
    EXPECT_NEAR(times, 100, 50);
  }
}

TEST(FaultPattern, OfStrictFlipsEachBitHalfTheTimeAndNeverNone) {
  Random random(3);
  std::map<std::uint32_t, unsigned> seen;
  for (int i = 0; i < 25500; ++i) ++seen[draw_errors(EccProfile::strict, 0x8888'8888, random)];
  EXPECT_EQ(seen.size(), 255u);
  for (const auto& [errors, times] : seen) {
    EXPECT_NE(errors, 0u);
    EXPECT_NEAR(times, 100, 50);
  }
}

TEST(FaultPattern, IsTheSameForTheSameSeed) {
  Random one(4), same(4);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(draw_fault(EccProfile::chip, FaultShape::chip, 17, 0, one),
              draw_fault(EccProfile::chip, FaultShape::chip, 17, 0, same));
}

}  // namespace
}  // namespace asterism
