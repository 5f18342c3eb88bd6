#include <gtest/gtest.h>

#include <algorithm>
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
  std::vector<double> values;
  for (const char* protocol :
       {"protocol=file_system", "protocol=replicas", "protocol=sharded group=8", "protocol=just_in_time"}) {
    std::vector<std::string> keys = {"runs=4", "work=3000d", "spares=1000", "file_system=50GB/s"};
    std::istringstream words(protocol);
    for (std::string word; words >> word;) keys.push_back(word);
    const Row row = training.run(keys);
    EXPECT_NEAR(row.number("simulated_percent"), row.number("goodput_percent"),
                row.number("simulated_error") + 0.1)
        << protocol;
    EXPECT_LT(row.number("simulated_error"), 0.5) << protocol;
    values.push_back(row.number("simulated_percent"));
    EXPECT_EQ(row.text("state"), "ok");
  }
  EXPECT_GT(values[1], values[0] + 1.5);
  EXPECT_NEAR(values[2], values[1], 0.2);
  EXPECT_GT(values[3], values[0] + 0.2);
  EXPECT_LT(values[3], values[1] - 1);
}

TEST(TrainingGoodputStudyTest, SaysWhatToBuy) {
  EXPECT_EQ(training.run({"protocol=file_system", "file_system=10GB/s"}).text("buy"), "copies");
  EXPECT_EQ(training.run({"detection=1h"}).text("buy"), "detection");
  EXPECT_EQ(training.run({"restart=1h"}).text("buy"), "restart");
  EXPECT_NE(training.run({"gpus=8", "protocol=file_system", "detection=1h"}).text("buy"), "nothing");
  EXPECT_EQ(training
                .run({"gpus=8", "protocol=file_system", "detection=0s", "restart=0s", "failures=meta_rsc1",
                      "factor=1e-6", "state=1B"})
                .text("buy"),
            "nothing");
  EXPECT_NE(training.run({"protocol=file_system", "file_system=18446744073709551615B/s"}).text("buy"),
            "file system");
  const Row few = training.run({"spares=10", "repair=3d"});
  EXPECT_EQ(few.text("buy"), "spares");
  EXPECT_TRUE(few.is_empty("buy_hours"));
  EXPECT_EQ(few.count("spares_needed"), 31u);
  const Row simulated = training.run({"spares=10", "repair=3d", "runs=2"});
  EXPECT_GT(simulated.number("buy_hours"), 100);
  EXPECT_EQ(simulated.number("buy_hours"), simulated.number("spares_gains"));
}

TEST(TrainingGoodputStudyTest, SaysWhatEachPurchaseGains) {
  const Row row = training.run({"protocol=file_system", "file_system=50GB/s", "failures=field_mix"});
  double most = 0;
  for (const char* gains : {"detection_gains", "restart_gains", "file_system_gains", "network_gains",
                            "code_gains", "checks_gains", "slow_gains", "copies_gains"})
    most = std::max(most, row.number(gains));
  EXPECT_NEAR(row.number("buy_hours"), most, 1e-12);
  EXPECT_GT(row.number("slow_gains"), 0);
  EXPECT_GT(row.number("checks_gains"), 0);
  EXPECT_GT(row.number("copies_gains"), row.number("code_gains"));
  EXPECT_EQ(row.number("network_gains"), 0);
  EXPECT_EQ(row.number("spares_gains"), 0);
  EXPECT_EQ(training.run({}).number("copies_gains"), 0);
}

TEST(TrainingGoodputStudyTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(training.mistake({"gpus=1001"}),
            "command line: error: gpus: expected a multiple of the 8 GPUs of a node, got 1001");
  EXPECT_EQ(training.mistake({"protocol=just_in_time", "data_parallel=1"}),
            "command line: error: data_parallel: expected 2 or more copies of the state, of which one can be "
            "written just in time, got 1");
  EXPECT_EQ(training.mistake({"protocol=sharded", "gpus=1024", "group=3"}),
            "command line: error: gpus: expected a multiple of the 3 nodes of a group, got 128");
  EXPECT_EQ(training.mistake({"interval=10s", "file_system=50GB/s"}),
            "command line: error: interval: expected at least the 113.400 s that a checkpoint is written to "
            "the file system, got 10.000 s");
  EXPECT_EQ(training.mistake({"failures=meta_rsc1", "hbm_fit=10"}),
            "command line: error: hbm_fit: no class of this component was counted");
}

}  // namespace
}  // namespace asterism
