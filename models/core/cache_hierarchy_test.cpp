#include "core/cache_hierarchy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <variant>

namespace asterism {
namespace {

using Lines = std::vector<Address>;
using Kind = CacheHierarchy::Kind;
using Maintenance = CacheMaintenance::Kind;

constexpr Picoseconds l2_latency = 10_ns, llc_latency = 30_ns, snoop = 3_ns;

// L1s of 2 sets of 2 lines, an L2 of 4 sets of 2 for all cores. The L1 takes no time.
CachesConfig small() {
  CachesConfig config{.model = CacheModel::tags, .snoop = snoop};
  config.l1d = {.size = Bytes(256), .ways = 2, .latency = 0_ps};
  config.l2 = {.size = Bytes(512), .ways = 2, .latency = l2_latency};
  return config;
}
// Where a line was found.
enum class Level { l1, l2, llc, memory };
Level level(const CacheHierarchy::Traffic& traffic) {
  if (traffic.is_filled) return Level::memory;
  return traffic.wait >= llc_latency ? Level::llc : traffic.wait >= l2_latency ? Level::l2 : Level::l1;
}
CacheHierarchy::Traffic access(CacheHierarchy& caches, unsigned core, Address address, bool is_store,
                               Picoseconds now = {}) {
  return caches.access(core, address, is_store ? Kind::store : Kind::load, now);
}
Lines written_back(const CacheHierarchy::Traffic& traffic) {
  return {traffic.written_back.begin(), traffic.written_back.end()};
}
// "l2/evictions"
std::uint64_t count(const CacheHierarchy& caches, const std::string& path) {
  Statistics statistics;
  caches.report(statistics, std::vector<std::uint64_t>(16));
  const std::size_t slash = path.find('/');
  const Statistics* at = &statistics;
  if (slash != std::string::npos)
    for (const auto& [name, value] : statistics.entries())
      if (const auto* group = std::get_if<std::unique_ptr<Statistics>>(&value))
        if (name == path.substr(0, slash)) at = group->get();
  for (const auto& [name, value] : at->entries())
    if (const auto* found = std::get_if<std::uint64_t>(&value))
      if (name == path.substr(slash + 1)) return *found;
  return ~0ull;
}
bool holds(const CacheHierarchy& caches, std::string_view cache, Address address) {
  return caches.is_dirty(cache, address).has_value();
}
constexpr Address line(std::uint64_t number) { return Address(64 * number); }

TEST(CacheHierarchy, ALineIsFilledOnceAndFoundInTheL1) {
  CacheHierarchy caches(small(), 1);
  EXPECT_EQ(level(access(caches, 0, Address(8), false)), Level::memory);
  EXPECT_EQ(level(access(caches, 0, Address(63), false)), Level::l1);
  EXPECT_EQ(level(access(caches, 0, Address(64), false)), Level::memory);
  EXPECT_EQ(count(caches, "core0_l1d/hits"), 1u);
  EXPECT_EQ(count(caches, "l2/missed_loads"), 2u);
}

TEST(CacheHierarchy, TheLeastRecentlyUsedLineIsEvictedToTheL2) {
  CacheHierarchy caches(small(), 1);
  access(caches, 0, line(0), false);
  access(caches, 0, line(2), false);
  access(caches, 0, line(0), false);
  access(caches, 0, line(4), false);  // evicts 2 from set 0 of the L1; set 0 of the L2 has space beside 0
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::l1);
  EXPECT_EQ(level(access(caches, 0, line(2), false)), Level::l2);
}

TEST(CacheHierarchy, ADirtyLineReachesMemoryWhenTheL2EvictsIt) {
  CacheHierarchy caches(small(), 1);
  access(caches, 0, line(0), true);
  EXPECT_EQ(written_back(access(caches, 0, line(2), false)), Lines{});
  EXPECT_EQ(written_back(access(caches, 0, line(4), false)), Lines{});  // 0 goes to the L2
  EXPECT_EQ(written_back(access(caches, 0, line(8), false)),
            Lines{});  // evicts the clean 4 from the L2's set 0
  EXPECT_EQ(written_back(access(caches, 0, line(12), false)), Lines{line(0)});
  EXPECT_EQ(count(caches, "l2/write_backs"), 1u);
  EXPECT_EQ(caches.dirty(), Lines{});
}

TEST(CacheHierarchy, CleanLinesAreNotWrittenBackAgain) {
  CacheHierarchy caches(small(), 2);
  access(caches, 0, line(0), true);
  access(caches, 1, line(1), true);
  EXPECT_EQ(caches.dirty(), (Lines{line(0), line(1)}));
  caches.clean(caches.dirty());
  EXPECT_EQ(caches.dirty(), Lines{});
  EXPECT_EQ(count(caches, "flushed"), 2u);
  EXPECT_EQ(level(access(caches, 0, line(0), true)), Level::l1);
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
}

TEST(CacheHierarchy, AStoreTakesTheLineFromTheOtherCore) {
  CacheHierarchy caches(small(), 2);
  access(caches, 0, line(0), true);
  EXPECT_EQ(level(access(caches, 1, line(0), true)), Level::l2);
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::l2);  // its own copy was invalidated
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
}

