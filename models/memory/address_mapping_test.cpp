#include "memory/address_mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/thrown.h"

namespace asterism {
namespace {

constexpr DramGeometry odd{.channels = 3, .ranks = 2, .banks = 8, .rows = 5, .columns = 128};

TEST(AddressMappingTest, TheLastPartIsInterleavedFirst) {
  const AddressMapping mapping("RoRaBaCoCh", odd);
  EXPECT_EQ(mapping.locate(0), (BlockLocation{0, 0, 0, 0, 0}));
  EXPECT_EQ(mapping.locate(1), (BlockLocation{1, 0, 0, 0, 0}));
  EXPECT_EQ(mapping.locate(3), (BlockLocation{0, 0, 0, 0, 1}));
  EXPECT_EQ(mapping.locate(3 * 128), (BlockLocation{0, 0, 1, 0, 0}));
  EXPECT_EQ(mapping.locate(3 * 128 * 8), (BlockLocation{0, 1, 0, 0, 0}));
  EXPECT_EQ(mapping.locate(3 * 128 * 8 * 2), (BlockLocation{0, 0, 0, 1, 0}));
  EXPECT_EQ(mapping.locate(odd.blocks() - 1), (BlockLocation{2, 1, 7, 4, 127}));
}

TEST(AddressMappingTest, EveryOrderIsItsOwnInverse) {
  std::array<std::string, 5> names = {"Ba", "Ch", "Co", "Ra", "Ro"};
  do {
    std::string order;
    for (const std::string& name : names) order += name;
    for (const bool hash : {false, true}) {
      const AddressMapping mapping(order, odd, hash);
      for (std::uint64_t block = 0; block < odd.blocks(); block += 7)
        ASSERT_EQ(mapping.block_at(mapping.locate(block)), block) << order;
    }
  } while (std::ranges::next_permutation(names).found);
}

TEST(AddressMappingTest, EveryBlockHasAPlaceOfItsOwn) {
  const AddressMapping mapping("RaCoBaRoCh", odd);
  std::set<BlockLocation> places;
  for (std::uint64_t block = 0; block < odd.blocks(); ++block) places.insert(mapping.locate(block));
  EXPECT_EQ(places.size(), odd.blocks());
}

TEST(AddressMappingTest, AHashAddsTheDigitsOfTheOtherParts) {
  const AddressMapping mapping("RoRaBaCoCh", odd, true);
  EXPECT_EQ(mapping.locate(0), (BlockLocation{0, 0, 0, 0, 0}));
  EXPECT_EQ(mapping.locate(1), (BlockLocation{1, 0, 0, 0, 0}));
  EXPECT_EQ(mapping.locate(3), (BlockLocation{1, 0, 0, 0, 1}));            // 1
  EXPECT_EQ(mapping.locate(3 * 5), (BlockLocation{0, 0, 0, 0, 5}));        // 12 in base 3
  EXPECT_EQ(mapping.locate(3 * 128 * 8 * 2 * 3).bank, 3u);                 // row 3
  EXPECT_EQ(mapping.locate(3 * 128 * (8 * 2 * 3 + 6)).bank, (6 + 3) % 8);  // bank 6 of it
}

// Four streams at distances that are a power of two.
TEST(AddressMappingTest, StreamsMeetInEveryChannelAndBankUnlessThereIsAHash) {
  constexpr DramGeometry large{.channels = 8, .ranks = 2, .banks = 16, .rows = 64, .columns = 128};
  const auto places = [&](bool hash) {
    const AddressMapping mapping("RoRaBaCoCh", large, hash);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (std::uint64_t stream = 0; stream < 4; ++stream) {
      const BlockLocation at = mapping.locate(stream * (large.blocks() / 4));
      found.insert({at.channel, at.bank});
    }
    return found.size();
  };
  EXPECT_EQ(places(false), 1u);
  EXPECT_EQ(places(true), 4u);
}

TEST(AddressMappingTest, AHashLeavesBlocksInARowTogether) {
  constexpr DramGeometry large{.channels = 8, .ranks = 2, .banks = 16, .rows = 64, .columns = 128};
  const AddressMapping mapping("RoRaBaCoCh", large, true);
  std::set<std::uint32_t> channels;
  for (std::uint64_t block = 800; block < 808; ++block) channels.insert(mapping.locate(block).channel);
  EXPECT_EQ(channels.size(), 8u);
}

TEST(AddressMappingTest, ARankIsOneRangeWhenNothingAboveItVaries) {
  EXPECT_TRUE(AddressMapping("RaRoBaCoCh", odd).rank_is_contiguous());
  EXPECT_FALSE(AddressMapping("RoRaBaCoCh", odd).rank_is_contiguous());
  EXPECT_FALSE(AddressMapping("ChRaRoBaCo", odd).rank_is_contiguous());
  EXPECT_TRUE(AddressMapping("ChRaRoBaCo", {1, 2, 8, 5, 128}).rank_is_contiguous());
}

TEST(AddressMappingTest, RefusesAnOrderThatIsNone) {
  for (const char* order : {"", "RoRaBaCo", "RoRaBaCoCo", "RoRaBaCoChCh", "roRaBaCoCh", "xRoRaBaCoC"}) {
    EXPECT_EQ(thrown<std::invalid_argument>([&] { AddressMapping(order, odd); }),
              "expected each of Ro, Ra, Ba, Co and Ch once, such as RoRaBaCoCh, got \"" + std::string(order) +
                  "\"");
  }
  EXPECT_THROW(AddressMapping("RoRaBaCoCh", {.rows = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
