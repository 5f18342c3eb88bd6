#include "zone_monitor/zone_monitor.h"

#include <gtest/gtest.h>

#include <vector>

#include "zone_monitor/zone_monitor_hook.h"

namespace asterism {
namespace {

using Answer = ZoneMonitor::Answer;
using Check = ZoneMonitor::Check;

constexpr std::uint32_t zones_per_sector = ZoneMonitor::zones_per_sector;
constexpr ZoneMonitorConfig one_line{.cache = Bytes(64), .ways = 1};

struct Monitor : ZoneMonitor {
  explicit Monitor(const ZoneMonitorConfig& config = {}, std::uint32_t zones = 64 * zones_per_sector)
      : ZoneMonitor(config, zones) {
    track(true);
  }
  void snapshot(std::initializer_list<std::uint32_t> zones) {
    for (const std::uint32_t zone : zones) expose(zone);
    begin();
  }
  Answer answer(std::uint32_t zone) { return write(zone).answer; }
};

// ---- the table ----

TEST(ZoneMonitor, ATableIsTwoBitsAZoneInSectors) {
  EXPECT_EQ(ZoneMonitor({}, 16384).table_size(), 4_KiB);    // 1 GiB in zones of 64 KiB
  EXPECT_EQ(ZoneMonitor({}, 262144).table_size(), 64_KiB);  // 1 GiB in zones of 4 KiB
  EXPECT_EQ(ZoneMonitor({}, 1).table_size(), Bytes(64));
  EXPECT_EQ(ZoneMonitor({}, 257).table_size(), Bytes(128));
}

TEST(ZoneMonitor, UnpreservedZonesAreFoundInOrderWithoutWrapping) {
  Monitor monitor;
  EXPECT_EQ(monitor.next_unpreserved(0), std::nullopt);
  monitor.snapshot({5, 63, 64, 16383});
  EXPECT_EQ(monitor.unpreserved(), 4u);
  EXPECT_EQ(monitor.next_unpreserved(0), 5u);
  EXPECT_EQ(monitor.next_unpreserved(5), 5u);
  EXPECT_EQ(monitor.next_unpreserved(6), 63u);
  EXPECT_EQ(monitor.next_unpreserved(64), 64u);
  EXPECT_EQ(monitor.next_unpreserved(65), 16383u);
  monitor.preserve(16383);
  EXPECT_EQ(monitor.next_unpreserved(65), std::nullopt);
  EXPECT_EQ(monitor.next_unpreserved(16384), std::nullopt);
  EXPECT_EQ(monitor.unpreserved(), 3u);
}

// ---- a write (section 4.3.2) ----

TEST(ZoneMonitor, AWriteOutsideASnapshotGoesAheadAndIsNoted) {
  Monitor monitor;
  EXPECT_EQ(monitor.answer(3), Answer::proceed);
  EXPECT_TRUE(monitor.is_dirty(3));
  EXPECT_FALSE(monitor.is_dirty(2));
  EXPECT_FALSE(monitor.is_unpreserved(3));
}

TEST(ZoneMonitor, TheFirstWriteToAnUnpreservedZoneIsDistinguishedFromLaterOnes) {
  Monitor monitor;
  monitor.snapshot({3});
  EXPECT_EQ(monitor.answer(3), Answer::first_stall);
  EXPECT_TRUE(monitor.is_dirty(3));
  EXPECT_EQ(monitor.answer(3), Answer::stall);
  EXPECT_EQ(monitor.answer(3), Answer::stall);
  EXPECT_EQ(monitor.answer(4), Answer::proceed);
  EXPECT_TRUE(monitor.is_dirty(4));
}

TEST(ZoneMonitor, PeekAnswersAsAWriteAndNotesNothing) {
  Monitor monitor;
  monitor.snapshot({3});
  EXPECT_EQ(monitor.peek(3), Answer::first_stall);
  EXPECT_EQ(monitor.peek(4), Answer::proceed);
  EXPECT_FALSE(monitor.is_dirty(3));
  monitor.write(3);
  EXPECT_EQ(monitor.peek(3), Answer::stall);
  monitor.preserve(3);
  EXPECT_EQ(monitor.peek(3), Answer::stall);  // the cache is older than the table
  monitor.refresh();
  EXPECT_EQ(monitor.peek(3), Answer::proceed);
  EXPECT_EQ(monitor.counts().writes, 1u);
}

TEST(ZoneMonitor, ExposedZonesLetNothingWaitUntilTheSnapshotBegins) {
  Monitor monitor;
  monitor.expose(3);
  EXPECT_TRUE(monitor.is_unpreserved(3));
  EXPECT_EQ(monitor.answer(3), Answer::proceed);
  monitor.begin();
  EXPECT_EQ(monitor.answer(3), Answer::first_stall);
}

TEST(ZoneMonitor, WhileASnapshotIsOpenNothingIsExposedAndNoneBegins) {
  Monitor monitor;
  monitor.snapshot({3});
  monitor.expose(4);
  monitor.write(5);
  EXPECT_EQ(monitor.begin(), 0u);
  EXPECT_FALSE(monitor.is_unpreserved(4));
  EXPECT_FALSE(monitor.is_unpreserved(5));
  EXPECT_TRUE(monitor.is_dirty(5));
}

// ---- an increment ----

TEST(ZoneMonitor, BeginMakesTheDirtyZonesTheSnapshotAndRestarts) {
  Monitor monitor;
  for (const std::uint32_t zone : {1u, 300u, 301u}) monitor.write(zone);
  monitor.expose(7);
  EXPECT_EQ(monitor.begin(), 2u);  // two sectors in the cache had changed
  EXPECT_TRUE(monitor.open());
  EXPECT_EQ(monitor.unpreserved(), 4u);
  for (const std::uint32_t zone : {1u, 7u, 300u, 301u}) {
    EXPECT_TRUE(monitor.is_unpreserved(zone)) << zone;
    EXPECT_FALSE(monitor.is_dirty(zone)) << zone;
  }
  EXPECT_EQ(monitor.answer(301), Answer::first_stall);
  EXPECT_EQ(monitor.answer(302), Answer::proceed);
}

TEST(ZoneMonitor, AnIncrementHoldsWhatWasWrittenOrWaitedSinceTheSnapshot) {
  Monitor monitor;
  monitor.write(1);
  monitor.begin();
  monitor.write(1);    // this write waits
  monitor.write(900);  // this one proceeds
  monitor.complete();
  EXPECT_EQ(monitor.unpreserved(), 0u);
  monitor.write(2);
  monitor.begin();
  std::vector<std::uint32_t> taken;
  for (auto zone = monitor.next_unpreserved(0); zone; zone = monitor.next_unpreserved(*zone + 1))
    taken.push_back(*zone);
  EXPECT_EQ(taken, (std::vector<std::uint32_t>{1, 2, 900}));
}

TEST(ZoneMonitor, ASnapshotOfNothingIsOpenUntilItIsComplete) {
  Monitor monitor;
  EXPECT_EQ(monitor.begin(), 0u);
  EXPECT_TRUE(monitor.open());
  EXPECT_EQ(monitor.unpreserved(), 0u);
  monitor.complete();
  EXPECT_FALSE(monitor.open());
}

// ---- tracking off ----

TEST(ZoneMonitor, WithoutSnapshotAndTrackingNothingIsLookedAt) {
  Monitor monitor;
  monitor.track(false);
  EXPECT_EQ(monitor.write(3), (Check{Answer::proceed, 0}));
  EXPECT_FALSE(monitor.is_dirty(3));
  EXPECT_EQ(monitor.counts(), (ZoneMonitor::Counts{.writes = 1, .unchecked = 1}));
}

TEST(ZoneMonitor, WithTrackingOffWritesStillWaitAndTheFirstIsReported) {
  Monitor monitor;
  monitor.track(false);
  monitor.snapshot({3});
  EXPECT_EQ(monitor.write(3), (Check{Answer::first_stall, 2}));
  EXPECT_EQ(monitor.write(3), (Check{Answer::stall, 0}));
  EXPECT_EQ(monitor.write(4), (Check{Answer::proceed, 0}));
  EXPECT_FALSE(monitor.is_dirty(4));
}

TEST(ZoneMonitor, WithTrackingOffTheNextSnapshotIsWhatIsExposed) {
  Monitor monitor;
  monitor.track(false);
  monitor.snapshot({3});
  monitor.write(3);
  monitor.complete();
  monitor.snapshot({5});
  EXPECT_EQ(monitor.unpreserved(), 1u);
  EXPECT_TRUE(monitor.is_unpreserved(5));
  EXPECT_FALSE(monitor.is_dirty(3));
}

TEST(ZoneMonitor, TurningTrackingOnOrOffClearsWhatWasWritten) {
  Monitor monitor;
  monitor.write(3);
  monitor.track(true);  // tracking is already on
  EXPECT_TRUE(monitor.is_dirty(3));
  monitor.track(false);
  EXPECT_FALSE(monitor.is_dirty(3));
  monitor.track(true);
  EXPECT_FALSE(monitor.is_dirty(3));
  EXPECT_EQ(monitor.begin(), 0u);
  EXPECT_EQ(monitor.unpreserved(), 0u);
}

// ---- the cache ----

TEST(ZoneMonitor, AStaleSectorMakesWritesWaitInVainUntilRefresh) {
  Monitor monitor;
  monitor.snapshot({3, 4, 300});
  EXPECT_EQ(monitor.write(5).sectors, 2);  // fetches the sector of 3 and 4
  monitor.preserve(3);
  monitor.preserve(300);
  EXPECT_EQ(monitor.answer(3), Answer::first_stall);
  EXPECT_EQ(monitor.answer(3), Answer::stall);
  EXPECT_EQ(monitor.answer(300), Answer::proceed);  // its sector is fetched after the table has changed
  monitor.refresh();
  EXPECT_EQ(monitor.write(3), (Check{Answer::proceed, 1}));  // `previous` is fetched again
  EXPECT_EQ(monitor.answer(4), Answer::first_stall);
}

TEST(ZoneMonitor, ADisplacedLineComesBackWithTheTableAsItIs) {
  Monitor monitor(one_line);
  monitor.snapshot({3});
  EXPECT_EQ(monitor.answer(3), Answer::first_stall);
  monitor.preserve(3);
  EXPECT_EQ(monitor.answer(3), Answer::stall);
  monitor.write(300);
  EXPECT_EQ(monitor.answer(3), Answer::proceed);
}

TEST(ZoneMonitor, CompleteLetsGoWhateverTheCacheHolds) {
  Monitor monitor;
  monitor.snapshot({3});
  monitor.write(3);
  monitor.complete();
  EXPECT_EQ(monitor.answer(3), Answer::proceed);
  monitor.snapshot({});
  EXPECT_EQ(monitor.answer(2), Answer::proceed);
  EXPECT_EQ(monitor.answer(3), Answer::first_stall);  // it has waited, so it is dirty
}

TEST(ZoneMonitor, SectorsAreFetchedWhenTheyAreFirstNeeded) {
  Monitor monitor;
  EXPECT_EQ(monitor.write(3).sectors, 1);  // the sector of `next`
  EXPECT_EQ(monitor.write(4).sectors, 0);
  EXPECT_EQ(monitor.write(300).sectors, 1);
  EXPECT_EQ(monitor.begin(), 2u);
  EXPECT_EQ(monitor.write(5).sectors, 2);  // the sectors of `previous` and `next`
  EXPECT_EQ(monitor.write(3).sectors, 0);
  EXPECT_EQ(monitor.counts(), (ZoneMonitor::Counts{.writes = 5,
                                                   .first_stalls = 1,
                                                   .previous = {.hits = 1, .misses = 1},
                                                   .next = {.hits = 2, .misses = 3},
                                                   .fetches = 4,
                                                   .writebacks = 2}));
}

TEST(ZoneMonitor, AChangedSectorGoesBackWhenItsLineIsDisplaced) {
  Monitor monitor(one_line);
  EXPECT_EQ(monitor.write(3).sectors, 1);
  EXPECT_EQ(monitor.write(zones_per_sector).sectors, 2);      // one is written back, one is fetched
  EXPECT_EQ(monitor.write(3).sectors, 2);                     // this write changes nothing
  EXPECT_EQ(monitor.write(2 * zones_per_sector).sectors, 1);  // therefore nothing is written back
  EXPECT_TRUE(monitor.is_dirty(3));
  EXPECT_EQ(monitor.counts().writebacks, 2u);
  EXPECT_EQ(monitor.begin(), 1u);
  EXPECT_EQ(monitor.counts().writebacks, 3u);
  EXPECT_EQ(monitor.unpreserved(), 3u);
}

TEST(ZoneMonitor, AWriteMovesThreeSectorsAtMost) {
  Monitor monitor(one_line);
  monitor.snapshot({zones_per_sector});
  monitor.write(3);
  EXPECT_EQ(monitor.write(zones_per_sector), (Check{Answer::first_stall, 3}));
}

TEST(ZoneMonitor, TheLeastRecentlyUsedLineOfASetLeaves) {
  Monitor monitor({.cache = 1_KiB, .ways = 4});  // 4 sets: sectors 0, 4, 8, ... share one
  const auto write = [&](std::uint32_t number) { return monitor.write(number * zones_per_sector).sectors; };
  for (const std::uint32_t number : {0u, 4u, 8u, 12u}) EXPECT_EQ(write(number), 1);
  EXPECT_EQ(write(1), 1);  // this one is in another set
  EXPECT_EQ(write(0), 0);
  EXPECT_EQ(write(16), 2);  // 4 is evicted
  EXPECT_EQ(write(0), 0);
  EXPECT_EQ(write(8), 0);
  EXPECT_EQ(write(4), 2);  // 12 is evicted
  EXPECT_EQ(write(16), 0);
  EXPECT_EQ(write(12), 2);  // 0 is evicted
}

TEST(ZoneMonitor, ThirtyTwoSectorsFitTheDefaultCache) {
  Monitor monitor;
  std::uint32_t sectors = 0;
  for (unsigned round = 0; round < 3; ++round)
    for (std::uint32_t number = 0; number < 32; ++number)
      sectors += monitor.write(number * zones_per_sector).sectors;
  EXPECT_EQ(sectors, 32u);
}

// ---- reset, statistics, the hook ----

TEST(ZoneMonitor, AnyResetEmptiesAllButTheCounts) {
  for (const Reset kind : {Reset::cold, Reset::warm, Reset::power_loss}) {
    Monitor monitor;
    monitor.write(3);
    monitor.begin();
    monitor.write(4);
    monitor.reset(kind);
    EXPECT_FALSE(monitor.open());
    EXPECT_FALSE(monitor.tracking());
    EXPECT_EQ(monitor.unpreserved(), 0u);
    EXPECT_FALSE(monitor.is_dirty(4));
    EXPECT_EQ(monitor.counts().writes, 2u);
    monitor.track(true);
    EXPECT_EQ(monitor.write(3), (Check{Answer::proceed, 1}));
  }
}

TEST(ZoneMonitor, CountsAddUpAndAreReported) {
  Monitor monitor;
  monitor.snapshot({3});
  monitor.write(3);
  monitor.preserve(3);
  monitor.write(3);
  ZoneMonitor::Counts two = monitor.counts();
  two += monitor.counts();
  Statistics statistics;
  two.report(statistics);
  std::vector<std::pair<std::string, std::uint64_t>> reported;
  for (const auto& [name, value] : statistics.entries())
    reported.emplace_back(name, std::get<std::uint64_t>(value));
  EXPECT_EQ(reported, (decltype(reported){{"writes", 4},
                                          {"unchecked", 0},
                                          {"first_stalls", 2},
                                          {"stalls", 2},
                                          {"previous_hits", 2},
                                          {"previous_misses", 2},
                                          {"next_hits", 2},
                                          {"next_misses", 2},
                                          {"fetches", 4},
                                          {"writebacks", 0}}));
}

struct Witness : ZoneMonitorHook {
  std::string seen;
  void track(bool on) override { seen += on ? "t+ " : "t- "; }
  void write(std::uint32_t zone, Check& check) override {
    seen += "w" + std::to_string(zone) + "=" + std::to_string(static_cast<int>(check.answer)) + "," +
            std::to_string(check.sectors) + " ";
    check = {Answer::stall, 7};
  }
  void expose(std::uint32_t zone) override { seen += "e" + std::to_string(zone) + " "; }
  void begin(std::uint32_t& sectors) override {
    seen += "b" + std::to_string(sectors) + " ";
    sectors = 9;
  }
  void preserve(std::uint32_t zone) override { seen += "p" + std::to_string(zone) + " "; }
  void refresh() override { seen += "r "; }
  void complete() override { seen += "c "; }
  void reset(Reset) override { seen += "R"; }
};

TEST(ZoneMonitor, AHookSeesEachOperationAndMayAnswerDifferently) {
  Monitor monitor;
  Witness witness;
  monitor.attach_hook(&witness);
  EXPECT_EQ(monitor.write(3), (Check{Answer::stall, 7}));
  monitor.expose(4);
  EXPECT_EQ(monitor.begin(), 9u);
  monitor.write(4);
  monitor.preserve(4);
  monitor.refresh();
  monitor.complete();
  monitor.track(false);
  monitor.reset(Reset::cold);
  EXPECT_EQ(witness.seen, "w3=0,1 e4 b1 w4=1,2 p4 r c t- R");
}

}  // namespace
}  // namespace asterism
