#include "core/stride_prefetcher.h"

#include <gtest/gtest.h>

#include <vector>

namespace asterism {
namespace {

using Lines = std::vector<std::uint64_t>;

struct StridePrefetcherTest : testing::Test {
  StridePrefetcher prefetcher{{.streams = 2, .distance = 4}};
  Lines ask(std::uint64_t line) {
    const StridePrefetcher::Lines lines = prefetcher.asked_for(line);
    return {lines.begin(), lines.end()};
  }
};

TEST_F(StridePrefetcherTest, TwoEqualDistancesMakeAStream) {
  EXPECT_EQ(ask(64), Lines{});
  EXPECT_EQ(ask(65), Lines{});
  EXPECT_EQ(ask(66), (Lines{67, 68}));
}

TEST_F(StridePrefetcherTest, TheStreamIsPrefetchedUpToTheDistance) {
  for (const std::uint64_t line : {64, 65}) ask(line);
  EXPECT_EQ(ask(66), (Lines{67, 68}));
  EXPECT_EQ(ask(67), (Lines{69, 70}));
  EXPECT_EQ(ask(68), (Lines{71, 72}));
  EXPECT_EQ(ask(69), (Lines{73}));
  EXPECT_EQ(ask(70), (Lines{74}));
}

TEST_F(StridePrefetcherTest, StridesMayBeLongOrNegative) {
  for (const std::uint64_t line : {100, 95}) EXPECT_EQ(ask(line), Lines{});
  EXPECT_EQ(ask(90), (Lines{85, 80}));
}

TEST_F(StridePrefetcherTest, AStreamEndsWithItsPage) {
  for (const std::uint64_t line : {60, 61}) ask(line);
  EXPECT_EQ(ask(62), (Lines{63}));
  EXPECT_EQ(ask(63), Lines{});
}

TEST_F(StridePrefetcherTest, AnotherDistanceBeginsAnew) {
  for (const std::uint64_t line : {64, 65, 66}) ask(line);
  EXPECT_EQ(ask(80), Lines{});
  EXPECT_EQ(ask(82), Lines{});
  EXPECT_EQ(ask(84), (Lines{86, 88}));
}

TEST_F(StridePrefetcherTest, StreamsAreFollowedTogetherAndTheOldestIsReplaced) {
  for (const std::uint64_t line : {0, 128, 1, 129}) EXPECT_EQ(ask(line), Lines{});
  EXPECT_EQ(ask(2), (Lines{3, 4}));
  EXPECT_EQ(ask(130), (Lines{131, 132}));
  ask(256);  // in the place of the first one
  EXPECT_EQ(ask(3), Lines{});
}

TEST_F(StridePrefetcherTest, AResetForgetsAll) {
  for (const std::uint64_t line : {64, 65}) ask(line);
  prefetcher.reset();
  EXPECT_EQ(ask(66), Lines{});
}

}  // namespace
}  // namespace asterism
