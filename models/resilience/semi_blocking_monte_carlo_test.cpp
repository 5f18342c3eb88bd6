#include "resilience/semi_blocking_monte_carlo.h"

#include <gtest/gtest.h>

#include <cmath>

namespace asterism {
namespace {

constexpr std::uint64_t failures = 20'000;

BuddyCheckpoint ft_test(double mttf) {
  return {Seconds(9.6), Seconds(0.2), Seconds(0.25), Seconds(6.5), Seconds(6.5), Seconds(mttf)};
}

double model(const BuddyCheckpoint& b, Seconds tau) {
  const Seconds work(1e9);
  return semi_blocking_time(b, work, tau).total() / work;
}

TEST(SemiBlockingMonteCarloTest, AgreesWithTheModelWhereFailuresAreRare) {
  const BuddyCheckpoint b = ft_test(2e4);
  const Seconds tau(180);
  const BuddyMonteCarlo simulated = simulate_semi_blocking(b, tau, failures, 1);
  EXPECT_NEAR(simulated.stretch, model(b, tau), simulated.half_width_99);
  EXPECT_LT(simulated.half_width_99, 3e-4);
  EXPECT_GT(simulated.failures, failures / 2);
}

// The first order ignores failures during rework, which cost 0.6% here.
TEST(SemiBlockingMonteCarloTest, ModelIsWithinAPercentAtFtTests) {
  const BuddyCheckpoint b = ft_test(300);
  const BuddyOptimum best = semi_blocking_optimum(b, Seconds(1e6));
  const BuddyMonteCarlo simulated = simulate_semi_blocking(b, best.tau, failures, 1);
  EXPECT_NEAR(simulated.stretch / model(b, best.tau), 1, 0.01);
}

// Only the dump and the overhead lengthen the run, as failures come every 1e12 s.
TEST(SemiBlockingMonteCarloTest, WithoutFailuresItIsTheUndisturbedTime) {
  const BuddyMonteCarlo simulated = simulate_semi_blocking(ft_test(1e12), Seconds(20), 0, 1);
  EXPECT_EQ(simulated.failures, 0u);
  EXPECT_NEAR(simulated.stretch, 20.25 / 19.8, 1e-12);
}

// Without overlap and dump, each interval is repeated until it succeeds, which takes (e^(tau/M) - 1) M; so
// are restarts.
TEST(SemiBlockingMonteCarloTest, IsTheKnownClosedForm) {
  const BuddyCheckpoint b{Seconds(), Seconds(), Seconds(), Seconds(), Seconds(30), Seconds(100)};
  const BuddyMonteCarlo simulated = simulate_semi_blocking(b, Seconds(50), failures, 3);
  EXPECT_NEAR(simulated.stretch, 100 * std::exp(0.3) * std::expm1(0.5) / 50, simulated.half_width_99);
}

TEST(SemiBlockingMonteCarloTest, EndsEarlyWithoutProgress) {
  BuddyCheckpoint b = ft_test(300);
  b.restart = Seconds(1e6);
  EXPECT_TRUE(std::isinf(simulate_semi_blocking(b, Seconds(20), 100, 1).stretch));
}

TEST(SemiBlockingMonteCarloTest, IsReproducibleBySeed) {
  const auto stretch = [](std::uint64_t seed) {
    return simulate_semi_blocking(ft_test(300), Seconds(20), 1000, seed).stretch;
  };
  EXPECT_EQ(stretch(4), stretch(4));
  EXPECT_NE(stretch(4), stretch(5));
}

// Without restarts and checkpoints, the run takes as long as the work and the rework: the failures come at
// their rate, whatever the shape.
TEST(SemiBlockingMonteCarloTest, FailuresComeAtTheirRateWhateverTheShape) {
  const BuddyCheckpoint b{Seconds(), Seconds(), Seconds(), Seconds(), Seconds(), Seconds(1000)};
  for (const double shape : {0.7, 1.0, 2.0}) {
    const BuddyMonteCarlo simulated = simulate_semi_blocking(b, Seconds(10), 40'000, 5, {}, shape);
    const double time = simulated.stretch * 10 * static_cast<double>(simulated.intervals);
    EXPECT_NEAR(static_cast<double>(simulated.failures) / time, 1e-3, 2.5e-5) << shape;
  }
}

// Intervals as long as the scale of the distribution, and no restarts: a piece that begins after a failure is
// done with probability 1 / e, so that each failure of an interval that was begun without one brings e in
// all. j further intervals follow with probability exp(1 - (1 + j)^shape), as the machine has its age then.
TEST(SemiBlockingMonteCarloTest, SurvivesAsLongAsTheHazardSays) {
  for (const double shape : {0.5, 0.7, 1.0}) {
    const Seconds scale(1000 / std::tgamma(1 + 1 / shape));
    const BuddyCheckpoint b{Seconds(), Seconds(), Seconds(), Seconds(), Seconds(), Seconds(1000)};
    const BuddyMonteCarlo simulated = simulate_semi_blocking(b, scale, 100'000, 6, {}, shape);
    double intervals = 1;
    for (int j = 1; j < 10'000; ++j) intervals += std::exp(1 - std::pow(1 + j, shape));
    const double failures = std::exp(1.0) / intervals;
    EXPECT_NEAR(static_cast<double>(simulated.failures) / static_cast<double>(simulated.intervals), failures,
                0.02 * failures)
        << shape;
  }
}

}  // namespace
}  // namespace asterism
