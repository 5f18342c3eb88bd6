#include "memory/dram_channel.h"

#include <gtest/gtest.h>

#include <set>

#include "base/parameter_name.h"
#include "base/random.h"
#include "memory/dram_test_parts.h"

namespace asterism {
namespace {

DramConfig config_of(std::uint32_t ranks, PagePolicy policy = PagePolicy::open_adaptive) {
  DramConfig config;
  config.ranks = ranks;
  config.page_policy = policy;
  return config;
}

std::uint64_t issued(const DramChannel& channel, DramCommand command, Tick now = 0) {
  return channel.counts(now).commands[static_cast<std::size_t>(command)];
}

// Returns the times of all completions, in their order.
std::vector<Tick> finish(DramChannel& channel, Tick until = 1'000'000) {
  std::vector<Tick> times;
  while (channel.next_event() <= until)
    if (const auto completion = channel.advance(channel.next_event())) times.push_back(completion->at);
  return times;
}

// ---- checks of the rules for the commands that were issued, without the engine's checker ----

bool in_scope(TimingScope scope, const IssuedCommand& a, const IssuedCommand& b, std::uint32_t groups) {
  switch (scope) {
    case TimingScope::channel:
      return true;
    case TimingScope::rank:
      return a.rank == b.rank;
    case TimingScope::other_rank:
      return a.rank != b.rank;
    case TimingScope::bank_group:
      return a.rank == b.rank && a.bank % groups == b.bank % groups;
    case TimingScope::bank:
      return a.rank == b.rank && a.bank == b.bank;
  }
  return false;
}

void expect_rules_kept(const std::vector<IssuedCommand>& log, const DramPart& part) {
  for (const TimingRule& rule : timing_rules(part))
    for (std::size_t j = 0; j < log.size(); ++j) {
      if (log[j].command != rule.next) continue;
      std::uint32_t within = 0;
      for (std::size_t i = j; i-- > 0 && log[i].at + rule.latency > log[j].at;)
        within += log[i].command == rule.previous && in_scope(rule.scope, log[i], log[j], part.bank_groups);
      ASSERT_LT(within, rule.window) << "command " << j << " at " << log[j].at;
    }
}

void expect_rows_kept(const std::vector<IssuedCommand>& log) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> open;
  Tick last = 0;
  for (const IssuedCommand& c : log) {
    ASSERT_TRUE(c.at > last || &c == log.data()) << "two commands are in one clock cycle";
    last = c.at;
    const auto of_rank = [&](const auto& b) { return b.first == c.rank; };
    const std::pair at(c.rank, c.bank);
    if (c.command == DramCommand::activate) {
      ASSERT_TRUE(open.insert(at).second);
    } else if (c.command == DramCommand::precharge_all) {
      std::erase_if(open, of_rank);
    } else if (c.command == DramCommand::refresh) {
      ASSERT_EQ(std::ranges::count_if(open, of_rank), 0);
    } else {
      ASSERT_TRUE(open.contains(at));
      if (c.command != DramCommand::read && c.command != DramCommand::write) open.erase(at);
    }
  }
}

class DramChannelRules : public testing::TestWithParam<std::tuple<bool, std::uint32_t, PagePolicy>> {};
INSTANTIATE_TEST_SUITE_P(PartsRanksPolicies, DramChannelRules,
                         testing::Combine(testing::Bool(), testing::Values(1u, 2u, 4u),
                                          testing::Values(PagePolicy::open, PagePolicy::open_adaptive,
                                                          PagePolicy::closed)),
                         ParameterName());

TEST_P(DramChannelRules, AnyTrafficKeepsEveryConstraint) {
  const auto [is_ddr4, ranks, policy] = GetParam();
  const DramPart part = is_ddr4 ? ddr4_8gb_x8() : ddr3_2gb_x8();
  DramChannel channel(config_of(ranks, policy), part);
  std::vector<IssuedCommand> log;
  channel.log = &log;
  Random random(7);
  Tick now = 0;
  std::uint64_t reads = 0, done = 0;
  while (log.size() < 8'000) {
    const std::uint64_t r = random.next();
    const BlockLocation at{
        0, static_cast<std::uint32_t>(r % ranks), static_cast<std::uint32_t>((r >> 8) % part.banks),
        static_cast<std::uint32_t>((r >> 16) % 3), static_cast<std::uint32_t>((r >> 24) % 128)};
    const bool is_write = (r >> 32) % 3 == 0;
    reads += channel.submit(now, 0, at, is_write) && !is_write;
    now += (r >> 40) % ((r >> 50) % 64 == 0 ? 3000 : 8);
    while (channel.advance(now)) ++done;
  }
  done += finish(channel, DramChannel::never - 1).size();
  EXPECT_EQ(done, reads);
  expect_rules_kept(log, part);
  expect_rows_kept(log);
}

// ---- the scheduler ----

TEST(DramChannelTest, AHitGoesBeforeAnOlderConflict) {
  DramChannel channel(config_of(1), ddr3_2gb_x8());
  channel.submit(0, 0, {.row = 1}, false);
  channel.submit(1, 1, {.row = 2}, false);
  channel.submit(2, 2, {.row = 1, .column = 9}, false);
  std::vector<std::uint64_t> order;
  while (channel.next_event() != DramChannel::never)
    if (const auto completion = channel.advance(channel.next_event())) order.push_back(completion->id);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 2, 1}));
  const DramCounts counts = channel.counts(1000);
  EXPECT_EQ(counts.row_misses, 2u);  // the second row found its bank closed by the adaptive policy
  EXPECT_EQ(counts.row_hits, 1u);
}

