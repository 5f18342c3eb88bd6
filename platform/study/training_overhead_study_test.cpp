#include <gmock/gmock.h>

#include <cstdlib>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest node(R"({"kind": "training_overhead", "steps": 8, "ssd_every": 1000})");

TEST(TrainingOverheadStudyTest, WhatIsWrittenBesideKernelsCostsLessThanATenth) {
  const Row waits = node.run({"overlap=false"}), overlaps = node.run({"overlap=true"});
  EXPECT_NEAR(waits.number("without_us"), overlaps.number("without_us"), 1);
  EXPECT_GT(waits.number("overhead_percent"), 2);
  EXPECT_LT(overlaps.number("overhead_percent"), waits.number("overhead_percent") / 10);
  EXPECT_GT(overlaps.number("checkpoint_us"), 0);
}

TEST(TrainingOverheadStudyTest, RefusesAnIntervalBeyondTheRun) {
  EXPECT_THAT(node.mistake({"interval=9"}),
              testing::HasSubstr("interval: expected a value that is at most steps, got 9"));
  node.read({"interval=8"});
}

TEST(TrainingOverheadStudyTest, SaysHowARunHasFailed) {
  ASSERT_EQ(setenv("ASTERISM_FIRMWARE", "/nowhere", 1), 0);
  const std::string said = thrown<StudyMistake>([] { node.run({}); });
  unsetenv("ASTERISM_FIRMWARE");
  EXPECT_THAT(said, testing::HasSubstr("the run has ended with status 66: "));
}

}  // namespace
}  // namespace asterism
