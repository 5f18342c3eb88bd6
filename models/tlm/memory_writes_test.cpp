#include "tlm/memory_writes.h"

#include <utility>
#include <vector>

#include "tlm/systemc_test.h"

namespace asterism {
namespace {

constexpr Address page(0x4000'0000), second = page + tracked_page, third = second + tracked_page;

struct Observer final : WriteObserver {
  std::vector<MemoryWrite> seen;
  void written(const MemoryWrite& write) override { seen.push_back(write); }
};

// Allows writes while it is open.
struct Tracker final : WriteTracker {
  explicit Tracker(MemoryWrites& all) : writes(all) {}
  MemoryWrites& writes;
  bool is_open = true;
  std::vector<Address> pages;  // that it protects, within its range
  std::vector<PageLines> reported, tried;
  std::vector<Address> saved;
  unsigned flushes = 0;

  bool is_write_allowed(Address) const override { return is_open; }
  bool try_write(const PageLines& lines) override {
    tried.push_back(lines);
    return is_open;
  }
  void written(const MemoryWrite& write) override { reported.push_back(write.lines); }
  void save_contents(Address at) override { saved.push_back(at); }
  bool has_saved_contents(Address at) const override { return std::ranges::count(saved, at) > 0; }
  void flush_again() override { ++flushes; }
  bool protects(Address at) const override { return std::ranges::count(pages, at) > 0; }
  void open() {
    is_open = true;
    writes.retry();
  }
};

struct Stores final : DirectStores {
  AddressRange asks;
  std::vector<PageLines> stored;
  void ask_before_stores(AddressRange range) override { asks = range; }
  std::vector<PageLines> collect(AddressRange range) override {
    std::vector<PageLines> taken;
    for (const PageLines& each : std::exchange(stored, {}))
      (range.contains(each.page) ? taken : stored).push_back(each);
    return taken;
  }
};

struct Caches final : WriteBackCaches {
  std::vector<Address> lines, waiting, flushed;
  std::vector<Address> dirty() override { return lines; }
  bool is_waiting(Address line) const override { return std::ranges::count(waiting, line) > 0; }
  void flush(const std::vector<Address>& clean) override {
    flushed = clean;
    std::erase_if(lines, [&](Address line) { return std::ranges::count(clean, line) > 0; });
  }
  bool is_flushing() const override { return !flushed.empty(); }
};

struct MemoryWritesTest : SystemCTest {
  MemoryWrites writes;
  Observer observer;
  Tracker tracker{writes}, other{writes};
  Stores stores;
  Caches caches;
  std::vector<bool> allowed;  // the answers of waits in threads of their own

  MemoryWritesTest() {
    writes.add(observer);
    writes.attach(stores);
  }
  void spawn_wait(PageLines lines) {
    sc_core::sc_spawn([this, lines] { allowed.push_back(writes.wait_until_allowed(lines)); });
  }
};

SYSTEMC_TEST_F(MemoryWritesTest, ObserversSeeEveryWriteAndTrackersThoseOfTheirRange) {
  writes.protect(tracker, {page, tracked_page});
  writes.protect(other, {second, tracked_page});
  writes.report({{page, 3}, 7});
  writes.report({{second, 4}, 7});
  writes.report({{third, 8}, 7});
  ASSERT_EQ(observer.seen.size(), 3u);
  EXPECT_EQ(observer.seen[1].lines, (PageLines{second, 4}));
  EXPECT_EQ(observer.seen[1].master, 7u);
  EXPECT_EQ(observer.seen[1].range(), (AddressRange{second + Bytes(128), 64_B}));
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{page, 3}}));
  EXPECT_EQ(other.reported, (std::vector<PageLines>{{second, 4}}));
  writes.protect(tracker, {Address(0), 0_B});
  writes.report({{page, 3}, 7});
  EXPECT_EQ(tracker.reported.size(), 1u);
}

SYSTEMC_TEST_F(MemoryWritesTest, AWriteWaitsForEveryTracker) {
  writes.protect(tracker, {page, 2 * tracked_page});
  writes.protect(other, {page, tracked_page});
  tracker.is_open = other.is_open = false;
  EXPECT_FALSE(writes.is_allowed(page));
  EXPECT_TRUE(writes.is_allowed(third));
  spawn_wait({page, 1});
  wait_for(1_us);
  tracker.open();
  wait_for(1_us);
  EXPECT_TRUE(allowed.empty());
  EXPECT_EQ(other.tried, (std::vector<PageLines>{{page, 1}}));
  other.open();
  wait_for(1_us);
  EXPECT_EQ(allowed, std::vector{true});
}

SYSTEMC_TEST_F(MemoryWritesTest, TheEndOfTheProtectionEndsAWait) {
  writes.protect(tracker, {page, tracked_page});
  tracker.is_open = false;
  spawn_wait({page, 1});
  wait_for(1_us);
  writes.protect(tracker, {Address(0), 0_B});
  wait_for(1_us);
  EXPECT_EQ(allowed, std::vector{true});
}

SYSTEMC_TEST_F(MemoryWritesTest, AResetEndsAWaitWithoutPermission) {
  writes.protect(tracker, {page, tracked_page});
  tracker.is_open = false;
  spawn_wait({page, 1});
  wait_for(1_us);
  writes.reset();
  wait_for(1_us);
  EXPECT_EQ(allowed, std::vector{false});
}

