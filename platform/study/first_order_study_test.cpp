#include <gtest/gtest.h>

#include <cmath>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest first_order(R"({"kind": "first_order"})");

TEST(FirstOrderStudyTest, IsTheProductOverTheLevels) {
  const Row row = first_order.run(
      {"cost=[1s,100s]", "restart=[25s,0s]", "rate=[2e-4,2e-6]"});  // 2.5% and 2% at 100 s, 10,000 s
  EXPECT_NEAR(row.number("efficiency"), 1 / (1.025 * 1.02), 1e-12);
  EXPECT_NEAR(row.number("overhead_percent"), 4.55, 1e-9);
  EXPECT_EQ(row.text("intervals_s"), "[100,1e+04]");
  EXPECT_EQ(row.text("costs_percent"), "[2.5,2]");
  EXPECT_NEAR(row.number("failures_at_once"), 2e-4 * 126 + 2e-6 * 10'100, 1e-12);
}

TEST(FirstOrderStudyTest, IntervalsMayBeGivenAndAreNoBetter) {
  const double best = first_order.run({}).number("efficiency");
  const Row given = first_order.run({"interval=[1000s,1h,1d]"});
  EXPECT_EQ(given.text("intervals_s"), "[1000,3600,8.64e+04]");
  EXPECT_LT(given.number("efficiency"), best);
}

TEST(FirstOrderStudyTest, MoreFailuresLeaveLessForWork) {
  EXPECT_LT(first_order.run({"factor=10"}).number("efficiency"), first_order.run({}).number("efficiency"));
  EXPECT_EQ(first_order.read({"factor=0.1,1,10"}).points.size(), 3u);
}

TEST(FirstOrderStudyTest, RefusesLevelsThatDoNotGoTogether) {
  EXPECT_EQ(first_order.mistake({"cost=[1s,2s]"}),
            "command line: error: cost: one for each of the 3 levels of \"rate\", got 2");
  EXPECT_EQ(first_order.mistake({"interval=[1s]"}),
            "command line: error: interval: one for each of the 3 levels of \"rate\", got 1");
  EXPECT_EQ(first_order.mistake({"rate=[]"}), "command line: error: rate: there are 1 to 8 levels, got 0");
  EXPECT_NE(first_order.mistake({"rate=[1,-1,1]"}).find("rate.1: expected a number from"), std::string::npos)
      << first_order.mistake({"rate=[1,-1,1]"});
}

}  // namespace
}  // namespace asterism
