#include "memory/block_set.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(BlockSet, FindsTheNearestInsideAndOutside) {
  BlockSet set;
  EXPECT_EQ(set.next(0), std::nullopt);
  EXPECT_EQ(set.previous(9), std::nullopt);
  for (const std::uint64_t block : {5u, 6u, 7u, 10u}) set.insert(block);
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.next(0), 5u);
  EXPECT_EQ(set.next(6), 6u);
  EXPECT_EQ(set.next(8), 10u);
  EXPECT_EQ(set.next(11), std::nullopt);
  EXPECT_EQ(set.previous(4), std::nullopt);
  EXPECT_EQ(set.previous(6), 6u);
  EXPECT_EQ(set.previous(9), 7u);
  EXPECT_EQ(set.previous(99), 10u);
  EXPECT_EQ(set.next_outside(5), 8u);
  EXPECT_EQ(set.next_outside(9), 9u);
  EXPECT_EQ(set.previous_outside(7), 4u);
  set.erase(6);
  EXPECT_FALSE(set.contains(6));
  EXPECT_TRUE(set.contains(7));
}

TEST(BlockSet, HasNothingOutsideBeforeItsFirstBlock) {
  BlockSet set;
  set.insert(0);
  EXPECT_EQ(set.previous_outside(0), std::nullopt);
  EXPECT_EQ(set.next_outside(0), 1u);
}

TEST(BlockPieces, CompleteABlockInAnyOrder) {
  BlockPieces pieces;
  EXPECT_FALSE(pieces.complete(3, 32, 32));
  EXPECT_FALSE(pieces.complete(4, 0, 32));
  EXPECT_FALSE(pieces.complete(3, 0, 31));
  EXPECT_FALSE(pieces.complete(3, 30, 1));
  EXPECT_TRUE(pieces.complete(3, 31, 1));
  EXPECT_FALSE(pieces.complete(3, 31, 1));
  EXPECT_TRUE(pieces.complete(4, 0, 64));
  EXPECT_FALSE(pieces.complete(4, 32, 32));
}

}  // namespace
}  // namespace asterism
