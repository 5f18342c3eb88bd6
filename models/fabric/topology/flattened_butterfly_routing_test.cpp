#include "fabric/topology/flattened_butterfly_routing.h"

#include <gtest/gtest.h>

#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

TEST(FlattenedButterflyRoutingTest, TakesOneHopAlongEachDimension) {
  const auto butterfly = topology_of(TopologyKind::fbfly);
  EXPECT_EQ(route(*butterfly, 0, 15), "R0 R3 R15");
  EXPECT_EQ(route(*butterfly, 15, 0), "R15 R12 R0");
  EXPECT_EQ(route(*butterfly, 4, 6), "R4 R6");
  EXPECT_EQ(route(*butterfly, 2, 14), "R2 R14");
}

TEST(FlattenedButterflyRoutingTest, OffersAllParallelLinks) {
  FabricConfig config;
  config.topology = TopologyKind::fbfly;
  config.parallel_links = 2;
  const auto butterfly = build_topology(config, SwitchTechnology{});
  const Routing::Step step = butterfly->routing->step(9, 1, 0);
  ASSERT_EQ(step.channels.size(), 2u);
  for (const ChannelId channel : step.channels) EXPECT_EQ(butterfly->channels[channel].to, 1u);
}

}  // namespace
}  // namespace asterism
