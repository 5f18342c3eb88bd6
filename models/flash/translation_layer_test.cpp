#include "flash/translation_layer.h"

#include <gtest/gtest.h>

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

TEST(TranslationLayer, FindsAllAgainAfterAPowerCut) {
  TranslationBench bench(two_channels);
  const std::uint32_t pages = bench.layer->pages();
  for (std::uint64_t i = 0; i < 5 * pages; ++i) bench.write(static_cast<std::uint32_t>(i * 7 % pages), i);
  bench.run();
  std::vector<std::optional<std::uint64_t>> before;
  for (std::uint32_t page = 0; page < pages; ++page) before.push_back(bench.read(page));
  bench.cut();
  for (std::uint32_t page = 0; page < pages; ++page) EXPECT_EQ(bench.read(page), before[page]);
}

}  // namespace
}  // namespace asterism
