#include "memory/parity_translation.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace asterism {
namespace {

constexpr DramGeometry geometry{.channels = 2, .ranks = 2, .banks = 8, .rows = 40, .columns = 128};

TEST(ParityTranslation, SixteenBlocksOfARowShareOneOfTheNextRank) {
  const ParityPlace first = parity_place(geometry, {1, 0, 3, 0, 0});
  EXPECT_EQ(first.block, (BlockLocation{1, 1, 3, 40, 0}));
  EXPECT_EQ(first.slot, 0u);
  const ParityPlace last = parity_place(geometry, {1, 0, 3, 0, 15});
  EXPECT_EQ(last.block, first.block);
  EXPECT_EQ(last.slot, 15u);
  EXPECT_EQ(parity_place(geometry, {1, 0, 3, 0, 16}).block, (BlockLocation{1, 1, 3, 40, 1}));
}

TEST(ParityTranslation, TheLastRankKeepsItsParityInTheFirst) {
  EXPECT_EQ(parity_place(geometry, {0, 1, 7, 39, 127}).block, (BlockLocation{0, 0, 7, 42, 63}));
}

TEST(ParityTranslation, ARowNeedsASixteenthOfAParityRow) {
  EXPECT_EQ(parity_rows(geometry), 3u);
  EXPECT_EQ(parity_place(geometry, {0, 0, 0, 15, 127}).block.row, 40u);
  EXPECT_EQ(parity_place(geometry, {0, 0, 0, 16, 0}).block.row, 41u);
}

TEST(ParityTranslation, NoTwoBlocksShareASlotEvenWhereSixteenDoesNotDivideARow) {
  const DramGeometry odd{.channels = 1, .ranks = 3, .banks = 2, .rows = 17, .columns = 10};
  std::set<std::tuple<BlockLocation, unsigned>> taken;
  for (std::uint32_t rank = 0; rank < odd.ranks; ++rank)
    for (std::uint32_t row = 0; row < odd.rows; ++row)
      for (std::uint32_t column = 0; column < odd.columns; ++column) {
        const ParityPlace place = parity_place(odd, {0, rank, 1, row, column});
        EXPECT_TRUE(taken.insert({place.block, place.slot}).second);
        EXPECT_NE(place.block.rank, rank);
        EXPECT_GE(place.block.row, odd.rows);
        EXPECT_LT(place.block.row, odd.rows + parity_rows(odd));
      }
}

TEST(ParityTranslation, TheMostRowsThatLeaveRoomAreExact) {
  for (const std::uint32_t part_rows : {17u, 18u, 33u, 34u, 16384u, 32768u}) {
    const std::uint32_t most = rows_beside_parity(part_rows);
    EXPECT_TRUE(leaves_parity_rows({.rows = most}, part_rows)) << part_rows;
    EXPECT_FALSE(leaves_parity_rows({.rows = most + 1}, part_rows)) << part_rows;
  }
  EXPECT_EQ(rows_beside_parity(16384), 15420u);
}

}  // namespace
}  // namespace asterism