TEST(DramChannelTest, PagePoliciesCloseWhenTheySay) {
  for (const auto& [policy, auto_precharges, conflicts] : {std::tuple{PagePolicy::open, 0u, 1u},
                                                           {PagePolicy::open_adaptive, 1u, 0u},
                                                           {PagePolicy::closed, 2u, 0u}}) {
    DramChannel channel(config_of(1, policy), ddr3_2gb_x8());
    channel.submit(0, 0, {.row = 1}, false);
    channel.submit(0, 1, {.row = 2}, false);
    finish(channel);
    EXPECT_EQ(issued(channel, DramCommand::read_precharge), auto_precharges);
    EXPECT_EQ(channel.counts(0).row_conflicts, conflicts);
  }
}

TEST(DramChannelTest, AReadIsAnsweredFromTheWriteQueue) {
  DramChannel channel(config_of(1), ddr3_2gb_x8());
  EXPECT_TRUE(channel.submit(0, 0, {.row = 1}, true));
  EXPECT_TRUE(channel.submit(0, 1, {.row = 1}, true));
  EXPECT_TRUE(channel.submit(0, 2, {.row = 1}, false));
  EXPECT_EQ(finish(channel), (std::vector<Tick>{1}));
  EXPECT_EQ(channel.counts(0).forwarded, 1u);
  EXPECT_EQ(channel.counts(0).merged, 1u);
  EXPECT_EQ(issued(channel, DramCommand::write), 1u);
}

TEST(DramChannelTest, AWriteBelowTheWatermarkIsNotHeldForever) {
  DramChannel channel(config_of(1), ddr3_2gb_x8());
  channel.submit(0, 0, {.row = 1}, false);
  channel.submit(0, 1, {.bank = 1, .row = 1}, true);
  EXPECT_EQ(finish(channel), (std::vector<Tick>{26}));
  EXPECT_EQ(issued(channel, DramCommand::write), 1u);
  EXPECT_EQ(channel.counts(0).longest_write, 26u + 39 + 11 + 12);  // tRC after the last read's end
}

TEST(DramChannelTest, WritesDrainBetweenTheirWatermarks) {
  DramConfig config = config_of(1);
  config.write_queue = 16, config.write_high = 12, config.write_low = 4;
  DramChannel channel(config, ddr3_2gb_x8());
  std::vector<IssuedCommand> log;
  channel.log = &log;
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_TRUE(channel.submit(0, i, {.row = 1, .column = i}, false));
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_TRUE(channel.submit(0, i, {.bank = 1, .column = i}, true));
  finish(channel);
  std::erase_if(log, [](const IssuedCommand& c) {
    return c.command != DramCommand::read && c.command != DramCommand::write;
  });
  ASSERT_EQ(log.size(), 32u);
  for (std::size_t i = 0; i < log.size(); ++i)
    EXPECT_EQ(log[i].command == DramCommand::write, i < 8 || i >= 28) << i;
}

