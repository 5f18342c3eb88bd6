#include "fabric/topology/mesh_routing.h"

#include <gtest/gtest.h>

#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

TEST(MeshRoutingTest, GoesAlongTheRowAndThenAlongTheColumn) {
  const auto mesh = topology_of(TopologyKind::mesh, 16);
  EXPECT_EQ(route(*mesh, 0, 15), "R0 R1 R2 R3 R7 R11 R15");
  EXPECT_EQ(route(*mesh, 15, 0), "R15 R14 R13 R12 R8 R4 R0");
  EXPECT_EQ(route(*mesh, 13, 5), "R13 R9 R5");
}

TEST(MeshRoutingTest, OffersAllParallelLinks) {
  const auto mesh = topology_of(TopologyKind::cmesh_high);
  const Routing::Step step = mesh->routing->step(5, 6, 0);
  ASSERT_EQ(step.channels.size(), 4u);
  for (const ChannelId channel : step.channels) {
    EXPECT_EQ(mesh->channels[channel].from, 5u);
    EXPECT_EQ(mesh->channels[channel].to, 6u);
  }
  EXPECT_TRUE(step.fallback.empty());
}

}  // namespace
}  // namespace asterism
