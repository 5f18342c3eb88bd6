#include "core/tag_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <variant>

namespace asterism {
namespace {

using Level = TagCaches::Level;
using Lines = std::vector<Address>;

// An L1 of 2 sets of 2 lines, an L2 of 4 sets of 2.
TagCacheConfig small() {
  return {.model = CacheModel::tags, .l1 = Bytes(256), .l1_ways = 2, .l2 = Bytes(512), .l2_ways = 2};
}
Lines written_back(const TagCaches::Traffic& traffic) {
  return {traffic.written_back.begin(), traffic.written_back.end()};
}
std::uint64_t count(const TagCaches& caches, std::string_view name) {
  Statistics statistics;
  caches.report(statistics);
  for (const auto& [entry, value] : statistics.entries())
    if (entry == name) return std::get<std::uint64_t>(value);
  return ~0ull;
}
constexpr Address line(std::uint64_t number) { return Address(64 * number); }

TEST(TagCache, ALineIsFilledOnceAndFoundInTheL1) {
  TagCaches caches(small(), 1);
  EXPECT_EQ(caches.access(0, Address(8), false).found, Level::memory);
  EXPECT_EQ(caches.access(0, Address(63), false).found, Level::l1);
  EXPECT_EQ(caches.access(0, Address(64), false).found, Level::memory);
  EXPECT_EQ(count(caches, "l1_hits"), 1u);
  EXPECT_EQ(count(caches, "l2_misses"), 2u);
}

TEST(TagCache, TheLeastRecentlyUsedLineIsEvictedToTheL2) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), false);
  caches.access(0, line(2), false);
  caches.access(0, line(0), false);
  caches.access(0, line(4), false);  // evicts 2 from set 0 of the L1; set 0 of the L2 has space beside 0
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::l1);
  EXPECT_EQ(caches.access(0, line(2), false).found, Level::l2);
}

TEST(TagCache, ADirtyLineReachesMemoryWhenTheL2EvictsIt) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), true);
  EXPECT_EQ(written_back(caches.access(0, line(2), false)), Lines{});
  EXPECT_EQ(written_back(caches.access(0, line(4), false)), Lines{});  // 0 goes to the L2
  EXPECT_EQ(written_back(caches.access(0, line(8), false)),
            Lines{});  // evicts the clean 4 from the L2's set 0
  EXPECT_EQ(written_back(caches.access(0, line(12), false)), Lines{line(0)});
  EXPECT_EQ(count(caches, "write_backs"), 1u);
  EXPECT_EQ(caches.dirty(), Lines{});
}

TEST(TagCache, CleanLinesAreNotWrittenBackAgain) {
  TagCaches caches(small(), 2);
  caches.access(0, line(0), true);
  caches.access(1, line(1), true);
  EXPECT_EQ(caches.dirty(), (Lines{line(0), line(1)}));
  caches.clean(caches.dirty());
  EXPECT_EQ(caches.dirty(), Lines{});
  EXPECT_EQ(count(caches, "flushed"), 2u);
  EXPECT_EQ(caches.access(0, line(0), true).found, Level::l1);
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
}

TEST(TagCache, AStoreTakesTheLineFromTheOtherCore) {
  TagCaches caches(small(), 2);
  caches.access(0, line(0), true);
  EXPECT_EQ(caches.access(1, line(0), true).found, Level::l2);
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::l2);  // its own copy was invalidated
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
}

TEST(TagCache, ALoadLeavesTheLineCleanInBothAndDirtyInTheL2) {
  TagCaches caches(small(), 2);
  caches.access(0, line(0), true);
  EXPECT_EQ(caches.access(1, line(0), false).found, Level::l2);
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::l1);
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
  // A store to a clean line invalidates the copy of the other core.
  caches.access(0, line(0), true);
  EXPECT_EQ(caches.access(1, line(0), false).found, Level::l2);
}

TEST(TagCache, LinesWrittenByADeviceAreInvalidated) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), true);
  caches.access(0, line(1), true);
  caches.drop({line(0), Bytes(64)});
  EXPECT_EQ(caches.dirty(), Lines{line(1)});
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::memory);
}

TEST(TagCache, PowerLossEmptiesTheCaches) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), true);
  caches.reset(Reset::power_loss);
  EXPECT_EQ(caches.dirty(), Lines{});
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::memory);
  EXPECT_EQ(count(caches, "l2_misses"), 2u);
}

// ---- between cores ----

