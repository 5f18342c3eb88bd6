#include "memory/dram_channel.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <utility>

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

bool covers_several(DramCommand c) { return c == DramCommand::precharge_all || c == DramCommand::refresh; }

struct Checked {
  DramPart part;
  bool by_banks;

  // The banks of a command: the first, and how many.
  std::pair<std::uint32_t, std::uint32_t> banks(const IssuedCommand& c) const {
    return {c.bank, covers_several(c.command) ? refreshed_banks(part, by_banks) : 1};
  }
  bool in_scope(TimingScope scope, const IssuedCommand& a, const IssuedCommand& b) const {
    const std::uint32_t groups = part.bank_groups, pseudo_channels = part.pseudo_channels;
    const auto [first_a, count_a] = banks(a);
    const auto [first_b, count_b] = banks(b);
    switch (scope) {
      case TimingScope::channel:
        return true;
      case TimingScope::rank:
        return a.rank == b.rank;
      case TimingScope::other_rank:
        return a.rank != b.rank && a.rank % pseudo_channels == b.rank % pseudo_channels;
      case TimingScope::bank_group:
        return a.rank == b.rank && a.bank % groups == b.bank % groups;
      case TimingScope::bank:
        return a.rank == b.rank && first_a < first_b + count_b && first_b < first_a + count_a;
    }
    return false;
  }
};

void expect_rules_kept(const std::vector<IssuedCommand>& log, const Checked& checked) {
  for (const TimingRule& rule : timing_rules(checked.part, checked.by_banks))
    for (std::size_t j = 0; j < log.size(); ++j) {
      if (log[j].command != rule.next) continue;
      std::uint32_t within = 0;
      for (std::size_t i = j; i-- > 0 && log[i].at + rule.latency > log[j].at;)
        within += log[i].command == rule.previous && checked.in_scope(rule.scope, log[i], log[j]);
      ASSERT_LT(within, rule.window) << "command " << j << " at " << log[j].at;
    }
}

bool is_of_column(DramCommand c) {
  return c == DramCommand::read || c == DramCommand::write || c == DramCommand::read_precharge ||
         c == DramCommand::write_precharge;
}

void expect_buses_kept(const std::vector<IssuedCommand>& log, const DramPart& part) {
  std::array<Tick, 2> free{};
  for (const IssuedCommand& c : log) {
    Tick& bus = free[part.command_buses == 2 && is_of_column(c.command) ? 1 : 0];
    ASSERT_GE(c.at, bus) << "two commands are on the bus";
    bus = c.at + command_clocks(part.timing, c.command);
  }
}

void expect_rows_kept(const std::vector<IssuedCommand>& log, const Checked& checked) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> open;
  for (const IssuedCommand& c : log) {
    const auto [first, count] = checked.banks(c);
    const auto is_covered = [&, begin = first, end = first + count](const auto& b) {
      return b.first == c.rank && b.second >= begin && b.second < end;
    };
    const std::pair at(c.rank, c.bank);
    if (c.command == DramCommand::activate) {
      ASSERT_TRUE(open.insert(at).second);
    } else if (c.command == DramCommand::precharge_all) {
      ASSERT_GT(std::erase_if(open, is_covered), 0u);
    } else if (c.command == DramCommand::refresh) {
      ASSERT_EQ(std::ranges::count_if(open, is_covered), 0);
    } else {
      ASSERT_TRUE(open.contains(at));
      if (c.command != DramCommand::read && c.command != DramCommand::write) open.erase(at);
    }
  }
}

