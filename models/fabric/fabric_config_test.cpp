#include "fabric/fabric_config.h"

#include <gtest/gtest.h>

#include "base/fields.h"

namespace asterism {
namespace {

FabricShape default_shape(TopologyKind kind) { return fabric_shape(FabricConfig{.topology = kind}); }

TEST(FabricConfigTest, IsDescribedInFull) { EXPECT_EQ(description_problem<FabricConfig>(), ""); }

TEST(FabricConfigTest, ShapesAreThoseOfTheTopologyUnlessGiven) {
  EXPECT_EQ(default_shape(TopologyKind::cmesh_low).concentration, 4u);
  EXPECT_EQ(default_shape(TopologyKind::cmesh_high).parallel_links, 4u);
  EXPECT_EQ(default_shape(TopologyKind::superstarx).global_routers, 8u);
  EXPECT_EQ(default_shape(TopologyKind::superring).global_routers, 4u);
  const FabricConfig chapter_text{.topology = TopologyKind::superstar, .global_routers = 4};
  EXPECT_EQ(fabric_shape(chapter_text).global_routers, 4u);
}

TEST(FabricConfigTest, FlitParametersDefaultToTheEnginesOwn) {
  const FlitParameters from_config = flit_parameters(FabricConfig{}), own;
  EXPECT_EQ(from_config.virtual_channels, own.virtual_channels);
  EXPECT_EQ(from_config.buffer_depth, own.buffer_depth);
  EXPECT_EQ(from_config.router_stages, own.router_stages);
  EXPECT_EQ(from_config.credit_cycles, own.credit_cycles);
  EXPECT_EQ(from_config.crossing, own.crossing);
  EXPECT_EQ(from_config.arbitration, own.arbitration);
  EXPECT_EQ(from_config.fallback_occupancy, own.fallback_occupancy);
  EXPECT_EQ(from_config.watchdog, own.watchdog);
}

}  // namespace
}  // namespace asterism
