#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest training(R"({"kind": "training_goodput", "runs": 0})");

// 419 interruptions in 54 days of 16,384 GPUs.
TEST(TrainingGoodputStudyTest, HasTheRatesOfTheFile) {
  const Row row = training.run({});
  EXPECT_NEAR(row.number("mtti_h"), 54. * 24 / 419, 1e-9);
  EXPECT_NEAR(row.number("hbm_percent"), 100 * 72. / 419, 1e-9);
  EXPECT_NEAR(training.run({"gpus=32768"}).number("mtti_h"), 54. * 12 / 419, 1e-9);
  EXPECT_NEAR(training.run({"factor=2"}).number("mtti_h"), 54. * 12 / 419, 1e-9);
}

TEST(TrainingGoodputStudyTest, AStrongerCodeLeavesFewerFailures) {
  const Row row = training.run({"hbm_fit=0"});
  EXPECT_EQ(row.number("hbm_hours"), 0);
  EXPECT_NEAR(row.number("mtti_h"), 54. * 24 / (419 - 72), 1e-9);
  EXPECT_GT(row.number("goodput_percent"), training.run({}).number("goodput_percent"));
}

TEST(TrainingGoodputStudyTest, SimulationAgreesWithTheClosedForm) {
  for (const char* protocol :
       {"protocol=file_system", "protocol=replicas", "protocol=sharded group=8", "protocol=just_in_time"}) {
    std::vector<std::string> keys = {"runs=4", "work=300d", "spares=1000"};
    std::istringstream words(protocol);
    for (std::string word; words >> word;) keys.push_back(word);
    const Row row = training.run(keys);
    EXPECT_NEAR(row.number("simulated_percent"), row.number("goodput_percent"),
                row.number("simulated_error") + 0.3)
        << protocol;
    EXPECT_EQ(row.text("state"), "ok");
  }
}

TEST(TrainingGoodputStudyTest, SaysWhatToBuy) {
  EXPECT_EQ(training.run({"protocol=file_system", "file_system=10GB/s"}).text("buy"), "copies in memory");
  EXPECT_EQ(training.run({"detection=1h"}).text("buy"), "faster detection");
  EXPECT_EQ(training.run({"restart=1h"}).text("buy"), "faster restart");
  const Row few = training.run({"spares=10", "repair=3d"});
  EXPECT_EQ(few.text("buy"), "spares");
  EXPECT_TRUE(few.is_empty("buy_hours"));
  EXPECT_EQ(few.count("spares_needed"), 31u);
}

TEST(TrainingGoodputStudyTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(training.mistake({"gpus=1001"}), "command line: error: gpus: the GPUs are whole nodes");
  EXPECT_EQ(
      training.mistake({"protocol=just_in_time", "data_parallel=1"}),
      "command line: error: protocol: only a state of which there are two or more copies can be written "
      "just in time");
  EXPECT_EQ(training.mistake({"interval=10s", "file_system=50GB/s"}),
            "command line: error: interval: a checkpoint on the file system is complete before the next one "
            "begins");
  EXPECT_EQ(training.mistake({"failures=meta_rsc1", "hbm_fit=10"}),
            "command line: error: hbm_fit: no class of this component was counted");
}

}  // namespace
}  // namespace asterism