TEST(TagCache, EachAccessToTheL2IsCounted) {
  TagCaches caches(small(), 2);
  EXPECT_EQ(caches.access(0, line(0), true).l2_accesses, 1u);   // from memory
  EXPECT_EQ(caches.access(0, line(0), false).l2_accesses, 0u);  // a hit
  EXPECT_EQ(caches.access(1, line(0), false).l2_accesses, 2u);  // the other L1 writes it there first
  EXPECT_EQ(caches.access(0, line(0), true).l2_accesses, 1u);   // invalidates the other's copy
  EXPECT_EQ(caches.access(0, line(0), true).l2_accesses, 0u);
  EXPECT_EQ(caches.access(1, line(0), true).l2_accesses, 2u);
  EXPECT_EQ(caches.line_counts(0), (LineCounts{.taken = 0, .invalidated = 1}));
  EXPECT_EQ(caches.line_counts(1), (LineCounts{.taken = 2, .invalidated = 1}));
}

TEST(TagCache, ADirtyLineComesFromTheOtherCoreAlthoughTheL2HasEvictedIt) {
  for (const bool is_store : {true, false}) {
    TagCaches caches(small(), 2);
    caches.access(0, line(0), true);
    for (std::uint64_t i = 1; i < 8; ++i) caches.access(1, line(4 * i), false);  // all of set 0 of the L2
    const auto traffic = caches.access(1, line(0), is_store);
    EXPECT_NE(traffic.found, Level::memory);
    EXPECT_EQ(caches.dirty(), Lines{line(0)});
  }
}

// Core 0 has run ahead and stored ten times, at intervals of 100 ns; half of the stores come after core 1
// begins.
TEST(TagCache, AccessesOfTwoCoresAtTheSameTimeContend) {
  TagCaches caches(small(), 2);
  for (std::uint64_t i = 0; i < 10; ++i) caches.access(0, line(0), true, Picoseconds(100 * i));
  EXPECT_EQ(caches.access(1, line(0), true, Picoseconds(450)).l2_accesses, 2u);
  unsigned taken = 0;
  for (std::uint64_t at = 460; at < 560; at += 10) {
    const TagCaches::Traffic traffic = caches.access(1, line(0), true, Picoseconds(at));
    if (traffic.is_none()) continue;
    EXPECT_EQ(traffic.l2_accesses, 2u);
    ++taken;
  }
  EXPECT_NEAR(taken, 5, 1);
  EXPECT_EQ(caches.line_counts(1).taken, 1u + taken);
}

TEST(TagCache, AccessesOfTwoCoresOneAfterTheOtherDoNotContend) {
  TagCaches caches(small(), 2);
  for (std::uint64_t i = 0; i < 10; ++i) caches.access(0, line(0), true, Picoseconds(100 * i));
  caches.access(1, line(0), true, Picoseconds(900));
  EXPECT_TRUE(caches.access(1, line(0), true, Picoseconds(901)).is_none());
  // The contention ends at the time of the other core's last access.
  for (std::uint64_t i = 0; i < 10; ++i) caches.access(0, line(1), true, Picoseconds(100 * i));
  caches.access(1, line(1), true, Picoseconds(0));
  EXPECT_FALSE(caches.access(1, line(1), true, Picoseconds(1)).filter.stores);
  const TagCaches::Traffic after = caches.access(1, line(1), true, Picoseconds(900));
  EXPECT_TRUE(after.is_none() && after.filter.stores);
}

TEST(TagCache, LoadsOfTwoCoresAtTheSameTimeDoNotContend) {
  TagCaches caches(small(), 2);
  for (std::uint64_t i = 0; i < 10; ++i) caches.access(0, line(0), false, Picoseconds(100 * i));
  caches.access(1, line(0), false, Picoseconds(0));
  EXPECT_TRUE(caches.access(1, line(0), false, Picoseconds(10)).is_none());
}

// ---- maintenance ----

using Kind = CacheMaintenance::Kind;
Lines maintained(TagCaches& caches, unsigned core, Kind kind, std::uint64_t number) {
  const auto lines = caches.maintain(core, {.kind = kind, .address = line(number) + Bytes(8)});
  return {lines.begin(), lines.end()};
}

TEST(TagCache, CleaningByAddressReachesEveryCacheAndLeavesTheLine) {
  TagCaches caches(small(), 2);
  caches.access(0, line(0), true);
  EXPECT_EQ(maintained(caches, 1, Kind::clean, 0), Lines{line(0)});
  EXPECT_EQ(caches.dirty(), Lines{});
  EXPECT_EQ(maintained(caches, 1, Kind::clean, 0), Lines{});
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::l1);
  EXPECT_EQ(caches.line_counts(1), (LineCounts{.cleaned = 1}));
  EXPECT_EQ(caches.counts(1).memory_accesses, 1u);
}