enum class Standard { ddr3, ddr4, ddr5, ddr5_by_banks, hbm2e, hbm2e_by_banks };
constexpr auto enum_names(Standard) {
  return std::to_array<EnumName<Standard>>({{Standard::ddr3, "ddr3", ""},
                                            {Standard::ddr4, "ddr4", ""},
                                            {Standard::ddr5, "ddr5", ""},
                                            {Standard::ddr5_by_banks, "ddr5_by_banks", ""},
                                            {Standard::hbm2e, "hbm2e", ""},
                                            {Standard::hbm2e_by_banks, "hbm2e_by_banks", ""}});
}
Checked checked_part(Standard part) {
  switch (part) {
    case Standard::ddr3:
      return {ddr3_2gb_x8(), false};
    case Standard::ddr4:
      return {ddr4_8gb_x8(), false};
    case Standard::ddr5:
    case Standard::ddr5_by_banks:
      return {ddr5_16gb_x4(), part == Standard::ddr5_by_banks};
    default:
      return {hbm2e_16gb(), part == Standard::hbm2e_by_banks};
  }
}

class DramChannelRules : public testing::TestWithParam<std::tuple<Standard, std::uint32_t, PagePolicy>> {};
INSTANTIATE_TEST_SUITE_P(
    PartsRanksPolicies, DramChannelRules,
    testing::Combine(testing::Values(Standard::ddr3, Standard::ddr4, Standard::ddr5, Standard::ddr5_by_banks,
                                     Standard::hbm2e, Standard::hbm2e_by_banks),
                     testing::Values(1u, 2u, 4u),
                     testing::Values(PagePolicy::open, PagePolicy::open_adaptive, PagePolicy::closed)),
    ParameterName());

TEST_P(DramChannelRules, AnyTrafficKeepsEveryConstraint) {
  const auto& [kind, ranks, policy] = GetParam();
  const Checked checked = checked_part(kind);
  const DramPart& part = checked.part;
  DramConfig config = config_of(ranks, policy);
  if (checked.by_banks) config.refresh = RefreshMode::by_banks;
  config.postponed_refreshes = ranks / 2;
  const auto bursts = static_cast<std::uint32_t>(64_B / part.atom());
  DramChannel channel(config, part, bursts);
  std::vector<IssuedCommand> log;
  channel.log = &log;
  Random random(7);
  Tick now = 0;
  std::uint64_t reads = 0, done = 0;
  while (log.size() < 8'000) {
    const std::uint64_t r = random.next();
    const BlockLocation at{0, static_cast<std::uint32_t>(r % (ranks * part.pseudo_channels)),
                           static_cast<std::uint32_t>((r >> 8) % part.banks),
                           static_cast<std::uint32_t>((r >> 16) % 3),
                           static_cast<std::uint32_t>((r >> 24) % part.columns())};
    const bool is_write = (r >> 32) % 3 == 0;
    reads += channel.submit(now, 0, at, is_write) && !is_write;
    now += (r >> 40) % ((r >> 50) % 64 == 0 ? 3000 : 8);
    while (channel.advance(now)) ++done;
  }
  done += finish(channel, DramChannel::never - 1).size();
  EXPECT_EQ(done, reads);
  const DramCounts counts = channel.counts(now);
  const auto issued_of = [&](DramCommand plain, DramCommand closing) {
    return counts.commands[static_cast<std::size_t>(plain)] +
           counts.commands[static_cast<std::size_t>(closing)];
  };
  EXPECT_EQ(issued_of(DramCommand::read, DramCommand::read_precharge),
            bursts * (counts.reads - counts.forwarded));
  EXPECT_EQ(issued_of(DramCommand::write, DramCommand::write_precharge),
            bursts * (counts.writes - counts.merged));
  expect_rules_kept(log, checked);
  expect_buses_kept(log, part);
  expect_rows_kept(log, checked);
}

// ---- standards ----

// The share of the peak bandwidth that a stream reaches which goes from bank group to bank group.
double share_of_peak(const DramPart& part, RefreshMode refresh, std::uint32_t bursts) {
  DramConfig config = config_of(1, PagePolicy::open);
  config.refresh = refresh;
  DramChannel channel(config, part, bursts);
  const std::uint32_t groups = part.bank_groups, columns = part.columns(part.atom() * bursts);
  constexpr std::uint32_t requests = 20'000;
  Tick last = 0;
  for (std::uint32_t i = 0; i < requests; ++i) {
    const std::uint32_t block = i / part.pseudo_channels, of_rows = block / (groups * columns);
    const BlockLocation at{.rank = i % part.pseudo_channels,
                           .bank = block % groups + of_rows * groups % part.banks,
                           .row = of_rows * groups / part.banks,
                           .column = block / groups % columns};
    while (!channel.submit(last, i, at, false)) {
      last = std::max(last, channel.next_event());
      while (channel.advance(last)) continue;
    }
  }
  last = finish(channel).back();
  return static_cast<double>(requests) * bursts * part.timing.burst_clocks() / part.pseudo_channels /
         static_cast<double>(last);
}

