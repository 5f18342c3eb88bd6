// The app buddy_ring: where its copies are stored, and which messages it prints when it cannot run.
#include <gmock/gmock.h>

#include <regex>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// The summary breaks long lines.
std::string one_line(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

struct BuddyRingTest : CommandTest {
  // Three ranks with firmware, and a spare, node 3. The scenario's faults and expectations are removed.
  Ended ring(const Arguments& more) const {
    Arguments all{"run",
                  "buddy_cluster",
                  "expect={}",
                  "faults=[]",
                  "cluster.nodes=3",
                  "cluster.firmware_nodes=3",
                  "cluster.firmware_spares=1",
                  "cluster.spares=0",
                  "cluster.program.words=1000",
                  "cluster.checkpoint.global_every=0",
                  "--out",
                  "run"};
    all.insert(all.end(), more.begin(), more.end());
    return asterism(all);
  }
  std::uint64_t of_ssd(const std::string& node, const std::string& count) const {
    return json("run/stats.json")[node]["dimm_ssd"][count];
  }
};

TEST_F(BuddyRingTest, KeepsItsWardsCopyOnTheSsdAndReadsItForTheSpare) {
  const Ended ended =
      ring({"cluster.checkpoint.placement=half_ssd", "cluster.checkpoint.restart_from_beginning=false",
            R"(faults=[{"at": "8ms", "kind": "node_loss", "node": 1}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("equal to the result of the sequential program\n"));
  EXPECT_THAT(ended.out, HasSubstr("node3: buddy_ring: epoch 2: rank 1 resumes from version "));
  EXPECT_EQ(of_ssd("node2", "restores"), 1u);  // rank 1's copy; node 2 is its buddy
  EXPECT_EQ(of_ssd("node0", "restores"), 0u);  // it would be rank 2's copy, but rank 2 is not lost
  EXPECT_GE(of_ssd("node0", "checkpoints_committed"), 5u);
}

TEST_F(BuddyRingTest, KeepsAllCopiesOnTheSsdAndReadsEachForItsRank) {
  const Ended ended = ring(
      {"cluster.checkpoint.placement=full_ssd", "cluster.checkpoint.restart_from_beginning=false",
       "cluster.checkpoint.global_every=2", R"(faults=[{"at": "8ms", "kind": "node_loss", "node": 1}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("equal to the result of the sequential program\n"));
  EXPECT_THAT(ended.out, HasSubstr("node3: buddy_ring: epoch 2: rank 1 resumes from version "));
  EXPECT_GE(of_ssd("node0", "checkpoints_committed"), 10u);  // five of its own, five of rank 2's
  EXPECT_GE(of_ssd("node0", "restores"), 1u);                // its own copy, for the rollback
  EXPECT_GE(of_ssd("node2", "restores"), 2u);                // its own, and as the buddy rank 1's
}

TEST_F(BuddyRingTest, TheLocalCopyTakesTheSsdsTimeWhereItLiesThere) {
  const auto dump_of = [&](const std::string& placement) {
    EXPECT_EQ(ring({"cluster.checkpoint.placement=" + placement}).status, 0);
    return json("run/stats.json")["node"]["checkpoint_costs"]["dump_ps"].get<std::uint64_t>();
  };
  EXPECT_GT(dump_of("full_ssd"), 2 * dump_of("half_ssd"));
}

TEST_F(BuddyRingTest, OnlyNodesWithFirmwareReportTheCostsOfACheckpoint) {
  const Ended ended = ring({"cluster.checkpoint.global_every=1", "cluster.network.bandwidth=200MB/s",
                            "cluster.program.messages=40", "cluster.program.words=4096",
                            R"(faults=[{"at": "6ms", "kind": "node_loss", "node": 1}])"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const auto stats = json("run/stats.json");
  const auto& costs = stats["node"]["checkpoint_costs"];
  EXPECT_EQ(costs["state_bytes"], 4096 * 8);
  EXPECT_GT(costs["overlap_ps"], 100'000'000);    // 32 KiB at 200 MB/s take 160 us
  EXPECT_GT(costs["restart_ps"], 1'000'000'000);  // the loss is noticed after 1 ms
  for (const char* cost : {"dump_ps", "overhead_ps", "drain_bytes_per_second"})
    EXPECT_GT(costs[cost], 0) << cost;
  EXPECT_LT(costs["dump_ps"], costs["overlap_ps"]);
  const auto& all = stats["cluster"];
  EXPECT_EQ(all["steps"].get<int>() - all["lost_steps"].get<int>(), 3 * 60);
  EXPECT_GE(all["dumps"], 3 * 5);
  EXPECT_GT(all["stalled_ps"], all["dumps"].get<std::uint64_t>() * costs["dump_ps"].get<std::uint64_t>() / 2);
  EXPECT_FALSE(all.contains("checkpoint_costs"));
  const Ended scaled =
      asterism({"study", "cluster_scale", "nodes=100", "runs=2", "work=1h", "node_stats=run/stats.json"});
  EXPECT_EQ(scaled.status, 0) << scaled.err;
}

TEST_F(BuddyRingTest, InMemoryNothingGoesToTheSsd) {
  const Ended ended = ring({R"(faults=[{"at": "4ms", "kind": "node_loss", "node": 0}])"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("equal to the result of the sequential program\n"));
  for (const char* node : {"node1", "node2", "node3"})
    EXPECT_EQ(of_ssd(node, "checkpoints_committed"), 0u) << node;
}

TEST_F(BuddyRingTest, ALongerOverlapGivesCopiesFewerTickets) {
  const auto overlap_time = [&](const std::string& wanted) {
    const Ended ended =
        ring({"cluster.network.policy=lottery", "cluster.network.bandwidth=150MB/s",
              "cluster.program.words=4096", "cluster.program.messages=40", "cluster.program.steps=45",
              "cluster.checkpoint.interval=20", "cluster.checkpoint.overlap=" + wanted});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    const std::string before = "overlaps ";
    const auto at = ended.out.find(before);
    return at == std::string::npos ? 0 : std::stoul(ended.out.substr(at + before.size()));
  };
  EXPECT_GT(overlap_time("2ms"), 2 * overlap_time("1us"));
}

TEST_F(BuddyRingTest, ASsdTooSmallForTheCopiesIsTheVerdictAndUsesNoSpare) {
  const Ended ended =
      ring({"cluster.checkpoint.placement=full_ssd", "cluster.program.words=65536",
            "node.dimm_ssd.part=toshiba_2013_slc_4k", "node.dimm_ssd.packages=1", "node.dimm_ssd.blocks=5"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(one_line(ended.out),
              ContainsRegex("ended not recoverable: node[012]: its firmware exited with "
                            "status 3: buddy_ring: keeping version [0-9]+ of (this rank|the protected rank) "
                            "on the SSD: no space on the device"));
  EXPECT_THAT(ended.out, HasSubstr("0 of 1 spare used\n"));
}

TEST_F(BuddyRingTest, WithoutASpareTheVerdictSaysWhatTheNodeFailedBy) {
  const Ended ended = ring({"cluster.checkpoint.placement=full_ssd", "node.dimm_ssd.versions=1"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(
      one_line(ended.out),
      ContainsRegex("ended not recoverable: no spare with firmware is left for rank [012]: node[0-3]: "
                    "its firmware exited with status 1: buddy_ring: dropping version "));
}

TEST_F(BuddyRingTest, WantsANicAndACluster) {
  const Ended without = firmware("buddy_ring");
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.out, HasSubstr("buddy_ring: this machine has no NIC\n"));
  const Ended alone =
      firmware("buddy_ring", {R"(node.devices.nic={"type": "nic", "base": "0x0b05_0000", "interrupt": 15})"});
  EXPECT_EQ(alone.status, 3);
  EXPECT_THAT(alone.out, HasSubstr("buddy_ring: this NIC is in no cluster\n"));
}

}  // namespace
}  // namespace asterism
