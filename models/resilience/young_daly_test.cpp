#include "resilience/young_daly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/thrown.h"
#include "resilience/first_order.h"
#include "resilience/monte_carlo.h"
#include "resilience/moody_markov.h"

namespace asterism {
namespace {

constexpr double minute = 60, hour = 3600;

CheckpointLevel level(double mttf, double checkpoint, double restart = 0) {
  return {Rate(1 / mttf), Seconds(checkpoint), Seconds(restart)};
}

TEST(YoungDalyTest, FirstOrdersAreTheirFormulas) {
  EXPECT_DOUBLE_EQ(young_interval(level(5000, 1, 25)).count(), 100);
  EXPECT_DOUBLE_EQ(daly_first_order_interval(level(4975, 1, 25)).count(), 100);
}

// The captions of Figs. 3 to 5 in Daly 2006 give M = 24 h, 6 h and 15 min, delta = 5 min and R = 10 min.
TEST(YoungDalyTest, HigherOrderIsAsPublished) {
  const auto minutes = [](double mttf) {
    return daly_interval(level(mttf, 5 * minute, 10 * minute)).count() / minute;
  };
  EXPECT_NEAR(minutes(24 * hour), 117, 0.5);
  EXPECT_NEAR(minutes(6 * hour), 57, 0.5);
  EXPECT_NEAR(minutes(15 * minute), 9.1, 0.05);
}

TEST(YoungDalyTest, HigherOrderIsTheMeanTimeToFailureWhereDumpsTakeTwice) {
  EXPECT_DOUBLE_EQ(daly_interval(level(100, 200)).count(), 100);
  EXPECT_DOUBLE_EQ(daly_interval(level(100, 5000)).count(), 100);
  EXPECT_LT(daly_interval(level(100, 199)).count(), 100);
}

TEST(YoungDalyTest, BestIntervalIsNowhereBeaten) {
  for (const double checkpoint : {1e-7, 0.01, 1.0, 20.0, 100.0, 400.0}) {
    const CheckpointLevel one = level(100, checkpoint, 10);
    const Seconds best = best_interval(one);
    const double efficiency = single_level_efficiency(one, best);
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0})
      EXPECT_LT(single_level_efficiency(one, best * factor), efficiency) << checkpoint << " " << factor;
    // The efficiency is flat at its maximum and falls equally on both sides.
    const double below = efficiency - single_level_efficiency(one, best * 0.99),
                 above = efficiency - single_level_efficiency(one, best * 1.01);
    EXPECT_NEAR(below / above, 1, 0.05) << checkpoint;
  }
}

// The lines are those of the table in the header.
TEST(YoungDalyTest, ApproximationsAreOffByWhatTheHeaderSays) {
  struct Line {
    double checkpoint, young, young_run, daly, daly_run;
  };
  for (const Line& line : {Line{0.002, 2.1, 0.001, 0, 0}, Line{0.02, 7.0, 0.043, 0.003, 0},
                           Line{0.1, 16.7, 0.47, 0.04, 0}, Line{1, 68, 14, 1.8, 0.014}}) {
    const CheckpointLevel one = level(1, line.checkpoint);
    const Seconds best = best_interval(one);
    const auto off = [&](Seconds interval) { return 100 * std::abs(interval / best - 1); };
    const auto longer = [&](Seconds interval) {
      return 100 * (single_level_efficiency(one, best) / single_level_efficiency(one, interval) - 1);
    };
    const auto near = [](double measured, double stated) {
      EXPECT_NEAR(measured, stated, std::max(0.04 * stated, 5e-4));
    };
    near(off(young_interval(one)), line.young);
    near(longer(young_interval(one)), line.young_run);
    near(off(daly_interval(one)), line.daly);
    near(longer(daly_interval(one)), line.daly_run);
  }
}

TEST(YoungDalyTest, FreeCheckpointsAreWrittenWithoutEnd) {
  EXPECT_EQ(young_interval(level(100, 0)), Seconds());
  EXPECT_EQ(daly_interval(level(100, 0)), Seconds());
  EXPECT_EQ(best_interval(level(100, 0)), Seconds());
}

