#include <gtest/gtest.h>

#include "base/random.h"
#include "flash/translation_fixture.h"

namespace asterism {
namespace {

constexpr FlashGeometry one_plane{.packages = 1, .blocks = 6, .pages_per_block = 8, .page = 512_B};

std::uint64_t counted(const TranslationBench& bench, std::string_view name) {
  Statistics statistics;
  bench.layer->report(statistics);
  for (const auto& [key, value] : statistics.entries())
    if (key == name) return std::get<std::uint64_t>(value);
  return 0;
}

// Continues until the array starts another program operation, and then for `further` events.
void step_into_a_program(TranslationBench& bench, std::uint64_t further) {
  const std::uint64_t programs = counted(bench, "page_programs");
  while (counted(bench, "page_programs") == programs && bench.step()) continue;
  for (; further != 0 && bench.step(); --further) continue;
}

// Rewrites pages of a full layer at random, up to `writes` at a time, each time with up to 12 power failures
// that tear what is being programmed. Returns whether the layer still accepts a write.
bool survives_power_failures(const FlashGeometry& geometry, std::uint64_t writes, std::uint64_t seed) {
  TranslationBench bench(geometry, {.garbage_threshold = 1});
  const std::uint32_t pages = bench.layer->pages();
  Random random(seed);
  for (std::uint32_t page = 0; page < pages; ++page) bench.write(page, page);
  bench.run();
  for (int i = 0; i < 40; ++i) {
    for (std::uint64_t left = random.below(writes + 1); left != 0; --left)
      bench.write(static_cast<std::uint32_t>(random.below(pages)), 1);
    for (std::uint64_t left = random.below(13); left != 0; --left) {
      step_into_a_program(bench, random.below(random.below(3) == 0 ? 16 : 3));
      bench.layer->reset(Reset::power_loss);
      bench.layer->power_up(bench.now);
      while (!bench.layer->ready()) bench.step();
    }
  }
  bench.run();
  return bench.write_and_wait(0, 2);
}

// Power failures tear what a collection copies until its block, the last erased one, is full. No block could
// be erased any more if its copies were valid instead of their originals. Recovery therefore discards the
// copies.
TEST(TranslationCollection, RepeatedPowerFailuresDoNotUseUpAPlane) {
  for (const std::uint32_t blocks : {12u, 20u})
    for (const std::uint32_t pages_per_block : {5u, 6u, 7u})
      for (const std::uint64_t writes : {1u, 4u, 12u})
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
          const FlashGeometry geometry{
              .packages = 1, .blocks = blocks, .pages_per_block = pages_per_block, .page = 512_B};
          EXPECT_TRUE(survives_power_failures(geometry, writes, seed))
              << blocks << " blocks of " << pages_per_block << " pages, up to " << writes << " writes, seed "
              << seed;
        }
}

// Rewrites other pages until page 0 has been moved, while a page of its old block is still to be moved.
FlashAddress move_first_page(TranslationBench& bench) {
  const FlashAddress old = *bench.layer->place(0);
  const std::uint32_t pages = bench.layer->pages();
  for (std::uint32_t i = 0; bench.layer->place(0) == old; ++i) {
    const std::uint32_t page = i % pages;
    const bool is_at_end_of_block = page % 7 == 0 || page % 7 == 6;
    if (!is_at_end_of_block) bench.write(page, 3);
    for (int events = 0; events < 4 && bench.layer->place(0) == old; ++events) bench.step();
  }
  return old;
}

TEST(TranslationCollection, AnInterruptedMoveLeavesTwoValidCopies) {
  for (const bool damage_old : {false, true}) {
    TranslationBench bench(one_plane, {.garbage_threshold = 1});
    for (std::uint32_t page = 0; page < bench.layer->pages(); ++page) bench.write_and_wait(page, 2);
    const FlashAddress old = move_first_page(bench), copy = *bench.layer->place(0);
    bench.image.add_bit_errors(damage_old ? old : copy, bench.part.correctable_bits + 1);
    bench.fail_power();
    EXPECT_EQ(bench.read(0), 2u) << damage_old;
  }
}

// Returns how many pages are moved per thousand written pages after a long time of random writes.
std::uint64_t moved_permille(GarbagePolicy policy) {
  TranslationBench bench({.packages = 1, .blocks = 256, .pages_per_block = 65, .page = 1_KiB},
                         {.over_provisioning = 250, .garbage_policy = policy, .static_wear_difference = 0},
                         {}, FlashImage::Contents::none);
  Random random(1);
  const std::uint32_t pages = bench.layer->pages();
  const auto rewrite = [&](std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      bench.layer->write(bench.now, static_cast<std::uint32_t>(random.below(pages)), {}, 0);
      bench.run();
    }
  };
  for (std::uint32_t page = 0; page < pages; ++page) bench.layer->write(bench.now, page, {}, 0);
  bench.run();
  rewrite(4 * pages);
  const std::uint64_t before = counted(bench, "pages_moved");
  rewrite(6 * pages);
  return (counted(bench, "pages_moved") - before) * 1000 / (6 * pages);
}

