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
    const AddressMapping mapping(order, odd);
    for (std::uint64_t block = 0; block < odd.blocks(); block += 7)
      ASSERT_EQ(mapping.block_at(mapping.locate(block)), block) << order;
  } while (std::ranges::next_permutation(names).found);
}

TEST(AddressMappingTest, EveryBlockHasAPlaceOfItsOwn) {
  const AddressMapping mapping("RaCoBaRoCh", odd);
  std::set<BlockLocation> places;
  for (std::uint64_t block = 0; block < odd.blocks(); ++block) places.insert(mapping.locate(block));
  EXPECT_EQ(places.size(), odd.blocks());
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
