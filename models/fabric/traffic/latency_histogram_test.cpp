#include "fabric/traffic/latency_histogram.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace asterism {
namespace {

using Bucket = LatencyHistogram::Bucket;

TEST(LatencyHistogram, EmptyOneIsAllZero) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_EQ(histogram.variance(), 0);
  EXPECT_EQ(histogram.percentile(5000), 0_ps);
  EXPECT_TRUE(histogram.buckets().empty());
}

TEST(LatencyHistogram, MeanVarianceAndExtremesAreExact) {
  LatencyHistogram histogram;
  for (const auto time : {1'000'003_ps, 1'000'001_ps, 1'000'005_ps}) histogram.add(time);
  EXPECT_EQ(histogram.min(), 1'000'001_ps);
  EXPECT_EQ(histogram.max(), 1'000'005_ps);
  EXPECT_EQ(histogram.mean(), 1'000'003);
  EXPECT_NEAR(histogram.variance(), 8.0 / 3, 1e-3);
}

TEST(LatencyHistogram, ShortTimesHaveABucketEach) {
  LatencyHistogram histogram;
  for (unsigned i = 0; i < 256; ++i) histogram.add(Picoseconds(i));
  const auto buckets = histogram.buckets();
  ASSERT_EQ(buckets.size(), 256u);
  EXPECT_EQ(buckets[200], (Bucket{200_ps, 200_ps, 1}));
  EXPECT_EQ(histogram.percentile(5000), 127_ps);  // 128 of 256 are no longer
}

TEST(LatencyHistogram, BucketsMeetWithoutGapOrOverlap) {
  LatencyHistogram histogram;
  for (std::uint64_t time = 0; time < 70'000; ++time) histogram.add(Picoseconds(time));
  Picoseconds next = 0_ps;
  std::uint64_t count = 0;
  for (const Bucket& bucket : histogram.buckets()) {
    EXPECT_EQ(bucket.first, next);
    EXPECT_LE((bucket.last - bucket.first).count() * 128, bucket.first.count());
    count += bucket.count;
    next = bucket.last + 1_ps;
  }
  EXPECT_EQ(count, 70'000u);
}

TEST(LatencyHistogram, PercentilesAreWithinHalfAPercent) {
  LatencyHistogram histogram;
  for (std::uint64_t time = 1; time <= 1'000'000; ++time) histogram.add(Picoseconds(time));
  for (const unsigned p : {1u, 100u, 5000u, 9000u, 9900u, 9990u})
    EXPECT_NEAR(static_cast<double>(histogram.percentile(p).count()), p * 100.0, p * 0.4);
  EXPECT_EQ(histogram.percentile(0), 1_ps);
  EXPECT_EQ(histogram.percentile(10000), 1'000'000_ps);
}

TEST(LatencyHistogram, PercentileOfOneTimeIsThatTime) {
  LatencyHistogram histogram;
  histogram.add(123'457_ps);
  EXPECT_EQ(histogram.percentile(9990), 123'457_ps);
}

TEST(LatencyHistogram, LongestTimeHasABucket) {
  LatencyHistogram histogram;
  histogram.add(Picoseconds(~std::uint64_t{0}));
  EXPECT_EQ(histogram.buckets().front().last, Picoseconds(~std::uint64_t{0}));
  EXPECT_EQ(histogram.percentile(5000), Picoseconds(~std::uint64_t{0}));
}

TEST(LatencyHistogram, OrderOfTheTimesDoesNotMatter) {
  LatencyHistogram up, down;
  const Random random(1);
  for (unsigned i = 0; i < 1000; ++i) up.add(Picoseconds(random.at(i) >> 40));
  for (unsigned i = 1000; i-- > 0;) down.add(Picoseconds(random.at(i) >> 40));
  EXPECT_EQ(up, down);
}

}  // namespace
}  // namespace asterism
