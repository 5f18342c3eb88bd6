#include "fabric/topology/floor_plan.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace asterism {
namespace {

using Point = Topology::Point;

void expect_place(Point at, Micrometres x, Micrometres y) {
  EXPECT_EQ(at.x, x);
  EXPECT_EQ(at.y, y);
}

TEST(FloorPlanTest, GridsAreAsSquareAsTheirNumberAllows) {
  EXPECT_EQ(squarest_grid(576), (Grid{24, 24}));
  EXPECT_EQ(squarest_grid(552), (Grid{24, 23}));
  EXPECT_EQ(squarest_grid(8), (Grid{4, 2}));
  EXPECT_EQ(squarest_grid(7), (Grid{7, 1}));
}

TEST(FloorPlanTest, BlocksDivideTheGridAndAreAsSquareAsItAllows) {
  EXPECT_EQ(squarest_block({24, 24}, 36), (Grid{6, 6}));
  EXPECT_EQ(squarest_block({24, 24}, 8), (Grid{4, 2}));
  EXPECT_EQ(squarest_block({6, 4}, 8), (Grid{2, 4}));
  EXPECT_THROW(squarest_block({24, 24}, 5), std::invalid_argument);
}

TEST(FloorPlanTest, NodesOfAClusterHangOnTheRouterAtItsCentre) {
  const FloorPlan plan(576, 36, 900_um);
  EXPECT_EQ(plan.clusters(), (Grid{4, 4}));
  EXPECT_EQ(plan.cluster_of(5), 0u);
  EXPECT_EQ(plan.cluster_of(6), 1u);
  EXPECT_EQ(plan.cluster_of(6 * 24), 4u);
  expect_place(plan.cluster_centre(5), 8100_um, 8100_um);
  expect_place(plan.tile_centre(25), 1350_um, 1350_um);
  EXPECT_EQ(plan.node_link(0), 4500_um);      // from the corner of the cluster
  EXPECT_EQ(plan.node_link(2 * 25), 900_um);  // from beside its centre
}

TEST(FloorPlanTest, ARouterWithinATileIsHalfASideAway) {
  EXPECT_EQ(FloorPlan(576, 1, 900_um).node_link(77), 450_um);
  const FloorPlan three_by_three(36, 9, 900_um);
  EXPECT_EQ(three_by_three.node_link(7), 450_um);
  EXPECT_EQ(three_by_three.node_link(6), 900_um);
}

TEST(FloorPlanTest, GlobalRoutersSpreadOverTheCornersOfClusters) {
  const std::vector<Point> places = FloorPlan(576, 16, 900_um).spread_globals(8);
  ASSERT_EQ(places.size(), 8u);
  const Micrometres columns[] = {3600_um, 7200_um, 14400_um, 18000_um};
  for (unsigned i = 0; i < 8; ++i) expect_place(places[i], columns[i % 4], i < 4 ? 7200_um : 14400_um);
}

TEST(FloorPlanTest, NoTwoGlobalRoutersShareACorner) {
  const FloorPlan plan(64, 16, 900_um);  // 2 x 2 clusters, 9 corners
  std::vector<Point> places = plan.spread_globals(9);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(manhattan(places[i], places[k]), 0_um);
  EXPECT_THROW(plan.spread_globals(10), std::invalid_argument);
}

TEST(FloorPlanTest, PartsHaveTheirGlobalRouterAtTheSamePlace) {
  const FloorPlan::Parts parts = FloorPlan(576, 16, 900_um).parts(4);
  EXPECT_EQ(parts.blocks, (Grid{2, 2}));
  expect_place(parts.globals[0], 7200_um, 7200_um);
  expect_place(parts.globals[3], 18000_um, 18000_um);
  EXPECT_EQ(parts.block_of[2], 0u);
  EXPECT_EQ(parts.block_of[3], 1u);
  EXPECT_EQ(parts.block_of[35], 3u);
  EXPECT_THROW(FloorPlan(576, 16, 900_um).parts(5), std::invalid_argument);
}

TEST(FloorPlanTest, RefusesABrokenCluster) {
  EXPECT_THROW(FloorPlan(577, 16, 900_um), std::invalid_argument);
  EXPECT_THROW(FloorPlan(576, 0, 900_um), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
