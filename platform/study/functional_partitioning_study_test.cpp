#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest partitioning(R"({"kind": "functional_partitioning"})");

TEST(FunctionalPartitioningStudyTest, WritesACheckpointIntoTheSsdsOfAllNodes) {
  const Row row = partitioning.run({});
  EXPECT_NEAR(row.number("rate_mbps"), 3500, 5);
  EXPECT_EQ(row.number("written_mb"), 30'000);
  EXPECT_EQ(row.number("remote_mb"), 0);
  EXPECT_NEAR(row.number("time_s"), 30'000 / row.number("rate_mbps"), 1e-9);
  EXPECT_TRUE(row.is_empty("nodes_by_lifetime"));
  EXPECT_TRUE(row.is_empty("disk_run_s"));
}

TEST(FunctionalPartitioningStudyTest, SecondCoreHashesWhileTheFirstStores) {
  const Row one = partitioning.run({"duplicates=0.25"}), two = partitioning.run({"duplicates=0.25", "x=2"});
  EXPECT_NEAR(two.number("rate_mbps") / one.number("rate_mbps"), 1.67, 0.01);
  EXPECT_EQ(one.count("duplicates_found"), 120u * 62);
  EXPECT_NEAR(one.number("one_core_mbps"), one.number("rate_mbps"), 10);
}

TEST(FunctionalPartitioningStudyTest, MemoryOf1GBFillsUp) {
  EXPECT_EQ(partitioning.run({"store=memory", "clients=80"}).count("waits"), 0u);
  EXPECT_GT(partitioning.run({"store=memory", "clients=100"}).count("waits"), 0u);
  EXPECT_EQ(partitioning.run({"store=memory", "clients=100", "capacity=2GB"}).count("waits"), 0u);
}

// Of five checkpoints of 140 clients each replaces the one before, which by then has passed the disks.
TEST(FunctionalPartitioningStudyTest, SeriesInMemoryEndsAtTheRateOfTheDisks) {
  const Row row = partitioning.run({"store=memory", "clients=140", "checkpoints=5"});
  EXPECT_NEAR(row.number("last_rate_mbps"), 1700, 1);
  EXPECT_GT(row.number("rate_mbps"), row.number("last_rate_mbps"));
  EXPECT_EQ(row.number("pause_s"), 0);
}

// GTC in li2010 Table I, with the two parameters of figure 4.
TEST(FunctionalPartitioningStudyTest, AnswersWhatIsArithmeticWhenAsked) {
  const Row row = partitioning.run({"node_checkpoint=2880MB", "t_c=20s", "d=8500MB"});
  EXPECT_EQ(row.count("nodes_by_lifetime"), 21u);
  EXPECT_EQ(row.count("nodes_by_capacity"), 11u);
  EXPECT_DOUBLE_EQ(row.number("disk_run_s"), 120);
  EXPECT_NEAR(row.number("ssd_run_s"), 68.57, 0.01);
}

TEST(FunctionalPartitioningStudyTest, RefusesWhatIsNoStore) {
  const auto refused = [](const std::vector<std::string>& given) { return partitioning.mistake(given); };
  EXPECT_NE(refused({"pause=1s"}).find("is 2 or more if pause or traffic is given"), std::string::npos);
  EXPECT_NE(refused({"checkpoints=2", "traffic=1GB"}).find("is 0 unless memory is given"), std::string::npos);
  EXPECT_EQ(refused({"checkpoints=2", "traffic=1GB", "pause=1s", "memory=4GB/s"}), "none");
  EXPECT_EQ(refused({"x=8"}),
            "command line: error: x: expected a value that leaves a core to compute: is below y, got 8");
  EXPECT_EQ(refused({"x=9", "y=8"}),
            "command line: error: x: expected a value that leaves a core to compute: is below y, got 9");
  EXPECT_EQ(refused({"clients=141"}),
            "command line: error: clients: there are no more clients than cores that compute");
  EXPECT_EQ(refused({"x=0"}), "command line: error: x: without FP cores a node writes to its own disk");
  EXPECT_EQ(
      refused({"drain=false", "checkpoint=20GB"}),
      "command line: error: checkpoint: without draining, the benefactors together hold the checkpoint");
  EXPECT_EQ(refused({"capacity=500kB"}),
            "command line: error: capacity: a benefactor holds at least one chunk");
  EXPECT_EQ(refused({"chunk=1B"}),
            "command line: error: chunk: 120 clients' checkpoints of 250MB in chunks of 1B are more than "
            "100,000,000 chunks");
  EXPECT_EQ(refused({"checkpoint=1TB"}),
            "command line: error: checkpoint: 120 clients' checkpoints of 1TB in chunks of 1MB are more than "
            "100,000,000 chunks");
  EXPECT_EQ(refused({"drain=false", "drain_every=3"}),
            "command line: error: drain_every: no checkpoint is selected to be drained without draining");
  EXPECT_EQ(refused({"store=memory", "chunk=2GB"}),
            "command line: error: chunk: a benefactor holds at least one chunk");
  EXPECT_EQ(refused({"drain=false", "clients=140", "capacity=1GB"}),
            "command line: error: capacity: without draining, the benefactors together hold the checkpoint");
  EXPECT_NE(refused({"t_c=20s"}), "none");
  EXPECT_NE(refused({"duplicates=-1"}), "none");
  for (const char* key : {"copy", "hash", "ssd", "hdd", "nic"})
    EXPECT_NE(refused({std::string(key) + "=0MB/s"}).find(std::string(key) + ": expected a bandwidth"),
              std::string::npos)
        << refused({std::string(key) + "=0MB/s"});
  EXPECT_NE(refused({"checkpoint=0B"}).find("checkpoint: expected"), std::string::npos);
  EXPECT_NE(refused({"benefactors=0"}).find("benefactors: expected an integer from 1"), std::string::npos);
}

}  // namespace
}  // namespace asterism
