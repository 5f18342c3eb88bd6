#include "resilience/monte_carlo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/thrown.h"
#include "resilience/moody_markov.h"

namespace asterism {
namespace {

using Levels = std::vector<CheckpointLevel>;

const Levels levels = {{Rate(2e-3), Seconds(10), Seconds(30)},
                       {Rate(3e-4), Seconds(40), Seconds(120)},
                       {Rate(1e-4), Seconds(90), Seconds(400)}};

// Where a failure strikes and what it costs shows only here: counts of 0, 1 and more, levels that are hit
// while they are read.
TEST(MonteCarloTest, AgreesWithTheMarkovModel) {
  const std::vector<CheckpointSchedule> schedules = {{Seconds(60), {0, 0}},
                                                     {Seconds(60), {1, 1}},
                                                     {Seconds(90), {5, 2}},
                                                     {Seconds(150), {0, 3}},
                                                     {Seconds(40), {12, 0}}};
  for (const CheckpointSchedule& schedule : schedules) {
    const MonteCarloResult played = simulate_checkpoints(levels, schedule, {.cycles = 20'000});
    EXPECT_NEAR(played.efficiency, markov_efficiency(levels, schedule), played.half_width_99);
    EXPECT_LT(played.half_width_99, 0.03 * played.efficiency);
    EXPECT_EQ(played.escalations > 1000, schedule.intervals() > 1);
  }
}

TEST(MonteCarloTest, AgreesWithTheMarkovModelAtLongCycles) {
  const Levels long_run = {{Rate(5.34e-4), Seconds(8.01), Seconds(8.01)},
                           {Rate(2.08e-6), Seconds(475.7), Seconds(475.7)},
                           {Rate(1.77e-7), Seconds(1943), Seconds(1943)}};
  const CheckpointSchedule schedule{Seconds(150), {96, 10}};
  const MonteCarloResult played = simulate_checkpoints(long_run, schedule, {.cycles = 3000});
  EXPECT_NEAR(played.efficiency, markov_efficiency(long_run, schedule), played.half_width_99);
  EXPECT_LT(played.half_width_99, 0.01);
}

TEST(MonteCarloTest, ReadingTheSameCheckpointAgainIsCheaper) {
  const CheckpointSchedule schedule{Seconds(90), {5, 2}};
  const MonteCarloResult again =
      simulate_checkpoints(levels, schedule, {.cycles = 20'000, .rule = RecoveryRule::retry});
  EXPECT_GT(again.efficiency - again.half_width_99, markov_efficiency(levels, schedule));
}

// Three levels at rates from a tenth of those above to three times, where hardly a tenth of the time is work:
// what the model and the failures played say of each, and in how many halves of the 99% interval they differ.
std::vector<double> apart(const MonteCarloSettings& settings) {
  std::vector<double> apart;
  for (const double factor : {0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0})
    for (const CheckpointSchedule& schedule :
         {CheckpointSchedule{Seconds(30), {1, 1}}, CheckpointSchedule{Seconds(60), {3, 0}},
          CheckpointSchedule{Seconds(90), {0, 2}}, CheckpointSchedule{Seconds(120), {0, 0}}}) {
      Levels faster = levels;
      for (CheckpointLevel& level : faster) level.failures = level.failures * factor;
      const MonteCarloResult played = simulate_checkpoints(faster, schedule, settings);
      apart.push_back((played.efficiency - markov_efficiency(faster, schedule)) / played.half_width_99);
    }
  return apart;
}

// Of 32 points one in a hundred is outside; three would be one chance in 230.
TEST(MonteCarloTest, IsInsideItsIntervalOfTheMarkovModelWhereTheAssumptionsHold) {
  const std::vector<double> halves = apart({.seed = 4, .cycles = 4000});
  EXPECT_LE(std::ranges::count_if(halves, [](double half) { return std::abs(half) > 1; }), 2);
  for (const double half : halves) EXPECT_LT(std::abs(half), 1.6) << "4 standard deviations";
}

// A checkpoint that is hit while it is read is read again: more work gets done, the more often that happens.
TEST(MonteCarloTest, PartsFromTheMarkovModelWithItsEscalation) {
  const std::vector<double> halves = apart({.seed = 4, .cycles = 4000, .rule = RecoveryRule::retry});
  for (std::size_t point = 0; point < 8; ++point)
    EXPECT_LT(std::abs(halves[point]), 1.6) << "hardly ever at so low rates";
  for (std::size_t point = 20; point < halves.size(); ++point) {
    const bool reads_one_level = point % 4 == 3;  // one interval a cycle
    if (reads_one_level)
      EXPECT_LT(std::abs(halves[point]), 1.6) << point;
    else
      EXPECT_GT(halves[point], 1.6) << point;
  }
}

// Failures that follow on each other have longer times between the others, and those get through.
TEST(MonteCarloTest, PartsFromTheMarkovModelWithItsLackOfMemory) {
  const std::vector<double> halves = apart({.seed = 4, .cycles = 4000, .shape = 0.7});
  for (std::size_t point = 0; point < 8; ++point)
    EXPECT_LT(std::abs(halves[point]), 1.6) << "pieces are short beside the times between failures";
  for (std::size_t point = 20; point < halves.size(); ++point) EXPECT_GT(halves[point], 1.6) << point;
  const CheckpointSchedule schedule{Seconds(120), {0, 0}};
  const MonteCarloResult regular = simulate_checkpoints(levels, schedule, {.cycles = 4000, .shape = 1.5});
  EXPECT_LT(regular.efficiency + 2 * regular.half_width_99, markov_efficiency(levels, schedule));
}

TEST(MonteCarloTest, FailuresComeAtTheirRateWhateverTheShape) {
  const CheckpointSchedule schedule{Seconds(60), {1, 1}};
  for (const double shape : {0.5, 0.7, 1.0, 2.0}) {
    const MonteCarloResult played =
        simulate_checkpoints(levels, schedule, {.cycles = 20'000, .shape = shape});
    const double seconds = played.mean_cycle.count() * static_cast<double>(played.cycles);
    EXPECT_NEAR(static_cast<double>(played.failures) / seconds / 2.4e-3, 1, 0.02) << shape;
  }
}

// Cycles that are hardly ever struck, each 100 s: a failure costs what was done of one, and its restart of
// 50 s. The mean and the interval follow from that, and from a rate of one in 1000 cycles.
TEST(MonteCarloTest, RareFailuresCostWhatTheyInterrupt) {
  const Levels rare = {{Rate(1e-5), Seconds(0), Seconds(50)}};
  for (const double shape : {1.0, 0.7, 2.0}) {
    const MonteCarloResult played =
        simulate_checkpoints(rare, {Seconds(100), {}}, {.cycles = 100'000'199, .shape = shape});
    EXPECT_EQ(played.cycles, shape == 1 ? 100'000'199 : 100'000'000u) << "whole batches";
    const double seconds = played.mean_cycle.count() * static_cast<double>(played.cycles);
    EXPECT_NEAR(static_cast<double>(played.failures) / seconds / 1e-5, 1, 0.015) << shape;
    const double lost = (played.mean_cycle.count() - 100) * static_cast<double>(played.cycles);
    const double each = lost / static_cast<double>(played.failures);
    if (shape == 1) {
      EXPECT_NEAR(each, 100, 0.4);
      EXPECT_NEAR(played.half_width_99 / (2.5758 * std::sqrt(1e-3 * (1e4 / 3 + 5000 + 2500) / 1e8) / 100), 1,
                  0.02);
      EXPECT_NEAR(played.efficiency, markov_efficiency(rare, {Seconds(100), {}}), played.half_width_99);
    } else {
      EXPECT_NEAR(each, 100, 2) << shape;
    }
  }
}

// Cycle by cycle and in one step from failure to failure: rates on both sides of one in a hundred.
TEST(MonteCarloTest, AgreesWithTheMarkovModelHoweverRareFailuresAre) {
  for (const double a_cycle : {1e-1, 1.1e-2, 9e-3, 1e-3, 1e-6}) {
    const CheckpointSchedule schedule{Seconds(50), {1, 1}};
    const double length = schedule.until(schedule.intervals(), levels).count();
    Levels rarer = levels;
    for (CheckpointLevel& level : rarer)
      level.failures = level.failures * (a_cycle / length / failures_of(levels).per_second());
    const MonteCarloResult played =
        simulate_checkpoints(rarer, schedule, {.seed = 2, .cycles = cycles_with(20'000, a_cycle)});
    const double undisturbed = length / played.mean_cycle.count();
    EXPECT_NEAR(static_cast<double>(played.failures) * undisturbed, 20'000, 800) << a_cycle;
    const double expected = markov_efficiency(rarer, schedule);
    EXPECT_LT(std::abs(played.efficiency - expected), 1.6 * played.half_width_99) << a_cycle;
    EXPECT_LT(played.half_width_99, 0.05 * (1 - expected)) << a_cycle;
  }
}

// A hundred failures in 10^16 cycles: one by one these would take years.
TEST(MonteCarloTest, TakesAsLongAsItHasFailures) {
  const Levels hardly_ever = {{Rate(1e-14), Seconds(0), Seconds(1)}};
  const MonteCarloResult played =
      simulate_checkpoints(hardly_ever, {Seconds(1), {}}, {.cycles = 10'000'000'000'000'000});
  EXPECT_EQ(played.cycles, 10'000'000'000'000'000u);
  EXPECT_NEAR(static_cast<double>(played.failures), 100, 40);
  EXPECT_GT(played.efficiency, 1 - 1e-12);
}

TEST(MonteCarloTest, CyclesAreAsManyAsTheFailuresNeed) {
  EXPECT_EQ(cycles_with(1000, 0.5), 2000u);
  EXPECT_EQ(cycles_with(1000, 4000), 2u);
  EXPECT_EQ(cycles_with(1'000'000'000, 1e-20), std::uint64_t{1} << 62);
  EXPECT_EQ(cycles_with(1, 0), std::uint64_t{1} << 62);
}

TEST(MonteCarloTest, SeedGivesTheSameRunAgain) {
  const CheckpointSchedule schedule{Seconds(90), {5, 2}};
  const auto play = [&](std::uint64_t seed) {
    return simulate_checkpoints(levels, schedule, {.seed = seed, .cycles = 100});
  };
  EXPECT_EQ(play(7).efficiency, play(7).efficiency);
  EXPECT_EQ(play(7).failures, play(7).failures);
  EXPECT_NE(play(7).efficiency, play(8).efficiency);
}

// e^30 tries are needed.
TEST(MonteCarloTest, EndsEarlyWithoutProgress) {
  const Levels hopeless = {{Rate(1), Seconds(30), Seconds(1)}};
  const MonteCarloResult played = simulate_checkpoints(hopeless, {Seconds(1), {}}, {.max_failures = 10'000});
  EXPECT_EQ(played.cycles, 0u);
  EXPECT_EQ(played.efficiency, 0);
  EXPECT_EQ(played.failures, 10'001u);
}

TEST(MonteCarloTest, RefusesASingleCycleAndAShapeThatIsNone) {
  EXPECT_EQ(thrown<std::invalid_argument>([] {
              simulate_checkpoints(levels, {Seconds(1), {1, 1}}, {.cycles = 1});
            }),
            "an interval of confidence needs two cycles");
  for (const double shape : {0.0, -1.0, std::nan("")})
    EXPECT_EQ(thrown<std::invalid_argument>([&] {
                simulate_checkpoints(levels, {Seconds(1), {1, 1}}, {.shape = shape});
              }),
              "the shape of a Weibull distribution is above 0");
}

TEST(CheckpointScheduleTest, NumbersLevelsAndTimes) {
  const CheckpointSchedule schedule{Seconds(100), {2, 1}};  // 1 1 2 1 1 3
  EXPECT_EQ(schedule.intervals(), 6u);
  std::vector<std::size_t> found;
  for (std::uint64_t i = 0; i <= 5; ++i) found.push_back(schedule.level_of(i));
  EXPECT_EQ(found, (std::vector<std::size_t>{2, 0, 0, 1, 0, 0}));
  EXPECT_EQ(schedule.until(0, levels), Seconds(0));
  EXPECT_EQ(schedule.until(2, levels), Seconds(220));
  EXPECT_EQ(schedule.until(3, levels), Seconds(360));
  EXPECT_EQ(schedule.until(6, levels), Seconds(770));
}

}  // namespace
}  // namespace asterism