TEST(DramStandards, AStreamReachesThePeakLessTheRefreshes) {
  EXPECT_EQ(ddr5_16gb_x4().atom(), 64_B);
  EXPECT_EQ(hbm2e_16gb().atom(), 32_B);
  for (const auto& [part, bursts] :
       {std::pair{ddr4_8gb_x8(), 1u}, {ddr5_16gb_x4(), 1u}, {hbm2e_16gb(), 1u}, {hbm2e_16gb(), 2u}}) {
    EXPECT_GT(share_of_peak(part, RefreshMode::none, bursts), 0.94);
    const double lost = static_cast<double>((part.timing.trfc + part.timing.trp).count()) /
                        static_cast<double>(part.timing.trefi.count());
    EXPECT_NEAR(share_of_peak(part, RefreshMode::all_bank, bursts), 1 - lost, 0.05);
  }
}

TEST(DramStandards, ABlockOfTwoBurstsIsCompleteWithTheSecond) {
  DramChannel channel(config_of(1), hbm2e_16gb(), 2);
  std::vector<IssuedCommand> log;
  channel.log = &log;
  channel.submit(0, 0, {.row = 1}, false);
  EXPECT_EQ(finish(channel), std::vector<Tick>{27u + 4 + 26 + 2});  // tRCD, tCCD_L, CL, the burst
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(channel.counts(0).row_misses, 1u);
  EXPECT_EQ(channel.counts(0).row_hits, 0u);
  EXPECT_EQ(channel.counts(0).data_clocks, 4u);
}

TEST(DramStandards, RowsAndColumnsOfHbmHaveABusEach) {
  DramPart part = hbm2e_16gb();
  for (const std::uint32_t buses : {1u, 2u}) {
    part.command_buses = buses;
    DramChannel channel(config_of(1), part);
    std::vector<IssuedCommand> log;
    channel.log = &log;
    channel.submit(0, 0, {.row = 1}, false);              // read at 27
    channel.submit(26, 1, {.bank = 1, .row = 1}, false);  // activate at 26 and 27
    finish(channel);
    ASSERT_EQ(log.size(), 4u);
    EXPECT_EQ(log[1].at, 26u);
    EXPECT_EQ(log[2].at, buses == 2 ? 27u : 28u);
  }
}

TEST(DramStandards, ARefreshOfBanksDelaysOnlyTheirRequests) {
  const auto latency_of = [](RefreshMode refresh, std::uint32_t bank, Tick at) {
    DramConfig config = config_of(1);
    config.refresh = refresh;
    DramChannel channel(config, ddr5_16gb_x4());
    channel.submit(at, 0, {.bank = bank, .row = 1}, false);
    return finish(channel).front() - at;
  };
  const Tick unloaded = 39 + 1 + 40 + 8;  // tRCD, the command, CL, the burst
  EXPECT_EQ(latency_of(RefreshMode::all_bank, 31, 9375 + 100), unloaded + 710 - 1 - 100);
  // At 1171 banks 0 to 7 are refreshed, then 8 to 15.
  EXPECT_EQ(latency_of(RefreshMode::by_banks, 5, 1171 + 100), unloaded + 313 - 1 - 100);
  EXPECT_EQ(latency_of(RefreshMode::by_banks, 8, 1171 + 100), unloaded);
  EXPECT_EQ(latency_of(RefreshMode::by_banks, 8, 1171 + 10), unloaded + 73 - 1 - 10);  // tREFSBRD
  EXPECT_EQ(latency_of(RefreshMode::by_banks, 8, 2 * 1171 + 100), unloaded + 313 - 1 - 100);
  EXPECT_EQ(latency_of(RefreshMode::by_banks, 5, 2 * 1171 + 100), unloaded);
}

