#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace asterism {
namespace {

// The numbers are the first outputs of the reference implementation (splitmix64.c, seed 1234567).
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

// Each of the first counts is within five standard deviations of n * p * (1 - p)^k.
TEST(Geometric, CountsFailuresBeforeTheFirstSuccess) {
  constexpr double p = 0.3;
  constexpr int n = 1'000'000;
  const Geometric geometric(p);
  Random random(1);
  std::array<int, 12> seen{};
  for (int i = 0; i < n; ++i) {
    const std::uint64_t failures = geometric.draw(random);
    if (failures < seen.size()) ++seen[failures];
  }
  double expected = n * p;
  for (const int count : seen) {
    EXPECT_LT((count - expected) * (count - expected), 25 * expected);
    expected *= 1 - p;
  }
}

TEST(Geometric, MeanOfARareEventIsItsPeriod) {
  const Geometric geometric(1e-6);
  Random random(2);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += static_cast<double>(geometric.draw(random));
  EXPECT_NEAR(sum / 100'000, 1e6 - 1, 5 * 1e6 / 316);  // standard deviation 1e6 over the square root of n
}

TEST(Geometric, NothingFailsBeforeACertainSuccess) {
  Random random(3);
  EXPECT_EQ(Geometric(1).draw(random), 0u);
}

TEST(Geometric, LeastProbabilityNeedsAllDigits) {
  const Geometric geometric(Geometric::least);
  Random random(4);
  std::uint64_t longest = 0;
  for (int i = 0; i < 1000; ++i) longest = std::max(longest, geometric.draw(random));
  EXPECT_GT(longest, std::uint64_t{1} << 48);
  EXPECT_LT(longest, std::uint64_t{1} << 53);
}

}  // namespace
}  // namespace asterism
