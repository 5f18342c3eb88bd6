#include "resilience/semi_blocking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

const Seconds day(86'400);

// FT_Test of ni2012, section 4.2, has c = 6.5 s and an MTTF of 300 s; delta = 0.25 s and R = c are our
// choice.
BuddyCheckpoint ft_test(double overlap, double overhead) {
  return {Seconds(overlap), Seconds(overhead), Seconds(0.25), Seconds(6.5), Seconds(6.5), Seconds(300)};
}

// The expected parts are computed by hand, for 1000 s of work and an MTTF of 100 s.
TEST(SemiBlockingTest, PartsAreThoseOfTheEquations) {
  const BuddyCheckpoint b{Seconds(10), Seconds(2), Seconds(1), Seconds(6), Seconds(5), Seconds(100)};
  const SemiBlockingTime time = semi_blocking_time(b, Seconds(1000), Seconds(22));  // 50 intervals
  EXPECT_DOUBLE_EQ(time.local.count(), 50);
  EXPECT_DOUBLE_EQ(time.overhead.count(), 100);
  // Of the failures, 12/22 cost 5 + 16 - 2 and 10/22 cost 5 + 22 + 5 + 6 - 2.
  const double back = 12.0 / 22 * 19, further = 10.0 / 22 * 36, total = 1150 / (1 - (back + further) / 100);
  EXPECT_DOUBLE_EQ(time.total().count(), total);
  EXPECT_DOUBLE_EQ(time.rollback.count(), total / 100 * back);
  EXPECT_DOUBLE_EQ(time.further_rollback.count(), total / 100 * further);
}

TEST(SemiBlockingTest, BlockingTimeIsEquation38) {
  const BuddyCheckpoint b{Seconds(6), Seconds(), Seconds(), Seconds(6), Seconds(5), Seconds(100)};
  EXPECT_DOUBLE_EQ(blocking_time(b, Seconds(1000), Seconds(20)).count(), 1300 / (1 - 0.18));
}

TEST(SemiBlockingTest, WithoutOverlapItIsBlocking) {
  const BuddyCheckpoint b{Seconds(), Seconds(), Seconds(6), Seconds(6), Seconds(5), Seconds(100)};
  const double semi = semi_blocking_time(b, day, Seconds(20)).total().count();
  // In Eq. 3.8, a failure also costs half a dump.
  EXPECT_DOUBLE_EQ(semi, day.count() * 1.3 / (1 - 0.15));
  EXPECT_GT(blocking_time(b, day, Seconds(20)).count(), semi);
}

TEST(SemiBlockingTest, BlockingOptimumIsTheClosedForm) {
  const BuddyOptimum best = blocking_optimum(ft_test(10, 1), day);
  // From d/dtau (1 + c / tau) / (a - tau / 2M) = 0 follows tau^2 + 2 c tau = 2 M a c.
  const double c = 6.5, a = 1 - (6.5 + c / 2) / 300, tau = -c + std::sqrt(c * c + 2 * 300 * a * c);
  EXPECT_NEAR(best.tau.count(), tau, 1e-4 * tau);
  EXPECT_NEAR(best.tau.count(), 55.3, 0.05);
  EXPECT_DOUBLE_EQ(best.total.count(), blocking_time(ft_test(10, 1), day, best.tau).count());
  EXPECT_FALSE(best.at_bound);
}

TEST(SemiBlockingTest, OptimumIsNowhereBeaten) {
  for (const double overlap : {6.25, 9.6, 60.0, 250.0})
    for (const double mttf : {300.0, 3e3, 3e5}) {
      BuddyCheckpoint b = ft_test(overlap, overlap / 20);
      b.mttf = Seconds(mttf);
      const BuddyOptimum best = semi_blocking_optimum(b, day);
      if (!std::isfinite(best.total.count())) continue;
      EXPECT_GE(best.tau, b.overlap);
      EXPECT_LE(best.tau, b.mttf);
      for (double tau = std::max(overlap, 0.01); tau < std::min(mttf, day.count()); tau *= 1.01)
        EXPECT_GE(semi_blocking_time(b, day, Seconds(tau)).total().count(), best.total.count() * (1 - 1e-12))
            << overlap << " " << mttf << " " << tau;
    }
}

TEST(SemiBlockingTest, OverlapIsOftenTheActiveBound) {
  BuddyCheckpoint b = ft_test(17.3, 0);
  EXPECT_FALSE(semi_blocking_optimum(b, day).at_bound);
  b.blocking = Seconds();  // an early failure then costs nothing, so that the shortest interval is best
  b.local = Seconds(0.01);
  const BuddyOptimum best = semi_blocking_optimum(b, day);
  EXPECT_TRUE(best.at_bound);
  EXPECT_EQ(best.tau, b.overlap);
}

TEST(SemiBlockingTest, IntervalsEndWithTheRun) {
  BuddyCheckpoint b = ft_test(1, 0.1);
  b.blocking = Seconds(1);
  b.mttf = Seconds(1e7);
  const BuddyOptimum best = semi_blocking_optimum(b, Seconds(100));
  EXPECT_TRUE(best.at_bound);
  EXPECT_DOUBLE_EQ(best.tau.count(), 100.1);
  EXPECT_DOUBLE_EQ(blocking_optimum(b, Seconds(1e-3)).tau.count(), 1e-3);
  // The overlap is longer than the run.
  EXPECT_TRUE(std::isinf(semi_blocking_optimum(b, Seconds(0.5)).total.count()));
}

TEST(SemiBlockingTest, BenefitFallsAsTheProgramSendsMore) {
  const auto benefit = [](double overlap, double overhead) {
    const BuddyCheckpoint b = ft_test(overlap, overhead);
    return semi_blocking_benefit(semi_blocking_optimum(b, day), blocking_optimum(b, day));
  };
  EXPECT_NEAR(benefit(9.6, 0.2), 0.113, 5e-4);
  EXPECT_NEAR(benefit(13.5, 0.5), 0.084, 5e-4);
  EXPECT_NEAR(benefit(17.3, 1.0), 0.052, 5e-4);
  EXPECT_NEAR(benefit(14.3, 4.0), -0.001, 5e-4);
}

TEST(SemiBlockingTest, NoProgressIfARestartTakesLongerThanMttf) {
  BuddyCheckpoint b = ft_test(10, 1);
  b.restart = Seconds(400);
  EXPECT_TRUE(std::isinf(semi_blocking_optimum(b, day).total.count()));
  EXPECT_TRUE(std::isinf(blocking_optimum(b, day).total.count()));
  EXPECT_TRUE(std::isinf(semi_blocking_time(b, day, Seconds(20)).total().count()));
  EXPECT_TRUE(std::isinf(blocking_time(b, day, Seconds(20)).count()));
}

TEST(SemiBlockingTest, OverlapBeyondMttfLeavesNoInterval) {
  EXPECT_TRUE(std::isinf(semi_blocking_optimum(ft_test(301, 1), day).total.count()));
}

TEST(SemiBlockingTest, RingIsLostTwiceAsOftenAsPairs) {
  const BuddyCheckpoint b = ft_test(9.6, 0.2);
  const Seconds pairs = mean_time_to_lost_checkpoint(b, 1000, BuddyPlacement::pairs);
  EXPECT_NEAR(pairs.count(), 300.0 * 300 * 1000 / 16.1, 1);
  EXPECT_DOUBLE_EQ(mean_time_to_lost_checkpoint(b, 1000, BuddyPlacement::ring) / pairs, 0.5);
  EXPECT_EQ(mean_time_to_lost_checkpoint(b, 2, BuddyPlacement::ring),
            mean_time_to_lost_checkpoint(b, 2, BuddyPlacement::pairs));
}

TEST(SemiBlockingTest, RefusesWhatIsNoRun) {
  const auto problem = [](const BuddyCheckpoint& b, double work, double tau) {
    return thrown<std::invalid_argument>([&] { semi_blocking_time(b, Seconds(work), Seconds(tau)); });
  };
  const BuddyCheckpoint good = ft_test(10, 1);
  EXPECT_EQ(problem(good, 1000, 9.9),
            "a global checkpoint has ended when the next one begins: tau is overlap or more");
  EXPECT_EQ(problem(good, 1000, 301), "an interval is no longer than the mean time to a failure");
  EXPECT_EQ(problem(good, 100, 200), "an interval is no longer than the run");
  EXPECT_EQ(problem(good, 0, 20), "the work of a run is above 0");
  EXPECT_EQ(problem(good, 1000, 0), "an interval is above 0");
  EXPECT_EQ(problem(ft_test(6.25, 0), 1000, NAN), "an interval is above 0");
  EXPECT_EQ(problem(ft_test(10, 11), 1000, 20),
            "a global checkpoint's overhead is no longer than its overlap");
  EXPECT_EQ(problem(ft_test(10, 10), 1000, 10), "an interval has work: tau is above overhead");
  // The global copy takes 6.5 s - 0.25 s alone.
  EXPECT_EQ(problem(ft_test(6.2, 1), 1000, 20),
            "a global checkpoint takes no less time beside the program than alone");
  EXPECT_EQ(problem(ft_test(6.25, 1), 1000, 20), "none");
  BuddyCheckpoint bad = good;
  bad.mttf = Seconds();
  EXPECT_EQ(problem(bad, 1000, 20), "a mean time to a failure is above 0");
  bad = good;
  bad.blocking = Seconds(-1);
  EXPECT_EQ(problem(bad, 1000, 20), "a time of a checkpoint is 0 or more");
  EXPECT_EQ(thrown<std::invalid_argument>([&] { blocking_time(good, Seconds(100), Seconds(200)); }),
            "an interval is no longer than the run");
}

TEST(SemiBlockingTest, RefusesABuddyRingOfOne) {
  const auto problem = [](unsigned nodes, BuddyPlacement placement) {
    return thrown<std::invalid_argument>(
        [&] { mean_time_to_lost_checkpoint(ft_test(10, 1), nodes, placement); });
  };
  EXPECT_EQ(problem(1, BuddyPlacement::ring), "a node has a buddy: there are two nodes or more");
  EXPECT_EQ(problem(3, BuddyPlacement::pairs), "pairs of buddies are an even number of nodes");
  EXPECT_EQ(problem(3, BuddyPlacement::ring), "none");
}

}  // namespace
}  // namespace asterism
