#include "cluster_scale/buddy_copies.h"

#include <gmock/gmock.h>

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(BuddyCopiesTest, NothingIsRecoverableBeforeTheFirstCheckpoint) {
  BuddyCopies copies;
  EXPECT_FALSE(copies.recoverable());
  copies.lose(3);
  EXPECT_THAT(copies.damaged(), IsEmpty());
  copies.all();
  EXPECT_TRUE(copies.recoverable());
}

TEST(BuddyCopiesTest, AParityRestoresOneNodeOfAGroupUntilTheNextCheckpoint) {
  BuddyCopies copies(4);
  copies.all();
  copies.lose(5);
  copies.lose(8);
  EXPECT_TRUE(copies.recoverable());
  EXPECT_THAT(copies.without_own(), ElementsAre(5, 8));
  EXPECT_THAT(copies.damaged(), IsEmpty());
  copies.restore_own(5);
  copies.restore_own(8);
  copies.lose(5);  // it had no share of the parity
  EXPECT_TRUE(copies.recoverable());
  copies.restore_own(5);
  copies.lose(6);
  EXPECT_FALSE(copies.recoverable());
  copies.all();
  copies.lose(6);
  EXPECT_TRUE(copies.recoverable());
}

TEST(BuddyCopiesTest, ReplicasComeBackFromAnyHolderThatWasNotLostSinceTheCheckpoint) {
  BuddyCopies copies([](std::uint32_t node) { return std::vector{(node + 1) % 5, (node + 2) % 5}; });
  copies.all();
  copies.lose(1);
  copies.lose(2);
  EXPECT_TRUE(copies.recoverable());
  EXPECT_EQ(copies.source(1), 3u);
  copies.restore_own(1);
  copies.restore_own(2);
  copies.lose(0);  // 1 and 2 had its copies
  EXPECT_THAT(copies.without_own(), ElementsAre(0));
  EXPECT_FALSE(copies.recoverable());
  copies.all();
  copies.lose(0);
  EXPECT_TRUE(copies.recoverable());
}

TEST(BuddyCopiesTest, ALostNodeIsWithItsBuddyAlone) {
  BuddyCopies copies;
  copies.all();
  copies.lose(5);
  EXPECT_TRUE(copies.recoverable());
  EXPECT_THAT(copies.without_own(), ElementsAre(5));
  EXPECT_THAT(copies.damaged(), ElementsAre(4));
  EXPECT_EQ(copies.repairable(5), 2u);
}

TEST(BuddyCopiesTest, BothBuddiesLostIsFinal) {
  for (const std::uint32_t first : {6u, 7u}) {
    BuddyCopies copies;
    copies.all();
    copies.lose(first);
    copies.lose(first ^ 1);
    EXPECT_FALSE(copies.recoverable());
    EXPECT_EQ(copies.repairable(first), 0u);
    EXPECT_FALSE(copies.repair(first));
    EXPECT_FALSE(copies.recoverable());
  }
}

TEST(BuddyCopiesTest, NodesOfTwoPairsAreNot) {
  BuddyCopies copies;
  copies.all();
  copies.lose(1);
  copies.lose(2);
  EXPECT_TRUE(copies.recoverable());
  EXPECT_THAT(copies.without_own(), ElementsAre(1, 2));
}

// A node that is restored has its own copy again, but not yet its buddy's.
TEST(BuddyCopiesTest, UntilThePairIsRepairedTheBuddysLossIsFinal) {
  for (const bool repaired : {false, true}) {
    BuddyCopies copies;
    copies.all();
    copies.lose(8);
    copies.restore_own(8);
    EXPECT_THAT(copies.without_own(), IsEmpty());
    EXPECT_EQ(copies.repairable(8), 1u);
    if (repaired) {
      EXPECT_TRUE(copies.repair(8));
      EXPECT_THAT(copies.damaged(), IsEmpty());
    }
    copies.lose(9);
    EXPECT_EQ(copies.recoverable(), repaired);
  }
}

TEST(BuddyCopiesTest, TheOtherMayBeLostAgainBeforeTheRepair) {
  BuddyCopies copies;
  copies.all();
  copies.lose(8);
  copies.restore_own(8);
  copies.lose(8);
  EXPECT_TRUE(copies.recoverable());
  EXPECT_EQ(copies.repairable(9), 2u);
}

}  // namespace
}  // namespace asterism