TEST(CacheHierarchy, ALoadLeavesTheLineCleanInBothAndDirtyInTheL2) {
  CacheHierarchy caches(small(), 2);
  access(caches, 0, line(0), true);
  EXPECT_EQ(level(access(caches, 1, line(0), false)), Level::l2);
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::l1);
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
  // A store to a clean line invalidates the copy of the other core.
  access(caches, 0, line(0), true);
  EXPECT_EQ(level(access(caches, 1, line(0), false)), Level::l2);
}

TEST(CacheHierarchy, LinesWrittenByADeviceAreInvalidated) {
  CacheHierarchy caches(small(), 1);
  access(caches, 0, line(0), true);
  access(caches, 0, line(1), true);
  caches.drop({line(0), Bytes(64)});
  EXPECT_EQ(caches.dirty(), Lines{line(1)});
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::memory);
}

TEST(CacheHierarchy, PowerLossEmptiesTheCaches) {
  CacheHierarchy caches(small(), 1);
  access(caches, 0, line(0), true);
  caches.reset(Reset::power_loss);
  EXPECT_EQ(caches.dirty(), Lines{});
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::memory);
  EXPECT_EQ(count(caches, "l2/missed_stores"), 1u);
  EXPECT_EQ(count(caches, "l2/missed_loads"), 1u);
}

// ---- between cores ----

TEST(CacheHierarchy, EachAccessWaitsForTheCachesThatItNeeds) {
  CacheHierarchy caches(small(), 2);
  EXPECT_EQ(access(caches, 0, line(0), true).wait, l2_latency);  // from memory
  EXPECT_EQ(access(caches, 0, line(0), false).wait, 0_ps);       // a hit
  EXPECT_EQ(access(caches, 1, line(0), false).wait,
            snoop + l2_latency);                            // the other L1 writes it there first
  EXPECT_EQ(access(caches, 0, line(0), true).wait, snoop);  // invalidates the other's copy
  EXPECT_EQ(access(caches, 0, line(0), true).wait, 0_ps);
  EXPECT_EQ(access(caches, 1, line(0), true).wait, snoop + l2_latency);
  EXPECT_EQ(caches.line_counts(0), (LineCounts{.taken = 0, .invalidated = 1}));
  EXPECT_EQ(caches.line_counts(1), (LineCounts{.taken = 2, .invalidated = 1}));
}

