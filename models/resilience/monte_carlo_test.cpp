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

// Only this test shows when failures happen and what they cost: it has counts of 0, 1 and more, and failures
// of levels while they are read.
TEST(MonteCarloTest, AgreesWithTheMarkovModel) {
  const std::vector<CheckpointSchedule> schedules = {{Seconds(60), {0, 0}},
                                                     {Seconds(60), {1, 1}},
                                                     {Seconds(90), {5, 2}},
                                                     {Seconds(150), {0, 3}},
                                                     {Seconds(40), {12, 0}}};
  for (const CheckpointSchedule& schedule : schedules) {
    const MonteCarloResult simulated = simulate_checkpoints(levels, schedule, {.cycles = 20'000});
    EXPECT_NEAR(simulated.efficiency, markov_efficiency(levels, schedule), simulated.half_width_99);
    EXPECT_LT(simulated.half_width_99, 0.03 * simulated.efficiency);
    EXPECT_EQ(simulated.escalations > 1000, schedule.intervals() > 1);
  }
}

TEST(MonteCarloTest, AgreesWithTheMarkovModelAtLongCycles) {
  const Levels long_run = {{Rate(5.34e-4), Seconds(8.01), Seconds(8.01)},
                           {Rate(2.08e-6), Seconds(475.7), Seconds(475.7)},
                           {Rate(1.77e-7), Seconds(1943), Seconds(1943)}};
  const CheckpointSchedule schedule{Seconds(150), {96, 10}};
  const MonteCarloResult simulated = simulate_checkpoints(long_run, schedule, {.cycles = 3000});
  EXPECT_NEAR(simulated.efficiency, markov_efficiency(long_run, schedule), simulated.half_width_99);
  EXPECT_LT(simulated.half_width_99, 0.01);
}

TEST(MonteCarloTest, ReadingTheSameCheckpointAgainIsCheaper) {
  const CheckpointSchedule schedule{Seconds(90), {5, 2}};
  const MonteCarloResult again =
      simulate_checkpoints(levels, schedule, {.cycles = 20'000, .rule = RecoveryRule::retry});
  EXPECT_GT(again.efficiency - again.half_width_99, markov_efficiency(levels, schedule));
}

// The rates of the three levels go from a tenth of those above to three times, at which hardly a tenth of the
// time is work. For each point, the result is the difference between the simulated efficiency and the
// model's, in halves of the 99% interval.
std::vector<double> differences_by_point(const MonteCarloSettings& settings) {
  std::vector<double> differences;
  for (const double factor : {0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0})
    for (const CheckpointSchedule& schedule :
         {CheckpointSchedule{Seconds(30), {1, 1}}, CheckpointSchedule{Seconds(60), {3, 0}},
          CheckpointSchedule{Seconds(90), {0, 2}}, CheckpointSchedule{Seconds(120), {0, 0}}}) {
      Levels faster = levels;
      for (CheckpointLevel& level : faster) level.failures = level.failures * factor;
      const MonteCarloResult simulated = simulate_checkpoints(faster, schedule, settings);
      differences.push_back((simulated.efficiency - markov_efficiency(faster, schedule)) /
                            simulated.half_width_99);
    }
  return differences;
}

// Each of the 32 points is outside its interval with a probability of one in a hundred; that of three points
// outside is one in 230.
TEST(MonteCarloTest, IsInsideItsIntervalOfTheMarkovModelWhereTheAssumptionsHold) {
  const std::vector<double> halves = differences_by_point({.seed = 4, .cycles = 4000});
  EXPECT_LE(std::ranges::count_if(halves, [](double half) { return std::abs(half) > 1; }), 2);
  for (const double half : halves)
    EXPECT_LT(std::abs(half), 1.6) << "the difference exceeds 4 standard deviations";
}

// A checkpoint during whose reading a failure happens is read again. The more often that happens, the more
// work gets done than in the model.
TEST(MonteCarloTest, PartsFromTheMarkovModelWithItsEscalation) {
  const std::vector<double> halves =
      differences_by_point({.seed = 4, .cycles = 4000, .rule = RecoveryRule::retry});
  for (std::size_t point = 0; point < 8; ++point)
    EXPECT_LT(std::abs(halves[point]), 1.6) << "failures hardly ever follow each other at such low rates";
  for (std::size_t point = 20; point < halves.size(); ++point) {
    const bool reads_one_level = point % 4 == 3;  // a cycle has one interval
    if (reads_one_level)
      EXPECT_LT(std::abs(halves[point]), 1.6) << point;
    else
      EXPECT_GT(halves[point], 1.6) << point;
  }
}

// If some failures follow each other closely, the times between the others are longer, and more intervals
// complete.
TEST(MonteCarloTest, PartsFromTheMarkovModelWithItsLackOfMemory) {
  const std::vector<double> halves = differences_by_point({.seed = 4, .cycles = 4000, .shape = 0.7});
  for (std::size_t point = 0; point < 8; ++point)
    EXPECT_LT(std::abs(halves[point]), 1.6) << "intervals are short compared with the times between failures";
  for (std::size_t point = 20; point < halves.size(); ++point) EXPECT_GT(halves[point], 1.6) << point;
  const CheckpointSchedule schedule{Seconds(120), {0, 0}};
  const MonteCarloResult regular = simulate_checkpoints(levels, schedule, {.cycles = 4000, .shape = 1.5});
  EXPECT_LT(regular.efficiency + 2 * regular.half_width_99, markov_efficiency(levels, schedule));
}

TEST(MonteCarloTest, FailuresComeAtTheirRateWhateverTheShape) {
  const CheckpointSchedule schedule{Seconds(60), {1, 1}};
  for (const double shape : {0.5, 0.7, 1.0, 2.0}) {
    const MonteCarloResult simulated =
        simulate_checkpoints(levels, schedule, {.cycles = 20'000, .shape = shape});
    const double seconds = simulated.mean_cycle.count() * static_cast<double>(simulated.cycles);
    EXPECT_NEAR(static_cast<double>(simulated.failures) / seconds / 2.4e-3, 1, 0.02) << shape;
  }
}

// Failures hardly ever happen in a cycle of 100 s. Each costs what was done of the cycle and a restart of 50
// s. The mean and the interval follow from that and from a rate of one failure in 1000 cycles.
TEST(MonteCarloTest, RareFailuresCostWhatTheyInterrupt) {
  const Levels rare = {{Rate(1e-5), Seconds(0), Seconds(50)}};
  for (const double shape : {1.0, 0.7, 2.0}) {
    const MonteCarloResult simulated =
        simulate_checkpoints(rare, {Seconds(100), {}}, {.cycles = 100'000'199, .shape = shape});
    EXPECT_EQ(simulated.cycles, shape == 1 ? 100'000'199 : 100'000'000u)
        << "other shapes simulate whole batches";
    const double seconds = simulated.mean_cycle.count() * static_cast<double>(simulated.cycles);
    EXPECT_NEAR(static_cast<double>(simulated.failures) / seconds / 1e-5, 1, 0.015) << shape;
    const double lost = (simulated.mean_cycle.count() - 100) * static_cast<double>(simulated.cycles);
    const double each = lost / static_cast<double>(simulated.failures);
    if (shape == 1) {
      EXPECT_NEAR(each, 100, 0.4);
      EXPECT_NEAR(simulated.half_width_99 / (2.5758 * std::sqrt(1e-3 * (1e4 / 3 + 5000 + 2500) / 1e8) / 100),
                  1, 0.02);
      EXPECT_NEAR(simulated.efficiency, markov_efficiency(rare, {Seconds(100), {}}), simulated.half_width_99);
    } else {
      EXPECT_NEAR(each, 100, 2) << shape;
    }
  }
}

// The rates are on both sides of one failure in a hundred cycles, below which the simulation goes from
// failure to failure in one step instead of cycle by cycle.
TEST(MonteCarloTest, AgreesWithTheMarkovModelHoweverRareFailuresAre) {
  for (const double a_cycle : {1e-1, 1.1e-2, 9e-3, 1e-3, 1e-6}) {
    const CheckpointSchedule schedule{Seconds(50), {1, 1}};
    const double length = schedule.until(schedule.intervals(), levels).count();
    Levels rarer = levels;
    for (CheckpointLevel& level : rarer)
      level.failures = level.failures * (a_cycle / length / failures_of(levels).per_second());
    const MonteCarloResult simulated =
        simulate_checkpoints(rarer, schedule, {.seed = 2, .cycles = cycles_with(20'000, a_cycle)});
    const double undisturbed = length / simulated.mean_cycle.count();
    EXPECT_NEAR(static_cast<double>(simulated.failures) * undisturbed, 20'000, 800) << a_cycle;
    const double expected = markov_efficiency(rarer, schedule);
    EXPECT_LT(std::abs(simulated.efficiency - expected), 1.6 * simulated.half_width_99) << a_cycle;
    EXPECT_LT(simulated.half_width_99, 0.05 * (1 - expected)) << a_cycle;
  }
}

// There are a hundred failures in 10^16 cycles, which would take years one by one.
TEST(MonteCarloTest, TakesAsLongAsItHasFailures) {
  const Levels hardly_ever = {{Rate(1e-14), Seconds(0), Seconds(1)}};
  const MonteCarloResult simulated =
      simulate_checkpoints(hardly_ever, {Seconds(1), {}}, {.cycles = 10'000'000'000'000'000});
  EXPECT_EQ(simulated.cycles, 10'000'000'000'000'000u);
  EXPECT_NEAR(static_cast<double>(simulated.failures), 100, 40);
  EXPECT_GT(simulated.efficiency, 1 - 1e-12);
}

TEST(MonteCarloTest, CyclesAreAsManyAsTheFailuresNeed) {
  EXPECT_EQ(cycles_with(1000, 0.5), 2000u);
  EXPECT_EQ(cycles_with(1000, 4000), 2u);
  EXPECT_EQ(cycles_with(1'000'000'000, 1e-20), std::uint64_t{1} << 62);
  EXPECT_EQ(cycles_with(1, 0), std::uint64_t{1} << 62);
}

TEST(MonteCarloTest, SeedGivesTheSameRunAgain) {
  const CheckpointSchedule schedule{Seconds(90), {5, 2}};
  const auto simulate = [&](std::uint64_t seed) {
    return simulate_checkpoints(levels, schedule, {.seed = seed, .cycles = 100});
  };
  EXPECT_EQ(simulate(7).efficiency, simulate(7).efficiency);
  EXPECT_EQ(simulate(7).failures, simulate(7).failures);
  EXPECT_NE(simulate(7).efficiency, simulate(8).efficiency);
}

// A cycle would need e^30 tries.
TEST(MonteCarloTest, EndsEarlyWithoutProgress) {
  const Levels hopeless = {{Rate(1), Seconds(30), Seconds(1)}};
  const MonteCarloResult simulated =
      simulate_checkpoints(hopeless, {Seconds(1), {}}, {.max_failures = 10'000});
  EXPECT_EQ(simulated.cycles, 0u);
  EXPECT_EQ(simulated.efficiency, 0);
  EXPECT_EQ(simulated.failures, 10'001u);
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
