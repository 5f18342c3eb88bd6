#include "memory/loose_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "memory/dram_test_parts.h"

namespace asterism {
namespace {

DramConfig one_rank() {
  DramConfig config;
  config.ranks = 1;
  return config;
}

struct LooseChannelTest : testing::Test {
  LooseChannel channel{one_rank(), ddr3_2gb_x8()};
  Tick read(std::uint32_t master, Tick at, const BlockLocation& location, Tick committed = 0) {
    return channel.access(committed, {.at = at, .master = master, .location = location});
  }
};

TEST_F(LooseChannelTest, ARequestDoesNotWaitForOneThatIsLater) {
  read(0, 0, {.row = 1});
  read(0, 5000, {.row = 1});                       // this master has run ahead
  EXPECT_EQ(read(1, 100, {.row = 1}), 100u + 15);  // hits the row that was open at 100
  EXPECT_EQ(read(1, 119, {.row = 1}), 119u + 15);
  EXPECT_EQ(read(1, 5200, {.row = 1}), 5200u + 15);
}

TEST_F(LooseChannelTest, ARequestWaitsForAnEarlierOneThatWasMadeBefore) {
  EXPECT_EQ(read(0, 0, {.row = 1}), 26u);
  EXPECT_EQ(read(0, 500, {.row = 1}), 515u);
  EXPECT_EQ(read(1, 502, {.row = 1}), 500u + 15 + 4);  // the bus is occupied by a burst of 4
}

TEST_F(LooseChannelTest, WhoWasAnsweredTooSoonWaitsWithItsNextRequest) {
  read(0, 0, {.row = 1});
  EXPECT_EQ(read(0, 502, {.row = 1}), 517u);  // master 1's request at 500 is not known yet
  EXPECT_EQ(read(1, 500, {.row = 1}), 515u);
  EXPECT_EQ(read(0, 600, {.row = 1}), 600u + 2 + 15);  // the 2 for which that at 502 waits for the bus
  EXPECT_EQ(read(0, 700, {.row = 1}), 700u + 15);
}

TEST_F(LooseChannelTest, AConflictThatAnotherMasterHasCausedIsMadeUpFor) {
  read(0, 0, {.row = 1});
  EXPECT_EQ(read(0, 500, {.row = 1}), 515u);
  EXPECT_EQ(read(1, 400, {.row = 2}), 400u + 37);
  EXPECT_EQ(read(0, 600, {.row = 1}), 600u + 22 + 15);  // that at 500 was a conflict of 37; this is a hit
  const DramCounts counts = channel.counts(1000);
  EXPECT_EQ(counts.row_conflicts, 2u);
  EXPECT_EQ(counts.row_hits, 1u);
  EXPECT_EQ(counts.row_misses, 1u);
}

TEST_F(LooseChannelTest, AWriteEndsWhenTheQueueHasTakenIt) {
  const auto write = [&](std::uint32_t row) {
    return channel.access(
        0, {.at = 0, .master = 0, .location = {.row = row}, .is_write = true, .is_posted = true});
  };
  for (std::uint32_t row = 0; row < 64; ++row) EXPECT_EQ(write(row), 0u);
  const Tick full = write(64);
  EXPECT_GT(full, 11u);  // a row has to be opened before the first one leaves
  // The master has not waited for this time, so that its next request is delayed by it. By then the rows of
  // the first writes are closed.
  EXPECT_GE(read(0, 2, {.bank = 7, .row = 2}), 2 + full + 26);
}

TEST_F(LooseChannelTest, AWriteThatItsMasterHasWaitedForIsPaidOnce) {
  const auto write = [&](Tick at, std::uint32_t row) {
    return channel.access(0, {.at = at, .master = 0, .location = {.row = row}, .is_write = true});
  };
  Tick now = 0;
  for (std::uint32_t row = 0; row < 70; ++row) now = write(now, row);
  EXPECT_GT(now, 11u);
  for (std::uint32_t row = 70; row < 100; ++row) {
    now += 1000;
    EXPECT_EQ(write(now, row), now);
  }
}

TEST(LooseChannelOrder, MastersThatWaitForAPlaceInTheQueueComeInTurns) {
  DramConfig config = one_rank();
  config.read_queue = 4;
  LooseChannel channel(config, ddr3_2gb_x8());
  std::vector<Tick> now(16);
  std::vector<unsigned> asked(16);
  for (Tick from = 0; from < 40'000; ++from)
    for (std::uint32_t m = 0; m < now.size(); ++m)
      for (; now[m] <= from; ++asked[m])
        now[m] = channel.access(from, {.at = now[m], .master = m, .location = {.bank = m % 8, .row = m}});
  const auto [least, most] = std::ranges::minmax(asked);
  EXPECT_GT(least * 4, most * 3);
}

TEST_F(LooseChannelTest, AMasterThatAsksInOrderIsAnsweredAsByTheQueues) {
  DramChannel queues(one_rank(), ddr3_2gb_x8());
  Random random(1);
  Tick now = 0;
  for (std::uint64_t id = 0; id < 20'000; ++id) {
    const std::uint64_t r = random.next();
    const BlockLocation at{.bank = static_cast<std::uint32_t>(r % 8),
                           .row = static_cast<std::uint32_t>(r / 8 % 4),
                           .column = static_cast<std::uint32_t>(r / 64 % 128)};
    const bool is_write = r / 8192 % 2 == 0;
    Tick expected = now;
    while (!queues.submit(expected, id, at, is_write)) {
      const Tick next = queues.next_event();
      queues.advance(next);
      expected = next + 1;
    }
    if (!is_write) expected = queues.advance(DramChannel::never - 1).value().at;
    ASSERT_EQ(channel.access(now, {.at = now, .master = 0, .location = at, .is_write = is_write}), expected);
    now = expected + r / 16384 % 64;
  }
  queues.advance(now);
  const DramCounts counts = channel.counts(now), of_queues = queues.counts(now);
  EXPECT_EQ(counts.row_hits, of_queues.row_hits);
  EXPECT_EQ(counts.row_conflicts, of_queues.row_conflicts);
  EXPECT_EQ(counts.commands, of_queues.commands);
}

TEST_F(LooseChannelTest, RequestsForWhichTheQueueHasNoRoomWaitForIt) {
  for (std::uint32_t column = 0; column < 100; ++column)
    EXPECT_EQ(read(0, 0, {.row = 1, .column = column}), 26 + 4 * column);
}

TEST_F(LooseChannelTest, AMasterThatGoesBackInItsOwnTimeWaitsForNothingLater) {
  EXPECT_EQ(read(0, 1000, {.row = 1}), 1026u);
  EXPECT_EQ(read(0, 0, {.row = 1}), 30u);
}

// A master that does not wait for its answers, as a cache that asks for its hits ahead. The figures are those
// of replays of all requests for each of these, which need 200 times as long (bench/dram_bench.cpp).
TEST_F(LooseChannelTest, AMasterThatGoesBackAgainAndAgainIsAnsweredAsByReplays) {
  constexpr unsigned requests = 4000;
  std::uint64_t sum = 0, digest = 0;
  for (unsigned i = 0; i < requests; ++i) {
    const Tick now = Tick{6} * i, at = i % 16 >= 12 ? now : now + 106;
    const Tick end = read(0, at, {.bank = i / 128 % 8, .row = i / 1024, .column = i % 128}, now);
    sum += end - at;
    digest = digest * 6'364'136'223'846'793'005 + end;
  }
  EXPECT_EQ(sum, 72'066u);
  EXPECT_EQ(digest, 18'386'954'276'647'021'974u);
}

TEST_F(LooseChannelTest, NoRequestWaitsForLaterOnesHoweverManyThereAre) {
  for (Tick i = 0; i < 10'000; ++i) read(0, 100 * i, {.row = 1});
  EXPECT_EQ(read(1, 0, {.row = 1}), 19u);
}

TEST_F(LooseChannelTest, AResetForgetsWhatWasAskedAndKeepsTheCounts) {
  read(0, 0, {.row = 1});
  read(0, 500, {.row = 1});
  channel.reset(600);
  EXPECT_EQ(read(0, 600, {.row = 1}), 600u + 26);
  EXPECT_EQ(channel.counts(700).row_misses, 2u);
  EXPECT_EQ(channel.counts(700).row_hits, 1u);
  channel.reset(700);
  channel.clear_counts();
  EXPECT_EQ(channel.counts(700).reads, 0u);
}

// ---- masters that run ahead of each other ----

struct Outcome {
  Tick ended = 0;  // the time at which the last master ends
  DramCounts counts;
};

// Simulates four masters, each of which requests its next block a random time after it has the one before.
// One after the other, they run ahead by up to a quantum.
Outcome run(Tick quantum, std::uint32_t banks, unsigned requests) {
  constexpr std::uint32_t masters = 4;
  LooseChannel channel(one_rank(), ddr3_2gb_x8());
  struct Master {
    Tick now = 0;
    unsigned asked = 0;
    Random random{0};
  };
  std::vector<Master> all(masters);
  for (std::uint32_t m = 0; m < masters; ++m) all[m].random = Random(m);
  const auto is_done = [&](const Master& master) { return master.asked == requests; };
  for (Tick from = 0; !std::ranges::all_of(all, is_done); from += quantum)
    for (std::uint32_t m = 0; m < masters; ++m) {
      Master& master = all[m];
      while (!is_done(master) && master.now < from + quantum) {
        const std::uint64_t r = master.random.next();
        const BlockLocation location{.bank = static_cast<std::uint32_t>(r % banks), .row = m};
        master.now = channel.access(from, {.at = master.now, .master = m, .location = location}) + r % 7 + 10;
        ++master.asked;
      }
    }
  Outcome result;
  for (const Master& master : all) result.ended = std::max(result.ended, master.now);
  result.counts = channel.counts(result.ended);
  return result;
}

// In ticks of 1.25 ns, the quanta are 20 ns, 100 ns, 1 us and 10 us. The queues reorder requests, so that a
// small difference can grow; in the worst of these cases it is 1.1%.
TEST(LooseChannelOrder, MastersEndAtTheSameTimeHoweverFarTheyRunAhead) {
  for (const std::uint32_t banks : {1u, 2u, 8u}) {
    const Outcome in_order = run(1, banks, 5000);
    for (const Tick quantum : {16u, 80u, 800u, 8000u}) {
      const Outcome ahead = run(quantum, banks, 5000);
      EXPECT_NEAR(static_cast<double>(ahead.ended), static_cast<double>(in_order.ended),
                  0.02 * static_cast<double>(in_order.ended))
          << banks << " banks, " << quantum;
      EXPECT_NEAR(static_cast<double>(ahead.counts.row_conflicts),
                  static_cast<double>(in_order.counts.row_conflicts),
                  0.02 * static_cast<double>(in_order.counts.row_conflicts))
          << banks << " banks, " << quantum;
      EXPECT_EQ(ahead.counts.reads, in_order.counts.reads);
    }
  }
}

}  // namespace
}  // namespace asterism
