#include "memory/dram_system.h"

#include <gtest/gtest.h>

#include "base/thrown.h"
#include "memory/dram_test_parts.h"
#include "memory/dram_traffic.h"

namespace asterism {
namespace {

// One channel of one rank of DDR3-1600 11-11-11, for which bandwidths are published.
DramConfig one_rank() {
  DramConfig config;
  config.ranks = 1;
  return config;
}

// Returns the group with a name, or nullptr if there is none.
const Statistics* group_of(const Statistics& statistics, std::string_view name) {
  for (const auto& [key, value] : statistics.entries())
    if (key == name) return std::get<std::unique_ptr<Statistics>>(value).get();
  return nullptr;
}

double gigabytes_a_second(const DramConfig& config, DramPatternSettings settings, std::uint32_t outstanding) {
  DramSystem system(config, ddr3_2gb_x8(), 2_GiB);
  settings.blocks = system.mapping().geometry().blocks();
  settings.requests = 100'000;
  DramPatternSource source(settings);
  const DramTrafficResult result = DramTraffic(system, outstanding, 1250_ps).run(source);
  return 64.0 * 1000 * static_cast<double>(result.reads + result.writes) /
         static_cast<double>(result.elapsed.count());
}

TEST(DramSystemTest, BandwidthIsThatOfThePeers) {
  const DramPatternSettings sequential{.pattern = DramPattern::sequential}, random{};
  EXPECT_NEAR(gigabytes_a_second(one_rank(), sequential, 1) / 3.11, 1, 0.01);
  EXPECT_NEAR(gigabytes_a_second(one_rank(), sequential, 32) / 12.49, 1, 0.01);
  EXPECT_NEAR(gigabytes_a_second(one_rank(), random, 1) / 1.33, 1, 0.01);
  EXPECT_NEAR(gigabytes_a_second(one_rank(), random, 32) / 8.21, 1, 0.01);
}

TEST(DramSystemTest, BandwidthWithWritesIsThatOfThePeers) {
  DramConfig config = one_rank();
  EXPECT_NEAR(gigabytes_a_second(config, {.writes = 0.33}, 32) / 7.54, 1, 0.08);  // Ramulator 2.1
  config.write_queue = 32, config.write_high = 26, config.write_low = 6;          // drains sooner
  EXPECT_NEAR(gigabytes_a_second(config, {.writes = 0.33}, 32) / 7.0, 1, 0.08);   // DRAMSys 5.1
}

// ---- one request after the other ----

struct Arrivals : DramSystem::Sink {
  std::vector<std::pair<std::uint64_t, Picoseconds>> all;
  void completed(std::uint64_t id, Picoseconds at) override { all.emplace_back(id, at); }
};

class DramSystemLatency : public testing::TestWithParam<bool> {
 protected:
  DramSystem system{one_rank(), ddr3_2gb_x8(), 2_GiB};
  Picoseconds now;

  // Returns the latency of a request; the next one comes when this is answered.
  std::uint64_t clocks(const BlockLocation& location, bool is_write = false) {
    Picoseconds latency;
    if (GetParam()) {
      latency = system.access(now, location, is_write);
    } else {
      Arrivals arrivals;
      EXPECT_TRUE(system.submit(now, {1, location, is_write}));
      while (arrivals.all.empty()) system.advance_to(*system.next_event(), arrivals);
      latency = arrivals.all[0].second - now;
    }
    now += latency;
    return latency / 1250_ps;
  }
};
INSTANTIATE_TEST_SUITE_P(ExactAndLoose, DramSystemLatency, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "Loose" : "Exact"); });

TEST_P(DramSystemLatency, UnloadedIsExact) {
  EXPECT_EQ(clocks({.row = 5}), 26u);               // closed
  EXPECT_EQ(clocks({.row = 5, .column = 1}), 15u);  // hit
  now += 1_us;
  EXPECT_EQ(clocks({.row = 6}), 37u);  // conflict
  EXPECT_EQ(clocks({.bank = 1, .row = 6}), 26u);
}