TEST(DramStandards, ARefreshWaitsForTheRequestsOfItsBanksUntilItIsForced) {
  // When the first refresh of banks 0 to 7 begins while a bank has reads without end.
  const auto first_refresh = [](RefreshMode mode, std::uint32_t postponed, std::uint32_t bank) {
    DramConfig config = config_of(1, PagePolicy::open);
    config.refresh = mode;
    config.postponed_refreshes = postponed;
    DramChannel channel(config, ddr5_16gb_x4());
    std::vector<IssuedCommand> log;
    channel.log = &log;
    for (Tick now = 0; now < 50'000; now += 8) {
      channel.submit(now, 0, {.bank = bank, .row = 1}, false);
      while (channel.advance(now)) continue;
    }
    const auto is_of_first_banks = [](const IssuedCommand& c) {
      return c.command == DramCommand::refresh && c.bank < 8;
    };
    return std::ranges::find_if(log, is_of_first_banks)->at;
  };
  const Tick close = 39 + 18 + 1;  // the precharge, after the last read
  const auto expect_soon_after = [&](Tick due, Tick began) {
    EXPECT_GE(began, due);
    EXPECT_LE(began, due + close);
  };
  expect_soon_after(9375, first_refresh(RefreshMode::all_bank, 0, 3));
  expect_soon_after(4 * 9375, first_refresh(RefreshMode::all_bank, 3, 3));
  // The other banks of the round come first.
  expect_soon_after(4 * 1171, first_refresh(RefreshMode::by_banks, 0, 3));
  expect_soon_after(4 * 1171 + 2 * 4 * 1171, first_refresh(RefreshMode::by_banks, 2, 3));
  EXPECT_EQ(first_refresh(RefreshMode::by_banks, 2, 8), 1171u);  // banks 0 to 7 have no requests
}

TEST(DramStandards, PostponedRefreshesAreMadeUpFor) {
  DramConfig config = config_of(1, PagePolicy::open);
  config.refresh = RefreshMode::by_banks;
  config.postponed_refreshes = 4;
  DramChannel channel(config, ddr5_16gb_x4());
  Tick now = 0;
  for (; now < 10'000; now += 8) {
    channel.submit(now, 0, {.bank = 3, .row = 1}, false);
    while (channel.advance(now)) continue;
  }
  EXPECT_EQ(issued(channel, DramCommand::refresh), 3u);  // of other banks
  finish(channel);
  channel.submit(now + 6000, 0, {.bank = 3, .row = 1}, false);
  finish(channel);
  EXPECT_EQ(issued(channel, DramCommand::refresh), (now + 6000) / 1171);
}

// Banks 0 to 7 are closed for their refresh when requests for one of them begin: others are refreshed first.
TEST(DramStandards, ARefreshThatMayWaitGivesWayToOthersWhenItsBanksAreClosedAlready) {
  DramConfig config = config_of(1, PagePolicy::open);
  config.refresh = RefreshMode::by_banks;
  config.postponed_refreshes = 2;
  DramChannel channel(config, ddr5_16gb_x4());
  std::vector<IssuedCommand> log;
  channel.log = &log;
  channel.submit(0, 0, {.bank = 3, .row = 1}, false);
  finish(channel, 1000);
  for (Tick now = 1171 - 16; now < 1171 + 400; now += 8) {
    channel.submit(now, 0, {.bank = now <= 1171 ? 20u : 3u, .row = 1}, false);
    while (channel.advance(now)) continue;
  }
  const auto is_of_refresh = [](const IssuedCommand& c) {
    return c.command == DramCommand::refresh || c.command == DramCommand::precharge_all;
  };
  std::erase_if(log, std::not_fn(is_of_refresh));
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].command, DramCommand::precharge_all);
  EXPECT_EQ(log[0].bank, 0u);
  EXPECT_EQ(log[1].command, DramCommand::refresh);
  EXPECT_EQ(log[1].bank, 8u);
  EXPECT_LE(log[1].at, 1171u + 16);
}

