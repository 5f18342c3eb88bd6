#include "resilience/moody_markov.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/thrown.h"
#include "resilience/first_order.h"

namespace asterism {
namespace {

using Levels = std::vector<CheckpointLevel>;

CheckpointLevel level(double failures, double cost) { return {Rate(failures), Seconds(cost), Seconds(cost)}; }

const Levels published = {level(7.78e-6, 9), level(5.19e-7, 50), level(3e-8, 438)};

// The expected values come from the model's own code (LLNL SCR model).
TEST(MoodyMarkovTest, AgreesWithThePublishedValues) {
  EXPECT_NEAR(markov_efficiency(published, {Seconds(2500), {0, 200}}), 0.961310619586, 1e-9);
  EXPECT_NEAR(markov_efficiency(published, {Seconds(500), {200, 200}}), 0.682752429091, 1e-9);
}

// A run of length T that begins again at each failure takes (e^(lambda T) - 1) / lambda on average; restarts
// fail in the same way.
TEST(MoodyMarkovTest, OneLevelIsTheKnownClosedForm) {
  const double rate = 1e-3, interval = 300, checkpoint = 20, restart = 45;
  const double time = std::exp(rate * restart) * std::expm1(rate * (interval + checkpoint)) / rate;
  const Levels one = {{Rate(rate), Seconds(checkpoint), Seconds(restart)}};
  EXPECT_NEAR(markov_efficiency(one, {Seconds(interval), {}}), interval / time, 1e-13);
}

TEST(MoodyMarkovTest, LowLevelIsWorthNothingWhereItNeverFails) {
  const Levels two = {level(1e-15, 0), level(1e-3, 20)};
  EXPECT_NEAR(markov_efficiency(two, {Seconds(30), {9}}),
              markov_efficiency(Levels{level(1e-3, 20)}, {Seconds(300), {}}), 1e-10);
}

TEST(MoodyMarkovTest, AgreesWithTheFirstOrderWhereFailuresAreRare) {
  const Levels rare = {level(1e-8, 1), level(1e-10, 10)};
  EXPECT_NEAR(markov_optimum(rare).efficiency, first_order_efficiency(rare), 3e-6);
}

TEST(MoodyMarkovTest, IsBelowTheFirstOrderOfOneLevel) {
  const Levels one = {level(1e-3, 20)};
  EXPECT_LT(markov_optimum(one).efficiency, first_order_efficiency(one) - 0.01);
}

// A checkpoint of the second level replaces one of the first.
TEST(MoodyMarkovTest, CanBeAboveTheFirstOrderOfSeveralLevels) {
  EXPECT_GT(markov_optimum(published).efficiency, first_order_efficiency(published) + 5e-4);
}

TEST(MoodyMarkovTest, OptimumIsNowhereBeaten) {
  const Levels levels = {level(5.34e-4, 8.01), level(2.08e-6, 475.7), level(1.77e-7, 1943)};
  const MarkovOptimum best = markov_optimum(levels);
  EXPECT_EQ(markov_efficiency(levels, best.schedule), best.efficiency);
  EXPECT_NEAR(best.efficiency, 0.807, 5e-4);
  for (double interval = 60; interval < 400; interval *= 1.1)
    for (std::uint64_t memory = 1; memory < 2000; memory += memory / 4 + 1)
      for (std::uint64_t disk = 0; disk < 100; disk += disk / 4 + 1)
        EXPECT_LT(markov_efficiency(levels, {Seconds(interval), {memory, disk}}), best.efficiency + 1e-4)
            << interval << " " << memory << " " << disk;
}

TEST(MoodyMarkovTest, FreeLevelIsWrittenAsOftenAsAllowed) {
  const Levels levels = {level(5.34e-4, 0), level(2.08e-6, 475.7), level(1.77e-7, 1943)};
  EXPECT_EQ(markov_optimum(levels).schedule.interval, Seconds(1));
  EXPECT_EQ(markov_optimum(levels, Seconds(30)).schedule.interval, Seconds(30));
  EXPECT_GT(markov_optimum(levels).efficiency, markov_optimum(levels, Seconds(30)).efficiency);
}

TEST(MoodyMarkovTest, NoProgressIfACheckpointNeverEnds) {
  EXPECT_EQ(markov_efficiency(Levels{level(1, 800)}, {Seconds(1), {}}), 0);
  EXPECT_EQ(markov_optimum(Levels{level(1, 800)}).efficiency, 0);
  EXPECT_LT(markov_optimum(Levels{level(0.03, 1), level(1e-7, 1000)}).efficiency, 1e-6);
}

TEST(MoodyMarkovTest, RefusesSchedulesThatAreNone) {
  const auto problem = [](const CheckpointSchedule& schedule) {
    return thrown<std::invalid_argument>([&] { markov_efficiency(published, schedule); });
  };
  EXPECT_EQ(problem({Seconds(0), {1, 1}}), "an interval of work is above 0");
  EXPECT_EQ(problem({Seconds(NAN), {1, 1}}), "an interval of work is above 0");
  EXPECT_EQ(problem({Seconds(1), {1}}), "there is a count for each level but the last");
  EXPECT_EQ(problem({Seconds(1), {1u << 27, 1u << 27}}), "a cycle has at most 2^52 intervals");
}

}  // namespace
}  // namespace asterism