SYSTEMC_TEST_F(MemoryWritesTest, DirectStoresAskWhereAnyTrackerProtects) {
  writes.protect(tracker, {second, tracked_page});
  EXPECT_EQ(stores.asks, (AddressRange{second, tracked_page}));
  writes.protect(other, {page, tracked_page});
  EXPECT_EQ(stores.asks, (AddressRange{page, 2 * tracked_page}));
  writes.protect(tracker, {third, tracked_page});
  EXPECT_EQ(stores.asks, (AddressRange{page, 3 * tracked_page}));
  writes.protect(tracker, {Address(0), 0_B});
  writes.protect(other, {Address(0), 0_B});
  EXPECT_EQ(stores.asks.size, 0_B);
}

SYSTEMC_TEST_F(MemoryWritesTest, WhatOneTrackerCollectsIsReportedToTheOthers) {
  writes.protect(tracker, {page, 2 * tracked_page});
  writes.protect(other, {second, 2 * tracked_page});
  stores.stored = {{page, 1}, {second, 2}, {third, 4}};
  EXPECT_TRUE(writes.are_stores_collected());
  EXPECT_EQ(writes.collect({page, 2 * tracked_page}, tracker),
            (std::vector<PageLines>{{page, 1}, {second, 2}}));
  EXPECT_EQ(other.reported, (std::vector<PageLines>{{second, 2}}));
  EXPECT_TRUE(tracker.reported.empty());
  EXPECT_EQ(stores.stored, (std::vector<PageLines>{{third, 4}}));
}

SYSTEMC_TEST_F(MemoryWritesTest, BehindCachesAStoreSavesTheContentsInsteadOfWaiting) {
  writes.attach(caches);
  writes.protect(tracker, {page, tracked_page});
  EXPECT_TRUE(writes.is_store_allowed(page));
  tracker.is_open = false;
  EXPECT_FALSE(writes.is_store_allowed(page));
  writes.before_store({page, 1});
  EXPECT_EQ(tracker.saved, std::vector{page});
  EXPECT_TRUE(writes.is_store_allowed(page));
  EXPECT_FALSE(writes.is_allowed(page));
  stores.stored = {{page, 1}};
  EXPECT_TRUE(writes.collect({page, tracked_page}, tracker).empty());
  EXPECT_TRUE(stores.stored.empty());
}

SYSTEMC_TEST_F(MemoryWritesTest, AFlushLeavesTheLinesOfPagesThatMayNotBeWritten) {
  writes.attach(caches);
  writes.protect(tracker, {page, tracked_page});
  writes.protect(other, {second, tracked_page});
  tracker.pages = {page};
  other.pages = {second};
  caches.lines = {page + 64_B, second, third};
  other.is_open = false;
  // The line of the other tracker's page does not concern this one.
  MemoryWrites::Flush flush = writes.flush(tracker);
  EXPECT_TRUE(flush.is_complete && flush.has_begun);
  EXPECT_EQ(caches.flushed, (std::vector{page + 64_B, third}));
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{page, 2}}));
  EXPECT_FALSE(writes.flush(other).is_complete);  // one is under way
  caches.flushed.clear();
  writes.flushed();
  EXPECT_EQ(other.flushes, 1u);
  flush = writes.flush(other);
  EXPECT_FALSE(flush.is_complete || flush.has_begun);
  other.open();
  EXPECT_EQ(other.flushes, 2u);
  EXPECT_TRUE(writes.flush(other).is_complete);
  EXPECT_EQ(caches.flushed, std::vector{second});
}

SYSTEMC_TEST_F(MemoryWritesTest, AFlushedLineIsReportedOnceToEachTrackerOfItsPage) {
  writes.attach(caches);
  for (Tracker* each : {&tracker, &other}) {
    writes.protect(*each, {page, tracked_page});
    each->pages = {page};
  }
  caches.lines = {page};
  other.is_open = false;
  // The line belongs to the interval that ends for the first one, which therefore waits for the other.
  MemoryWrites::Flush flush = writes.flush(tracker);
  EXPECT_FALSE(flush.is_complete || flush.has_begun);
  EXPECT_TRUE(tracker.tried.empty() && tracker.reported.empty() && observer.seen.empty());
  EXPECT_EQ(other.tried, (std::vector<PageLines>{{page, 1}}));
  other.open();
  EXPECT_EQ(tracker.flushes, 1u);
  flush = writes.flush(tracker);
  EXPECT_TRUE(flush.is_complete && flush.has_begun);
  for (Tracker* each : {&tracker, &other}) EXPECT_EQ(each->reported, (std::vector<PageLines>{{page, 1}}));
  EXPECT_TRUE(tracker.tried.empty());
  EXPECT_EQ(observer.seen.size(), 1u);
  EXPECT_EQ(caches.flushed, std::vector{page});
}

SYSTEMC_TEST_F(MemoryWritesTest, AFlushLeavesALineThatACoreIsAboutToWriteBack) {
  writes.attach(caches);
  writes.protect(tracker, {page, tracked_page});
  writes.protect(other, {second, tracked_page});
  tracker.pages = {page};
  other.pages = {second};
  caches.lines = caches.waiting = {page};
  MemoryWrites::Flush flush = writes.flush(tracker);
  EXPECT_FALSE(flush.is_complete || flush.has_begun);
  EXPECT_TRUE(writes.flush(other).is_complete);
  EXPECT_TRUE(tracker.tried.empty() && tracker.reported.empty());
  caches.lines.clear();
  EXPECT_TRUE(writes.flush(tracker).is_complete);
}

}  // namespace
}  // namespace asterism