TEST(CacheHierarchy, ADirtyLineComesFromTheOtherCoreAlthoughTheL2HasEvictedIt) {
  for (const bool is_store : {true, false}) {
    CacheHierarchy caches(small(), 2);
    access(caches, 0, line(0), true);
    for (std::uint64_t i = 1; i < 8; ++i) access(caches, 1, line(4 * i), false);  // all of set 0 of the L2
    const auto traffic = access(caches, 1, line(0), is_store);
    EXPECT_FALSE(traffic.is_filled);
    EXPECT_EQ(caches.dirty(), Lines{line(0)});
  }
}

// Core 0 has run ahead and stored ten times, at intervals of 100 ns; half of the stores come after core 1
// begins.
TEST(CacheHierarchy, AccessesOfTwoCoresAtTheSameTimeContend) {
  CacheHierarchy caches(small(), 2);
  for (std::uint64_t i = 0; i < 10; ++i) access(caches, 0, line(0), true, Picoseconds(100 * i));
  EXPECT_EQ(access(caches, 1, line(0), true, Picoseconds(450)).wait, snoop + l2_latency);
  unsigned taken = 0;
  for (std::uint64_t at = 460; at < 560; at += 10) {
    const CacheHierarchy::Traffic traffic = access(caches, 1, line(0), true, Picoseconds(at));
    if (traffic.is_none()) continue;
    EXPECT_EQ(traffic.wait, 2 * snoop);
    ++taken;
  }
  EXPECT_NEAR(taken, 5, 1);
  EXPECT_EQ(caches.line_counts(1).taken, 1u + taken);
}

TEST(CacheHierarchy, AccessesOfTwoCoresOneAfterTheOtherDoNotContend) {
  CacheHierarchy caches(small(), 2);
  for (std::uint64_t i = 0; i < 10; ++i) access(caches, 0, line(0), true, Picoseconds(100 * i));
  access(caches, 1, line(0), true, Picoseconds(900));
  EXPECT_TRUE(access(caches, 1, line(0), true, Picoseconds(901)).is_none());
  // The contention ends at the time of the other core's last access.
  for (std::uint64_t i = 0; i < 10; ++i) access(caches, 0, line(1), true, Picoseconds(100 * i));
  access(caches, 1, line(1), true, Picoseconds(0));
  EXPECT_FALSE(access(caches, 1, line(1), true, Picoseconds(1)).filter.stores);
  const CacheHierarchy::Traffic after = access(caches, 1, line(1), true, Picoseconds(900));
  EXPECT_TRUE(after.is_none() && after.filter.stores);
}

TEST(CacheHierarchy, LoadsOfTwoCoresAtTheSameTimeDoNotContend) {
  CacheHierarchy caches(small(), 2);
  for (std::uint64_t i = 0; i < 10; ++i) access(caches, 0, line(0), false, Picoseconds(100 * i));
  access(caches, 1, line(0), false, Picoseconds(0));
  EXPECT_TRUE(access(caches, 1, line(0), false, Picoseconds(10)).is_none());
}

// ---- maintenance ----

Lines maintained(CacheHierarchy& caches, unsigned core, Maintenance kind, std::uint64_t number) {
  const auto lines = caches.maintain(core, {.kind = kind, .address = line(number) + Bytes(8)});
  return {lines.begin(), lines.end()};
}

TEST(CacheHierarchy, CleaningByAddressReachesEveryCacheAndLeavesTheLine) {
  CacheHierarchy caches(small(), 2);
  access(caches, 0, line(0), true);
  EXPECT_EQ(maintained(caches, 1, Maintenance::clean, 0), Lines{line(0)});
  EXPECT_EQ(caches.dirty(), Lines{});
  EXPECT_EQ(maintained(caches, 1, Maintenance::clean, 0), Lines{});
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::l1);
  EXPECT_EQ(caches.line_counts(1), (LineCounts{.cleaned = 1}));
  EXPECT_EQ(caches.counts(1).memory_accesses, 1u);
}