// The block that was closed first has u = exp(-(1 - u) / r) of its pages left, where r is the share of the
// pages that hold data (Menon 1995; Desnoyers, SYSTOR 2012), and u / (1 - u) pages move for each written one.
// Here 12480 logical pages are in 252 to 253 closed blocks of 64 data pages, which gives 1.407 to 1.378.
TEST(TranslationCollection, MovesAsManyPagesAsTheoryOfTheOldestFirst) {
  EXPECT_NEAR(static_cast<double>(moved_permille(GarbagePolicy::oldest)), 1393, 40);
}

// With blocks of 64 pages, greedy is a little better than oldest first, and never worse (Desnoyers, SYSTOR
// 2012).
TEST(TranslationCollection, GreedyMovesFewerPagesThanOldestFirst) {
  const std::uint64_t greedy = moved_permille(GarbagePolicy::greedy);
  EXPECT_LT(greedy, moved_permille(GarbagePolicy::oldest));
  EXPECT_GT(greedy, 1000u);
}

// The longest time of a write, of the last ones at random places of a full layer, four of them under way; and
// how long all of these took.
struct WriteTimes {
  Picoseconds longest, all;
};
WriteTimes write_times(bool pace_writes) {
  TranslationBench bench({.packages = 1, .blocks = 32, .pages_per_block = 129, .page = 2_KiB},
                         {.over_provisioning = 200, .pace_writes = pace_writes, .static_wear_difference = 0},
                         {}, FlashImage::Contents::none);
  Random random(1);
  const std::uint32_t pages = bench.layer->pages();
  for (std::uint32_t page = 0; page < pages; ++page) bench.write(page, 0);
  bench.run();
  WriteTimes times;
  Picoseconds began;
  std::map<NandArray::Tag, Picoseconds> given;
  const std::uint32_t preparing = 2 * pages;
  for (std::uint32_t i = 0; i < 3 * pages || !given.empty();) {
    while (i < 3 * pages && given.size() < 4) {
      if (i++ == preparing) began = bench.now;
      given.emplace(bench.write(static_cast<std::uint32_t>(random.below(pages)), 0), bench.now);
    }
    bench.step();
    for (const NandArray::Tag tag : std::exchange(bench.sink.order, {})) {
      if (i > preparing) times.longest = std::max(times.longest, bench.now - given.at(tag));
      given.erase(tag);
    }
  }
  times.all = bench.now - began;
  return times;
}

// A write waits for the pages that its share of the collection moves, and not for those of a whole block.
TEST(TranslationCollection, PacedWritesWaitForAFewMovesAndTakeNoLongerTogether) {
  const WriteTimes paced = write_times(true), others = write_times(false);
  EXPECT_GT(others.longest, 150_ms);
  EXPECT_LT(paced.longest, 50_ms);
  EXPECT_LT(paced.all, others.all);
}

// The difference of erase counts after eight pages were rewritten in turn while the others rested.
std::uint64_t spread(std::uint32_t static_difference) {
  TranslationBench bench({.packages = 1, .blocks = 16, .pages_per_block = 8, .page = 512_B},
                         {.static_wear_difference = static_difference}, {}, FlashImage::Contents::none);
  for (std::uint32_t page = 0; page < bench.layer->pages(); ++page) bench.write(page, 0);
  bench.run();
  for (int i = 0; i < 20'000; ++i) {
    bench.layer->write(bench.now, static_cast<std::uint32_t>(i % 8), {}, 0);
    bench.run();
  }
  return counted(bench, "erase_count_max") - counted(bench, "erase_count_min");
}

TEST(TranslationCollection, StaticWearLevellingNarrowsTheSpread) {
  EXPECT_GT(spread(0), 500u);
  EXPECT_LE(spread(10), 20u);
}

}  // namespace
}  // namespace asterism
