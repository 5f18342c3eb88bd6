#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest markov(R"({"kind": "markov"})");

constexpr const char* cost = "cost=[9s,50s,438s]";
constexpr const char* restart = "restart=[9s,50s,438s]";
constexpr const char* rate = "rate=[7.78e-6,5.19e-7,3e-8]";

// Regression values of the model's own code (LLNL SCR model).
TEST(MarkovStudyTest, PrintsThePublishedEfficiencies) {
  const auto efficiency = [](const char* interval, const char* counts) {
    return markov.run({interval, counts, cost, restart, rate}).number("efficiency");
  };
  EXPECT_NEAR(efficiency("interval=2500s", "counts=[0,200]"), 0.961310619586, 5e-13);
  EXPECT_NEAR(efficiency("interval=500s", "counts=[200,200]"), 0.682752429091, 5e-13);
}

TEST(MarkovStudyTest, TableShowsTwelveDigits) {
  const Study study = markov.read({"interval=2500s", "counts=[0,200]"});
  EXPECT_NE(to_table(study, run_all(study, 1)).find("0.961310619586"), std::string::npos);
}

TEST(MarkovStudyTest, ListIsOneValueAndListsBesideEachOtherSweep) {
  EXPECT_EQ(markov.read({"counts=[0,200]"}).points.size(), 1u);
  const Study study = markov.read({"counts=[0,200],[200,200]", "interval=500s,2500s"});
  EXPECT_EQ(study.points.size(), 4u);
  EXPECT_EQ(study.swept, (std::vector<std::string>{"interval", "counts"}));
  EXPECT_EQ(to_text(study.points[1].coordinates[1]), "[200,200]");
  const Study file = markov.read({}, R"({"kind": "markov", "counts": [[0, 200], [200, 200]]})");
  EXPECT_EQ(file.points.size(), 2u);
  EXPECT_EQ(markov.read({}, file.expanded).points.size(), 2u);
  EXPECT_EQ(markov.read({}, file.expanded).expanded, file.expanded);
}

TEST(MarkovStudyTest, BestScheduleIsNotBeatenByTheGivenOne) {
  const Row best = markov.run({"schedule=best"});
  EXPECT_GT(best.number("efficiency"), markov.run({}).number("efficiency"));
  EXPECT_GT(best.number("interval_s"), 1);
}

