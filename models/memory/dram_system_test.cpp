#include "memory/dram_system.h"

#include <gtest/gtest.h>

#include "memory/dram_test_parts.h"
#include "memory/dram_traffic.h"

namespace asterism {
namespace {

// One channel of one rank, DDR3-1600 11-11-11: that of the published bandwidths.
DramConfig one_rank() {
  DramConfig config;
  config.ranks = 1;
  return config;
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
  DramConfig config = one_rank();  // with their queues: 32 entries, 80% and 20%
  config.write_queue = 32, config.write_high = 26, config.write_low = 6;
  const double measured = gigabytes_a_second(config, {.writes = 0.33}, 32);
  EXPECT_NEAR(measured / 7.54, 1, 0.08);  // Ramulator 2.1
  EXPECT_NEAR(measured / 7.0, 1, 0.08);   // DRAMSys 5.1
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

  // The requester asks when it is answered.
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
  now = 1250_ps * 6240;  // due: precharge 11, refresh 128, then a closed bank
  EXPECT_EQ(clocks({.row = 0}), 11u + 128 + 26);
  EXPECT_EQ(clocks({.row = 0}), 15u);
  now = 1250_ps * (6240 * 1000 + 28);  // all made up for but the end of the last one
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

}  // namespace
}  // namespace asterism
