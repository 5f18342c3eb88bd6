#include "cluster/traffic_cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "base/parameter_name.h"

namespace asterism {
namespace {

constexpr std::uint64_t seed = 7;

ClusterConfig small() {
  ClusterConfig config;
  config.nodes = 4;
  config.spares = 2;
  config.program.words = 1024;  // 8 KiB: two parts
  config.program.steps = 50;
  return config;
}

std::uint64_t expected(const ClusterConfig& config) {
  return RingProgram::expected(seed, config.nodes, config.program.words, config.program.steps);
}

class CountedEvents final : public EventLog {
 public:
  void record(Picoseconds, std::string_view, std::string_view kind,
              std::initializer_list<Detail> details) override {
    ++count[std::string(kind)];
    for (const auto& [name, value] : details)
      if (const auto* number = std::get_if<std::uint64_t>(&value))
        last[std::string(kind) + "." + std::string(name)] = *number;
  }
  std::map<std::string, int> count;
  std::map<std::string, std::uint64_t> last;
};

struct ClusterRun {
  explicit ClusterRun(const ClusterConfig& config, std::vector<NodeLoss> losses = {})
      : cluster(config, seed, events) {
    for (const NodeLoss& loss : losses) cluster.inject(loss);
    cluster.begin();
    outcome = cluster.run(100_s);
  }
  std::uint64_t figure(const std::string& name) const {
    Statistics costs;
    cluster.report_costs(costs);
    for (const auto& [key, value] : costs.entries())
      if (key == name) return std::get<std::uint64_t>(value);
    throw std::out_of_range(name);
  }
  CountedEvents events;
  TrafficCluster cluster;
  std::optional<Management::Outcome> outcome;
};

TEST(TrafficClusterTest, ComputesWhatTheRingComputesInOnePiece) {
  for (const std::uint32_t nodes : {2u, 3u, 7u}) {
    ClusterConfig config = small();
    config.nodes = nodes;
    ClusterRun run(config);
    ASSERT_TRUE(run.outcome) << nodes;
    EXPECT_TRUE(run.outcome->finished);
    EXPECT_EQ(run.outcome->result, expected(config)) << nodes;
    EXPECT_EQ(run.events.count["checkpoint_commit"], 4);  // the last step is not followed by one
    EXPECT_EQ(run.events.last["checkpoint_commit.version"], 40u);
  }
}

TEST(TrafficClusterTest, RecordsThePlaceOfEveryCopy) {
  ClusterConfig config = small();
  const ClusterRun without(config);
  EXPECT_EQ(without.events.count.at("copy_held"),
            4 * 4 * 2);  // for each rank and version its own copy and its buddy's
  config.checkpoint.global_every = 2;
  const ClusterRun with(config);
  EXPECT_EQ(with.events.count.at("copy_held"), 4 * 4 * 2 + 4 * 2);
  EXPECT_EQ(with.events.last.at("copy_held.version"), 40u);
  EXPECT_EQ(with.events.last.at("copy_held.node"), config.storage_node());
}

struct ALoss : testing::TestWithParam<Loss> {};

// The loss happens in the middle of the sixth step after a checkpoint.
TEST_P(ALoss, CostsWorkButNotTheResult) {
  for (const auto& [placement, name, meaning] : enum_names(CopyPlacement{}))
    for (const auto protocol : {CheckpointProtocol::blocking, CheckpointProtocol::semi_blocking})
      for (const NodeNumber node : {0u, 2u}) {
        ClusterConfig config = small();
        config.checkpoint.placement = placement;
        config.checkpoint.protocol = protocol;
        ClusterRun run(config, {{.at = 2700_us, .node = node, .loss = GetParam()}});
        ASSERT_TRUE(run.outcome);
        EXPECT_TRUE(run.outcome->finished) << run.outcome->reason;
        EXPECT_EQ(run.outcome->result, expected(config));
        EXPECT_EQ(run.events.count["recovery"], 1);
        EXPECT_GE(run.events.last["rollback.version"], 20u);
        const bool moves = GetParam() == Loss::node || GetParam() == Loss::link;
        EXPECT_EQ(run.cluster.management().membership().node_of_rank[node], moves ? 4 : node);
        EXPECT_EQ(run.figure("restart_ps") != 0, moves);
      }
}
INSTANTIATE_TEST_SUITE_P(Kinds, ALoss,
                         testing::Values(Loss::node, Loss::link, Loss::memory, Loss::ssd, Loss::gpu),
                         ParameterName());

TEST(TrafficClusterTest, ALossBeforeTheFirstCommitRestartsTheProgramOrEndsTheRun) {
  ClusterConfig config = small();
  const std::vector<NodeLoss> losses{{.at = 300_us, .node = 1}};
  config.detection = 100_us;
  ClusterRun anew(config, losses);
  ASSERT_TRUE(anew.outcome);
  EXPECT_EQ(anew.outcome->result, expected(config));
  EXPECT_EQ(anew.events.last["rollback.version"], 0u);
  config.checkpoint.restart_from_beginning = false;
  ClusterRun ended(config, losses);
  ASSERT_TRUE(ended.outcome);
  EXPECT_FALSE(ended.outcome->finished);
  EXPECT_EQ(ended.outcome->reason, "no checkpoint is left of every rank: none at all of rank 0, 1, 2, 3");
}

const std::vector<NodeLoss> both_buddies{{.at = 2800_us, .node = 1}, {.at = 2810_us, .node = 2}};

TEST(TrafficClusterTest, TheLossOfTwoBuddiesIsNotRecoverableWithoutAGlobalStore) {
  ClusterConfig config = small();
  config.checkpoint.restart_from_beginning = false;
  ClusterRun run(config, both_buddies);
  ASSERT_TRUE(run.outcome);
  EXPECT_FALSE(run.outcome->finished);
  EXPECT_EQ(run.outcome->reason, "no checkpoint is left of every rank: none at all of rank 1");
}

TEST(TrafficClusterTest, TheGlobalStoreOutlivesTheLossOfTwoBuddies) {
  ClusterConfig config = small();
  config.checkpoint.restart_from_beginning = false;
  config.checkpoint.global_every = 1;
  ClusterRun run(config, both_buddies);
  ASSERT_TRUE(run.outcome);
  EXPECT_TRUE(run.outcome->finished) << run.outcome->reason;
  EXPECT_EQ(run.outcome->result, expected(config));
  EXPECT_EQ(run.events.last["rollback.version"], 20u);
  EXPECT_GT(run.events.count["global_commit"], 3);
  EXPECT_GT(run.figure("drain_bytes_per_second"), 100'000'000u);
  EXPECT_LT(run.figure("drain_bytes_per_second"), 1'000'000'000u);  // four ranks share the store's link
}

TEST(TrafficClusterTest, ALossWithoutASpareEndsTheRun) {
  ClusterConfig config = small();
  config.spares = 0;
  ClusterRun run(config, {{.at = 2_ms, .node = 1}});
  ASSERT_TRUE(run.outcome);
  EXPECT_FALSE(run.outcome->finished);
  EXPECT_EQ(run.outcome->reason, "no traffic spare is left for rank 1");
  // When a link is up again, its node returns.
  ClusterRun back(config, {{.at = 2_ms, .node = 1, .loss = Loss::link, .restore_after = 500_us}});
  ASSERT_TRUE(back.outcome);
  EXPECT_TRUE(back.outcome->finished);
  EXPECT_EQ(back.outcome->result, expected(config));
}

// Node 1's link is down from 2 ms to 4 ms. There is one spare, node 4, which is lost, so that the run needs
// node 1 again.
TEST(TrafficClusterTest, ANodeThatDiesWhileItsLinkIsDownDoesNotComeBack) {
  ClusterConfig config = small();
  config.spares = 1;
  std::vector<NodeLoss> losses{{.at = 2_ms, .node = 1, .loss = Loss::link, .restore_after = 2_ms},
                               {.at = 6_ms, .node = 4}};
  ClusterRun back(config, losses);
  ASSERT_TRUE(back.outcome);
  EXPECT_TRUE(back.outcome->finished) << back.outcome->reason;
  for (const Picoseconds at : {2500_us, 3500_us}) {  // before the management detects it, and after
    losses.push_back({.at = at, .node = 1});
    ClusterRun dead(config, losses);
    ASSERT_TRUE(dead.outcome);
    EXPECT_EQ(dead.outcome->reason, "no traffic spare is left for rank 1");
    EXPECT_EQ(dead.events.count["node_loss"], 3);
    EXPECT_EQ(dead.cluster.ineffective_faults(), 0u);
    losses.pop_back();
  }
}

TEST(TrafficClusterTest, AFaultOfALostNodeChangesNothingAndIsCounted) {
  const ClusterConfig config = small();
  std::vector<NodeLoss> losses{{.at = 2_ms, .node = 1, .loss = Loss::link, .restore_after = 2_ms}};
  ClusterRun once(config, losses);
  for (const Loss loss : {Loss::memory, Loss::ssd, Loss::gpu, Loss::link})
    losses.push_back({.at = 3_ms, .node = 1, .loss = loss});
  losses.push_back({.at = 3_ms, .node = 2});
  losses.push_back({.at = 3500_us, .node = 2});
  ClusterRun run(config, losses);
  ASSERT_TRUE(run.outcome && once.outcome);
  EXPECT_EQ(once.cluster.ineffective_faults(), 0u);
  EXPECT_EQ(run.cluster.ineffective_faults(), 5u);
  EXPECT_EQ(run.cluster.management().losses(), 2u);
  EXPECT_EQ(run.outcome->result, expected(config));
}

TEST(TrafficClusterTest, RefusesALossOfANodeThatDoesNotExist) {
  ClusterConfig config = small();
  config.checkpoint.global_every = 1;
  NoEventLog events;
  TrafficCluster cluster(config, seed, events);
  EXPECT_NO_THROW(cluster.inject({.at = 1_s, .node = 5}));
  EXPECT_THROW(cluster.inject({.at = 1_s, .node = 6}), std::invalid_argument);  // the store
  EXPECT_THROW(cluster.inject({.at = 1_s, .node = 7}), std::invalid_argument);
  config.nodes = 1;
  EXPECT_THROW(TrafficCluster(config, seed, events), std::invalid_argument);
}

// ---- costs ----

// 256 KiB a rank, for which a link of 25 MB/s takes 10 ms; a step takes 1 ms.
ClusterConfig heavy() {
  ClusterConfig config = small();
  config.program.words = 32 * 1024;
  config.program.steps = 60;
  config.program.step_time = 1_ms;
  config.checkpoint.interval = 20;
  config.network.bandwidth = Bandwidth(25'000'000);
  return config;
}

TEST(TrafficClusterCostTest, SemiBlockingTakesLessOfTheProgramThanBlocking) {
  ClusterConfig config = heavy();
  ClusterRun semi(config);
  config.checkpoint.protocol = CheckpointProtocol::blocking;
  ClusterRun blocking(config);
  ASSERT_TRUE(semi.outcome && blocking.outcome);
  // Two checkpoints, of about 10 ms on the link each; the dump takes 26 us.
  EXPECT_EQ(semi.figure("dump_ps"), blocking.figure("dump_ps"));
  EXPECT_EQ(semi.figure("dump_ps"), transfer_time(256_KiB, 10_GBps).count());
  EXPECT_GT(blocking.outcome->at, semi.outcome->at + 18_ms);
  EXPECT_LT(blocking.outcome->at, semi.outcome->at + 24_ms);
}

// All policies give the same result; only times differ.
std::uint64_t overhead_by(SendPolicy policy, Picoseconds overlap = {}) {
  ClusterConfig config = heavy();
  config.program.messages = 40;  // with their headers they take half of a step on the link
  config.program.message_size = 250_B;
  config.network.policy = policy;
  config.checkpoint.overlap = overlap;
  ClusterRun run(config);
  EXPECT_EQ(run.outcome.value().result, expected(config));
  return run.figure("overhead_ps");
}

TEST(TrafficClusterCostTest, OpportunisticSendingDelaysTheProgramLeast) {
  const std::uint64_t opportunistic = overhead_by(SendPolicy::opportunistic),
                      lottery = overhead_by(SendPolicy::lottery), shared = overhead_by(SendPolicy::shared);
  EXPECT_LT(opportunistic, lottery);
  EXPECT_LT(lottery, shared);
}

// A restart reads only the lost node's copies from an SSD, not those of all nodes (ni2012, figure 5.8).
TEST(TrafficClusterCostTest, RestartIsFasterIfLessIsReadFromSsds) {
  std::map<CopyPlacement, std::uint64_t> restart;
  for (const auto& [placement, name, meaning] : enum_names(CopyPlacement{})) {
    ClusterConfig config = heavy();
    config.network.bandwidth = 5_GBps;
    config.checkpoint.placement = placement;
    ClusterRun run(config, {{.at = 30_ms, .node = 2}});
    EXPECT_EQ(run.outcome.value().result, expected(config));
    restart[placement] = run.figure("restart_ps");
  }
  EXPECT_LT(restart[CopyPlacement::memory], restart[CopyPlacement::half_ssd]);
  EXPECT_LT(restart[CopyPlacement::half_ssd], restart[CopyPlacement::full_ssd]);
}

// The longer the requested overlap, the more tickets the program gets (ni2012, section 4.3).
TEST(TrafficClusterCostTest, TheRequestedOverlapSetsTheTickets) {
  std::uint64_t overlaps[3];
  const Picoseconds wanted[3] = {12_ms, 15_ms, 18_ms};
  for (int i = 0; i < 3; ++i) {
    ClusterConfig config = heavy();
    config.program.messages = 40;
    config.program.message_size = 250_B;
    config.network.policy = SendPolicy::lottery;
    config.checkpoint.overlap = wanted[i];
    ClusterRun run(config);
    overlaps[i] = run.figure("overlap_ps");
  }
  EXPECT_LT(overlaps[0], overlaps[1]);
  EXPECT_LT(overlaps[1], overlaps[2]);
}

TEST(TrafficClusterTest, IsTheSameForASeed) {
  ClusterConfig config = small();
  config.network.policy = SendPolicy::lottery;
  config.program.messages = 3;
  const std::vector<NodeLoss> losses{{.at = 2800_us, .node = 1}};
  ClusterRun first(config, losses), again(config, losses);
  EXPECT_EQ(first.outcome.value().at, again.outcome.value().at);
  EXPECT_EQ(first.cluster.event_queue().events(), again.cluster.event_queue().events());
}

// Without checkpoints, a step of two parts with two messages each computes for 100 us, and exchanges the
// halos and the two bursts, each through two host threads.
TEST(TrafficClusterTest, WaitsForTheMessagesOfEachPart) {
  ClusterConfig config = small();
  config.checkpoint.interval = config.program.steps;
  const auto time = [&] { return ClusterRun(config).outcome.value(); };
  const Management::Outcome spread = time();
  config.program.messages = 4;
  config.program.message_size = Bytes(4096);
  EXPECT_LT(time().at, spread.at + 1_ms) << "nobody waits";
  config.program.parts = 2;
  config.network.host_thread = 100_MBps;
  const Management::Outcome waits = time();
  EXPECT_EQ(waits.result, expected(config));
  // A frame of 4168 B takes 41.68 us of a thread: four of them in each part. Halos of 80 B take 0.8 us.
  const double step = 100 + 2 * (4 * 41.68 + 4.168 / 5 + 1) + 4 * 0.8 + 1;
  EXPECT_NEAR(static_cast<double>(waits.at.count()) / 1e6 / 50, step, 0.02 * step);
}

// Two ranks wait for the slower one in each step. The larger of two numbers that are uniform in [-1, 1] is
// 1/3 on average, with a standard deviation of sqrt(2 / 9).
TEST(TrafficClusterTest, AStepWithAJitterTakesAsLongAsTheSlowestRank) {
  ClusterConfig config = small();
  config.nodes = 2;
  config.program.steps = 400;
  config.checkpoint.interval = config.program.steps;
  config.program.parts = 1;
  const auto step = [&] {
    return static_cast<double>(ClusterRun(config).outcome.value().at.count()) / 1e6 / 400;
  };
  const double even = step();
  EXPECT_NEAR(even, 100 + 1, 1);  // and the halos' latency
  config.program.jitter = 0.6;
  const double uneven = step();
  EXPECT_NEAR(uneven - even, 100 * 0.6 / 3, 3 * 100 * 0.6 * 0.4714 / 20);
  EXPECT_EQ(ClusterRun(config, {{.at = 5_ms, .node = 0, .loss = Loss::node}}).outcome.value().result,
            expected(config));
}

TEST(TrafficClusterTest, RefusesAJitterWithoutParts) {
  ClusterConfig config = small();
  config.program.jitter = 0.1;
  EXPECT_EQ(find_problem(config)->key, "program.jitter");
  config.program.parts = 1;
  EXPECT_FALSE(find_problem(config));
  config.program.jitter = 1.5;
  EXPECT_EQ(find_problem(config)->key, "program.jitter");
}

TEST(TrafficClusterTest, ComputesTheSameWithAHostThreadAfterALoss) {
  ClusterConfig config = small();
  config.program.messages = 4;
  config.program.parts = 2;
  config.network.host_thread = 100_MBps;
  for (const NodeNumber node : {0u, 2u}) {
    ClusterRun run(config, {{.at = 5_ms, .node = node, .loss = Loss::node}});
    ASSERT_TRUE(run.outcome);
    EXPECT_EQ(run.outcome->result, expected(config));
    EXPECT_EQ(run.events.count["recovery"], 1);
  }
}

TEST(TrafficClusterTest, RefusesPartsWithoutAWholeNumberOfMessages) {
  ClusterConfig config = small();
  config.program.messages = 3;
  config.program.parts = 2;
  EXPECT_EQ(find_problem(config)->key, "program.messages");
  config.program.messages = 4;
  EXPECT_FALSE(find_problem(config));
  config.firmware_nodes = 1;
  EXPECT_EQ(find_problem(config)->key, "program.parts");
}

}  // namespace
}  // namespace asterism
