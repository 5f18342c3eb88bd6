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

TEST(TagCache, TheLineUsedLongestAgoMakesRoomAndIsInTheL2) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), false);
  caches.access(0, line(2), false);
  caches.access(0, line(0), false);
  caches.access(0, line(4), false);  // displaces 2 in set 0 of the L1, nothing but 0 in set 0 of the L2
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::l1);
  EXPECT_EQ(caches.access(0, line(2), false).found, Level::l2);
}

TEST(TagCache, ADirtyLineReachesMemoryWhenTheL2LetsItGo) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), true);
  EXPECT_EQ(written_back(caches.access(0, line(2), false)), Lines{});
  EXPECT_EQ(written_back(caches.access(0, line(4), false)), Lines{});  // 0 goes to the L2
  EXPECT_EQ(written_back(caches.access(0, line(8), false)),
            Lines{});  // displaces the clean 4 of the L2's set 0
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
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::l2);  // its own copy is gone
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
}

TEST(TagCache, ALoadLeavesTheLineCleanInBothAndDirtyInTheL2) {
  TagCaches caches(small(), 2);
  caches.access(0, line(0), true);
  EXPECT_EQ(caches.access(1, line(0), false).found, Level::l2);
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::l1);
  EXPECT_EQ(caches.dirty(), Lines{line(0)});
  // A store to a clean copy takes it from the other core.
  caches.access(0, line(0), true);
  EXPECT_EQ(caches.access(1, line(0), false).found, Level::l2);
}

TEST(TagCache, WhatADeviceHasWrittenIsDropped) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), true);
  caches.access(0, line(1), true);
  caches.drop({line(0), Bytes(64)});
  EXPECT_EQ(caches.dirty(), Lines{line(1)});
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::memory);
}

TEST(TagCache, PowerLossEmptiesThem) {
  TagCaches caches(small(), 1);
  caches.access(0, line(0), true);
  caches.reset(Reset::power_loss);
  EXPECT_EQ(caches.dirty(), Lines{});
  EXPECT_EQ(caches.access(0, line(0), false).found, Level::memory);
  EXPECT_EQ(count(caches, "l2_misses"), 2u);
}

TEST(TagCache, ASweepOverFourMebibytesWritesAllBackTwice) {
  TagCaches caches({.model = CacheModel::tags}, 1);
  constexpr std::uint64_t lines = 4_MiB / TagCache::line;
  for (int sweep = 0; sweep < 2; ++sweep)
    for (std::uint64_t i = 0; i < lines; ++i) caches.access(0, line(i), true);
  EXPECT_EQ(count(caches, "l2_misses"), 2 * lines);
  // What the last sweep has left: 32,768 lines in the L2, those of the L1 among them.
  EXPECT_EQ(count(caches, "write_backs") + caches.dirty().size(), 2 * lines);
}

TEST(TagCache, WhatWasStoredToAndNotWrittenBackIsDirty) {
  std::mt19937 random(7);
  TagCaches caches(small(), 3);
  std::vector<bool> stored(64);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t at = random() % 64;
    const bool is_store = random() % 3 == 0;
    const auto traffic = caches.access(random() % 3, line(at), is_store);
    for (const Address back : traffic.written_back) {
      const std::uint64_t number = back.value() / 64;
      EXPECT_TRUE(stored[number]);
      stored[number] = false;
    }
    if (is_store) stored[at] = true;
    const Lines dirty = caches.dirty();
    for (std::uint64_t number = 0; number < 64; ++number)
      ASSERT_EQ(std::ranges::binary_search(dirty, line(number)), stored[number]) << number;
  }
}

}  // namespace
}  // namespace asterism