// The refresh of banks 0 to 7 is forced while banks of all groups have requests, and stays next when those of
// other banks end before it begins.
TEST(DramStandards, AForcedRefreshStaysNext) {
  constexpr Tick forced = 1171 + 4 * 1171;
  unsigned refreshes_when_forced = 0;
  for (Tick stop = forced - 500; stop < forced; stop += 4) {
    DramConfig config = config_of(1, PagePolicy::open);
    config.refresh = RefreshMode::by_banks;
    config.postponed_refreshes = 1;
    DramChannel channel(config, ddr5_16gb_x4());
    std::vector<IssuedCommand> log;
    channel.log = &log;
    for (Tick now = 0; now < forced + 200; now += 4) {
      const auto group = static_cast<std::uint32_t>(now / 4 % 4);
      const auto row =
          static_cast<std::uint32_t>(group == 0 ? now / 16 % 64 : 1);  // conflicts take long to close
      if (group == 0 ? now % 64 == 0 : now < stop)
        channel.submit(now, 0, {.bank = 8 * group + 3, .row = row}, false);
      while (channel.advance(now)) continue;
    }
    const auto first = std::ranges::find(log, DramCommand::refresh, &IssuedCommand::command);
    ASSERT_NE(first, log.end());
    std::set<std::uint32_t> had_requests;  // banks, when the refresh was forced
    for (const IssuedCommand& c : log)
      if (c.at >= forced && c.command == DramCommand::read) had_requests.insert(c.bank);
    if (!std::ranges::includes(had_requests, std::array{11u, 19u, 27u})) continue;
    ++refreshes_when_forced;
    EXPECT_EQ(first->bank, 0u) << stop;
    EXPECT_LE(first->at, forced + 76 + 39 + 18 + 8);
  }
  EXPECT_GT(refreshes_when_forced, 10u);
}

// Activates of a saturated channel may follow each other in eight clocks, and a refresh follows one in nine.
TEST(DramStandards, AForcedRefreshIsNotPassedByActivatesOfOtherBanks) {
  for (const auto& [part, interval] : {std::pair{ddr5_16gb_x4(), Tick{1171}}, {hbm2e_16gb(), Tick{219}}})
    for (const bool has_writes : {false, true}) {
      DramConfig config = config_of(1, PagePolicy::open);
      config.refresh = RefreshMode::by_banks;
      config.postponed_refreshes = 1;
      DramChannel channel(config, part);
      std::vector<IssuedCommand> log;
      channel.log = &log;
      Random random(3);
      for (Tick now = 0; now < 200'000; now += 1 + random.below(8)) {
        const BlockLocation at{.bank = static_cast<std::uint32_t>(random.below(part.banks)),
                               .row = static_cast<std::uint32_t>(random.below(64))};
        channel.submit(now, 0, at, has_writes && random.below(3) == 0);
        while (channel.advance(now)) continue;
      }
      // The bank is closed after a write, or a row cycle after it was opened.
      const Tick closes = std::max(part.timing.trc.count(), part.timing.to_write() + part.timing.twr.count() +
                                                                part.timing.trp.count());
      Tick forced = part.banks / part.bank_refresh->banks * interval;
      for (const IssuedCommand& c : log) {
        if (c.command != DramCommand::refresh || c.rank != 0) continue;
        forced += interval;
        ASSERT_LE(c.at, forced + closes);
      }
      EXPECT_GE(forced + interval + closes, 200'000u);
    }
}

// In any traffic, each round of refreshes covers each bank once.
TEST(DramStandards, EachRoundRefreshesEachBankOnce) {
  for (const auto& [part, parts] : {std::pair{ddr5_16gb_x4(), 4u}, {hbm2e_16gb(), 32u}})
    for (const std::uint32_t postponed : {0u, 3u}) {
      DramConfig config = config_of(1, PagePolicy::open);
      config.refresh = RefreshMode::by_banks;
      config.postponed_refreshes = postponed;
      DramChannel channel(config, part);
      std::vector<IssuedCommand> log;
      channel.log = &log;
      Random random(3);
      bool is_in_order = true;
      for (Tick now = 0; now < 200'000; now += random.below(random.below(50) == 0 ? 20'000 : 12)) {
        const BlockLocation at{.bank = static_cast<std::uint32_t>(random.below(part.banks / 2)),
                               .row = static_cast<std::uint32_t>(random.below(4))};
        channel.submit(now, 0, at, false);
        while (channel.advance(now)) continue;
      }
      std::array<std::set<std::uint32_t>, 2> round;  // by the pseudo-channel
      std::array<std::uint32_t, 2> last{};
      for (const IssuedCommand& c : log) {
        if (c.command != DramCommand::refresh) continue;
        ASSERT_TRUE(round[c.rank].insert(c.bank).second);
        is_in_order = is_in_order && (c.bank > last[c.rank] || round[c.rank].size() == 1);
        last[c.rank] = c.bank;
        if (round[c.rank].size() == parts) round[c.rank].clear();
      }
      EXPECT_FALSE(is_in_order);
    }
}

