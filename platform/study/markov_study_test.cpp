#include "platform/study/markov_study.h"

#include <gtest/gtest.h>

#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest markov(markov_study, R"({"kind": "markov"})");

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
  EXPECT_TRUE(markov.run({}).says_nothing("monte_carlo"));
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
  EXPECT_NE(markov.mistake({"interval=0s"}).find("expected a long duration from \"1ns\""), std::string::npos);
  EXPECT_NE(markov.mistake({"cost=[9,50s,438s]"}).find("cost.0: expected a long duration"),
            std::string::npos);
  EXPECT_NE(markov.mistake({"cost=9s,50s,438s"}).find("cost: expected a list"), std::string::npos);
}

}  // namespace
}  // namespace asterism
