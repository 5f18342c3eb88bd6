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
