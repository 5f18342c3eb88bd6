#include <gtest/gtest.h>

#include <cmath>

#include "platform/study/study_kind.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest interval(R"({"kind": "interval", "failures": 0})");

Row by(const std::string& rule) { return interval.run({"mtbf=4h", "dump=90s", "rule=" + rule}); }

TEST(IntervalStudyTest, RulesAreTheirFormulas) {
  EXPECT_DOUBLE_EQ(by("young").number("interval_s"), std::sqrt(2 * 90 * 14'400.0));
  EXPECT_DOUBLE_EQ(by("daly_first").number("interval_s"), std::sqrt(2 * 90 * 14'490.0));
  EXPECT_NEAR(by("daly").number("interval_s"), by("best").number("interval_s"), 0.1);
  EXPECT_LT(by("young").number("efficiency_percent"), by("best").number("efficiency_percent"));
}

TEST(IntervalStudyTest, TimeIsWorkWritingAndLoss) {
  const Row row = by("best");
  EXPECT_NEAR(row.number("efficiency_percent") + row.number("writing_percent") + row.number("lost_percent"),
              100, 1e-9);
  EXPECT_NEAR(row.number("writing_percent") / row.number("efficiency_percent"), 90 / row.number("interval_s"),
              1e-12);
  EXPECT_NEAR(row.number("run_h"), 168 / (row.number("efficiency_percent") / 100), 0.1);
  EXPECT_NEAR(row.number("checkpoints_per_day") * row.number("interval_s"),
              864 * row.number("efficiency_percent"), 1e-6);
}

TEST(IntervalStudyTest, PlayedFailuresAgree) {
  for (const char* local : {"local_dump=null", "local_dump=5s"}) {
    const Row row = interval.run({"mtbf=4h", "dump=90s", "rule=best", "failures=50000", local});
    EXPECT_NEAR(row.number("played_percent"), row.number("efficiency_percent"), row.number("played_error"))
        << local;
    EXPECT_LT(row.number("played_error"), 0.2);
  }
}

// These runs have 10^13 intervals and more.
TEST(IntervalStudyTest, PlaysTheFailuresOfAMachineThatHardlyHasAny) {
  for (const char* interval_of : {"rule=best", "rule=young", "rule=given"}) {
    const Row row = interval.run({"mtbf=100y", "dump=1ns", interval_of, "failures=20000"});
    EXPECT_NEAR(static_cast<double>(row.count("failures")), 20'000, 800) << interval_of;
    EXPECT_NEAR(row.number("played_percent"), row.number("efficiency_percent"), 1e-4) << interval_of;
  }
  // In so many intervals about one failure is expected; with this seed there is none.
  const Row none = interval.run({"mtbf=100y", "dump=1ns", "failures=1", "seed=6"});
  EXPECT_EQ(none.count("failures"), 0u);
  EXPECT_TRUE(none.is_empty("played_percent"));
  EXPECT_TRUE(none.is_empty("played_error"));
}

TEST(IntervalStudyTest, SaysWhere) {
  EXPECT_EQ(by("best").text("where"), "global");
  const Row two = interval.run({"mtbf=4h", "dump=90s", "local_dump=5s"});
  EXPECT_TRUE(two.text("where").starts_with("local, 1 in ")) << two.text("where");
  EXPECT_GT(two.number("efficiency_percent"), by("best").number("efficiency_percent") + 1);
  EXPECT_EQ(interval.run({"mtbf=4h", "dump=90s", "local_dump=89s"}).text("where"), "global");
  const Row none = interval.run({"mtbf=4h", "dump=90s", "run=10min", "rule=young"});
  EXPECT_EQ(none.text("where"), "nowhere: the run is shorter");
  EXPECT_NEAR(none.number("run_h") * 3600, 14'400 * std::exp(90 / 14'400.0) * std::expm1(600 / 14'400.0),
              1e-6);
  EXPECT_EQ(none.number("writing_percent"), 0);
}

TEST(IntervalStudyTest, TakesAGivenIntervalAsItIs) {
  const Row row = interval.run({"rule=given", "interval=250ms", "dump=1ms", "mtbf=1h", "failures=10000"});
  EXPECT_EQ(row.number("interval_s"), 0.25);
  EXPECT_NEAR(row.number("played_percent"), row.number("efficiency_percent"), 2 * row.number("played_error"));
  EXPECT_EQ(interval.run({"dump=0s"}).number("interval_s"),
            1);  // the best interval is the shortest that a rule may choose
}

TEST(IntervalStudyTest, TheTableIsHeadedByTheLocalDump) {
  const Study study = interval.read({"local_dump=5s", "failures=0"});
  EXPECT_TRUE(to_table(study, run_all(study, 1)).starts_with("mtbf=4h dump=90s local_dump=5s failures=0\n"));
  const Study none = interval.read({"failures=0"});
  EXPECT_TRUE(to_table(none, run_all(none, 1)).starts_with("mtbf=4h dump=90s failures=0\n"));
}

TEST(IntervalStudyTest, SaysThatAMachineMakesNoProgress) {
  for (const char* rule : {"young", "daly_first", "daly", "best"}) {
    const Row row = interval.run({"mtbf=1s", "dump=90s", std::string("rule=") + rule});
    EXPECT_EQ(row.text("where"), "nowhere: no progress") << rule;
    EXPECT_LT(row.number("efficiency_percent"), 0.1) << rule;
  }
  // The machine makes slow progress.
  const Row slow = interval.run({"mtbf=100s", "dump=90s", "restart=0s", "rule=best"});
  EXPECT_EQ(slow.text("where"), "global");
  EXPECT_GT(slow.number("efficiency_percent"), 0.1);
}

TEST(IntervalStudyTest, RefusesWhatCannotBe) {
  EXPECT_EQ(interval.mistake({"rule=given", "interval=8d"}),
            "command line: error: interval: expected at most the run's work, 7d, got 8d");
  EXPECT_EQ(interval.mistake({"local_restart=5s"}),
            "command line: error: local_restart: there is no local place without local_dump");
  EXPECT_NE(interval.mistake({"mtbf=0h"}).find("mtbf: expected a long duration from \"1ns\""),
            std::string::npos);
  for (const char* key : {"mtbf", "dump", "restart", "local_dump", "run", "interval"})
    EXPECT_NE(interval.mistake({"rule=given", std::string(key) + "=-4h"})
                  .find(std::string(key) + ": expected a long duration"),
              std::string::npos)
        << key;
  EXPECT_EQ(
      interval.mistake({"local_share=100%"}),
      "command line: error: local_share: expected a share from \"0.0001%\" to \"99.9999%\", got \"100%\"");
  EXPECT_EQ(interval.mistake({"local_share=0.0001%"}), "none");
  EXPECT_EQ(interval.mistake({"mtbf=4"}),
            "command line: error: mtbf: expected a long duration from \"1ns\" to \"100y\", got 4; it has no "
            "unit (ns, "
            "us, ms, s, min, h, d, y)");
  EXPECT_EQ(interval.mistake({"mtbf=-1h"}),
            "command line: error: mtbf: expected a long duration from \"1ns\" to \"100y\", got \"-1h\"; it "
            "must not be negative");
}

}  // namespace
}  // namespace asterism
