#include "resilience/background_levels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "base/thrown.h"
#include "resilience/first_order.h"
#include "resilience/monte_carlo.h"
#include "resilience/moody_markov.h"

namespace asterism {
namespace {

using Levels = std::vector<CheckpointLevel>;
using Counts = std::vector<std::uint64_t>;
constexpr HigherLevels background = HigherLevels::background;

CheckpointLevel level_of(double failures, double checkpoint, double restart) {
  return {Rate(failures), Seconds(checkpoint), Seconds(restart)};
}

// Failures of all levels occur in a cycle.
const Levels three = {level_of(2e-3, 5, 7), level_of(1e-3, 150, 30), level_of(4e-4, 700, 60)};
const CheckpointSchedule schedule{Seconds(45), {3, 4}};  // periods of 50 s, 200 s and 1000 s

TEST(BackgroundLevelsTest, DrainsTakeWholePeriodsOfTheLevelBelow) {
  EXPECT_EQ(drains_of(schedule, three), (Counts{3, 4}));      // 150 s in 50 s, 700 s in 200 s
  EXPECT_EQ(delays_of(schedule, three), (Counts{0, 3, 19}));  // 3, then 4 * 4 intervals
  const Levels longer = {three[0], level_of(1e-3, 151, 0), three[2]};
  EXPECT_EQ(drains_of(schedule, longer), (Counts{4, 4}));
  const Levels free = {three[0], level_of(1e-3, 0, 0), three[2]};
  EXPECT_EQ(delays_of(schedule, free), (Counts{0, 0, 16}));
}

TEST(BackgroundLevelsTest, TightestDrainsFollowEachOther) {
  const CheckpointSchedule tightest = tightest_drains(Seconds(45), three);
  EXPECT_EQ(tightest.interval, Seconds(45));
  EXPECT_EQ(tightest.counts, (Counts{2, 4}));  // 150 s; five of these for 700 s
  check_drains(tightest, three);
}

TEST(BackgroundLevelsTest, ADrainThatIsLongerThanItsPeriodIsRefused) {
  EXPECT_EQ(thrown<std::invalid_argument>([] {
              check_drains({Seconds(45), {1, 4}}, three);
            }),
            "level 2: a drain of 3 periods of the level below is longer than 2, the period of its level");
  EXPECT_THROW(markov_efficiency(three, {Seconds(45), {1, 4}}, background), std::invalid_argument);
}

// A drain that takes no time is a checkpoint that costs as much as one of the first level. Restarts take none
// either: which level is read after a failure of the first one differs.
TEST(BackgroundLevelsTest, DrainsInNoTimeAreCheapBlockingCheckpoints) {
  const Levels drained = {level_of(2e-3, 5, 0), level_of(1e-3, 0, 0), level_of(4e-4, 0, 0)};
  const Levels blocking = {level_of(2e-3, 5, 0), level_of(1e-3, 5, 0), level_of(4e-4, 5, 0)};
  EXPECT_NEAR(markov_efficiency(drained, schedule, background), markov_efficiency(blocking, schedule), 1e-12);
}

TEST(BackgroundLevelsTest, OneLevelHasNothingToDrain) {
  const Levels one = {level_of(1e-3, 20, 45)};
  const CheckpointSchedule single{Seconds(300), {}};
  EXPECT_EQ(markov_efficiency(one, single, background), markov_efficiency(one, single));
}

// Without failures of the first level: a period of P intervals of length T is run until it succeeds. After a
// failure the checkpoint is read (R), the delay of d intervals is repeated, and the period begins anew. To
// read and to run t until it succeeds takes e^(lambda R) (e^(lambda t) - 1) / lambda after the first try, a
// restart (e^(lambda R) - 1) / lambda.
TEST(BackgroundLevelsTest, TwoLevelsHaveAClosedForm) {
  const double rate = 1e-3, restart = 30, step = 50, delay = 3 * step, period = 5 * step;
  const Levels two = {level_of(1e-15, 5, 0), level_of(rate, 150, restart)};
  const double reading = std::expm1(rate * restart) / rate;
  const double again = std::exp(rate * restart) * std::expm1(rate * delay) / rate;
  const double cycle = std::expm1(rate * period) * (1 / rate + reading + again);
  EXPECT_NEAR(markov_efficiency(two, {Seconds(45), {4}}, background), 5 * 45 / cycle, 1e-9);
}

TEST(BackgroundLevelsTest, MarkovModelAndMonteCarloAgree) {
  const double markov = markov_efficiency(three, schedule, background);
  EXPECT_GT(markov, markov_efficiency(three, schedule) + 0.05);
  const MonteCarloResult played = simulate_checkpoints(
      three, schedule, {.seed = 3, .cycles = 100'000, .rule = RecoveryRule::escalate, .higher = background});
  EXPECT_LT(played.half_width_99, 0.01 * markov);
  EXPECT_NEAR(played.efficiency, markov, 1.2 * played.half_width_99);
}

TEST(BackgroundLevelsTest, TheyAgreeWhereFailuresAreRareAndCyclesAreSkipped) {
  const Levels rare = {level_of(2e-7, 5, 7), level_of(1e-7, 150, 30), level_of(4e-7, 700, 60)};
  const double lost = 1 - markov_efficiency(rare, schedule, background) * 50 / 45;
  const MonteCarloResult played =
      simulate_checkpoints(rare, schedule, {.seed = 4, .cycles = 40'000'000, .higher = background});
  EXPECT_NEAR(1 - played.efficiency * 50 / 45, lost, 1.2 * played.half_width_99);
  EXPECT_LT(played.half_width_99, 0.1 * lost);
}

TEST(BackgroundLevelsTest, FirstOrderIsTheLimitOfRareFailures) {
  // Intervals of sqrt(2 * 0.01 / 1e-6) = 141 s, much shorter than the drains.
  const Levels rare = {level_of(1e-6, 0.01, 0.01), level_of(1e-9, 2000, 500), level_of(1e-10, 9000, 4000)};
  EXPECT_NEAR(markov_optimum(rare, Seconds(1), background).efficiency,
              first_order_efficiency(rare, background), 1e-6);
  // sqrt(2 * 1e-6 * 0.01) + 1e-8, 1e-9 * (1000 + 2000 + 500), 1e-10 * (4500 + 11000 + 4000)
  EXPECT_NEAR(1 / first_order_efficiency(rare, background), 1 + 1.4142e-4 + 1e-8 + 3.5e-6 + 1.95e-6, 1e-8);
}

TEST(BackgroundLevelsTest, OptimumIsNowhereBeaten) {
  const Levels levels = {level_of(5.34e-4, 8, 8), level_of(2.08e-6, 476, 476), level_of(1.77e-7, 1943, 1943)};
  const MarkovOptimum best = markov_optimum(levels, Seconds(1), background);
  EXPECT_EQ(markov_efficiency(levels, best.schedule, background), best.efficiency);
  EXPECT_GT(best.efficiency, markov_optimum(levels).efficiency + 0.05);
  for (double interval = 40; interval < 700; interval *= 1.05)
    for (std::uint64_t more = 0; more < 3; ++more) {
      CheckpointSchedule tried = tightest_drains(Seconds(interval), levels);
      tried.counts[0] += more;
      EXPECT_LT(markov_efficiency(levels, tried, background), best.efficiency + 2e-4) << interval;
    }
}

}  // namespace
}  // namespace asterism
