#include "platform/study/semi_blocking_study.h"

#include <gtest/gtest.h>

#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest semi_blocking(semi_blocking_study, R"({"kind": "semi_blocking"})");

// Scenario 1 of ni2012 Table 4.1.
TEST(SemiBlockingStudyTest, FindsTheBestIntervals) {
  const Row row = semi_blocking.run({});
  EXPECT_NEAR(row.number("benefit_percent"), 11.3, 0.05);
  EXPECT_NEAR(row.number("tau_blocking_s"), 55.3, 0.05);
  EXPECT_NEAR(row.number("loss_blocking_percent"), 27.67, 0.01);
  EXPECT_NEAR(row.number("loss_percent"), 13.22, 0.01);
  EXPECT_NEAR(row.number("total_s"),
              86'400 + row.number("local_s") + row.number("overheads_s") + row.number("rollback_s") +
                  row.number("further_rollback_s"),
              1e-6);
  EXPECT_EQ(row.text("state"), "ok");
  EXPECT_TRUE(row.says_nothing("played_percent"));
}

TEST(SemiBlockingStudyTest, TakesIntervalsThatAreGiven) {
  const Row best = semi_blocking.run({}), given = semi_blocking.run({"tau=40s", "tau_blocking=100s"});
  EXPECT_EQ(given.number("tau_s"), 40);
  EXPECT_EQ(given.number("tau_blocking_s"), 100);
  EXPECT_GT(given.number("total_s"), best.number("total_s"));
  EXPECT_GT(given.number("total_blocking_s"), best.number("total_blocking_s"));
}

TEST(SemiBlockingStudyTest, RestartIsAsLongAsTheDumpUnlessGiven) {
  const auto loss = [](const std::vector<std::string>& given) {
    return semi_blocking.run(given).number("loss_percent");
  };
  EXPECT_EQ(loss({}), loss({"r=6.5s"}));
  EXPECT_LT(loss({"r=1s"}), loss({}));
}

TEST(SemiBlockingStudyTest, PlaysFailuresBesideTheModel) {
  const Row row = semi_blocking.run({"mttf=6000s", "failures=20000"});
  EXPECT_NEAR(row.number("played_percent"), row.number("loss_percent"), row.number("played_error"));
  EXPECT_GT(row.count("played_failures"), 15'000u);
}

TEST(SemiBlockingStudyTest, SaysWhereNothingGetsOn) {
  const Row row = semi_blocking.run({"r=400s", "failures=1000"});
  EXPECT_EQ(row.text("state"), "stuck");
  EXPECT_TRUE(row.says_nothing("tau_s"));
  EXPECT_TRUE(row.says_nothing("benefit_percent"));
  EXPECT_TRUE(row.says_nothing("played_percent"));
}

TEST(SemiBlockingStudyTest, SaysWhereTheOverlapLeavesNoInterval) {
  EXPECT_EQ(semi_blocking.run({"overlap=301s"}).text("state"), "no_interval");
  EXPECT_EQ(semi_blocking.run({"overlap=300s", "overhead=300s"}).text("state"), "no_interval");
  EXPECT_EQ(semi_blocking.run({"t_s=1s"}).text("state"), "no_interval");
}

TEST(SemiBlockingStudyTest, SaysWhereABoundIsTheOptimum) {
  EXPECT_EQ(semi_blocking.run({"c=0s", "delta=1ms", "r=1s", "overlap=12s"}).text("state"), "at_bound");
}

TEST(SemiBlockingStudyTest, SweepsDurations) {
  EXPECT_EQ(semi_blocking.read({"mttf=5min:30min:5min", "overlap=10s,20s"}).points.size(), 12u);
}

TEST(SemiBlockingStudyTest, RefusesWhatIsNoRun) {
  const auto refused = [](const std::vector<std::string>& given) { return semi_blocking.mistake(given); };
  EXPECT_EQ(refused({"mttf=0s"}),
            "command line: error: mttf: expected a long duration from \"1ns\" to \"100y\", got \"0s\"");
  EXPECT_NE(refused({"mttf=-5s"}), "none");
  EXPECT_EQ(refused({"nodes=1", "buddies=ring"}),
            "command line: error: nodes: expected an integer from 2 to 100000000, got 1");
  EXPECT_EQ(refused({"nodes=3"}),
            "command line: error: nodes: expected a value that is even: buddies are pairs, got 3");
  EXPECT_EQ(refused({"tau=200s", "t_s=100s"}),
            "command line: error: tau: an interval is no longer than the run");
  EXPECT_EQ(refused({"tau_blocking=200s", "t_s=100s"}),
            "command line: error: tau_blocking: an interval is no longer than the run");
  EXPECT_EQ(
      refused({"tau=5s"}),
      "command line: error: tau: a global checkpoint has ended when the next one begins: tau is overlap or "
      "more");
  EXPECT_EQ(refused({"tau=301s"}),
            "command line: error: tau: an interval is no longer than the mean time to a failure");
}

}  // namespace
}  // namespace asterism
