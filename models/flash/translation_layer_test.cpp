#include "flash/translation_layer.h"

#include <gtest/gtest.h>

#include "base/thrown.h"
#include "flash/translation_fixture.h"

namespace asterism {
namespace {

constexpr FlashGeometry small{.packages = 1, .blocks = 6, .pages_per_block = 4, .page = 4_KiB};
constexpr FlashGeometry two_channels{
    .channels = 2, .packages = 2, .dies = 1, .planes = 2, .blocks = 8, .pages_per_block = 8, .page = 4_KiB};

TEST(TranslationLayer, OffersWhatCollectionDoesNotNeed) {
  EXPECT_EQ(TranslationBench(small).layer->pages(), 2 * 3u);
  EXPECT_EQ(TranslationBench({}).layer->pages(), 8 * 64 * 512 * 930 / 1000u);
}

TEST(TranslationLayer, ReadsWhatWasWritten) {
  TranslationBench bench(small);
  EXPECT_TRUE(bench.write_and_wait(3, 77));
  EXPECT_EQ(bench.read(3), 77u);
  EXPECT_EQ(bench.read(2), std::nullopt);
  EXPECT_FALSE(bench.layer->is_mapped(2));
}

TEST(TranslationLayer, SurvivesRewritesWithoutEnd) {
  TranslationBench bench(small);
  for (std::uint64_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(bench.write_and_wait(static_cast<std::uint32_t>(i % 6), i));
  for (std::uint32_t page = 0; page < 6; ++page) EXPECT_EQ(bench.read(page), 999 - (999 - page) % 6);
}

TEST(TranslationLayer, FindsAllAgainAfterAPowerFailure) {
  TranslationBench bench(two_channels);
  const std::uint32_t pages = bench.layer->pages();
  for (std::uint64_t i = 0; i < 5 * pages; ++i) bench.write(static_cast<std::uint32_t>(i * 7 % pages), i);
  bench.run();
  std::vector<std::optional<std::uint64_t>> before;
  for (std::uint32_t page = 0; page < pages; ++page) before.push_back(bench.read(page));
  bench.fail_power();
  for (std::uint32_t page = 0; page < pages; ++page) EXPECT_EQ(bench.read(page), before[page]);
}

TEST(TranslationLayer, RefusesGeometriesThatLeaveCollectionNoRoom) {
  const auto problem_of = [](const FlashGeometry& geometry, const TranslationConfig& config) {
    return thrown<std::invalid_argument>([&] { TranslationBench(geometry, config); });
  };
  EXPECT_EQ(problem_of({.blocks = 4}, {}),
            "4 blocks in a plane of the flash are too few: with a garbage_threshold of 2 it takes 5 or more");
  EXPECT_EQ(
      problem_of({.pages_per_block = 2}, {}),
      "2 pages in a block of the flash are too few: its list takes 1, and there must be 2 or more for data");
  EXPECT_EQ(problem_of({.blocks = 5, .pages_per_block = 3}, {}), "none");
}

TEST(TranslationLayer, WritesGoRoundTheChannelsFirst) {
  TranslationBench bench(two_channels);
  std::vector<std::uint32_t> planes;
  for (std::uint32_t page = 0; page < 8; ++page) bench.write(page, page);
  bench.run();
  for (std::uint32_t page = 0; page < 8; ++page) planes.push_back(bench.layer->place(page)->plane);
  EXPECT_EQ(planes, (std::vector<std::uint32_t>{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST(TranslationLayer, WritesOfOnePageEndInTheirOrder) {
  TranslationBench bench(two_channels);
  for (std::uint64_t i = 1; i <= 5; ++i) bench.write(3, i);
  bench.run();
  EXPECT_EQ(bench.sink.order, (std::vector<NandArray::Tag>{1, 2, 3, 4, 5}));
  EXPECT_EQ(bench.read(3), 5u);
}

TEST(TranslationLayer, AReadWaitsForTheWritesBeforeIt) {
  TranslationBench bench(two_channels);
  bench.write(3, 8);
  bench.layer->read(bench.now, 3, 100);
  bench.write(3, 9);
  bench.run();
  EXPECT_EQ(bench.sink.reads.at(100).data, bench.page(8));
}

TEST(TranslationLayer, ATrimmedPageIsNotMappedEvenIfItsWriteIsUnderWay) {
  TranslationBench bench(small);
  bench.write(1, 5);
  bench.layer->trim(1);
  bench.run();
  EXPECT_FALSE(bench.layer->is_mapped(1));
  EXPECT_EQ(bench.read(1), std::nullopt);
}

TEST(TranslationLayer, AWriteTakesTransferAndProgram) {
  TranslationBench bench(small);
  const Picoseconds start = bench.now;
  bench.write_and_wait(0, 1);
  const Picoseconds bus = transfer_time(4_KiB, bench.part.bus);
  EXPECT_EQ(bench.sink.left.at(1), start + bus);
  EXPECT_EQ(bench.sink.done.at(1).at, start + bus + bench.part.program);
}

TEST(TranslationLayer, APageInterruptedInItsProgramIsUnchanged) {
  TranslationBench bench(small);
  bench.write_and_wait(0, 1);
  bench.write(0, 2);
  bench.step();  // the page is in the package's register
  bench.fail_power();
  EXPECT_EQ(bench.read(0), 1u);
  EXPECT_TRUE(bench.write_and_wait(0, 3));
  EXPECT_EQ(bench.layer->place(0)->page, 2u);  // after the torn page
}

TEST(TranslationLayer, ABlockOfATornPageAloneIsNotFilledFurther) {
  TranslationBench bench(small);
  bench.write(0, 1);
  bench.step();  // the page is in the package's register
  bench.fail_power();
  EXPECT_TRUE(bench.write_and_wait(0, 2));
  EXPECT_EQ(bench.layer->place(0)->page, 0u);
}

TEST(TranslationLayer, ReadsOneSpareAreaAndTheListOfAClosedBlock) {
  TranslationBench bench({.packages = 1, .blocks = 6, .pages_per_block = 16, .page = 4_KiB});
  for (std::uint32_t page = 0; page < 15; ++page) bench.write_and_wait(page, page);
  const auto reads = [&] {
    Statistics statistics;
    bench.layer->report(statistics);
    const auto& flash = *std::get<std::unique_ptr<Statistics>>(statistics.entries().back().second);
    return std::get<std::uint64_t>(flash.entries().front().second);
  };
  const std::uint64_t before = reads();
  bench.layer->reset(Reset::power_loss);
  bench.layer->power_up(bench.now);
  bench.run();
  EXPECT_EQ(reads() - before, 2u + 5u);  // one more read for each erased block
}

TEST(TranslationLayer, ALostPageDoesNotBecomeAnOlderOne) {
  TranslationBench bench(small, {.garbage_threshold = 1});
  const std::uint32_t pages = bench.layer->pages();
  bench.write_and_wait(0, 1);
  for (std::uint32_t page = 0; page < pages; ++page) bench.write_and_wait(page, 2);
  bench.image.add_bit_errors(*bench.layer->place(0), bench.part.correctable_bits + 1);
  EXPECT_EQ(bench.read(0), std::nullopt);
  for (int i = 0; i < 50; ++i) bench.write_and_wait(1, 3);
  bench.fail_power();
  EXPECT_TRUE(bench.layer->is_mapped(0));
  EXPECT_EQ(bench.read(0), std::nullopt);
  EXPECT_TRUE(bench.write_and_wait(0, 4));
  EXPECT_EQ(bench.read(0), 4u);
}

TEST(TranslationLayer, AWriteIntoABlockThatFailsIsDoneElsewhere) {
  TranslationBench bench({.packages = 1, .blocks = 12, .pages_per_block = 8, .page = 4_KiB},
                         {.over_provisioning = 500});
  for (std::uint32_t page = 0; page < 3; ++page) bench.write_and_wait(page, page + 10);
  const FlashBlock failing = bench.layer->place(0)->whole_block();
  bench.image.mark_bad(failing);  // its programs fail from now on
  EXPECT_TRUE(bench.write_and_wait(3, 13));
  for (std::uint32_t page = 0; page < 4; ++page) {
    EXPECT_EQ(bench.read(page), page + 10u);
    EXPECT_NE(bench.layer->place(page)->whole_block(), failing);
  }
}

TEST(TranslationLayer, IsReadOnlyWhenTooFewBlocksAreLeft) {
  TranslationBench bench(small, {}, {.endurance = 10});
  std::uint64_t last = 0;
  while (bench.write_and_wait(static_cast<std::uint32_t>(last % 6), last)) ++last;
  EXPECT_TRUE(bench.layer->read_only());
  for (std::uint64_t i = last - 6; i < last; ++i) EXPECT_EQ(bench.read(static_cast<std::uint32_t>(i % 6)), i);
  EXPECT_GT(last, 6u * 3 * 9);  // the rated cycles of nearly all blocks were used
}

}  // namespace
}  // namespace asterism
