#include <gtest/gtest.h>

#include <cmath>

#include "platform/study/study_kind.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest location(R"({"kind": "checkpoint_location"})");

// abeyratne2017 section 4.6.1.1.
TEST(CheckpointLocationStudyTest, LifetimeEstimationWritesAnEighthOfLargeCheckpointsToTheSsd) {
  const Row row = location.run({"checkpoint=1000MB"});
  EXPECT_EQ(row.count("ssd"), 12u);
  EXPECT_EQ(row.count("ramdisk"), 88u);
  EXPECT_EQ(row.number("ssd_percent"), 12);
  EXPECT_EQ(row.count("by_lifetime"), 88u);
  EXPECT_NEAR(row.number("slowdown"), 1.99, 0.01);
  EXPECT_NEAR(row.number("lifetime_years"), 4.8, 0.1);
  EXPECT_EQ(row.text("schedule").substr(0, 16), "SrrrrrrrrSrrrrrr");
}

TEST(CheckpointLocationStudyTest, PerformanceEstimationMovesTheRest) {
  const Row row = location.run({"checkpoint=1000MB", "ple=true"});
  EXPECT_EQ(row.count("ssd"), 1u);
  EXPECT_EQ(row.count("by_lifetime") + row.count("by_performance"), 99u);
}

TEST(CheckpointLocationStudyTest, RulesAreStudiesOfTheirOwn) {
  EXPECT_EQ(location.run({"policy=ssd"}).count("ssd"), 100u);
  EXPECT_TRUE(location.run({"policy=ramdisk"}).is_empty("lifetime_years"));
  EXPECT_EQ(location.run({"policy=ratio"}).count("ssd"), 10u);
  EXPECT_EQ(location.run({"policy=ratio", "ratio_of=4"}).count("ssd"), 25u);
  const Row none = location.run({"policy=none"});
  EXPECT_EQ(none.number("slowdown"), 1);
  EXPECT_TRUE(none.is_empty("interval_s"));
  EXPECT_TRUE(none.is_empty("energy_saving"));
}

TEST(CheckpointLocationStudyTest, ForcedCheckpointsGoToTheSsd) {
  const Row row = location.run({"checkpoint=1000MB", "ple=true", "forced=20", "tmpfs_size=1GB"});
  EXPECT_EQ(row.count("forced"), 5u);
  EXPECT_EQ(row.count("ssd"), 6u);  // including the first
  EXPECT_EQ(row.count("left_out"), 94u);
}

// 1,080,000 devices; 1/24 of the memory is the checkpoint. Of a device 16.2 FIT are faults of banks, of all
// of it and of pins, which normal mode does not correct (Table 4.4 of abeyratne2017), 8.4 of rows (8.2 of
// them stuck) and 24.5 small stuck ones. Failures an hour: 0.025, 0.017496 by the first, 0.008694 by rows
// under data.
TEST(CheckpointLocationStudyTest, StrongEccLeavesTheCheckpointsOfFailedChipsReadable) {
  constexpr double wide = 0.017496, all = 0.025 + wide + 0.008694;
  const std::string size = "checkpoint=128MiB";
  const Row strong = location.run({size, "failures={}"});
  EXPECT_NEAR(strong.number("mttf_s"), 3600 / all, 1);
  const double beside = 17.0 / 24 * 24.5e-9 * 43'800;
  EXPECT_NEAR(strong.number("lost_percent"), 100 * (0.0091 + wide * beside) / all, 0.001);
  const Row normal = location.run({size, "failures.ecc=normal", "failures.scrub=0s"});
  const double rows = 3.69e-4 / all;
  EXPECT_NEAR(normal.number("lost_percent"), 100 * (0.0091 + wide + (all - 0.0091 - wide) * rows) / all,
              0.01);
  EXPECT_LT(location.run({size, "failures.ecc=normal", "failures.scrub=1h"}).number("lost_percent"),
            normal.number("lost_percent"));
}

// 37 s from one checkpoint to the next, and 32 s to read one; 5 s of 37 are work.
TEST(CheckpointLocationStudyTest, FailuresCostTheWayBackToTheSsd) {
  const Row row = location.run({"checkpoint=1000MB", "policy=ssd", "iterations=100000", "failures={}"});
  EXPECT_NEAR(row.number("loss_s"), 50.5, 0.001);
  EXPECT_NEAR(row.number("loss_to_ssd_s"), 50.5, 0.001);
  EXPECT_NEAR(row.number("work_percent"), 100 * 5 / 37.0 * (1 - 50.5 / row.number("mttf_s")), 1e-5);
  EXPECT_TRUE(location.run({}).is_empty("work_percent"));
}

// All rows of the memory are then under data, whatever the size of the checkpoint.
TEST(CheckpointLocationStudyTest, ACheckpointThatIsNotInDramTakesNoRowsFromTheData) {
  for (const char* policy : {"policy=ssd", "policy=none", "policy=clc"})
    for (const char* size : {"checkpoint=100MB", "checkpoint=1000MB"}) {
      const Row row = location.run({policy, size, "compute=8min", "failures={}"});
      EXPECT_NEAR(row.number("mttf_s"), 3600 / (0.025 + 24.6e-9 * 1'080'000), 1) << policy << size;
      EXPECT_TRUE(row.is_empty("lost_percent"));
    }
}

