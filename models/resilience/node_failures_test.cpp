#include "resilience/node_failures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

// Returns the mean and the coefficient of variation of the times between failures.
std::pair<double, double> gaps(const NodeFailureSettings& settings, int count) {
  NodeFailures failures(settings);
  double last = 0, sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double at = failures.next().count(), gap = at - last;
    EXPECT_GE(gap, 0);
    sum += gap, squares += gap * gap, last = at;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean) / mean};
}

TEST(NodeFailuresTest, ManyExponentialNodesAreOneOfTheirRate) {
  const auto [mean, variation] = gaps({.nodes = 1000, .node_mttf = Seconds(5000)}, 100'000);
  EXPECT_NEAR(mean, 5, 0.05);
  EXPECT_NEAR(variation, 1, 0.02);
}

TEST(NodeFailuresTest, OneNodeHasItsShape) {
  for (const double shape : {0.7, 1.0, 2.0}) {
    const auto [mean, variation] = gaps({.nodes = 1, .node_mttf = Seconds(100), .shape = shape}, 200'000);
    const double second = std::tgamma(1 + 2 / shape), first = std::tgamma(1 + 1 / shape);
    EXPECT_NEAR(mean, 100, 1.5) << shape;
    EXPECT_NEAR(variation, std::sqrt(second / first / first - 1), 0.03) << shape;
  }
}

TEST(NodeFailuresTest, ManyNodesOfAllAgesComeCloseToExponentialOnes) {
  const auto [mean, variation] = gaps({.nodes = 2000, .node_mttf = Seconds(10'000), .shape = 0.7}, 20'000);
  EXPECT_NEAR(mean, 5, 0.15);
  EXPECT_NEAR(variation, 1, 0.04);
}

TEST(NodeFailuresTest, NewMachineOfShapeBelowOneFailsMoreOftenAtFirst) {
  const NodeFailureSettings settings{
      .nodes = 2000, .node_mttf = Seconds(10'000), .shape = 0.7, .new_machine = true};
  EXPECT_LT(gaps(settings, 500).first, 3);
}

TEST(NodeFailuresTest, SeedGivesTheSameFailures) {
  const auto tenth = [](std::uint64_t seed) {
    NodeFailures failures({.nodes = 10, .node_mttf = Seconds(100), .shape = 0.7, .seed = seed});
    for (int i = 0; i < 9; ++i) failures.next();
    return failures.next();
  };
  EXPECT_EQ(tenth(3), tenth(3));
  EXPECT_NE(tenth(3), tenth(4));
}

TEST(NodeFailuresTest, RefusesWhatIsNoMachine) {
  const auto problem = [](const NodeFailureSettings& settings) {
    return thrown<std::invalid_argument>([&] { NodeFailures failures(settings); });
  };
  EXPECT_EQ(problem({.nodes = 0, .node_mttf = Seconds(1)}), "a machine has a node");
  EXPECT_EQ(problem({.nodes = 1, .node_mttf = Seconds(0)}), "the mean time to a failure is above 0");
  EXPECT_EQ(problem({.nodes = 1, .node_mttf = Seconds(1), .shape = 0}),
            "the shape of lifetimes is from 0.1 to 10");
}

}  // namespace
}  // namespace asterism
