#include "gpu/address_swizzle.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace asterism {
namespace {

constexpr ChannelAddress at(std::uint32_t channel, std::uint64_t offset) { return {channel, offset}; }

TEST(AddressSwizzle, RunsGoToAllChannelsAndTheOrderChangesEachRound) {
  const AddressSwizzle swizzle(4, Bytes(512));
  EXPECT_EQ(swizzle.place(0), at(0, 0));
  EXPECT_EQ(swizzle.place(511), at(0, 511));
  EXPECT_EQ(swizzle.place(512), at(1, 0));
  EXPECT_EQ(swizzle.place(4 * 512), at(1, 512));
  EXPECT_EQ(swizzle.place(5 * 512), at(0, 512));
  EXPECT_EQ(swizzle.place(16 * 512 + 3), at(1, 4 * 512 + 3));  // in round 4, both groups of its bits matter
  EXPECT_TRUE(swizzle.is_one_run(512, 512));
  EXPECT_FALSE(swizzle.is_one_run(512 + 32, 512));
}

TEST(AddressSwizzle, IsABijection) {
  for (const std::uint32_t channels : {1u, 2u, 8u, 32u}) {
    const AddressSwizzle swizzle(channels, Bytes(128));
    std::set<std::pair<std::uint32_t, std::uint64_t>> places;
    for (std::uint64_t run = 0; run < 70 * channels; ++run) {
      const ChannelAddress place = swizzle.place(run * 128 + 5);
      EXPECT_LT(place.channel, channels);
      EXPECT_EQ(place.offset, run / channels * 128 + 5);
      EXPECT_EQ(swizzle.address(place), run * 128 + 5);
      places.emplace(place.channel, place.offset);
    }
    EXPECT_EQ(places.size(), 70 * channels);
  }
}

TEST(AddressSwizzle, GoesBackFromAnyAddress) {
  const AddressSwizzle swizzle(32, Bytes(512));
  Random random(1);
  for (unsigned i = 0; i < 1000; ++i) {
    const std::uint64_t address = random.below(std::uint64_t{1} << 40);
    EXPECT_EQ(swizzle.address(swizzle.place(address)), address);
  }
}

TEST(AddressSwizzle, StridesOfAPowerOfTwoMeetAllChannels) {
  const AddressSwizzle swizzle(32, Bytes(512));
  for (unsigned bits = 9; bits < 26; ++bits) {
    std::set<std::uint32_t> channels;
    for (std::uint64_t i = 0; i < 32; ++i) channels.insert(swizzle.place(i << bits).channel);
    EXPECT_EQ(channels.size(), 32u) << "stride 2^" << bits;
  }
}

}  // namespace
}  // namespace asterism