TEST(CheckpointLocationStudyTest, ATerminalShowsWhatFailuresCost) {
  const Study study = location.read({"failures={}", "policy=clc,ssd"});
  const std::string text = to_table(study, run_all(study, 1)),
                    columns = text.substr(0, text.find("columns that do not fit"));
  for (const char* column : {" work ", " lost "}) EXPECT_NE(columns.find(column), std::string::npos) << text;
}

TEST(CheckpointLocationStudyTest, RefusesCheckpointsThatTheMemoryOfFailuresDoesNotHold) {
  EXPECT_NE(location.mistake({"checkpoint=4GB", "failures={}"})
                .find("failures.memory: a checkpoint of 8 ranks, 4GB each, is larger than 24GiB"),
            std::string::npos);
}

TEST(CheckpointLocationStudyTest, SweepsPoliciesAndSizes) {
  EXPECT_EQ(
      location.read({"policy=none,ramdisk,ssd,ratio,clc", "checkpoint=100MB:1000MB:100MB"}).points.size(),
      50u);
}

TEST(CheckpointLocationStudyTest, RefusesWhatFitsNowhere) {
  const auto refused = [](const std::vector<std::string>& given) { return location.mistake(given); };
  EXPECT_EQ(refused({"checkpoint=200GB"}),
            "command line: error: checkpoint: a checkpoint of 8 ranks, 200GB each, is larger than the SSD of "
            "800GB");
  EXPECT_EQ(
      refused({"policy=ramdisk", "checkpoint=2GB", "tmpfs_size=4GB"}),
      "command line: error: checkpoint: a checkpoint of 8 ranks, 2GB each, is larger than the ramdisk of "
      "4GB");
  for (const char* bandwidth : {"ssd", "ramdisk"})
    EXPECT_NE(refused({std::string(bandwidth) + "=0MB/s"}).find(std::string(bandwidth) + ": expected"),
              std::string::npos);
  for (const char* count : {"iterations", "ranks", "ramdisk_writes"})
    EXPECT_NE(refused({std::string(count) + "=0"}).find(std::string(count) + ": expected an integer from 1"),
              std::string::npos);
  EXPECT_EQ(refused({"checkpoint=2GB", "tmpfs_size=4GB"}), "none");
  EXPECT_EQ(
      refused({"pbw_used=15000TB"}),
      "command line: error: pbw_used: expected a value that is no more than pbw_rating, got \"15000TB\"");
  EXPECT_EQ(refused({"bound=-0.1"}),
            "command line: error: bound: expected a number from 0.0 to 1.0, got -0.1");
  EXPECT_NE(refused({"compute=0s"}), "none");
  EXPECT_NE(refused({"ssd=0MB/s"}), "none");
  EXPECT_NE(refused({"policy=ssd", "ple=true"}), "none");
  for (const std::string key : {"ramdisk=5GB/s", "ramdisk_writer=1GB/s", "ramdisk_writes=2"})
    EXPECT_EQ(refused({"medium.type=cxl", key})
                  .find("command line: error: " + key.substr(0, key.find('=')) +
                        ": expected a value that is not given beside medium, whose engine measures"),
              0u);
}

// The ASIC writes 8 GB in 0.2 s, the FPGA in 0.4 s, the default ramdisk in 1.3 s, the SSD in 32 s.
TEST(CheckpointLocationStudyTest, AnExpanderIsAPlaceBetweenDramAndTheSsd) {
  const std::string ram = "policy=ramdisk", size = "checkpoint=1000MB";
  const Row asic = location.run({ram, size, "medium.type=cxl"});
  EXPECT_NEAR(asic.number("checkpoint_s"), 100 * 8 / 40.5, 1);
  const Row fpga = location.run({ram, size, "medium.type=cxl", "medium.expander=fpga"});
  EXPECT_NEAR(fpga.number("checkpoint_s"), 100 * 8 / 19.2, 1);
  EXPECT_GT(location.run({ram, size}).number("checkpoint_s"), fpga.number("checkpoint_s"));
  EXPECT_NEAR(location.run({"policy=ssd", size}).number("checkpoint_s"), 100 * 32, 1);
}

// In the memory of the nodes, 36.4% of other failures and all wide faults in normal mode take the checkpoint
// along. Wide faults and rows of the expander are noticed at a restart or by the scrubber.
TEST(CheckpointLocationStudyTest, AnExpanderKeepsWhatFailuresOfTheNodeLose) {
  const std::vector<std::string> keys = {"checkpoint=1000MB", "medium.type=cxl"};
  const auto lost = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = keys;
    all.insert(all.end(), more.begin(), more.end());
    return location.run(all).number("lost_percent");
  };
  EXPECT_EQ(lost({"failures={}"}), 0);
  constexpr double wide = 0.017496, row = 0.009072, all = 0.025 + wide + row;
  EXPECT_NEAR(lost({"failures.medium_keeps=false"}), 100 * 0.0091 / all, 0.01);
  // A third of the devices, unread until the next failure; transient faults of rows are few.
  const double failed = 1 - std::exp(-8e9 / (24 * 1.073741824e9) * (wide + row) / all);
  EXPECT_NEAR(lost({"failures.ecc=normal", "failures.scrub=0s"}), 100 * failed, 0.5);
  EXPECT_LT(lost({"failures.ecc=normal", "failures.scrub=1h"}), 2);
}

}  // namespace
}  // namespace asterism
