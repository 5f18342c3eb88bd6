#include "platform/run/run_progress.h"

#include <gtest/gtest.h>

#include "platform/scenario/scenario_config.h"

namespace asterism {
namespace {

TEST(RunProgressTest, TheTimeThatIsLeftIsThatOfTheLastRun) {
  EXPECT_EQ(time_left(10_ms, 2, 1_s, 25_ms), ", 3 s left as in the last run");
  EXPECT_EQ(time_left(10_ms, 2, ScenarioConfig().until, 25_ms), ", 3 s left as in the last run");
}

TEST(RunProgressTest, WithoutThatTheLimitIsTheLatestEnd) {
  EXPECT_EQ(time_left(10_ms, 2, 20_ms, std::nullopt), ", 2 s left at most");
  EXPECT_EQ(time_left(10_ms, 2, 20_ms, 5_ms), ", 2 s left at most") << "the last run was shorter";
  EXPECT_EQ(time_left(10_ms, 2, 20_ms, 30_ms), ", 2 s left at most") << "this one may not be as long";
}

TEST(RunProgressTest, NothingIsSaidThatIsNotKnown) {
  EXPECT_EQ(time_left(10_ms, 2, ScenarioConfig().until, std::nullopt), "") << "nobody has chosen this limit";
  EXPECT_EQ(time_left(0_ps, 2, 20_ms, 25_ms), "") << "no rate is known";
}

}  // namespace
}  // namespace asterism
