#include "resilience/local_global.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/thrown.h"

namespace asterism {
namespace {

// With these values, no two terms of Eq. 7 are equal.
const LocalGlobalCheckpoint sample{.local = Seconds(2),
                                   .global = Seconds(12),
                                   .local_restart = Seconds(5),
                                   .global_restart = Seconds(30),
                                   .locally_recoverable = 0.75,
                                   .mttf = Seconds(5000)};

TEST(LocalGlobalTest, IsEquationSevenTermByTerm) {
  const Seconds work(1e6), tau(100);
  const LocalGlobalTime time = local_global_time(sample, work, tau, 0.8);
  const double delta_eq = 2 * 0.8 + 12 * 0.2, r_eq = 5 * 0.75 + 30 * 0.25;
  const double total = time.total().count();
  EXPECT_NEAR(time.dump.count(), 1e6 / 100 * delta_eq, 1e-6);
  EXPECT_NEAR(time.rollback_recovery.count(), ((100 + delta_eq) / 2 + r_eq) * total / 5000, 1e-6);
  EXPECT_NEAR(time.extra_rollback.count(), 0.8 * 0.25 / (2 * 0.2) * (100 + 2) * total / 5000, 1e-6);
  EXPECT_EQ(time.work, work);
  EXPECT_DOUBLE_EQ(time.availability(), 1 / (1 + time.overhead()));
}

TEST(LocalGlobalTest, WithoutLocalCheckpointsEveryRecoveryIsGlobal) {
  const LocalGlobalTime time = local_global_time(sample, Seconds(1e6), Seconds(100), 0);
  EXPECT_NEAR(time.rollback_recovery.count(), ((100.0 + 12) / 2 + 30) * time.total().count() / 5000, 1e-6);
  EXPECT_EQ(time.extra_rollback, Seconds());
}

TEST(LocalGlobalTest, AllLocalWhereTheySurviveEveryFailure) {
  LocalGlobalCheckpoint all = sample;
  all.locally_recoverable = 1;
  EXPECT_EQ(local_global_time(all, Seconds(1e6), Seconds(100), 1).extra_rollback, Seconds());
  EXPECT_EQ(local_global_optimum(all).local_share, 1);
  EXPECT_EQ(closed_form_local_share(all), 1);
}

TEST(LocalGlobalTest, BestTauIsNowhereBeaten) {
  for (const double share : {0.0, 0.5, 0.9, 0.999}) {
    const Seconds tau = best_tau(sample, share), work(1e9);
    const double best = local_global_time(sample, work, tau, share).overhead();
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0})
      EXPECT_LT(best, local_global_time(sample, work, tau * factor, share).overhead()) << share << factor;
  }
}

TEST(LocalGlobalTest, OptimumIsNowhereBeaten) {
  for (const double q : {0.3, 0.839, 0.993})
    for (const double dearer : {0.5, 1.5, 6.0, 100.0}) {
      LocalGlobalCheckpoint one = sample;
      one.locally_recoverable = q;
      one.global = one.local * dearer;
      one.global_restart = one.global + Seconds(3);
      const LocalGlobalOptimum best = local_global_optimum(one);
      const Seconds work(1e9);
      EXPECT_NEAR(local_global_time(one, work, best.tau, best.local_share).overhead(), best.overhead, 1e-12);
      for (double share = 0; share < 1; share += 0.01)
        EXPECT_GE(local_global_time(one, work, best_tau(one, share), share).overhead(), best.overhead - 1e-9)
            << q << " " << dearer << " " << share;
    }
}

TEST(LocalGlobalTest, ClosedFormIsTheOptimumWhereFailuresAreRare) {
  LocalGlobalCheckpoint rare = sample;
  rare.mttf = Seconds(5e8);
  EXPECT_NEAR(local_global_optimum(rare).local_share, closed_form_local_share(rare), 1e-3);
  EXPECT_DOUBLE_EQ(closed_form_local_share(rare), 1 - std::sqrt(0.25 / (0.75 * 5)));
}

TEST(LocalGlobalTest, DearLocalCheckpointsAreNotTaken) {
  LocalGlobalCheckpoint cheap = sample;
  cheap.global = Seconds(1);
  cheap.global_restart = Seconds(4);
  EXPECT_EQ(closed_form_local_share(cheap), 0);
  EXPECT_EQ(local_global_optimum(cheap).local_share, 0);
}

TEST(LocalGlobalTest, TauKeepsToItsBound) {
  LocalGlobalCheckpoint free = sample;
  free.local = free.global = Seconds();
  EXPECT_EQ(best_tau(free, 0), Seconds(0.1));
  EXPECT_EQ(local_global_optimum(free, Seconds(7)).tau, Seconds(7));
}

LocalGlobalCheckpoint in_background() {
  LocalGlobalCheckpoint one = sample;
  one.background = true;
  one.background_slowdown = 0.25;
  return one;
}

