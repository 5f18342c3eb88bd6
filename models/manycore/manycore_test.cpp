#include "manycore/manycore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/fields.h"

namespace asterism {
namespace {

// Every packet takes the same time.
class FixedNetwork final : public PacketNetwork {
 public:
  FixedNetwork(std::uint32_t nodes, Picoseconds latency, unsigned channel_bits = 128)
      : nodes_(nodes), latency_(latency), channel_bits_(channel_bits) {}
  std::uint32_t nodes() const override { return nodes_; }
  unsigned channel_bits() const override { return channel_bits_; }
  void send(const Packet& packet, Picoseconds now) override {
    sent.push_back(packet);
    in_flight_.push_back({now + latency_, packet});
  }
  std::optional<Picoseconds> next_event() const override {
    return in_flight_.empty() ? std::nullopt : std::optional(in_flight_.front().first);
  }
  void advance_to(Picoseconds now, Sink& sink) override {
    while (!in_flight_.empty() && in_flight_.front().first <= now) {
      sink.arrived(in_flight_.front().first, in_flight_.front().second);
      in_flight_.pop_front();
    }
  }
  void reset(Reset) override { in_flight_.clear(); }

  std::vector<Packet> sent;

 private:
  std::uint32_t nodes_;
  Picoseconds latency_;
  unsigned channel_bits_;
  std::deque<std::pair<Picoseconds, Packet>> in_flight_;
};

// A chip with one core and one controller. Tile 0 is node 1, the controller is node 0, and the core's own
// bank receives all requests.
ManycoreConfig one_core(std::uint64_t instructions) {
  return {.core = {.window = 1}, .memory = {.count = 1}, .instructions = instructions};
}
constexpr Workload all_hit_l2{.cores = 1, .l1_mpki = 1000, .l2_mpki = 0};
constexpr Workload all_miss_l2{.cores = 1, .l1_mpki = 1000, .l2_mpki = 1000};

TEST(ManycoreTest, DescriptionIsComplete) {
  EXPECT_EQ(description_problem<ManycoreConfig>(), "");
  EXPECT_EQ(description_problem<MemoryControllerConfig>(), "");
  EXPECT_EQ(description_problem<L2BankConfig>(), "");
  EXPECT_EQ(description_problem<CoherenceConfig>(), "");
}

TEST(ManycoreTest, AnswersFromTheOwnBankWithoutTheFabric) {
  FixedNetwork network(2, 10_ns);
  const ManycoreResult result = run_manycore(one_core(3), all_hit_l2, network, 1);
  EXPECT_EQ(result.time, 18_ns);  // three times six cycles
  EXPECT_TRUE(network.sent.empty());
}

TEST(ManycoreTest, FetchesAnL2MissThroughTheFabricFromMemory) {
  FixedNetwork network(2, 10_ns);
  const ManycoreResult result = run_manycore(one_core(1), all_miss_l2, network, 1);
  EXPECT_EQ(result.time, 6_ns + 10_ns + 80_ns + 10_ns);
  ASSERT_EQ(network.sent.size(), 2u);
  EXPECT_EQ(network.sent[0].flits, 1u);  // the request
  EXPECT_EQ(network.sent[1].flits, 4u);  // 64 bytes in flits of 128 bits
  EXPECT_EQ(network.sent[1].destination, 1u);
}

TEST(ManycoreTest, TakesOneRequestACycleAtABank) {
  FixedNetwork network(2, 10_ns);
  ManycoreConfig config = one_core(3);
  config.core = {.cpi = 0.25, .window = 16};  // misses at 0, 0.25 and 0.5 ns, bank cycles at 0, 1 and 2 ns
  EXPECT_EQ(run_manycore(config, all_hit_l2, network, 1).time, 8_ns);
}

TEST(ManycoreTest, HoldsABanksQueueWhileNoMshrIsFree) {
  FixedNetwork network(2, 10_ns);
  ManycoreConfig config = one_core(2);
  config.core.window = 16;
  config.l2.mshrs = 1;
  EXPECT_EQ(run_manycore(config, all_miss_l2, network, 1).time, 2 * 106_ns);
  config.l2.mshrs = 2;
  // The second block waits for the channel. Its request comes 1 ns after the first, 3 ns too early.
  config.memory.channels = 1;
  EXPECT_EQ(run_manycore(config, all_miss_l2, network, 1).time, 106_ns + 4_ns);
}

TEST(ManycoreTest, SpreadsBlocksOverBanksControllersAndChannels) {
  FixedNetwork network(12, 10_ns);
  const ManycoreConfig config{.memory = {.count = 4}, .instructions = 2'000};
  run_manycore(config, {.cores = 8, .l1_mpki = 8000, .l2_mpki = 4000}, network, 1);
  std::vector<int> to(12);
  for (const auto& packet : network.sent)
    if (packet.flits == 1) ++to[packet.destination];
  const std::vector<std::uint32_t> controllers = controller_nodes(config.memory, 12);
  for (std::uint32_t node = 0; node < 12; ++node) {
    const bool memory = std::find(controllers.begin(), controllers.end(), node) != controllers.end();
    // Of 16,000 misses in banks, 1/8 come from the bank's own core.
    EXPECT_NEAR(to[node], memory ? 2'000 : 1'750, 150) << node;
  }
}

TEST(ManycoreTest, RunsTheSameForOneSeedAndAfterReset) {
  FixedNetwork network(10, 7_ns);
  Manycore chip({.memory = {.count = 2}, .instructions = 1'000}, {.cores = 8, .l1_mpki = 400, .l2_mpki = 100},
                network, 5);
  struct Ends final : Manycore::Sink {
    void core_finished(Picoseconds at, std::uint32_t core) override { all.emplace_back(at.count(), core); }
    std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
  } first, second;
  chip.advance_to(1_ms, first);
  EXPECT_EQ(first.all.size(), 8u);
  EXPECT_TRUE(chip.finished());
  const Manycore::Counts counts = chip.counts();
  EXPECT_EQ(counts.returned, counts.l1_misses);
  chip.reset(Reset::warm);
  EXPECT_FALSE(chip.finished());
  chip.advance_to(1_ms, second);
  EXPECT_EQ(first.all, second.all);
}

TEST(ManycoreTest, TakesLongerOnASlowerNetwork) {
  const ManycoreConfig config{.memory = {.count = 24}, .instructions = 2'000};
  const Workload mix4{.cores = 552, .l1_mpki = 15'899, .l2_mpki = 9'263};
  FixedNetwork fast(576, 10_ns), slow(576, 100_ns);
  EXPECT_LT(run_manycore(config, mix4, fast, 1).mean_time, run_manycore(config, mix4, slow, 1).mean_time);
}

TEST(ManycoreTest, SaysWhyARunDidNotFinish) {
  FixedNetwork network(2, 10_ns);
  const ManycoreResult result = run_manycore(one_core(1'000), all_miss_l2, network, 1, {.limit = 1_us});
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.reason, "the time limit was reached first");
  EXPECT_LE(result.time, 1_us);
}

TEST(ManycoreTest, StopsWhenAskedTo) {
  FixedNetwork network(2, 10_ns);
  std::stop_source source;
  source.request_stop();
  const ManycoreResult result =
      run_manycore(one_core(1'000), all_miss_l2, network, 1, {.stop = source.get_token()});
  EXPECT_EQ(result.reason, "stopped");
  EXPECT_FALSE(result.finished);
}

TEST(ManycoreTest, ReportsItsProgressByTheMissesThatReturned) {
  FixedNetwork network(2, 10_ns);
  std::vector<double> reported;
  run_manycore(one_core(10'000), all_miss_l2, network, 1,
               {.progress = [&](double p) { reported.push_back(p); }});
  ASSERT_GE(reported.size(), 3u);
  EXPECT_EQ(reported.front(), 0);
  EXPECT_TRUE(std::is_sorted(reported.begin(), reported.end()));
  EXPECT_LE(reported.back(), 1);
}

TEST(ManycoreTest, SendsMoreFlitsOverNarrowChannels) {
  FixedNetwork network(2, 10_ns, 64);
  run_manycore(one_core(1), all_miss_l2, network, 1);
  ASSERT_EQ(network.sent.size(), 2u);
  EXPECT_EQ(network.sent[0].flits, 2u);
  EXPECT_EQ(network.sent[1].flits, 8u);
}

// ---- coherence ----

TEST(ManycoreTest, WritesModifiedBlocksBackToBankAndMemoryWithoutWaiting) {
  FixedNetwork network(2, 10_ns);
  ManycoreConfig config = one_core(2);
  config.coherence.dirty = 1;
  const ManycoreResult result = run_manycore(config, all_miss_l2, network, 1);
  // The core's own bank takes its write-back without the fabric, from 0 to 1 ns of the port: the second miss
  // comes later. The block that returns replaces one in L2, which is sent to the controller beside the
  // answer.
  EXPECT_EQ(result.time, 2 * (6_ns + 10_ns + 80_ns + 10_ns));
  EXPECT_EQ(result.counts.write_backs, 4u);
  ASSERT_EQ(network.sent.size(), 6u);
  EXPECT_EQ(network.sent[2].flits, 4u);
  EXPECT_EQ(network.sent[2].source, 1u);
  EXPECT_EQ(network.sent[2].destination, 0u);
}

TEST(ManycoreTest, AWriteBackTakesItsChannel) {
  FixedNetwork network(2, 10_ns);
  ManycoreConfig config = one_core(2);
  config.coherence.dirty = 1;
  config.memory.channels = 1;
  config.memory.bandwidth = 640_MBps;  // 100 ns a block
  // The first block that is written back arrives at 116 ns and takes the channel to 216 ns; the second
  // request comes at 106 + 16 ns and waits for it.
  EXPECT_EQ(run_manycore(config, all_miss_l2, network, 1).time, 216_ns + 80_ns + 10_ns);
}

// Two cores and one controller, the node 0.
ManycoreConfig two_cores() { return {.core = {.window = 1}, .memory = {.count = 1}, .instructions = 500}; }
constexpr Workload two_that_hit_l2{.cores = 2, .l1_mpki = 2000, .l2_mpki = 0};

TEST(ManycoreTest, GetsAModifiedBlockFromItsOwnerInThreeHops) {
  FixedNetwork network(3, 10_ns);
  ManycoreConfig config = two_cores();
  config.coherence.owned = 1;
  const ManycoreResult result = run_manycore(config, two_that_hit_l2, network, 1);
  EXPECT_EQ(result.counts.forwards, 1000u);
  // In the own bank: 6 ns, forwarded 10, L1 2, data 10. In the other's, which is the owner: 10, 6, 2, 10.
  // With equal latencies both are 28 ns, apart from requests that meet at a bank.
  EXPECT_NEAR(static_cast<double>(result.time.count()), 500 * 28e3, 500 * 1e3);
  EXPECT_GE(result.time, 500 * 28_ns);
  std::uint64_t data = 0;
  for (const auto& packet : network.sent) data += packet.flits == 4;
  EXPECT_EQ(data, 1000u);
}

TEST(ManycoreTest, AWriterWaitsForTheAnswersOfTheSharers) {
  FixedNetwork network(3, 10_ns);
  ManycoreConfig config = two_cores();
  config.coherence = {.shared = 1, .latency = 50_cycles};
  const ManycoreResult result = run_manycore(config, two_that_hit_l2, network, 1);
  EXPECT_EQ(result.counts.invalidations, 1000u);
  // In the own bank: 6 ns, invalidation 10, L1 50, answer 10; in the other's, which has the sharer: 10, 6,
  // 50, 10. The data come before.
  EXPECT_NEAR(static_cast<double>(result.time.count()), 500 * 76e3, 500 * 1e3);
  EXPECT_GE(result.time, 500 * 76_ns);
}

TEST(ManycoreTest, MessagesComeAsOftenAsTheirShares) {
  FixedNetwork network(12, 10_ns);
  ManycoreConfig config{.memory = {.count = 4}, .instructions = 5'000};
  config.coherence = {.dirty = 0.5, .owned = 0.2, .shared = 0.1, .sharers = 3};
  const ManycoreResult result =
      run_manycore(config, {.cores = 8, .l1_mpki = 8000, .l2_mpki = 4000}, network, 1);
  // Of 40,000 misses 20,000 are in L2. Three standard deviations.
  EXPECT_NEAR(static_cast<double>(result.counts.forwards), 0.2 * 20'000, 220);
  EXPECT_NEAR(static_cast<double>(result.counts.invalidations), 3 * 0.1 * 40'000, 3 * 180);
  EXPECT_NEAR(static_cast<double>(result.counts.write_backs), 0.5 * 60'000, 400);
}

TEST(ManycoreTest, OneCoreSharesNothing) {
  FixedNetwork network(2, 10_ns);
  ManycoreConfig config = one_core(1);
  config.coherence.owned = 0.5;
  EXPECT_THROW(run_manycore(config, all_hit_l2, network, 1), std::invalid_argument);
}

TEST(ControllerNodesTest, SpreadOverRowsColumnsAndClusters) {
  std::set<std::uint32_t> rows, columns;
  for (const std::uint32_t node : controller_nodes({}, 576)) {
    rows.insert(node / 24);
    columns.insert(node % 24);
  }
  EXPECT_EQ(rows.size(), 24u);
  EXPECT_EQ(columns.size(), 24u);
}

TEST(ControllerNodesTest, RefuseWhatDoesNotFitTheFabric) {
  EXPECT_THROW(controller_nodes({.count = 8}, 8), std::invalid_argument);
  EXPECT_THROW(controller_nodes({.count = 2, .nodes = {3, 3}}, 8), std::invalid_argument);
  EXPECT_THROW(controller_nodes({.count = 1, .nodes = {8}}, 8), std::invalid_argument);
  FixedNetwork network(4, 10_ns);
  EXPECT_THROW(run_manycore({.memory = {.count = 2}}, {.cores = 3}, network, 1), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
