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
