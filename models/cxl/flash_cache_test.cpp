#include "cxl/flash_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/random.h"

namespace asterism {
namespace {

// A host without caches in front of a cache of 4 flash pages. It advances the time itself.
struct FlashCacheRig : testing::Test, FlashCache::Sink {
  static CxlSsdConfig config_of_test(bool is_protected) {
    return {.size = 2_MiB,
            .cache = 64_KiB,
            .power_loss_protection = is_protected,
            .flash = {.channels = 2, .packages = 1},
            .dram = {.ranks = 1}};
  }
  static FlashPart small_part(std::uint64_t endurance) {
    FlashPart part;
    part.endurance = endurance;
    part.pages_per_block = 32;
    return part;
  }

  CxlSsdConfig config;
  FlashImage image;
  FlashCache cache;
  Picoseconds now;
  bool is_ready = false;
  std::vector<bool> flushed_ok;
  std::vector<Bytes> lost_pages;

  explicit FlashCacheRig(bool is_protected = false, std::uint64_t endurance = 0)
      : config(config_of_test(is_protected)),
        image(flash_geometry(config, small_part(endurance))),
        cache(config, small_part(endurance), DramPart{}, image, *this) {
    power_up();
  }
  void ready(Picoseconds) override { is_ready = true; }
  void changed(Picoseconds) override {}
  void flushed(Picoseconds, bool ok) override { flushed_ok.push_back(ok); }
  void lost(Picoseconds, Bytes page) override { lost_pages.push_back(page); }

