#include "resilience/replica_placement.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace asterism {
namespace {

using enum ReplicaPlacement;

double share_that_survives(const CopyPlacement& placement, std::uint32_t lost) {
  std::uint64_t sets = 0, left = 0;
  for (std::uint32_t bits = 0; bits < 1u << placement.nodes; ++bits) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 0; node < placement.nodes; ++node)
      if (bits >> node & 1) nodes.push_back(node);
    if (nodes.size() != lost) continue;
    ++sets;
    left += survives(placement, nodes);
  }
  return static_cast<double>(left) / static_cast<double>(sets);
}

TEST(ReplicaPlacementTest, GeminisSixteenMachinesSurviveTwoLossesInFourteenOfFifteenCases) {
  EXPECT_DOUBLE_EQ(survival_probability({group, 16, 2, 1}, 2), 1 - 8. / 120);
  EXPECT_DOUBLE_EQ(survival_probability({ring, 16, 2, 1}, 2), 1 - 16. / 120);
  EXPECT_DOUBLE_EQ(survival_probability({group, 16, 2, 1}, 1), 1);
  EXPECT_DOUBLE_EQ(survival_probability({group, 16, 2, 1}, 9), 0);
}

// Every set of lost nodes, one by one, against the counting.
TEST(ReplicaPlacementTest, CountsAsManySetsAsThereAre) {
  for (const CopyPlacement& placement : {CopyPlacement{group, 12, 3, 2},
                                         {group, 12, 4, 1},
                                         {group, 12, 6, 2},
                                         {ring, 11, 2, 1},
                                         {ring, 12, 3, 2},
                                         {ring, 3, 3, 2},
                                         {mixed, 11, 2, 1},
                                         {mixed, 11, 3, 2},
                                         {mixed, 13, 4, 3},
                                         {mixed, 12, 3, 2}})
    for (std::uint32_t lost = 0; lost <= placement.nodes; ++lost)
      EXPECT_NEAR(survival_probability(placement, lost), share_that_survives(placement, lost), 1e-12)
          << placement.nodes << " nodes, " << placement.size << " copies, " << lost << " lost";
}

// Of the sets of 64 nodes, as many are a row as there are nodes.
TEST(ReplicaPlacementTest, CountsTheLargestRingAtOnce) {
  EXPECT_DOUBLE_EQ(survival_probability({ring, 1'000'000, 64, 63}, 63), 1);
  EXPECT_DOUBLE_EQ(survival_probability({ring, 1'000'000, 64, 63}, 64), 1);
  EXPECT_NEAR(survival_probability({ring, 1'000'000, 2, 1}, 2), 1 - 2 / 999'999., 1e-15);
  EXPECT_NEAR(survival_probability({ring, 1'000'000, 2, 1}, 64), 1 - 64 * 63 / 1e6, 1e-5);
}

TEST(ReplicaPlacementTest, GroupsAreBetterThanARingAndOneParityThanNone) {
  EXPECT_GT(survival_probability({group, 2048, 2, 1}, 4), survival_probability({ring, 2048, 2, 1}, 4));
  EXPECT_GT(survival_probability({group, 2048, 8, 2}, 3), survival_probability({group, 2048, 8, 1}, 3));
  EXPECT_NEAR(survival_probability({mixed, 2047, 2, 1}, 2), 1, 1e-3);
}

TEST(ReplicaPlacementTest, RefusesGroupsThatDoNotFit) {
  EXPECT_THROW(survival_probability({group, 15, 2, 1}, 2), std::invalid_argument);
  EXPECT_THROW(survival_probability({mixed, 15, 4, 1}, 2), std::invalid_argument);
  EXPECT_THROW(survival_probability({group, 16, 2, 2}, 2), std::invalid_argument);
  EXPECT_THROW(survival_probability({ring, 1, 2, 1}, 1), std::invalid_argument);
  EXPECT_THROW(survival_probability({group, 16, 2, 1}, 17), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
