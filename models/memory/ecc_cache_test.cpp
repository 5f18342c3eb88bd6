#include "memory/ecc_cache.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

BlockLocation column(std::uint32_t n) { return {0, 1, 0, 40, n}; }

TEST(EccCache, HitsWhatItHolds) {
  EccCache cache(1_KiB, 4);
  EXPECT_FALSE(cache.use(column(0), false).hit);
  EXPECT_TRUE(cache.use(column(0), false).hit);
  EXPECT_FALSE(cache.use(column(1), false).hit);
}

TEST(EccCache, TheLeastRecentlyUsedMakesRoom) {
  EccCache cache(1_KiB, 4);  // there are four sets, so that every fourth column shares one
  for (const std::uint32_t n : {0u, 4u, 8u, 12u, 0u, 16u}) cache.use(column(n), false);
  EXPECT_TRUE(cache.use(column(0), false).hit);
  EXPECT_TRUE(cache.use(column(8), false).hit);
  EXPECT_FALSE(cache.use(column(4), false).hit);
}

TEST(EccCache, WritesBackOnlyWhatWasWritten) {
  EccCache cache(64_B, 1);
  EXPECT_EQ(cache.use(column(0), false).written_back, std::nullopt);
  EXPECT_EQ(cache.use(column(1), true).written_back, std::nullopt);
  EXPECT_EQ(cache.use(column(1), false).written_back, std::nullopt);
  EXPECT_EQ(cache.use(column(2), false).written_back, column(1));
  EXPECT_EQ(cache.use(column(3), false).written_back, std::nullopt);
}

TEST(EccCache, WithoutOneEveryUseMissesAndWritesGoThrough) {
  EccCache cache(0_B, 8);
  for (int i = 0; i < 2; ++i) {
    const EccCache::Use read = cache.use(column(0), false), write = cache.use(column(0), true);
    EXPECT_FALSE(read.hit || write.hit);
    EXPECT_EQ(read.written_back, std::nullopt);
    EXPECT_EQ(write.written_back, column(0));
  }
}

TEST(EccCache, ADroppedBlockIsNotWrittenBack) {
  EccCache cache(64_B, 1);
  cache.use(column(0), true);
  cache.drop(column(0));
  EXPECT_FALSE(cache.use(column(1), false).written_back);
  EXPECT_FALSE(cache.use(column(0), false).hit);
}

TEST(EccCache, TheParityOfASweepFillsTheWholeCache) {
  EccCache cache(64_KiB, 8);  // it holds 1024 blocks, the parity of 16 Ki blocks of data
  const auto sweep = [&] {
    std::uint64_t hits = 0;
    for (std::uint32_t row = 0; row < 8; ++row)
      for (std::uint32_t rank = 0; rank < 2; ++rank)
        for (std::uint32_t bank = 0; bank < 8; ++bank)
          for (std::uint32_t n = 0; n < 8; ++n)
            hits += cache.use({0, rank, bank, 40, row * 8 + n}, false).hit;
    return hits;
  };
  EXPECT_EQ(sweep(), 0u);
  EXPECT_EQ(sweep(), 1024u);
}

TEST(EccCache, AnyResetEmptiesItAndColdForgetsTheCounts) {
  EccCache cache(1_KiB, 4);
  cache.use(column(0), true);
  cache.reset(Reset::warm);
  EXPECT_FALSE(cache.use(column(0), false).hit);
  Statistics warm;
  cache.report(warm);
  EXPECT_EQ(std::get<std::uint64_t>(warm.entries().at(0).second), 2u);
  cache.reset(Reset::cold);
  Statistics cold;
  cache.report(cold);
  for (const auto& [name, value] : cold.entries()) EXPECT_EQ(std::get<std::uint64_t>(value), 0u) << name;
}

}  // namespace
}  // namespace asterism