TEST(YoungDalyTest, RunEndsWithoutACheckpoint) {
  const CheckpointLevel one = level(100, 5, 10);
  const auto piece = [](double length) { return 100 * std::exp(0.1) * std::expm1(length / 100); };
  EXPECT_DOUBLE_EQ(expected_run_time(one, Seconds(20), Seconds(20)).count(), piece(20));
  EXPECT_DOUBLE_EQ(expected_run_time(one, Seconds(20), Seconds(60)).count(), 2 * piece(25) + piece(20));
  EXPECT_DOUBLE_EQ(expected_run_time(one, Seconds(20), Seconds(50)).count(), 2 * piece(25) + piece(10));
}

TEST(YoungDalyTest, LongRunHasTheEfficiencyOfOneWithoutEnd) {
  const CheckpointLevel one = level(100, 5, 10);
  EXPECT_NEAR(Seconds(2e8) / expected_run_time(one, Seconds(20), Seconds(2e8)),
              single_level_efficiency(one, Seconds(20)), 1e-7);
}

TEST(YoungDalyTest, EfficiencyIsThatOfTheMarkovModel) {
  const CheckpointLevel one = level(14400, 90, 120);
  for (const double interval : {300.0, 1530.0, 9000.0})
    EXPECT_NEAR(single_level_efficiency(one, Seconds(interval)),
                markov_efficiency({&one, 1}, {Seconds(interval), {}}), 1e-12);
}

TEST(YoungDalyTest, EfficiencyIsInsideTheMonteCarlosInterval) {
  for (const double checkpoint : {1.0, 20.0, 100.0}) {
    const CheckpointLevel one = level(100, checkpoint, 10);
    const Seconds interval = best_interval(one);
    const MonteCarloResult simulated = simulate_checkpoints({&one, 1}, {interval, {}}, {.cycles = 200'000});
    EXPECT_NEAR(simulated.efficiency, single_level_efficiency(one, interval), simulated.half_width_99);
    EXPECT_LT(simulated.half_width_99, 0.02 * simulated.efficiency);
  }
}

TEST(YoungDalyTest, FirstOrderRunsAreTooShortWhereFailuresAreFrequent) {
  const Seconds work(1e6);
  const CheckpointLevel rare = level(1e6, 1, 1), frequent = level(100, 20, 10);
  const auto share = [&](const CheckpointLevel& one) {
    const Seconds interval = young_interval(one);
    return first_order_run_time(one, interval, work) / expected_run_time(one, interval, work);
  };
  EXPECT_NEAR(share(rare), 1, 2e-3);
  EXPECT_LT(share(frequent), 0.8);
  EXPECT_DOUBLE_EQ(first_order_run_time(rare, Seconds(1000), work).count(), 1e6 * (1 + 0.001 + 501.0 / 1e6));
}

TEST(YoungDalyTest, RefusesRatesAndTimesThatAreNone) {
  const auto problem = [](const CheckpointLevel& bad) {
    return thrown<std::invalid_argument>([&] { best_interval(bad); });
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double rate : {0.0, -1.0, none})
    EXPECT_EQ(problem({Rate(rate), Seconds(1), Seconds(1)}), "level 1: a failure rate is above 0");
  for (const double cost : {-1.0, none})
    EXPECT_EQ(problem({Rate(1), Seconds(cost), Seconds(1)}), "level 1: a cost is 0 or more");
  for (Seconds (*interval)(const CheckpointLevel&) :
       {young_interval, daly_first_order_interval, daly_interval, best_interval})
    EXPECT_THROW(interval({Rate(0), Seconds(1), Seconds(1)}), std::invalid_argument);
}

TEST(YoungDalyTest, RefusesIntervalsLongerThanTheRun) {
  const auto problem = [](double interval, double work) {
    return thrown<std::invalid_argument>(
        [&] { expected_run_time(level(100, 1), Seconds(interval), Seconds(work)); });
  };
  EXPECT_EQ(problem(101, 100), "an interval of work is no longer than the run");
  EXPECT_EQ(problem(100, 100), "none");
  EXPECT_EQ(problem(0, 100), "an interval of work is above 0");
  EXPECT_EQ(problem(-5, 100), "an interval of work is above 0");
  EXPECT_EQ(problem(1, 0), "the work of a run is above 0");
  EXPECT_THROW(first_order_run_time(level(100, 1), Seconds(101), Seconds(100)), std::invalid_argument);
  EXPECT_THROW(single_level_efficiency(level(100, 1), Seconds(0)), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
