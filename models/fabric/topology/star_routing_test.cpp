#include "fabric/topology/star_routing.h"

#include <gtest/gtest.h>

#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

TEST(StarRoutingTest, OffersEveryGlobalRouterOnTheWayUp) {
  const auto star = topology_of(TopologyKind::superstar);
  const Routing::Step step = star->routing->step(7, 8, 0);
  ASSERT_EQ(step.channels.size(), 8u);
  for (unsigned g = 0; g < 8; ++g) {
    EXPECT_EQ(star->channels[step.channels[g]].from, 7u);
    EXPECT_EQ(star->channels[step.channels[g]].to, 36 + g);
  }
  EXPECT_TRUE(step.fallback.empty());
  EXPECT_EQ(route(*star, 7, 8), "LR7 GR0 LR8");
}

TEST(StarRoutingTest, NeighboursTalkStraightAndFallBackToTheGlobalRouters) {
  const auto star = topology_of(TopologyKind::superstarx);
  EXPECT_EQ(route(*star, 7, 8), "LR7 LR8");
  EXPECT_EQ(route(*star, 7, 6), "LR7 LR6");
  EXPECT_EQ(route(*star, 7, 13), "LR7 LR13");
  EXPECT_EQ(route(*star, 7, 1), "LR7 LR1");
  EXPECT_EQ(star->routing->step(7, 8, 0).channels.size(), 1u);
  EXPECT_EQ(star->routing->step(7, 8, 0).fallback.size(), 8u);
}

TEST(StarRoutingTest, OthersUseAGlobalRouterAlthoughALinkLeadsTheirWay) {
  const auto star = topology_of(TopologyKind::superstarx);
  EXPECT_EQ(route(*star, 7, 9), "LR7 GR0 LR9");
  EXPECT_EQ(route(*star, 7, 14), "LR7 GR0 LR14");  // across the corner
  EXPECT_EQ(route(*star, 5, 6), "LR5 GR0 LR6");    // the end of one row and the start of the next
}

}  // namespace
}  // namespace asterism
