#include "memory/contended_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "memory/dram_masters.h"
#include "memory/dram_test_parts.h"

namespace asterism {
namespace {

DramConfig one_rank(PagePolicy policy = PagePolicy::open_adaptive) {
  DramConfig config;
  config.ranks = 1;
  config.page_policy = policy;
  return config;
}

struct ContendedChannelTest : testing::Test {
  ContendedChannel channel{one_rank(), ddr3_2gb_x8(), {}};
  Tick read(std::uint32_t master, Tick at, const BlockLocation& location, Tick committed = 0) {
    return channel.access(committed, {.at = at, .master = master, .location = location});
  }
};

TEST_F(ContendedChannelTest, ALoneReadTakesTheTimeOfItsRow) {
  EXPECT_EQ(read(0, 0, {.row = 1}), 26u);  // closed
  EXPECT_EQ(read(0, 1000, {.row = 1}), 1000u + 15);
  EXPECT_EQ(read(0, 2000, {.row = 2}), 2000u + 37);
  EXPECT_EQ(read(0, 3000, {.bank = 1, .row = 2}), 3000u + 26);
  const DramCounts counts = channel.counts(4000);
  EXPECT_EQ(counts.row_hits, 1u);
  EXPECT_EQ(counts.row_misses, 2u);
  EXPECT_EQ(counts.row_conflicts, 1u);
  EXPECT_EQ(counts.reads, 4u);
  EXPECT_EQ(channel.waited(), 0u);
}

// The times of DramChannel, among them those at refreshes and those that tRC bounds.
void expect_answers_of_queues(const DramPart& part, PagePolicy policy, RefreshMode mode) {
  DramConfig config = one_rank(policy);
  config.refresh = mode;
  const auto bursts = static_cast<std::uint32_t>(64_B / part.atom());
  ContendedChannel channel(config, part, {}, bursts);
  DramChannel queues(config, part, bursts);
  Random random(1);
  Tick now = 0;
  std::uint64_t differ = 0;
  for (std::uint64_t id = 0; id < 20'000; ++id) {
    const std::uint64_t r = random.next();
    const BlockLocation at{.bank = static_cast<std::uint32_t>(r % 8),
                           .row = static_cast<std::uint32_t>(r / 8 % 3),
                           .column = static_cast<std::uint32_t>(r / 64 % part.columns())};
    ASSERT_TRUE(queues.submit(now, id, at, false));
    const Tick expected = queues.advance(DramChannel::never - 1).value().at;
    differ += channel.access(now, {.at = now, .master = 0, .location = at}) != expected;
    now = expected + r / 16384 % 64;
  }
  EXPECT_LE(differ, 60u);  // those just before a refresh
  const DramCounts counts = channel.counts(now), of_queues = queues.counts(now);
  EXPECT_NEAR(static_cast<double>(counts.row_hits), static_cast<double>(of_queues.row_hits), 60);
  EXPECT_NEAR(static_cast<double>(counts.row_conflicts), static_cast<double>(of_queues.row_conflicts), 60);
  const auto refresh = static_cast<std::size_t>(DramCommand::refresh);
  EXPECT_EQ(counts.commands[refresh], of_queues.commands[refresh]);
  EXPECT_NEAR(static_cast<double>(counts.open_clocks), static_cast<double>(of_queues.open_clocks),
              0.05 * static_cast<double>(now));
}
TEST(ContendedChannelOrder, AMasterThatWaitsForItsReadsGetsTheAnswersOfTheQueues) {
  expect_answers_of_queues(ddr3_2gb_x8(), PagePolicy::open_adaptive, RefreshMode::all_bank);
  expect_answers_of_queues(ddr3_2gb_x8(), PagePolicy::open, RefreshMode::all_bank);
  expect_answers_of_queues(ddr5_16gb_x4(), PagePolicy::open, RefreshMode::none);
  expect_answers_of_queues(hbm2e_16gb(), PagePolicy::open, RefreshMode::none);
}

TEST(ContendedChannelOrder, ClosedRowsAreMisses) {
  ContendedChannel channel(one_rank(PagePolicy::closed), ddr3_2gb_x8(), {});
  for (Tick at = 0; at < 6000; at += 100)
    EXPECT_EQ(channel.access(at, {.at = at, .location = {.row = 1}}), at + 26);
}

TEST_F(ContendedChannelTest, OwnReadsInFlightWaitForTheBus) {
  for (std::uint32_t column = 0; column < 20; ++column)
    EXPECT_EQ(read(0, 0, {.row = 1, .column = column}), 26 + 4 * column);
}

TEST_F(ContendedChannelTest, PostedWritesAreFreeUntilTheyAreMoreThanTheChannelStores) {
  const auto write = [&](Tick at, std::uint32_t row) {
    return channel.access(at, {.at = at, .location = {.row = row}, .is_write = true, .is_posted = true});
  };
  for (std::uint32_t row = 0; row < 60; ++row) EXPECT_EQ(write(row, row), row);
  Tick now = 60;
  for (std::uint32_t row = 60; row < 1000; ++row) write(now++, row);
  // About 6 clocks for each row that a write opens, and the master has only taken one.
  const Tick end = read(0, now, {.bank = 7, .row = 2}, now);
  EXPECT_GT(end, 900u * 6);
  EXPECT_LT(end, 1000u * 10);
  // The master has waited.
  EXPECT_LT(read(0, end + 100, {.bank = 6, .row = 2}, end), end + 100 + 250);
}

TEST_F(ContendedChannelTest, AResetClosesAllBanksAndKeepsTheCounts) {
  read(0, 0, {.row = 1});
  channel.reset(600);
  EXPECT_EQ(read(0, 600, {.row = 1}), 600u + 26);
  EXPECT_EQ(channel.counts(700).row_misses, 2u);
  channel.reset(700);
  channel.clear_counts();
  EXPECT_EQ(channel.counts(700).reads, 0u);
}

TEST_F(ContendedChannelTest, TheSameCallsGetTheSameAnswers) {
  ContendedChannel other{one_rank(), ddr3_2gb_x8(), {}};
  Random random(3);
  for (unsigned i = 0; i < 5000; ++i) {
    const ContendedChannel::Request request{.at = i * 5 + random.below(100),
                                            .master = static_cast<std::uint32_t>(random.below(6)),
                                            .location = {.bank = static_cast<std::uint32_t>(random.below(8)),
                                                         .row = static_cast<std::uint32_t>(random.below(4))},
                                            .is_write = random.below(3) == 0};
    ASSERT_EQ(channel.access(i * 5, request), other.access(i * 5, request));
  }
}

// 32 masters with up to 8 reads in flight, and one with a single read, all at random.
TEST_F(ContendedChannelTest, UnderAFullQueueAMasterWithOneReadIsAnsweredSooner) {
  constexpr std::uint32_t masters = 32;
  std::vector<std::pair<Tick, std::uint32_t>> next;  // when a master makes its next read
  for (std::uint32_t i = 0; i < 8 * masters; ++i) next.emplace_back(0, i % masters);
  next.emplace_back(0, masters);
  Random random(1);
  double many = 0, one = 0, reads_of_many = 0, reads_of_one = 0;
  for (unsigned i = 0; i < 60'000; ++i) {
    auto& [at, master] = *std::ranges::min_element(next);
    const Tick end = read(master, at,
                          {.bank = static_cast<std::uint32_t>(random.below(8)),
                           .row = static_cast<std::uint32_t>(random.below(1000))},
                          at);
    if (i > 20'000) {
      (master == masters ? one : many) += static_cast<double>(end - at);
      (master == masters ? reads_of_one : reads_of_many) += 1;
    }
    at = end;
  }
  EXPECT_LT(one / reads_of_one, 0.6 * many / reads_of_many);
}

// ---- masters that run ahead of each other ----

constexpr Tick quanta[] = {16, 80, 800, 8000};  // of 1.25 ns: up to 10 us

void expect_independence(const DramLoad& load, double bound) {
  const auto run = [&](Tick quantum) {
    return static_cast<double>(run_contended(load, one_rank(), ddr3_2gb_x8(), {}, quantum).ended);
  };
  const double reference = run(80);
  for (const Tick quantum : quanta) EXPECT_NEAR(run(quantum) / reference, 1, bound) << quantum;
}

TEST(ContendedChannelOrder, MastersEndAtTheSameTimeHoweverFarTheyRunAhead) {
  using Places = DramLoad::Places;
  for (const Places places : {Places::random, Places::mixed})
    for (const std::uint32_t masters : {4u, 16u}) {
      expect_independence({.places = places, .masters = masters, .gap = 100, .requests = 4000}, 0.02);
      expect_independence({.places = places, .masters = masters, .gap = 40, .writes = 0.3, .requests = 4000},
                          0.02);
    }
}

// A quantum of 10 us with every master asking for all that it can have.
TEST(ContendedChannelOrder, AtSaturationTheThroughputIsThatOfTheChannelForAnyQuantum) {
  for (const std::uint32_t masters : {4u, 16u}) {
    const DramLoad load{.masters = masters, .in_flight = 10, .requests = 160'000 / masters};
    const double exact = static_cast<double>(run_exact(load, one_rank(), ddr3_2gb_x8()).ended);
    for (const Tick quantum : quanta) {
      const auto ended = run_contended(load, one_rank(), ddr3_2gb_x8(), {}, quantum).ended;
      EXPECT_NEAR(static_cast<double>(ended) / exact, 1, 0.06) << masters << " " << quantum;
    }
  }
}

}  // namespace
}  // namespace asterism