TEST(TagCache, InvalidatingByAddressWritesADirtyLineBackAndDropsItEverywhere) {
  TagCaches caches(small(), 2);
  caches.access(0, line(0), false);
  caches.access(1, line(0), false);
  caches.access(0, line(1), true);
  EXPECT_EQ(maintained(caches, 0, Kind::clean_and_invalidate, 0), Lines{});
  EXPECT_EQ(maintained(caches, 0, Kind::clean_and_invalidate, 1), Lines{line(1)});
  EXPECT_EQ(caches.line_counts(0), (LineCounts{.cleaned = 1, .dropped = 3 + 2}));
  EXPECT_EQ(caches.access(1, line(0), false).found, Level::memory);
  EXPECT_EQ(caches.access(0, line(1), false).found, Level::memory);
}

TEST(TagCache, CleaningToThePointOfUnificationLeavesTheLineDirtyInTheL2) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), true);
  EXPECT_EQ(maintained(caches, 0, Kind::clean_to_l2, 0), Lines{});
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
  EXPECT_EQ(caches.line_counts(0).cleaned, 1u);
  EXPECT_EQ(maintained(caches, 0, Kind::clean_to_l2, 0), Lines{});
  EXPECT_EQ(caches.line_counts(0).cleaned, 1u);  // nothing was left to do
  EXPECT_EQ(maintained(caches, 0, Kind::clean, 0), Lines{line(0)});
}

TEST(TagCache, OperationsOnAllSetsAndWaysReachAllLines) {
  TagCaches caches(small(), 2);
  for (std::uint64_t i = 0; i < 4; ++i) caches.access(0, line(i), true);
  caches.access(1, line(8), true);
  Lines written;
  const auto whole_level = [&](unsigned level, unsigned sets) {
    for (unsigned set = 0; set < sets; ++set)
      for (unsigned way = 0; way < 2; ++way)
        for (const Address each : caches.maintain(0, {.kind = Kind::clean_and_invalidate,
                                                     .by_set = true,
                                                     .level = level,
                                                     .set = set,
                                                     .way = way}))
          written.push_back(each);
  };
  whole_level(0, 2);
  EXPECT_EQ(written, Lines{});  // into the L2
  whole_level(1, 4);
  std::ranges::sort(written);
  EXPECT_EQ(written, (Lines{line(0), line(1), line(2), line(3)}));
  EXPECT_EQ(caches.dirty(), Lines{line(8)});  // in the other core's L1
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::memory);
}

TEST(TagCache, ASweepOverFourMebibytesWritesAllLinesBackTwice) {
  TagCaches caches({.model = CacheModel::tags}, 1);
  constexpr std::uint64_t lines = 4_MiB / TagCache::line;
  for (int sweep = 0; sweep < 2; ++sweep)
    for (std::uint64_t i = 0; i < lines; ++i) caches.access(0, line(i), true);
  EXPECT_EQ(count(caches, "l2_misses"), 2 * lines);
  // What the last sweep leaves dirty are 32,768 lines in the L2, including those of the L1.
  EXPECT_EQ(count(caches, "write_backs") + caches.dirty().size(), 2 * lines);
}

TEST(TagCache, LinesStoredToAndNotWrittenBackAreDirty) {
  std::mt19937 random(7);
  TagCaches caches(small(), 3);
  std::vector<bool> stored(64);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t at = random() % 64;
    const bool is_store = random() % 3 == 0;
    const auto written_back = [&](const auto& lines) {
      for (const Address back : lines) {
        const std::uint64_t number = back.value() / 64;
        EXPECT_TRUE(stored[number]);
        stored[number] = false;
      }
    };
    const auto core = static_cast<unsigned>(random() % 3);
    const Picoseconds now(random() % 1000);
    if (random() % 8 == 0) {
      written_back(caches.maintain(core, {.kind = static_cast<Kind>(random() % 3),
                                          .by_set = random() % 2 == 0,
                                          .address = line(at),
                                          .level = static_cast<unsigned>(random() % 2),
                                          .set = static_cast<unsigned>(random() % 4),
                                          .way = static_cast<unsigned>(random() % 2)}));
    } else {
      written_back(caches.access(core, line(at), is_store, now).written_back);
      if (is_store) stored[at] = true;
    }
    const Lines dirty = caches.dirty();
    for (std::uint64_t number = 0; number < 64; ++number)
      ASSERT_EQ(std::ranges::binary_search(dirty, line(number)), stored[number]) << number;
  }
}

}  // namespace
}  // namespace asterism
