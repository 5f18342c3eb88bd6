#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest gpu_system(R"({"kind": "gpu_system", "failures": 20000})");

// The base system of lee2019: 3.6 EFLOPS and 16 GPUs for each CPU.
TEST(GpuSystemStudyTest, ThreeModelsLookAtOneSystem) {
  const Row row = gpu_system.run({});
  EXPECT_EQ(row.count("gpus"), 460'800u);
  EXPECT_EQ(row.count("nodes"), 14'400u);
  EXPECT_NEAR(row.number("memory_s"), 8, 1e-9);
  EXPECT_NEAR(row.number("first_order_percent"), 84.95, 0.05);
  EXPECT_NEAR(row.number("markov_percent"), 80.7, 0.1);
  EXPECT_NEAR(row.number("monte_carlo_percent"), row.number("markov_percent"),
              row.number("monte_carlo_error"));
  EXPECT_GT(row.count("monte_carlo_failures"), 10'000u);
}

TEST(GpuSystemStudyTest, SeedGivesTheSameRow) {
  const auto simulated = [](const char* seed) {
    return gpu_system.run({seed}).number("monte_carlo_percent");
  };
  EXPECT_EQ(simulated("seed=5"), simulated("seed=5"));
  EXPECT_NE(simulated("seed=5"), simulated("seed=6"));
}

TEST(GpuSystemStudyTest, RereadingAfterAFailedRestartIsNoWorse) {
  const Row hard = gpu_system.run({"gpu_failure_factor=3"}),
            soft = gpu_system.run({"gpu_failure_factor=3", "recovery=retry"});
  EXPECT_EQ(hard.number("markov_percent"), soft.number("markov_percent"));
  EXPECT_GT(soft.number("monte_carlo_percent"), hard.number("monte_carlo_percent"));
}

TEST(GpuSystemStudyTest, PlaysNothingWhereItWouldNotEndOrIsNotAsked) {
  EXPECT_TRUE(gpu_system.run({"gpu_failure_factor=50"}).is_empty("monte_carlo_percent"));
  EXPECT_TRUE(gpu_system.run({"failures=0"}).is_empty("monte_carlo_percent"));
  EXPECT_TRUE(gpu_system.run({"failures=0"}).is_empty("monte_carlo_failures"));
}

TEST(GpuSystemStudyTest, DrainsInTheBackgroundSpareTheProgramTheDisks) {
  const Row blocking = gpu_system.run({}), background = gpu_system.run({"higher_levels=background"});
  EXPECT_GT(background.number("markov_percent"), blocking.number("markov_percent") + 5);
  EXPECT_NEAR(background.number("monte_carlo_percent"), background.number("markov_percent"),
              1.2 * background.number("monte_carlo_error"));
}

TEST(GpuSystemStudyTest, SweepsSizeAndDensity) {
  const Study study = gpu_system.read({"exaflops=0.9,3.6", "gpus_per_cpu=2:32:10"});
  EXPECT_EQ(study.points.size(), 8u);
}

TEST(GpuSystemStudyTest, RefusesWhatIsNoSystem) {
  const auto refused = [](const std::string& given) { return gpu_system.mistake({given}); };
  EXPECT_EQ(refused("exaflops=0"),
            "command line: error: exaflops: expected a number from 1e-06 to 10000.0, got 0");
  EXPECT_EQ(refused("exaflops=-1"),
            "command line: error: exaflops: expected a number from 1e-06 to 10000.0, got -1");
  EXPECT_EQ(refused("gpus_per_cpu=0"),
            "command line: error: gpus_per_cpu: expected an integer from 1 to 32, got 0");
  EXPECT_EQ(refused("gpus_per_cpu=200"),
            "command line: error: gpus_per_cpu: expected an integer from 1 to 32, got 200");
  EXPECT_EQ(refused("memory_speedup=0.5"),
            "command line: error: memory_speedup: expected a number from 1.0 to 1e+06, got 0.5");
  EXPECT_EQ(refused("volume=1.5"),
            "command line: error: volume: expected a number from 1e-06 to 1.0, got 1.5");
  EXPECT_EQ(refused("system=summit"),
            "command line: error: system: expected the name of a file in configs/systems, or a path, got "
            "\"summit\"; did you mean \"coral_summit\"?");
}

}  // namespace
}  // namespace asterism
