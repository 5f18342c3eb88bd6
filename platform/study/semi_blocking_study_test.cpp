#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest semi_blocking(R"({"kind": "semi_blocking"})");

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
  EXPECT_TRUE(row.is_empty("played_percent"));
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

TEST(SemiBlockingStudyTest, ReportsIfThereIsNoProgress) {
  const Row row = semi_blocking.run({"r=400s", "failures=1000"});
  EXPECT_EQ(row.text("state"), "stuck");
  EXPECT_TRUE(row.is_empty("tau_s"));
  EXPECT_TRUE(row.is_empty("benefit_percent"));
  EXPECT_TRUE(row.is_empty("played_percent"));
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

// ni2012 section 4.4: if at most a third of the memory is used, only the buddy's checkpoint is on the SSD.
TEST(SemiBlockingStudyTest, KeepsCheckpointsOnTheSsdByTheMemoryThatIsUsed) {
  const std::vector<std::string> third = {"storage=by_memory", "memory=3GB", "m_a=1GB", "overlap=13.5s"};
  const Row half = semi_blocking.run(third);
  EXPECT_EQ(half.number("ssd_write_gb"), 1);
  EXPECT_EQ(half.number("peak_memory_gb"), 3);
  EXPECT_EQ(half.number("r_s"), 6.5) << "the checkpoint is read while it is sent";
  const Row full = semi_blocking.run({"storage=full_ssd", "memory=3GB", "m_a=1GB", "overlap=13.5s"});
  EXPECT_EQ(full.number("ssd_write_gb"), 2);
  EXPECT_NEAR(full.number("r_s"), 6.5 + 1 / 0.512, 1e-9);
  EXPECT_GT(full.number("loss_percent"), half.number("loss_percent"));
  EXPECT_TRUE(semi_blocking.run({}).is_empty("peak_memory_gb"));
}

// Section 4.3, scenario 2 of Table 4.1.
TEST(SemiBlockingStudyTest, NoOtherOverlapIsBetterThanThatOfOpportunisticSending) {
  const auto benefit = [](const char* overlap) {
    return semi_blocking.run({overlap, "overhead=500ms", "opportunistic=13.5s"}).number("benefit_percent");
  };
  EXPECT_EQ(benefit("overlap=13.5s"),
            semi_blocking.run({"overlap=13.5s", "overhead=500ms"}).number("benefit_percent"));
  for (const char* other :
       {"overlap=6.5s", "overlap=9s", "overlap=12s", "overlap=13s", "overlap=14s", "overlap=20s"})
    EXPECT_LT(benefit(other), benefit("overlap=13.5s")) << other;
}

// ni2012 section 4.1: 6.5 s and 2.3 / 3.9 of the progress, 15.125 s - 0.5 s, are 15.125 s.
TEST(SemiBlockingStudyTest, FollowsTheOverlapOfAHostThread) {
  EXPECT_NEAR(semi_blocking.run({"ratio=2.9", "pause=0.6", "overhead=500ms"}).number("overlap_s"), 15.125,
              1e-9);
  EXPECT_NE(semi_blocking.mistake({"ratio=1", "pause=2"}).find("is a part of ratio"), std::string::npos);
  EXPECT_NE(semi_blocking.mistake({"pause=2"}).find("is a part of ratio"), std::string::npos);
  EXPECT_NE(semi_blocking.mistake({"ratio=1", "opportunistic=13s"}).find("is not given with opportunistic"),
            std::string::npos);
}

TEST(SemiBlockingStudyTest, RefusesCheckpointsThatFitNowhere) {
  const auto refused = [](const std::vector<std::string>& given) { return semi_blocking.mistake(given); };
  EXPECT_EQ(refused({"storage=in_memory", "m_a=13GB"}),
            "command line: error: m_a: checkpoints of 13GB take 65GB of memory, and a node has 64GB");
  EXPECT_EQ(refused({"storage=half_ssd", "m_a=22GB"}),
            "command line: error: m_a: checkpoints of 22GB take 66GB of memory, and a node has 64GB");
  EXPECT_EQ(refused({"storage=by_memory", "m_a=40GB"}),
            "command line: error: m_a: checkpoints of 40GB take 160GB of an SSD, and a node has 120GB");
  EXPECT_NE(refused({"storage=half_ssd", "m_a=0B"}).find("m_a: expected"), std::string::npos);
  EXPECT_NE(refused({"storage=half_ssd", "ssd_read=0MB/s"}).find("ssd_read: expected"), std::string::npos);
  EXPECT_EQ(refused({"overlap=6s", "opportunistic=13.5s"}),
            "command line: error: opportunistic: checkpoints are no faster beside the program than alone, "
            "and in its "
            "idle times slower");
}

TEST(SemiBlockingStudyTest, RefusesTimesBelowZero) {
  for (const char* key : {"overlap", "overhead", "delta", "c", "r", "t_s", "tau", "tau_blocking"})
    EXPECT_NE(semi_blocking.mistake({std::string(key) + "=-1s"})
                  .find(std::string(key) + ": expected a long duration"),
              std::string::npos)
        << key;
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
            "command line: error: tau: an interval is no longer than the run; got 200s");
  EXPECT_EQ(refused({"tau_blocking=200s", "t_s=100s"}),
            "command line: error: tau_blocking: an interval is no longer than the run; got 200s");
  EXPECT_EQ(
      refused({"tau=5s"}),
      "command line: error: tau: a global checkpoint has ended when the next one begins: tau is overlap or "
      "more; got 5s");
  EXPECT_EQ(refused({"overlap=6s"}),
            "command line: error: overlap: a global checkpoint takes no less time beside the program than "
            "alone; got 6s, and c is 6.5 s with a delta of 0.25 s");
  EXPECT_EQ(refused({"tau=301s"}),
            "command line: error: tau: an interval is no longer than the mean time to a failure; got 301s");
}

}  // namespace
}  // namespace asterism