LocalGlobalCheckpoint by_increments(double dirty_time) {
  LocalGlobalCheckpoint one = sample;
  one.coordination = Seconds(0.5);
  one.dirty_time = Seconds(dirty_time);
  return one;
}

TEST(LocalGlobalTest, InTheBackgroundTheProgramWaitsForLocalCheckpointsOnly) {
  const LocalGlobalTime time = local_global_time(in_background(), Seconds(1e6), Seconds(100), 0.8);
  const double delta_eq = 2 + 0.2 * 0.25 * 12, r_eq = 5 * 0.75 + 30 * 0.25;
  const double failures = time.total().count() / 5000;
  EXPECT_NEAR(time.dump.count(), 1e4 * delta_eq, 1e-6);
  EXPECT_NEAR(time.rollback_recovery.count(), ((100 + delta_eq) / 2 + r_eq) * failures, 1e-6);
  EXPECT_NEAR(time.extra_rollback.count(), 0.25 * (0.8 / (2 * 0.2) * (100 + 2) + 12) * failures, 1e-6);
}

TEST(LocalGlobalTest, InTheBackgroundGlobalCheckpointsFollowOneAnotherAtMost) {
  EXPECT_DOUBLE_EQ(best_tau(in_background(), 0.5, Seconds(0.1)).count(),
                   best_tau(in_background(), 0.5, Seconds(4)).count());
  LocalGlobalCheckpoint often = in_background();
  often.mttf = Seconds(60);  // so that the best tau without a limit is shorter
  often.local = Seconds(0.01);
  often.background_slowdown = 0;
  EXPECT_NEAR(best_tau(often, 0).count(), 12 - 0.01, 1e-6);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { local_global_time(often, Seconds(1e6), Seconds(11.9), 0); }),
            "a global checkpoint is stored before the next one begins");
  EXPECT_GT(local_global_time(often, Seconds(1e6), Seconds(12), 0).availability(), 0);
}

TEST(LocalGlobalTest, IncrementsHoldWhatHasBeenWrittenSince) {
  const LocalGlobalCheckpoint one = with_increments(by_increments(100), Seconds(100), 0.8);
  EXPECT_NEAR(one.local.count(), 0.5 + 1.5 * (1 - std::exp(-1)), 1e-12);
  EXPECT_NEAR(one.global.count(), 0.5 + 11.5 * (1 - std::exp(-5)), 1e-12);
  EXPECT_EQ(one.local_restart, sample.local_restart);
  EXPECT_EQ(increment(sample, Seconds(1)), 1);
  const LocalGlobalTime time = local_global_time(by_increments(100), Seconds(1e6), Seconds(100), 0.8);
  EXPECT_NEAR(time.dump.count(), 1e4 * (0.8 * one.local.count() + 0.2 * one.global.count()), 1e-6);
}

TEST(LocalGlobalTest, LateIncrementsAreFullCheckpointsAndEarlyOnesAreFree) {
  EXPECT_NEAR(best_tau(by_increments(1e-3), 0.5).count(), best_tau(sample, 0.5).count(), 1e-3);
  LocalGlobalCheckpoint coordinated = sample;  // all that is left if hardly a page is written
  coordinated.local = coordinated.global = Seconds(0.5);
  EXPECT_NEAR(best_tau(by_increments(1e9), 0.5).count(), best_tau(coordinated, 0.5).count(), 0.01);
}

TEST(LocalGlobalTest, IncrementsMakeProgressWhereFullCheckpointsDoNot) {
  LocalGlobalCheckpoint one = by_increments(1000);
  one.local = one.global = Seconds(100);
  one.local_restart = one.global_restart = Seconds(1);
  one.mttf = Seconds(30);
  const Seconds work(1e9), tau = best_tau(one, 0.5);
  const double best = local_global_time(one, work, tau, 0.5).availability();
  EXPECT_GT(best, 0.5);
  for (const double factor : {0.5, 0.9, 1.1, 2.0})
    EXPECT_GT(best, local_global_time(one, work, tau * factor, 0.5).availability()) << factor;
  one.dirty_time = Seconds();
  EXPECT_EQ(local_global_time(one, work, best_tau(one, 0.5), 0.5).availability(), 0);
}

TEST(LocalGlobalTest, OptimumOfIncrementsAndOfTheBackgroundIsNowhereBeaten) {
  for (const bool background : {false, true})
    for (const double dirty_time : {0.0, 10.0, 100.0, 3000.0}) {
      LocalGlobalCheckpoint one = by_increments(dirty_time);
      one.background = background;
      one.background_slowdown = 0.1;
      const LocalGlobalOptimum best = local_global_optimum(one);
      EXPECT_NEAR(local_global_time(one, Seconds(1e9), best.tau, best.local_share).overhead(), best.overhead,
                  1e-9 * best.overhead);
      for (const double share : {0.0, 0.2, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99})
        for (double tau = 1; tau < 1000; tau *= 1.05) {
          double overhead = std::numeric_limits<double>::infinity();
          const std::string problem = thrown<std::invalid_argument>(
              [&] { overhead = local_global_time(one, Seconds(1e9), Seconds(tau), share).overhead(); });
          EXPECT_TRUE(problem == "none" || background) << problem;  // global ones would not end
          EXPECT_GE(overhead, best.overhead - 1e-9) << background << dirty_time << share << tau;
        }
    }
}