TEST(MarkovStudyTest, PlaysFailuresBesideTheModel) {
  const Row row = markov.run({"interval=500s", "counts=[20,10]", "rate=[1e-4,1e-5,1e-6]", "failures=20000"});
  EXPECT_NEAR(row.number("monte_carlo"), row.number("efficiency"), row.number("monte_carlo_error"));
  EXPECT_GT(row.count("monte_carlo_failures"), 10'000u);
  EXPECT_TRUE(markov.run({}).is_empty("monte_carlo"));
}

constexpr const char* played_fast[] = {"interval=90s", "counts=[5,2]", "cost=[10s,40s,90s]",
                                       "restart=[30s,120s,400s]", "rate=[2e-3,3e-4,1e-4]"};
Row limits(const std::vector<std::string>& more) {
  std::vector<std::string> given(std::begin(played_fast), std::end(played_fast));
  given.insert(given.end(), more.begin(), more.end());
  return markov.run(given);
}

TEST(MarkovStudyTest, SaysWhichAssumptionBreaks) {
  EXPECT_EQ(limits({"failures=50000"}).text("breaks"), "inside");
  const Row retry = limits({"failures=50000", "recovery=retry", "factor=2"});
  EXPECT_EQ(retry.text("breaks"), "escalation");
  EXPECT_GT(retry.number("apart"), 2);
  EXPECT_NEAR(retry.number("apart"),
              (retry.number("monte_carlo") - retry.number("efficiency")) / retry.number("monte_carlo_error"),
              1e-12);
  EXPECT_EQ(limits({"failures=50000", "recovery=retry", "factor=0.01"}).text("breaks"), "inside");
  EXPECT_EQ(limits({"failures=50000", "shape=0.7"}).text("breaks"), "memory");
  EXPECT_EQ(limits({"failures=50000", "shape=0.7", "recovery=retry"}).text("breaks"), "both");
  EXPECT_EQ(limits({"failures=5"}).text("breaks"), "few cycles");
  EXPECT_TRUE(limits({}).is_empty("breaks"));
}

TEST(MarkovStudyTest, FactorIsTimesAllRates) {
  EXPECT_EQ(markov.run({"factor=10"}).number("efficiency"),
            markov.run({"rate=[7.78e-5,5.19e-6,3e-7]"}).number("efficiency"));
}

TEST(MarkovStudyTest, FigureHasTheModelOnceAndWhatIsPlayedWithItsIntervals) {
  const Study study =
      markov.read({"failures=20000"}, R"({"kind": "markov", "interval": "90s", "counts": [5, 2],
    "cost": ["10s", "40s", "90s"], "restart": ["30s", "120s", "400s"], "rate": [2e-3, 3e-4, 1e-4],
    "factor": [0.1, 1, 2], "recovery": ["escalate", "retry"], "shape": [1, 0.7]})");
  const PointRun run = run_all(study, 1);
  const std::string svg = to_svg(study, run);
  EXPECT_EQ(occurrences(svg, ">Markov<"), 1) << "the model must have one curve";
  for (const char* played : {"escalate", "retry"})
    for (const char* shape : {"1", "0.7"})
      EXPECT_EQ(occurrences(svg, ">played, recovery=" + std::string(played) + " shape=" + shape + "<"), 1)
          << svg;
  EXPECT_EQ(occurrences(svg, "m-4 0h8"), 12) << "each simulated point must have an interval";
  EXPECT_EQ(occurrences(svg, ">factor<"), 1);
}

TEST(MarkovStudyTest, RefusesListsThatDoNotSuitEachOther) {
  EXPECT_EQ(markov.mistake({"cost=[9s,50s]"}),
            "command line: error: cost: one for each of the 3 levels of \"rate\", got 2");
  EXPECT_EQ(markov.mistake({"restart=[9s]"}),
            "command line: error: restart: one for each of the 3 levels of \"rate\", got 1");
  EXPECT_EQ(markov.mistake({"counts=[1,2,3]"}),
            "command line: error: counts: one for each of the 3 levels but the last, got 3");
  EXPECT_EQ(markov.mistake({"rate=[]"}), "command line: error: rate: there are 1 to 8 levels, got 0");
  EXPECT_EQ(markov.mistake({"counts=[1000000000,1000000000]"}),
            "command line: error: counts: a cycle has at most 2^52 intervals");
}

TEST(MarkovStudyTest, RefusesValuesThatAreNone) {
  EXPECT_EQ(markov.mistake({"rate=[0,1e-5,1e-6]"}),
            "command line: error: rate.0: expected a number from 1e-18 to 1e+06, got 0");
  EXPECT_EQ(markov.mistake({"rate=[1e-5,-1,1e-6]"}),
            "command line: error: rate.1: expected a number from 1e-18 to 1e+06, got -1");
  EXPECT_EQ(markov.mistake({"factor=0"}),
            "command line: error: factor: expected a number from 1e-06 to 1e+06, got 0");
  EXPECT_EQ(markov.mistake({"shape=-1"}),
            "command line: error: shape: expected a number from 0.1 to 10.0, got -1");
  EXPECT_NE(markov.mistake({"restart=[9s,-50s,438s]"}).find("restart.1: expected a long duration"),
            std::string::npos);
  EXPECT_NE(markov.mistake({"interval=0s"}).find("expected a long duration from \"1ns\""), std::string::npos);
  EXPECT_NE(markov.mistake({"cost=[9,50s,438s]"}).find("cost.0: expected a long duration"),
            std::string::npos);
  EXPECT_NE(markov.mistake({"cost=9s,50s,438s"}).find("cost: expected a list"), std::string::npos);
}

}  // namespace
}  // namespace asterism