TEST(CacheHierarchy, InvalidatingByAddressWritesADirtyLineBackAndDropsItEverywhere) {
  CacheHierarchy caches(small(), 2);
  access(caches, 0, line(0), false);
  access(caches, 1, line(0), false);
  access(caches, 0, line(1), true);
  EXPECT_EQ(maintained(caches, 0, Maintenance::clean_and_invalidate, 0), Lines{});
  EXPECT_EQ(maintained(caches, 0, Maintenance::clean_and_invalidate, 1), Lines{line(1)});
  EXPECT_EQ(caches.line_counts(0), (LineCounts{.cleaned = 1, .dropped = 3 + 2}));
  EXPECT_EQ(level(access(caches, 1, line(0), false)), Level::memory);
  EXPECT_EQ(level(access(caches, 0, line(1), false)), Level::memory);
}

TEST(CacheHierarchy, CleaningToThePointOfUnificationLeavesTheLineDirtyInTheL2) {
  CacheHierarchy caches(small(), 1);
  access(caches, 0, line(0), true);
  EXPECT_EQ(maintained(caches, 0, Maintenance::clean_to_l2, 0), Lines{});
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
  EXPECT_EQ(caches.line_counts(0).cleaned, 1u);
  EXPECT_EQ(maintained(caches, 0, Maintenance::clean_to_l2, 0), Lines{});
  EXPECT_EQ(caches.line_counts(0).cleaned, 1u);  // nothing was left to do
  EXPECT_EQ(maintained(caches, 0, Maintenance::clean, 0), Lines{line(0)});
}

TEST(CacheHierarchy, OperationsOnAllSetsAndWaysReachAllLines) {
  CacheHierarchy caches(small(), 2);
  for (std::uint64_t i = 0; i < 4; ++i) access(caches, 0, line(i), true);
  access(caches, 1, line(8), true);
  Lines written;
  const auto whole_level = [&](unsigned level, unsigned sets) {
    for (unsigned set = 0; set < sets; ++set)
      for (unsigned way = 0; way < 2; ++way)
        for (const Address each : caches.maintain(0, {.kind = Maintenance::clean_and_invalidate,
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
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::memory);
}

TEST(CacheHierarchy, ASweepOverFourMebibytesWritesAllLinesBackTwice) {
  CacheHierarchy caches({.model = CacheModel::tags}, 1);
  constexpr std::uint64_t lines = 4_MiB / CacheHierarchy::line;
  for (int sweep = 0; sweep < 2; ++sweep)
    for (std::uint64_t i = 0; i < lines; ++i) access(caches, 0, line(i), true);
  EXPECT_EQ(count(caches, "l2/missed_stores"), 2 * lines);
  // What the last sweep leaves dirty are 32,768 lines in the L2, including those of the L1.
  EXPECT_EQ(count(caches, "l2/write_backs") + caches.dirty().size(), 2 * lines);
}

// ---- trees of other shapes ----

// Two clusters of two cores with an L2 each, and a last level of 8 sets of 2.
CachesConfig clusters(Inclusion of_l2, Inclusion of_llc) {
  CachesConfig config = small();
  config.l2->cores = 2;
  config.l2->inclusion = of_l2;
  config.llc = {.size = Bytes(1024), .ways = 2, .latency = llc_latency, .inclusion = of_llc};
  return config;
}

TEST(CacheHierarchy, CoresOfAClusterShareItsL2) {
  CacheHierarchy caches(clusters(Inclusion::none, Inclusion::none), 4);
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::memory);
  EXPECT_EQ(level(access(caches, 1, line(0), false)), Level::l2);
  EXPECT_EQ(level(access(caches, 2, line(0), false)), Level::llc);
  EXPECT_EQ(level(access(caches, 3, line(0), false)), Level::l2);
}

TEST(CacheHierarchy, ALineThatIsDirtyInAnotherClusterComesByTheLastLevel) {
  CacheHierarchy caches(clusters(Inclusion::none, Inclusion::none), 4);
  access(caches, 0, line(0), true);
  EXPECT_EQ(access(caches, 2, line(0), false).wait, snoop + llc_latency);
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
  EXPECT_TRUE(holds(caches, "llc", line(0)));
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::l1);
}

TEST(CacheHierarchy, WithoutASharedCacheALineThatAnotherCoreHasDirtyComesByMemory) {
  CachesConfig config = small();
  config.l2->cores = 1;
  CacheHierarchy caches(config, 2);
  access(caches, 0, line(0), true);
  const auto traffic = access(caches, 1, line(0), true);
  EXPECT_EQ(written_back(traffic), Lines{line(0)});
  EXPECT_TRUE(traffic.is_filled);
  EXPECT_FALSE(holds(caches, "core0_l1d", line(0)) || holds(caches, "l2_0", line(0)));
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
}

TEST(CacheHierarchy, AnInclusiveCacheTakesALineFromTheCachesInFrontOfIt) {
  CachesConfig config = small();
  config.l2->inclusion = Inclusion::inclusive;
  CacheHierarchy caches(config, 2);
  access(caches, 0, line(0), true);
  access(caches, 1, line(4), false);
  EXPECT_EQ(written_back(access(caches, 1, line(8), false)), Lines{line(0)});  // set 0 of the L2 is full
  EXPECT_FALSE(holds(caches, "core0_l1d", line(0)));
  EXPECT_EQ(count(caches, "core0_l1d/invalidations"), 1u);
}

TEST(CacheHierarchy, AnExclusiveCacheHasWhatTheOneInFrontOfItEvicts) {
  CachesConfig config = small();
  config.l2->inclusion = Inclusion::exclusive;
  CacheHierarchy caches(config, 1);
  access(caches, 0, line(0), true);
  EXPECT_FALSE(holds(caches, "l2", line(0)));
  access(caches, 0, line(2), false);
  access(caches, 0, line(4), false);
  EXPECT_TRUE(holds(caches, "l2", line(0)));
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::l2);
  EXPECT_FALSE(holds(caches, "l2", line(0)));
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
  EXPECT_TRUE(holds(caches, "l2", line(2)));  // clean
}