// A short tau leaves time for a global checkpoint that is hardly more than its coordination, a long one for
// any; in between there are taus that do not.
TEST(LocalGlobalTest, BestIntervalLeavesTimeForTheBackground) {
  LocalGlobalCheckpoint one{.local = Seconds(3),
                            .global = Seconds(120),
                            .local_restart = Seconds(5),
                            .global_restart = Seconds(30),
                            .locally_recoverable = 0.9,
                            .mttf = Seconds(500),
                            .coordination = Seconds(1),
                            .dirty_time = Seconds(60),
                            .background = true,
                            .background_slowdown = 0.05};
  const auto overhead = [&](double tau, double share) {
    double found = std::numeric_limits<double>::infinity();
    thrown<std::invalid_argument>(
        [&] { found = local_global_time(one, Seconds(1e9), Seconds(tau), share).overhead(); });
    return found;
  };
  EXPECT_TRUE(std::isfinite(overhead(0.5, 0.5)));
  EXPECT_TRUE(std::isinf(overhead(5, 0.5)));
  EXPECT_TRUE(std::isfinite(overhead(50, 0.5)));
  for (const double share : {0.0, 0.5, 0.9}) {
    const double best = overhead(best_tau(one, share).count(), share);
    EXPECT_TRUE(std::isfinite(best)) << share;
    for (double tau = 0.1; tau < 1000; tau *= 1.02) EXPECT_GE(overhead(tau, share), best * (1 - 1e-6)) << tau;
  }
}

TEST(LocalGlobalTest, NoProgressIfRecoveriesTakeLongerThanTheTimeBetweenFailures) {
  LocalGlobalCheckpoint hopeless = sample;
  hopeless.mttf = Seconds(20);
  hopeless.local_restart = hopeless.global_restart = Seconds(21);
  EXPECT_TRUE(std::isinf(local_global_optimum(hopeless).overhead));
  const LocalGlobalTime time = local_global_time(hopeless, Seconds(1e6), Seconds(1), 0.5);
  EXPECT_TRUE(std::isinf(time.total().count()));
  EXPECT_EQ(time.availability(), 0);
}

TEST(LocalGlobalTest, RefusesWhatIsNoCheckpoint) {
  const auto problem = [](auto change) {
    LocalGlobalCheckpoint bad = sample;
    change(bad);
    return thrown<std::invalid_argument>([&] { local_global_optimum(bad); });
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double mttf : {0.0, -1.0, none})
    EXPECT_EQ(problem([&](auto& x) { x.mttf = Seconds(mttf); }), "the mean time to a failure is above 0");
  for (const double time : {-1.0, none}) {
    EXPECT_EQ(problem([&](auto& x) { x.local = Seconds(time); }),
              "the times of checkpoints and recoveries are 0 or more");
    EXPECT_EQ(problem([&](auto& x) { x.global_restart = Seconds(time); }),
              "the times of checkpoints and recoveries are 0 or more");
  }
  for (const double share : {-0.1, 1.1, none})
    EXPECT_EQ(problem([&](auto& x) { x.locally_recoverable = share; }),
              "the share of failures that a local checkpoint survives is from 0 to 1");
  EXPECT_EQ(problem([&](auto& x) { x.dirty_time = Seconds(-1); }),
            "the times of coordination and of dirty pages are 0 or more");
  EXPECT_EQ(problem([&](auto& x) { x.coordination = Seconds(3); }), "coordination is a part of a checkpoint");
  EXPECT_EQ(problem([&](auto& x) { x.background_slowdown = 1.5; }),
            "the share by which a program is slowed down is from 0 to 1");
}

TEST(LocalGlobalTest, RefusesIntervalsAndSharesThatAreNone) {
  const auto problem = [](double work, double tau, double share) {
    return thrown<std::invalid_argument>(
        [&] { local_global_time(sample, Seconds(work), Seconds(tau), share); });
  };
  EXPECT_EQ(problem(100, 101, 0.5), "an interval of work is no longer than the run");
  EXPECT_EQ(problem(100, 100, 0.5), "none");
  EXPECT_EQ(problem(100, 0, 0.5), "an interval of work is above 0");
  EXPECT_EQ(problem(0, 1, 0.5), "the work of a run is above 0");
  const std::string share =
      "the share of local checkpoints is from 0 to below 1, or 1 where they survive every failure";
  for (const double bad : {-0.1, 1.0, 1.5}) EXPECT_EQ(problem(100, 10, bad), share);
}

}  // namespace
}  // namespace asterism