  bool step() {
    const auto next = cache.next_event();
    if (next) cache.advance_to(now = *next);
    return next.has_value();
  }
  void power_up() {
    is_ready = false;
    cache.power_up(now);
    while (!is_ready && step()) continue;
  }
  void lose_power() {
    cache.reset(Reset::power_loss);
    power_up();
  }
  // False: it failed.
  bool enter(Bytes offset, bool is_write, bool is_whole) {
    for (;;) {
      const FlashCache::Answer answer = cache.prepare(now, offset, is_write, is_whole);
      if (answer != FlashCache::Answer::wait) return answer == FlashCache::Answer::ready;
      if (!step()) return false;
    }
  }
  void store(Bytes offset, std::uint64_t value, bool is_whole = false) {
    ASSERT_TRUE(enter(offset, true, is_whole));
    const Bytes size = is_whole ? FlashCache::line : 8_B;
    for (std::uint64_t at = 0; at < size.count(); at += 8)
      std::memcpy(cache.contents().data() + offset.count() + at, &value, sizeof value);
    cache.written(now, offset, size);
  }
  std::uint64_t load(Bytes offset) {
    EXPECT_TRUE(enter(offset, false, false));
    std::uint64_t value = 0;
    std::memcpy(&value, cache.contents().data() + offset.count(), sizeof value);
    return value;
  }
  bool flush() {
    const std::size_t before = flushed_ok.size();
    cache.flush(now);
    while (cache.is_flushing() && step()) continue;
    return flushed_ok.size() > before && flushed_ok.back();
  }
  // The programmed copies of a page cannot be read any more.
  void make_unreadable(std::uint64_t logical) {
    for (std::uint32_t plane = 0; plane < image.geometry().all_planes(); ++plane)
      for (std::uint32_t block = 0; block < image.geometry().blocks; ++block)
        for (std::uint32_t page = 0; page < 32; ++page)
          if (const FlashAddress at{plane, block, page};
              image.state(at) == FlashImage::PageState::programmed && image.spare(at).logical == logical)
            image.add_bit_errors(at, 1000);
  }
  // Makes the flash read-only, with a line of page 1 that is not in flash. Returns its newest value.
  std::uint64_t wear_out() {
    std::uint64_t value = 0;
    while (!cache.read_only() && value < 100'000) {
      store(0_B, ++value);
      cache.flush(now);
      store(16_KiB, value);
      while (cache.is_flushing() && step()) continue;
    }
    return value;
  }
  const FlashCache::Counters& count() const { return cache.counters(); }
};
struct FlashCacheTest : FlashCacheRig {};
struct ProtectedFlashCacheTest : FlashCacheRig {
  ProtectedFlashCacheTest() : FlashCacheRig(true) {}
};

TEST_F(FlashCacheTest, WhatWasFlushedSurvivesALossOfPowerAndNothingElse) {
  store(0x1000_B, 1);
  ASSERT_TRUE(flush());
  store(0x1000_B, 2);
  store(0x1040_B, 3);
  EXPECT_EQ(load(0x1000_B), 2u);
  lose_power();
  EXPECT_EQ(load(0x1000_B), 1u);
  EXPECT_EQ(load(0x1040_B), 0u);
  EXPECT_EQ(count().dropped, 1u);
}

TEST_F(ProtectedFlashCacheTest, KeepsWhatWasNotFlushed) {
  store(0x1000_B, 1);
  ASSERT_TRUE(flush());
  store(0x1000_B, 2);
  cache.flush(now);  // is broken off
  lose_power();
  EXPECT_EQ(load(0x1000_B), 2u);
  EXPECT_EQ(count().saved, 1u);
  ASSERT_TRUE(flush());
  lose_power();
  EXPECT_EQ(load(0x1000_B), 2u);
}

TEST_F(FlashCacheTest, ReadsMissedPagesFromFlash) {
  for (std::uint64_t page = 0; page < 8; ++page) store(16_KiB * page, page);
  ASSERT_TRUE(flush());
  lose_power();
  const Picoseconds begin = now;
  EXPECT_EQ(load(16_KiB * 5), 5u);
  // 45 us of the part, and a page over the channel.
  EXPECT_GT(now - begin, 45_us);
  EXPECT_LT(now - begin, 45_us + 60_us);
  EXPECT_EQ(count().misses, 1u);
  const Picoseconds hit = now;
  EXPECT_EQ(load(16_KiB * 5 + 64_B), 0u);
  EXPECT_EQ(now, hit);
  for (std::uint64_t page = 0; page < 8; ++page) EXPECT_EQ(load(16_KiB * page), page);
  EXPECT_GT(count().evicted, 0u);
}

TEST_F(FlashCacheTest, ReadsAheadOfAccessesInTheOrderOfAddresses) {
  for (std::uint64_t page = 0; page < 16; ++page) store(16_KiB * page, page);
  ASSERT_TRUE(flush());
  lose_power();
  EXPECT_EQ(load(16_KiB * 8), 8u);
  EXPECT_EQ(load(16_KiB * 4), 4u);
  EXPECT_EQ(count().pages_read, 2u);
  EXPECT_EQ(load(16_KiB * 5), 5u);
  while (step()) continue;
  EXPECT_EQ(count().pages_ahead, 3u) << "as many as there are other frames";
  EXPECT_EQ(count().misses, 3u);
  const Picoseconds begin = now;
  EXPECT_EQ(load(16_KiB * 6), 6u);
  EXPECT_EQ(now, begin);
}

TEST_F(FlashCacheTest, ProgramsOnlyPagesThatTheTableNames) {
  store(0_B, 1);
  store(16_KiB, 1);
  ASSERT_TRUE(flush());
  EXPECT_EQ(count().pages_written, 2u);
  EXPECT_EQ(count().lines_written, 2u);
  store(64_B, 2);
  store(4_KiB, 2);
  store(4_KiB, 3);
  ASSERT_TRUE(flush());
  EXPECT_EQ(count().pages_written, 3u);
  EXPECT_EQ(count().lines_written, 4u);
  ASSERT_TRUE(flush());
  EXPECT_EQ(count().pages_written, 3u);
}

// The rest of the page comes from flash when the frame is programmed.
TEST_F(FlashCacheTest, WholeLinesAreWrittenWithoutReadingTheirPage) {
  store(0_B, 1);
  store(128_B, 1);
  ASSERT_TRUE(flush());
  lose_power();
  const Picoseconds begin = now;
  store(64_B, 2, true);
  EXPECT_EQ(now, begin);
  EXPECT_EQ(count().pages_read, 0u);
  ASSERT_TRUE(flush());
  EXPECT_EQ(count().pages_completed, 1u);
  lose_power();
  EXPECT_EQ(load(0_B), 1u);
  EXPECT_EQ(load(64_B), 2u);
  EXPECT_EQ(load(128_B), 1u);
}

TEST_F(FlashCacheTest, AStoreDuringAProgramWaitsForTheNextOne) {
  store(0_B, 1);
  cache.flush(now);
  store(0_B, 2);
  EXPECT_TRUE(flush());
  EXPECT_EQ(flushed_ok, (std::vector<bool>{true, true}));
  EXPECT_EQ(count().pages_written, 2u);
  lose_power();
  EXPECT_EQ(load(0_B), 2u);
}

TEST_F(FlashCacheTest, AWarmResetKeepsTheCache) {
  store(0_B, 1);
  cache.flush(now);
  cache.reset(Reset::warm);
  power_up();
  EXPECT_TRUE(flushed_ok.empty());
  EXPECT_EQ(load(0_B), 1u);
  ASSERT_TRUE(flush());
  lose_power();
  EXPECT_EQ(load(0_B), 1u);
}

// Of two values, each store is there as a whole or not at all, and what was flushed is never lost.
TEST_F(FlashCacheTest, SurvivesLossesOfPowerAtAnyEvent) {
  Random random(7);
  constexpr std::uint64_t words = 64;
  std::vector<std::uint64_t> durable(words), newest(words);
  for (int trial = 0; trial < 60; ++trial) {
    const std::uint64_t stores = 1 + random.below(40);
    for (std::uint64_t i = 0; i < stores; ++i) {
      const std::uint64_t word = random.below(words);
      store(5_KiB * word, ++newest[word], random.below(2) == 0);
    }
    if (random.below(2) == 0) {
      ASSERT_TRUE(flush());
      durable = newest;
    } else {
      cache.flush(now);
      for (std::uint64_t steps = random.below(30); steps > 0; --steps) step();
    }
    lose_power();
    for (std::uint64_t word = 0; word < words; ++word) {
      const std::uint64_t value = load(5_KiB * word);
      ASSERT_GE(value, durable[word]) << "trial " << trial;
      ASSERT_LE(value, newest[word]) << "trial " << trial;
      newest[word] = value;
    }
    // What was read back is in flash.
    durable = newest;
  }
}

TEST_F(FlashCacheTest, LinesOfAnUnreadablePageArePoisonedUntilTheyAreWritten) {
  store(16_KiB, 1);
  ASSERT_TRUE(flush());
  lose_power();
  make_unreadable(1);
  load(16_KiB);
  EXPECT_EQ(lost_pages, std::vector<Bytes>{16_KiB});
  EXPECT_TRUE(cache.is_poisoned(16_KiB));
  store(16_KiB, 2, true);
  EXPECT_FALSE(cache.is_poisoned(16_KiB));
  EXPECT_TRUE(cache.is_poisoned(16_KiB + 64_B));
  EXPECT_FALSE(flush()) << "the other lines would be made up";
  for (std::uint64_t line = 1; line < 256; ++line) store(16_KiB + 64_B * line, line, true);
  EXPECT_TRUE(flush());
  lose_power();
  EXPECT_EQ(load(16_KiB), 2u);
  EXPECT_EQ(load(16_KiB + 64_B), 1u);
}

// A core without direct memory stores words.
TEST_F(FlashCacheTest, PoisonIsClearedByWritesInPieces) {
  store(16_KiB, 1);
  ASSERT_TRUE(flush());
  lose_power();
  make_unreadable(1);
  load(16_KiB);
  for (std::uint64_t word = 0; word < 7; ++word) store(16_KiB + 8_B * word, word);
  EXPECT_TRUE(cache.is_poisoned(16_KiB));
  store(16_KiB + 48_B, 6);
  EXPECT_TRUE(cache.is_poisoned(16_KiB)) << "the same word twice is not a line";
  store(16_KiB + 56_B, 7);
  EXPECT_FALSE(cache.is_poisoned(16_KiB));
  for (std::uint64_t word = 8; word < 2048; ++word) store(16_KiB + 8_B * word, word);
  EXPECT_TRUE(flush());
  lose_power();
  EXPECT_EQ(load(16_KiB + 8_B * 2047), 2047u);
}

TEST_F(ProtectedFlashCacheTest, TheRestOfALostPageIsPoisonedAfterALossOfPower) {
  store(16_KiB, 1);
  store(32_KiB, 1);
  ASSERT_TRUE(flush());
  lose_power();
  make_unreadable(1);
  make_unreadable(2);
  load(16_KiB);
  load(32_KiB);
  store(16_KiB, 2, true);
  lose_power();
  EXPECT_EQ(load(16_KiB), 2u);
  EXPECT_FALSE(cache.is_poisoned(16_KiB));
  EXPECT_TRUE(cache.is_poisoned(16_KiB + 64_B));
  EXPECT_FALSE(cache.is_poisoned(32_KiB)) << "it has not been read again";
  EXPECT_FALSE(flush());
  EXPECT_EQ(lost_pages.size(), 2u);
}

TEST_F(FlashCacheTest, AFaultOfAPageIsCorrectedUpToTheLimitOfItsCode) {
  store(16_KiB, 1);
  ASSERT_TRUE(flush());
  lose_power();
  EXPECT_TRUE(cache.inject({.offset = 17_KiB, .bits = FlashPart{}.correctable_bits}));
  EXPECT_EQ(load(16_KiB), 1u);
  lose_power();
  EXPECT_TRUE(cache.inject({.offset = 17_KiB, .bits = 1}));
  load(16_KiB);
  EXPECT_TRUE(cache.is_poisoned(16_KiB));
  EXPECT_FALSE(cache.inject({.offset = 512_KiB, .bits = 1})) << "it was never written";
}

// Its pages can be read. What is written meanwhile goes to another block.
TEST_F(FlashCacheTest, ABlockThatFailsIsReplaced) {
  for (std::uint64_t page = 0; page < 8; ++page) store(16_KiB * page, 1);
  ASSERT_TRUE(flush());
  const std::optional<FlashAddress> failed = cache.inject({.covers = FlashFailurePart::block, .offset = 0_B});
  ASSERT_TRUE(failed);
  lose_power();
  for (std::uint64_t page = 0; page < 8; ++page) EXPECT_EQ(load(16_KiB * page), 1u) << page;
  for (std::uint64_t page = 0; page < 8; ++page) store(16_KiB * page, 2);
  EXPECT_TRUE(flush());
  EXPECT_TRUE(image.is_bad(failed->whole_block()));
  lose_power();
  for (std::uint64_t page = 0; page < 8; ++page) EXPECT_EQ(load(16_KiB * page), 2u) << page;
}

// Half of the pages are lost, and the other die is too small for all.
TEST_F(FlashCacheTest, ADieThatFailsTakesItsPages) {
  for (std::uint64_t page = 0; page < 8; ++page) store(16_KiB * page, 1);
  ASSERT_TRUE(flush());
  lose_power();
  const std::optional<FlashAddress> failed = cache.inject({.covers = FlashFailurePart::die, .offset = 0_B});
  ASSERT_TRUE(failed);
  std::size_t poisoned = 0;
  for (std::uint64_t page = 0; page < 8; ++page) {
    load(16_KiB * page);
    poisoned += cache.is_poisoned(16_KiB * page);
  }
  EXPECT_EQ(poisoned, 4u);
  EXPECT_EQ(std::set<Bytes>(lost_pages.begin(), lost_pages.end()).size(), 4u);
  bool ok = true;
  for (int i = 0; i < 20 && ok; ++i) {
    ok = enter(1_MiB, true, true);
    if (!ok) break;
    cache.written(now, 1_MiB, 64_B);
    ok = flush();
  }
  EXPECT_FALSE(ok);
  EXPECT_TRUE(cache.read_only());
}

struct WornFlashCacheTest : FlashCacheRig {
  WornFlashCacheTest() : FlashCacheRig(false, 2) {}
};
struct WornProtectedFlashCacheTest : FlashCacheRig {
  WornProtectedFlashCacheTest() : FlashCacheRig(true, 2) {}
};

TEST_F(WornFlashCacheTest, AFlushOfReadOnlyFlashFails) {
  const std::uint64_t newest = wear_out();
  ASSERT_TRUE(cache.read_only());
  const std::uint64_t durable = newest - (flushed_ok.back() ? 1 : 2);
  const std::size_t flushes = flushed_ok.size();
  EXPECT_FALSE(flush());
  EXPECT_EQ(flushed_ok.size(), flushes + 1) << "it ends";
  EXPECT_FALSE(cache.is_flushing());
  EXPECT_FALSE(enter(0_B, true, true));
  lose_power();
  EXPECT_EQ(load(16_KiB), durable);
  EXPECT_TRUE(flush()) << "nothing is left";
}

TEST_F(WornProtectedFlashCacheTest, AFlushAfterAPowerUpFails) {
  const std::uint64_t newest = wear_out();
  ASSERT_TRUE(cache.read_only());
  cache.reset(Reset::power_loss);
  cache.flush(now);
  const std::size_t flushes = flushed_ok.size();
  power_up();
  while (cache.is_flushing() && step()) continue;
  EXPECT_EQ(flushed_ok.size(), flushes + 1) << "it ends";
  EXPECT_FALSE(flushed_ok.back());
  EXPECT_FALSE(flush());
  EXPECT_EQ(load(16_KiB), newest) << "the reserve still has it";
}

// An incomplete frame waits for its page, and counts as one that is being written back.
TEST_F(FlashCacheTest, WritesBackInTheBackgroundDownToHalf) {
  for (std::uint64_t page = 0; page < 3; ++page) store(16_KiB * page, page);
  ASSERT_TRUE(flush());
  lose_power();
  for (std::uint64_t page = 0; page < 3; ++page) store(16_KiB * page + 64_B, 7, true);
  EXPECT_EQ(count().pages_completed, 1u);
  while (step()) continue;
  EXPECT_EQ(count().pages_completed, 1u);
  EXPECT_EQ(cache.modified_frames(), 2u);
}

// The loader writes any number of pages at once.
TEST_F(FlashCacheTest, HasItsSizeAgainAfterAPoke) {
  const std::vector<std::byte> data(16 * 16'384, std::byte{3});
  cache.poke(now, 0_B, data);
  EXPECT_EQ(load(15 * 16_KiB) & 0xff, 3u);
  ASSERT_TRUE(flush());
  load(16 * 16_KiB);  // makes room
  const std::uint64_t before = count().pages_read;
  for (std::uint64_t page = 16; page-- > 0;) EXPECT_EQ(load(16_KiB * page) & 0xff, 3u);
  EXPECT_GT(count().pages_read, before + 10);
}

}  // namespace
}  // namespace asterism