TEST(CacheHierarchy, AStoreThroughTheL1IsMadeInTheL2) {
  CachesConfig config = small();
  config.l1d.write = WritePolicy::through;
  CacheHierarchy caches(config, 1);
  EXPECT_TRUE(access(caches, 0, line(0), true).is_filled);
  EXPECT_FALSE(holds(caches, "core0_l1d", line(0)));
  access(caches, 0, line(0), false);
  const auto store = access(caches, 0, line(0), true);
  EXPECT_FALSE(store.filter.stores);
  EXPECT_EQ(maintained(caches, 0, Maintenance::clean, 0), Lines{line(0)});
}

TEST(CacheHierarchy, FetchesHaveAnL1OfTheirOwn) {
  CachesConfig config = small();
  config.l1i = {.size = Bytes(128), .ways = 1, .latency = 0_ps};
  CacheHierarchy caches(config, 1);
  EXPECT_TRUE(caches.access(0, line(0), Kind::fetch).is_filled);
  EXPECT_TRUE(caches.access(0, line(0), Kind::fetch).is_none());
  EXPECT_EQ(level(access(caches, 0, line(0), false)), Level::l2);
  EXPECT_EQ(count(caches, "core0_l1i/missed_fetches"), 1u);
  EXPECT_EQ(count(caches, "l2/missed_fetches"), 1u);
}

TEST(CacheHierarchy, WithoutAnL2TheL1IsInFrontOfMemory) {
  CachesConfig config = small();
  config.l2.reset();
  CacheHierarchy caches(config, 1);
  access(caches, 0, line(0), true);
  access(caches, 0, line(2), false);
  EXPECT_EQ(written_back(access(caches, 0, line(4), false)), Lines{line(0)});
}

