// Wear, bad blocks, bit errors, and the rules of NAND.
#include <gtest/gtest.h>

#include <algorithm>

#include "flash/nand_recorder.h"

namespace asterism {
namespace {

using Outcome = NandArray::Outcome;
using State = FlashImage::PageState;

constexpr FlashGeometry geometry{.packages = 1, .blocks = 64, .pages_per_block = 4, .page = 4_KiB};

FlashPart rated(std::uint64_t endurance) {
  FlashPart part;
  part.endurance = endurance;
  return part;
}

// When a block failed: how often it had been erased, and how many pages were programmed after that.
struct Life {
  std::uint32_t erases, pages;
  bool operator==(const Life&) const = default;
};
Life life_of(NandBench& flash, std::uint32_t block) {
  for (;;) {
    for (std::uint32_t page = 0; page < geometry.pages_per_block; ++page)
      if (flash.programs({0, block, page}) == Outcome::failed)
        return {flash.image.erase_count({0, block}), page};
    if (flash.erases({0, block}) == Outcome::failed)
      return {flash.image.erase_count({0, block}), geometry.pages_per_block};
  }
}

TEST(NandWear, BlocksFailWithinATenthOfTheRating) {
  NandBench flash(geometry, rated(40));
  std::uint32_t least = ~0u, most = 0, in_erases = 0;
  for (std::uint32_t block = 0; block < geometry.blocks; ++block) {
    const Life life = life_of(flash, block);
    least = std::min(least, life.erases);
    most = std::max(most, life.erases);
    in_erases += life.pages == geometry.pages_per_block;
  }
  EXPECT_EQ(least, 36u);
  EXPECT_EQ(most, 44u);
  EXPECT_GT(in_erases, 20u);
  EXPECT_LT(in_erases, 44u);
}

TEST(NandWear, ABlockFailsAtTheSamePointInEveryRun) {
  NandBench one(geometry, rated(40)), other(geometry, rated(40));
  for (std::uint32_t block = 0; block < 8; ++block) EXPECT_EQ(life_of(one, block), life_of(other, block));
}

TEST(NandWear, AWornBlockStaysReadable) {
  NandBench flash(geometry, rated(3));
  std::uint32_t block = 0;
  while (life_of(flash, block).pages != geometry.pages_per_block) ++block;  // until one fails in an erase
  EXPECT_EQ(flash.erases({0, block}), Outcome::failed);
  EXPECT_EQ(flash.image.erase_count({0, block}), 3u);
  for (std::uint32_t page = 0; page < geometry.pages_per_block; ++page)
    EXPECT_TRUE(flash.reads({0, block, page}).is_readable);
}

TEST(NandWear, AProgramThatFailsTearsItsPageAndNoOther) {
  NandBench flash(geometry, rated(3));
  std::uint32_t block = 0;
  Life life{};
  do life = life_of(flash, block++);
  while (life.pages == 0 || life.pages == geometry.pages_per_block);
  --block;
  EXPECT_EQ(flash.image.state({0, block, life.pages}), State::torn);
  EXPECT_TRUE(flash.reads({0, block, life.pages - 1}).is_readable);
  EXPECT_EQ(flash.image.next_page({0, block}), life.pages + 1);
}

TEST(NandWear, WithoutARatingNothingWears) {
  NandBench flash(geometry);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(flash.erases({0, 0}), Outcome::done);
  EXPECT_EQ(flash.programs({0, 0, 0}), Outcome::done);
}

TEST(NandWear, ABlockMarkedBadTakesNothingAndStaysReadable) {
  NandBench flash(geometry);
  EXPECT_EQ(flash.programs({0, 5, 0}), Outcome::done);
  flash.image.mark_bad({0, 5});
  EXPECT_EQ(flash.programs({0, 5, 1}), Outcome::failed);
  EXPECT_EQ(flash.erases({0, 5}), Outcome::failed);
  EXPECT_TRUE(flash.reads({0, 5, 0}).is_readable);
}

TEST(NandBitErrors, AreCorrectedUpToTheStrengthOfThePageCode) {
  NandBench flash(geometry);
  flash.program({0, 0, 0}, 7);
  flash.run();
  flash.image.add_bit_errors({0, 0, 0}, flash.part.correctable_bits);
  EXPECT_TRUE(flash.reads({0, 0, 0}).is_readable);
  EXPECT_EQ(flash.sink.data.rbegin()->second, flash.page(7));
  flash.image.add_bit_errors({0, 0, 0}, 1);
  const NandArray::Read& read = flash.reads({0, 0, 0});
  EXPECT_TRUE(!read.is_readable && !read.is_erased && read.data.empty());
  EXPECT_EQ(read.spare, PageSpare{});
}

TEST(NandBitErrors, AreForgottenByAnErase) {
  NandBench flash(geometry);
  flash.programs({0, 0, 0});
  flash.image.add_bit_errors({0, 0, 0}, 100'000);
  EXPECT_EQ(flash.image.bit_errors({0, 0, 0}), 65535u);
  flash.erases({0, 0});
  flash.programs({0, 0, 0});
  EXPECT_EQ(flash.image.bit_errors({0, 0, 0}), 0u);
  EXPECT_TRUE(flash.reads({0, 0, 0}).is_readable);
}

TEST(NandRules, APageIsProgrammedOnceBetweenErases) {
  NandBench flash(geometry);
  flash.program({0, 0, 0}), flash.program({0, 0, 0});
  EXPECT_THROW(flash.run(), std::logic_error);
}

TEST(NandRules, PagesOfABlockAreProgrammedInOrder) {
  NandBench flash(geometry);
  flash.program({0, 0, 0}), flash.program({0, 0, 2});
  EXPECT_THROW(flash.run(), std::logic_error);
}

TEST(NandRules, APageIsProgrammedWhole) {
  NandBench flash(geometry);
  EXPECT_THROW(flash.array.program(0_ns, {0, 0, 0}, std::vector<std::byte>(4095), {}, 0), std::logic_error);
}

TEST(NandRules, PlacesOutsideOfTheFlashAreRefused) {
  NandBench flash(geometry);
  EXPECT_THROW(flash.read({1, 0, 0}), std::logic_error);
  EXPECT_THROW(flash.erase({0, 64}), std::logic_error);
  EXPECT_THROW(flash.program({0, 0, 4}), std::logic_error);
  EXPECT_TRUE(flash.array.idle());
}

TEST(NandRules, WhereNoContentsAreKeptPagesAreEmptyAndSparesAreNot) {
  FlashImage image(geometry, FlashImage::Contents::none);
  NandArray array(FlashPart{}, image);
  NandRecorder sink;
  array.program(0_ns, {0, 0, 0}, {}, {.logical = 3}, 0);
  array.read(0_ns, {0, 0, 0}, 1);
  while (auto t = array.next_event()) array.advance_to(*t, sink);
  EXPECT_TRUE(sink.reads[1].is_readable);
  EXPECT_TRUE(sink.reads[1].data.empty());
  EXPECT_EQ(sink.reads[1].spare.logical, 3u);
  EXPECT_THROW(array.program(0_ns, {0, 0, 1}, std::vector<std::byte>(4096), {}, 2), std::logic_error);
}

}  // namespace
}  // namespace asterism
