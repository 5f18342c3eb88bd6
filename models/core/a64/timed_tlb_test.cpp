#include "core/a64/timed_tlb.h"

#include <gtest/gtest.h>

namespace asterism::a64 {
namespace {

constexpr std::uint8_t page = 12, block = 21;

TEST(TimedTlb, ReplacesTheOldestOfASetWhateverWasUsed) {
  TimedTlb tlb({.entries = 4, .ways = 2});  // two sets, by the lowest bit of the page number
  const auto of = [](std::uint64_t number) { return TimedTlb::of(number << page, page, 1); };
  for (const std::uint64_t number : {0, 2, 1}) EXPECT_EQ(tlb.insert(of(number)), std::nullopt);
  EXPECT_TRUE(tlb.holds(of(0)));
  EXPECT_EQ(tlb.insert(of(4)), of(0));
  EXPECT_FALSE(tlb.holds(of(0)));
  for (const std::uint64_t number : {1, 2, 4}) EXPECT_TRUE(tlb.holds(of(number)));
  EXPECT_EQ(tlb.insert(of(6)), of(2));
  tlb.clear();
  EXPECT_FALSE(tlb.holds(of(1)));
}

TEST(TimedTlb, HoldsPagesAndBlocksOfAddressSpaces) {
  TimedTlb tlb({.entries = 8, .ways = 8});
  tlb.insert(TimedTlb::of(0x40'0000, block, 1));
  EXPECT_TRUE(tlb.holds(TimedTlb::of(0x5f'ffff, block, 1)));
  EXPECT_TRUE(tlb.holds(TimedTlb::of(0xab00'0000'005f'ffff, block, 1)));  // with a tag
  EXPECT_FALSE(tlb.holds(TimedTlb::of(0x60'0000, block, 1)));
  EXPECT_FALSE(tlb.holds(TimedTlb::of(0x5f'ffff, page, 1)));
  EXPECT_FALSE(tlb.holds(TimedTlb::of(0x5f'ffff, block, 2)));
}

TEST(TimedTlb, TheUpperHalfBelongsToAllAddressSpaces) {
  TimedTlb tlb({.entries = 8, .ways = 8});
  tlb.insert(TimedTlb::of(0xffff'8000'0000'0000, page, 1));
  EXPECT_TRUE(tlb.holds(TimedTlb::of(0xffff'8000'0000'0fff, page, 2)));
}

TEST(TimedTlb, WithoutTranslationAllAddressesAreOneBlock) {
  TimedTlb tlb({.entries = 2, .ways = 2});
  tlb.insert(TimedTlb::of(0, 64, 0));
  EXPECT_TRUE(tlb.holds(TimedTlb::of(0x1234'5678, 64, 0)));
}

TEST(TimedTlb, WithoutEntriesItHoldsEverything) { EXPECT_TRUE(TimedTlb().holds(TimedTlb::of(5, page, 0))); }

}  // namespace
}  // namespace asterism::a64