// Of random accesses by four cores: each line that was stored to and not written back is dirty somewhere, and
// one that is dirty in an L1 is in no other L1. An inclusive cache has all lines of those in front of it, and
// an exclusive one has none of them.
void expect_that_no_store_is_lost(const CachesConfig& config, unsigned seed) {
  std::mt19937 random(seed);
  CacheHierarchy caches(config, 4);
  std::vector<bool> stored(64);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t at = random() % 64;
    const bool is_store = random() % 3 == 0;
    const auto written_back = [&](const auto& lines) {
      for (const Address back : lines) {
        ASSERT_TRUE(stored[back.value() / 64]) << back.value() / 64;
        stored[back.value() / 64] = false;
      }
    };
    const auto core = static_cast<unsigned>(random() % 4);
    const Picoseconds now(random() % 1000);
    if (random() % 8 == 0) {
      written_back(caches.maintain(core, {.kind = static_cast<Maintenance>(random() % 3),
                                          .by_set = random() % 2 == 0,
                                          .address = line(at),
                                          .level = static_cast<unsigned>(random() % 3),
                                          .set = static_cast<unsigned>(random() % 4),
                                          .way = static_cast<unsigned>(random() % 2)}));
    } else {
      const auto traffic = access(caches, core, line(at), is_store, now);
      // A line that is written back before the store that takes it was dirty before.
      if (is_store && !std::ranges::count(traffic.written_back, line(at))) stored[at] = true;
      written_back(traffic.written_back);
      if (is_store) stored[at] = true;
    }
    if (i % 16 != 0) continue;  // looking at everything takes longest
    const Lines dirty = caches.dirty();
    for (std::uint64_t number = 0; number < 64; ++number) {
      ASSERT_EQ(std::ranges::binary_search(dirty, line(number)), stored[number]) << i << ", " << number;
      unsigned copies = 0, dirty_ones = 0;
      for (const char* l1 : {"core0_l1d", "core1_l1d", "core2_l1d", "core3_l1d"}) {
        const auto is_dirty = caches.is_dirty(l1, line(number));
        copies += is_dirty.has_value(), dirty_ones += is_dirty.value_or(false);
      }
      ASSERT_TRUE(dirty_ones == 0 || copies == 1) << i << ", " << number;
      const bool in_front =
          holds(caches, "core0_l1d", line(number)) || holds(caches, "core1_l1d", line(number));
      if (config.l2 && config.l2->inclusion == Inclusion::inclusive && config.l2->cores == 2 && in_front) {
        ASSERT_TRUE(holds(caches, "l2_0", line(number))) << i;
      }
      if (config.l2 && config.l2->inclusion == Inclusion::exclusive && config.l2->cores == 1 && in_front) {
        ASSERT_FALSE(holds(caches, "core0_l1d", line(number)) && holds(caches, "l2_0", line(number))) << i;
      }
    }
  }
}

TEST(CacheHierarchy, NoStoreIsLostInATreeOfAnyShape) {
  using enum Inclusion;
  std::vector<CachesConfig> configs{small()};
  for (const Inclusion of_l2 : {none, inclusive, exclusive})
    for (const Inclusion of_llc : {none, inclusive, exclusive}) {
      configs.push_back(clusters(of_l2, of_llc));
      configs.push_back(clusters(of_l2, of_llc));
      configs.back().l2->cores = 1;
      configs.back().llc.reset();
      configs.push_back(clusters(of_l2, of_llc));
      configs.back().l1d.replacement = configs.back().llc->replacement = Replacement::random;
      configs.back().l2->replacement = Replacement::tree_plru;
      configs.push_back(clusters(of_l2, of_llc));
      configs.back().prefetch = PrefetchConfig{.streams = 4, .distance = 4, .buffers = 4};
      if (of_l2 == exclusive) continue;  // CachesConfig refuses that
      configs.push_back(clusters(of_l2, of_llc));
      configs.back().l1d.write = WritePolicy::through;
    }
  for (unsigned seed = 0; seed < configs.size(); ++seed) {
    SCOPED_TRACE(seed);
    expect_that_no_store_is_lost(configs[seed], seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace asterism