// A bank with requests is refreshed as the last one of a round, and others at the times that they are due.
TEST(DramStandards, BanksWithoutRequestsAreRefreshedFirst) {
  DramConfig config = config_of(1, PagePolicy::open);
  config.refresh = RefreshMode::by_banks;
  DramChannel channel(config, ddr5_16gb_x4());
  std::vector<IssuedCommand> log;
  channel.log = &log;
  for (Tick now = 0; now < 9 * 1171; now += 8) {
    channel.submit(now, 0, {.bank = 9, .row = 1}, false);
    while (channel.advance(now)) continue;
  }
  std::erase_if(log, [](const IssuedCommand& c) { return c.command != DramCommand::refresh; });
  std::vector<std::uint32_t> banks;
  for (const IssuedCommand& c : log) banks.push_back(c.bank);
  EXPECT_EQ(banks, (std::vector<std::uint32_t>{0, 16, 24, 8, 0, 16, 24, 8}));
  EXPECT_EQ(log[5].at, 6u * 1171);
}

// The last eight of 32 banks are closed by the fourth refresh.
TEST(DramStandards, BanksStayOpenUntilTheirOwnRefreshWithoutRequests) {
  DramConfig config = config_of(1, PagePolicy::open);
  config.refresh = RefreshMode::by_banks;
  const auto open_clocks = [&](std::uint32_t bank, Tick until) {
    DramChannel channel(config, ddr5_16gb_x4());
    channel.submit(0, 0, {.bank = bank, .row = 1}, false);
    finish(channel, 1000);
    return static_cast<double>(channel.counts(until).open_clocks);
  };
  for (std::uint32_t bank = 0; bank < 32; ++bank)
    EXPECT_NEAR(open_clocks(bank, 10'000), (bank / 8 + 1) * 1171, 60);
  EXPECT_NEAR(open_clocks(31, 3000), 3000, 60);
}

TEST(DramStandards, RefreshesOfBanksContinueWithoutRequests) {
  DramConfig config = config_of(1, PagePolicy::open);
  config.refresh = RefreshMode::by_banks;
  DramChannel channel(config, ddr5_16gb_x4());
  for (std::uint32_t bank = 0; bank < 32; ++bank) channel.submit(0, bank, {.bank = bank, .row = 1}, false);
  finish(channel, 10'000);
  EXPECT_EQ(channel.counts(1'171'000).commands[static_cast<std::size_t>(DramCommand::refresh)], 1000u);
  // The 1001st refresh is of the banks of the first: 1000 % 4 is 0.
  channel.submit(1001 * 1171 + 100, 0, {.bank = 3, .row = 1}, false);
  EXPECT_EQ(finish(channel, 2'000'000).back(), 1001u * 1171 + 39 + 1 + 40 + 8 + 313 - 1);
  EXPECT_EQ(channel.counts(0).row_hits, 0u);
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
  config.refresh = RefreshMode::none;
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