// The time at which a request elsewhere is answered while hits of one row come without end.
Tick answered_beside_endless_hits(const BlockLocation& elsewhere, const DramPart& part) {
  DramConfig config = config_of(2);
  config.refresh = false;
  config.starvation_limit = 1_us;
  DramChannel channel(config, part);
  for (std::uint32_t i = 0; i < 8; ++i) channel.submit(0, 1, {.row = 1, .column = i}, false);
  channel.submit(1, 2, elsewhere, false);
  for (std::uint32_t hits = 8;; ++hits) {  // a new hit for each one that is answered
    std::optional<DramChannel::Completion> completion;
    while (!completion) completion = channel.advance(channel.next_event());
    if (completion->id == 2 || completion->at > 10'000) return completion->at;
    channel.submit(completion->at, 1, {.row = 1, .column = hits % 128}, false);
  }
}

TEST(DramChannelTest, EndlessHitsDoNotKeepOthersOut) {
  const Tick starvation_limit = 1_us / 1250_ps;
  const Tick conflict = answered_beside_endless_hits({.row = 2}, ddr3_2gb_x8());
  EXPECT_GT(conflict, starvation_limit);
  EXPECT_LT(conflict, starvation_limit + 60);
  EXPECT_LT(answered_beside_endless_hits({.rank = 1, .row = 1}, ddr3_2gb_x8()),
            starvation_limit + 60);  // it waits for the bus
  EXPECT_LT(answered_beside_endless_hits({.bank = 4, .row = 1}, ddr4_8gb_x8()), 1_us / 833_ps + 60);
}

TEST(DramChannelTest, EndlessWritesDoNotKeepAReadOut) {
  DramChannel channel(config_of(1), ddr3_2gb_x8());
  Random random(1);
  const auto fill = [&](Tick now) {
    const auto next = [&] {
      return BlockLocation{.bank = 1 + static_cast<std::uint32_t>(random.below(7)),
                           .row = static_cast<std::uint32_t>(random.below(1000))};
    };
    while (channel.submit(now, 0, next(), true)) continue;
  };
  fill(0);
  channel.submit(0, 1, {.row = 1}, false);
  for (std::optional<DramChannel::Completion> completion; !completion;) {
    const Tick now = channel.next_event();
    ASSERT_LT(now, 2000u);
    completion = channel.advance(now);
    fill(now);
  }
}

TEST(DramChannelTest, AFullQueueRefuses) {
  DramChannel channel(config_of(1), ddr3_2gb_x8());
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_TRUE(channel.submit(0, i, {.row = i}, false));
  EXPECT_FALSE(channel.submit(0, 32, {.row = 32}, false));
  EXPECT_EQ(channel.counts(0).refused, 1u);
  channel.advance(26);
  EXPECT_TRUE(channel.submit(26, 32, {.row = 32}, false));
}

TEST(DramChannelTest, APageOf4KiBTakes256Clocks) {
  DramChannel channel(config_of(1), ddr3_2gb_x8());
  Tick last = 0;
  std::vector<Tick> ends;
  for (std::uint32_t page = 0; page < 2; ++page)  // both pages are in one row
    for (std::uint32_t i = 0; i < 64; ++i)
      while (!channel.submit(last, i, {.column = 64 * page + i}, false)) {
        last = channel.next_event();
        if (const auto completion = channel.advance(last)) ends.push_back(completion->at);
      }
  for (const Tick end : finish(channel)) ends.push_back(end);
  ASSERT_EQ(ends.size(), 128u);
  EXPECT_EQ(ends[63], 22u + 256);
  EXPECT_EQ(ends[127] - ends[63], 256u);
}

TEST(DramChannelTest, RefreshesContinueWithoutRequests) {
  DramChannel channel(config_of(2), ddr3_2gb_x8());
  EXPECT_EQ(channel.next_event(), DramChannel::never);
  EXPECT_EQ(issued(channel, DramCommand::refresh, 62'400), 10u + 9);  // ranks refresh alternately
  channel.submit(62'400, 0, {.row = 1}, false);
  finish(channel);
  EXPECT_EQ(issued(channel, DramCommand::refresh, 62'600), 10u + 9);
}

TEST(DramChannelTest, ResetClosesAllBanksAndDropsWhatWaits) {
  DramChannel channel(config_of(1), ddr3_2gb_x8());
  channel.submit(0, 0, {.row = 1}, false);
  channel.submit(0, 1, {.row = 2}, true);
  channel.advance(11);
  channel.reset(20);
  EXPECT_EQ(channel.next_event(), DramChannel::never);
  channel.submit(20, 2, {.row = 1}, false);
  EXPECT_EQ(finish(channel), std::vector<Tick>{20u + 26});
}

}  // namespace
}  // namespace asterism