TEST_P(DramSystemLatency, DependentConflictsAreBoundByTheRowCycle) {
  clocks({.row = 0});
  for (std::uint32_t row = 1; row < 5; ++row) EXPECT_EQ(clocks({.row = row}), 39u);
  now += 1250_ps;
  EXPECT_EQ(clocks({.row = 9}), 38u);
}

TEST_P(DramSystemLatency, ARefreshTakesItsTime) {
  clocks({.row = 0});
  now = 1250_ps * 6240;  // a refresh is due: precharge 11, refresh 128, then a closed bank
  EXPECT_EQ(clocks({.row = 0}), 11u + 128 + 26);
  EXPECT_EQ(clocks({.row = 0}), 15u);
  now = 1250_ps * (6240 * 1000 + 28);  // all refreshes have been done except the end of the last one
  EXPECT_EQ(clocks({.row = 0}), 128u - 28 + 26);
}

TEST(DramSystemTest, LooseAndExactAgreeOnAnyDependentStream) {
  DramSystem exact(one_rank(), ddr3_2gb_x8(), 2_GiB), loose(one_rank(), ddr3_2gb_x8(), 2_GiB);
  Random random(3);
  Picoseconds now;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t r = random.next();
    const BlockLocation location{.bank = static_cast<std::uint32_t>(r % 8),
                                 .row = static_cast<std::uint32_t>((r >> 8) % 3),
                                 .column = static_cast<std::uint32_t>((r >> 16) % 128)};
    const Picoseconds begin = now;
    now += loose.access(begin, location, false);
    Arrivals arrivals;
    ASSERT_TRUE(exact.submit(begin, {0, location, false}));
    while (arrivals.all.empty()) exact.advance_to(*exact.next_event(), arrivals);
    ASSERT_EQ(arrivals.all[0].second, now) << i;
    now += Picoseconds((r >> 32) % (r % 64 == 0 ? 20'000'000 : 100'000));
  }
}

// ---- all channels together ----

// 24 controllers have 4 channels each, as in abeyratne2017 Table 3.1.
TEST(DramSystemTest, ChannelsOfAllControllersWorkSideBySide) {
  DramConfig config = one_rank();
  config.controllers = 24, config.channels = 4;
  DramSystem system(config, ddr3_2gb_x8(), 192_GiB);
  for (std::uint32_t channel = 0; channel < 96; ++channel)
    system.submit(0_ps, {95 - channel, {.channel = channel, .row = 1}, false});
  Arrivals arrivals;
  EXPECT_EQ(system.next_event(), 0_ps);
  system.advance_to(32'499_ps, arrivals);
  EXPECT_TRUE(arrivals.all.empty());
  system.advance_to(32'500_ps, arrivals);
  ASSERT_EQ(arrivals.all.size(), 96u);
  for (std::uint32_t i = 0; i < 96; ++i)
    EXPECT_EQ(arrivals.all[i], (std::pair<std::uint64_t, Picoseconds>{95 - i, 32'500_ps}));
  EXPECT_EQ(system.next_event(), std::nullopt);
}

TEST(DramSystemTest, ReportsWhatEachControllerTook) {
  DramConfig config = one_rank();
  config.controllers = 3, config.channels = 2;
  DramSystem system(config, ddr3_2gb_x8(), 6_GiB);
  Picoseconds now;
  for (const std::uint32_t channel : {0u, 4u, 5u, 4u, 1u, 5u})
    now += 1_us, system.access(now, {.channel = channel, .row = 1}, channel == 1);
  EXPECT_EQ(system.summary(0).reads, 1u);
  EXPECT_EQ(system.summary(0).writes, 1u);
  EXPECT_EQ(system.summary(1).reads, 0u);
  EXPECT_EQ(system.summary(2).reads, 4u);
  EXPECT_EQ(system.summary(2).row_misses, 2u);
  EXPECT_EQ(system.summary(2).row_hits, 2u);
  EXPECT_EQ(system.summary().reads, 5u);
  EXPECT_EQ(system.summary().row_misses, 4u);

  Statistics statistics;
  system.report(statistics);
  const Statistics* const last = group_of(statistics, "controller2");
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->entries().at(0).first, "reads");
  EXPECT_EQ(std::get<std::uint64_t>(last->entries().at(0).second), 4u);
  EXPECT_EQ(group_of(statistics, "controller3"), nullptr);
}

TEST(DramSystemTest, ALoneControllerHasNoFiguresOfItsOwn) {
  DramSystem system(one_rank(), ddr3_2gb_x8(), 2_GiB);
  Statistics statistics;
  system.report(statistics);
  EXPECT_EQ(group_of(statistics, "controller0"), nullptr);
}

TEST(DramSystemTest, ARequestBetweenEdgesBeginsAtTheNext) {
  DramSystem system(one_rank(), ddr3_2gb_x8(), 2_GiB);
  Arrivals arrivals;
  system.submit(1_ps, {0, {.row = 1}, false});
  EXPECT_EQ(system.next_event(), 1250_ps);
  system.advance_to(1_us, arrivals);
  EXPECT_EQ(arrivals.all.at(0).second, 1250_ps + 32'500_ps);
}

TEST(DramSystemTest, ReportsWhatRequestsFoundAndCost) {
  DramSystem system(one_rank(), ddr3_2gb_x8(), 2_GiB);
  Picoseconds now;
  for (const std::uint32_t row : {1u, 1u, 2u}) now += 1_us, system.access(now, {.row = row}, row == 2);
  now += 1_us, system.access(now, {.row = 2, .column = 1}, false);
  const DramSystem::Summary s = system.summary();
  EXPECT_EQ(s.row_misses, 1u);
  EXPECT_EQ(s.row_hits, 2u);
  EXPECT_EQ(s.row_conflicts, 1u);
  EXPECT_EQ(s.read_latency_sum, 32'500_ps + 18'750_ps * 2);
  EXPECT_EQ(s.write_latency_max, 1250_ps * (11 + 11 + 8 + 4));
  EXPECT_EQ(s.activates, 2u);
  EXPECT_EQ(s.refreshes, 0u);
  EXPECT_GT(s.energy.activate, s.energy.read);
}

TEST(DramSystemTest, ARankTakesEnergyInTheBackgroundUntilTheTimeOfTheReport) {
  DramSystem system(one_rank(), ddr3_2gb_x8(), 2_GiB);
  system.access(1_us, {.row = 1}, false);
  const double used = system.summary().energy.background;
  EXPECT_LT(system.summary(500_ns).energy.background, used);
  EXPECT_DOUBLE_EQ(system.summary(3_us).energy.background - system.summary(2_us).energy.background,
                   system.summary(5_us).energy.background - system.summary(4_us).energy.background);
  EXPECT_GT(system.summary(2_us).energy.background, used);
}

TEST(DramSystemTest, ResetsDropRequestsAndColdForgetsCounts) {
  DramSystem system(one_rank(), ddr3_2gb_x8(), 2_GiB);
  Arrivals arrivals;
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    system.submit(1_us, {0, {.row = 1}, false});
    system.reset(kind);
    EXPECT_EQ(system.next_event(), std::nullopt);
    system.advance_to(2_us, arrivals);
    EXPECT_TRUE(arrivals.all.empty());
  }
  EXPECT_EQ(system.summary().reads, 0u);
  EXPECT_EQ(system.summary().energy.read, 0);
}

std::string problem_of(Bytes size) {
  return thrown<std::invalid_argument>([&] { DramSystem(one_rank(), ddr3_2gb_x8(), size); });
}

TEST(DramSystemTest, RefusesASizeThatIsNotOfRows) {
  EXPECT_EQ(problem_of(1_GiB), "none");
  EXPECT_EQ(problem_of(1_GiB + 4_KiB), "expected a multiple of 64KiB, one row of all banks, got 1048580KiB");
  EXPECT_EQ(problem_of(4_GiB), "expected at most 2GiB, all rows of all banks, got 4GiB");
}

}  // namespace
}  // namespace asterism
