#include "resilience/checkpoint_location.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

using enum CheckpointLocation;

constexpr std::uint64_t petabyte = 1'000'000'000'000'000;

// These are one percent less and one percent more than 92.6 MB/s for 100 s.
constexpr Bytes within_rate(9'160'000'000), beyond_rate(9'350'000'000);

CheckpointQuestion after_100_s(Bytes written, Seconds checkpointing = {}) {
  return {.number = 7,
          .size = Bytes(100'000'000),
          .elapsed = Seconds(100),
          .checkpointing = checkpointing,
          .written = written,
          .used = written};
}

TEST(CheckpointLocationTest, FirstCheckpointGoesToTheSsd) {
  const CheckpointDecision d = locate_checkpoint({}, {.size = Bytes(1), .elapsed = Seconds(5)});
  EXPECT_EQ(d.location, ssd);
  EXPECT_EQ(d.reason, LocationReason::first);
  EXPECT_TRUE(std::isinf(d.estimated.count()));
  EXPECT_EQ(d.expected, Seconds(5 * 365 * 86'400.0));
}

TEST(CheckpointLocationTest, SsdIsTakenBelowItsRatingOverItsLife) {
  EXPECT_EQ(locate_checkpoint({}, after_100_s(within_rate)).location, ssd);
  const CheckpointDecision d = locate_checkpoint({}, after_100_s(beyond_rate));
  EXPECT_EQ(d.location, ramdisk);
  EXPECT_EQ(d.reason, LocationReason::lifetime);
  EXPECT_LT(d.estimated, d.expected);
}

// Both lifetimes, the estimated and the expected one, depend on what remains of the rating.
TEST(CheckpointLocationTest, UsedSsdAllowsTheSameBandwidth) {
  for (const std::uint64_t used : {1 * petabyte, 10 * petabyte, 14 * petabyte}) {
    CheckpointQuestion q = after_100_s(within_rate);
    q.used = Bytes(used);
    EXPECT_EQ(locate_checkpoint({}, q).location, ssd);
    q = after_100_s(beyond_rate);
    q.used = Bytes(used);
    EXPECT_EQ(locate_checkpoint({}, q).location, ramdisk);
  }
}

TEST(CheckpointLocationTest, LifetimesAreThoseOfTheEquations) {
  CheckpointQuestion q = after_100_s(Bytes(10'000'000'000));  // 100 MB/s
  q.used = Bytes(7'300 * (petabyte / 1000));
  const CheckpointDecision d = locate_checkpoint({}, q);
  EXPECT_DOUBLE_EQ(d.expected.count(), 2.5 * 365 * 86'400);
  EXPECT_DOUBLE_EQ(d.estimated.count(), 7.3e15 / 1e8);
}

TEST(CheckpointLocationTest, WornOutSsdIsNotTaken) {
  CheckpointQuestion q = after_100_s({});
  for (const std::uint64_t used : {14'600 * (petabyte / 1000), 20 * petabyte}) {
    q.used = Bytes(used);
    const CheckpointDecision d = locate_checkpoint({}, q);
    EXPECT_EQ(d.location, ramdisk);
    EXPECT_EQ(d.expected, Seconds());
  }
}

TEST(CheckpointLocationTest, LateProgramGoesToTheRamdisk) {
  const CheckpointLocationConfig ple{.performance_estimation = true};
  EXPECT_EQ(locate_checkpoint(ple, after_100_s(within_rate, Seconds(10))).location, ssd);  // at the bound
  const CheckpointDecision d = locate_checkpoint(ple, after_100_s(within_rate, Seconds(10.01)));
  EXPECT_EQ(d.location, ramdisk);
  EXPECT_EQ(d.reason, LocationReason::performance);
  EXPECT_DOUBLE_EQ(d.slowdown, 0.1001);
  EXPECT_EQ(locate_checkpoint({}, after_100_s(within_rate, Seconds(90))).location, ssd);
}

TEST(CheckpointLocationTest, PerformanceAloneLetsTheSsdWearOut) {
  const CheckpointLocationConfig only{.lifetime_estimation = false, .performance_estimation = true};
  EXPECT_EQ(locate_checkpoint(only, after_100_s(beyond_rate)).location, ssd);
}

TEST(CheckpointLocationTest, WhatIsTooLargeForTheRamdiskIsLeftOut) {
  CheckpointLocationConfig small;
  small.ramdisk_of_rank = Bytes(100'000'000);
  EXPECT_EQ(locate_checkpoint(small, after_100_s(beyond_rate)).location, ramdisk);
  small.ramdisk_of_rank = Bytes(99'999'999);
  const CheckpointDecision d = locate_checkpoint(small, after_100_s(beyond_rate));
  EXPECT_EQ(d.location, nowhere);
  EXPECT_EQ(d.reason, LocationReason::size);
  EXPECT_EQ(locate_checkpoint(small, after_100_s(within_rate)).location, ssd);
}

TEST(CheckpointLocationTest, ForcedCheckpointGoesToTheSsdInSpiteOfTheEstimates) {
  CheckpointLocationConfig forced{.performance_estimation = true};
  forced.ramdisk_of_rank = Bytes();
  forced.forced_every = 7;
  EXPECT_EQ(locate_checkpoint(forced, after_100_s(beyond_rate, Seconds(90))).reason, LocationReason::forced);
  EXPECT_EQ(locate_checkpoint(forced, after_100_s(within_rate)).reason, LocationReason::allowed);
  forced.forced_every = 6;
  EXPECT_EQ(locate_checkpoint(forced, after_100_s(beyond_rate, Seconds(90))).location, nowhere);
}

// Ranks may measure different times and therefore disagree, but checkpoints with a forced number are all on
// the SSD.
TEST(CheckpointLocationTest, RanksThatDisagreeHaveForcedCheckpointsInCommon) {
  CheckpointLocationConfig c{.performance_estimation = true};
  c.forced_every = 10;
  int disagreements = 0;
  for (std::uint64_t number = 1; number <= 100; ++number) {
    CheckpointQuestion fast = after_100_s(within_rate, Seconds(9)),
                       slow = after_100_s(within_rate, Seconds(11));
    fast.number = slow.number = number;
    const auto a = locate_checkpoint(c, fast).location, b = locate_checkpoint(c, slow).location;
    if (number % 10 == 0)
      EXPECT_TRUE(a == ssd && b == ssd) << number;
    else
      disagreements += a != b;
  }
  EXPECT_EQ(disagreements, 90);
}

TEST(CheckpointLocationTest, RefusesWhatIsNoController) {
  const auto problem = [](const CheckpointLocationConfig& c) {
    return thrown<std::invalid_argument>([&] { check_checkpoint_location(c); });
  };
  EXPECT_EQ(problem({}), "none");
  const std::string bound = "a bound of the time that checkpoints take is within 0 and 1",
                    life = "an SSD's rating and its rated life are above 0";
  EXPECT_EQ(problem({.bound = -0.1}), bound);
  EXPECT_EQ(problem({.bound = std::numeric_limits<double>::quiet_NaN()}), bound);
  EXPECT_EQ(problem({.rating = Bytes()}), life);
  EXPECT_EQ(problem({.rated_life = Seconds()}), life);
}

}  // namespace
}  // namespace asterism
