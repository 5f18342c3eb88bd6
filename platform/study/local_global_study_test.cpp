#include <gtest/gtest.h>

#include <cmath>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest local_global(R"({"kind": "local_global"})");

// The petaflops machine of dong2011 with PCRAM DIMMs.
TEST(LocalGlobalStudyTest, FindsTheOptimumOfThePaper) {
  const Row row = local_global.run({});
  EXPECT_NEAR(row.number("overhead_percent"), 0.90, 0.005);
  EXPECT_NEAR(row.number("tau_s"), 43.4, 0.1);
  EXPECT_NEAR(row.number("local_share"), 0.677, 0.001);
  EXPECT_NEAR(row.number("closed_form_share"), 0.677, 0.001);
  EXPECT_NEAR(row.number("dump_percent") + row.number("rollback_percent") + row.number("extra_percent"),
              row.number("overhead_percent"), 1e-9);
  EXPECT_TRUE(row.is_empty("played_percent"));
}

TEST(LocalGlobalStudyTest, TakesTheSymbolsAsTheyAreGiven) {
  const Row row = local_global.run({"tau=100s", "p_l=0.8", "delta_l=2s", "delta_g=12s", "r_l=5s", "r_g=30s",
                                    "q_l=0.75", "mttf=5000s", "t_s=1d"});
  EXPECT_DOUBLE_EQ(row.number("tau_s"), 100);
  EXPECT_NEAR(row.number("dump_percent"), 4, 1e-12);
  EXPECT_DOUBLE_EQ(row.number("local_share"), 0.8);
}

TEST(LocalGlobalStudyTest, PlaysTheMachineNodeByNode) {
  const Row row = local_global.run({"failures=20000", "mttf=20000s"});
  EXPECT_NEAR(row.number("played_percent"), row.number("availability_percent"), row.number("played_error"));
  EXPECT_GT(row.count("failures"), 15'000u);
}

TEST(LocalGlobalStudyTest, StoresIncrementsInTheBackground) {
  const Row row = local_global.run({"tau=100s", "p_l=0.8", "delta_l=2s", "delta_g=12s", "coordination=500ms",
                                    "dirty_time=100s", "background=true", "slowdown=25%"});
  const double local = 0.5 + 1.5 * (1 - std::exp(-1)), global = 0.5 + 11.5 * (1 - std::exp(-5));
  EXPECT_NEAR(row.number("dump_percent"), local + 0.2 * 0.25 * global, 1e-9);
  EXPECT_EQ(local_global.mistake({"tau=1s", "p_l=0", "delta_g=12s", "background=true"}),
            "command line: error: tau: a global checkpoint is stored before the next one begins");
  EXPECT_EQ(local_global.mistake({"coordination=102ms"}),
            "command line: error: coordination: expected at most delta_l and delta_g");
  EXPECT_NE(local_global.mistake({"slowdown=1%"}), "none");
}

TEST(LocalGlobalStudyTest, SaysNothingOfARunThatNeverEnds) {
  const Row row = local_global.run({"mttf=1s", "failures=1000"});
  EXPECT_TRUE(row.is_empty("overhead_percent"));
  EXPECT_EQ(row.number("availability_percent"), 0);
  EXPECT_TRUE(row.is_empty("played_percent"));
}

TEST(LocalGlobalStudyTest, RefusesWhatCannotBe) {
  EXPECT_EQ(local_global.mistake({"tau=31d"}),
            "command line: error: tau: expected at most the run's work, 30d, got 31d");
  EXPECT_EQ(local_global.mistake({"p_l=1"}),
            "command line: error: p_l: a failure that needs a global checkpoint never ends without one");
  EXPECT_EQ(local_global.mistake({"q_l=1.5"}),
            "command line: error: q_l: expected a number from 0.0 to 1.0, got 1.5");
  EXPECT_NE(local_global.mistake({"mttf=0s"}).find("mttf: expected a long duration from \"1ns\""),
            std::string::npos);
  for (const char* key : {"t_s", "tau", "delta_l", "delta_g", "r_l", "r_g", "mttf"})
    EXPECT_NE(local_global.mistake({std::string(key) + "=-1s"})
                  .find(std::string(key) + ": expected a long duration"),
              std::string::npos)
        << key;
  EXPECT_EQ(local_global.mistake({"nodes=0"}),
            "command line: error: nodes: expected an integer from 1 to 1000000, got 0");
  EXPECT_EQ(local_global.mistake({"shape=0"}),
            "command line: error: shape: expected a number from 0.1 to 10.0, got 0");
}

}  // namespace
}  // namespace asterism
