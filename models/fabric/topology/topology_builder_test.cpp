#include "fabric/topology/topology_builder.h"

#include <gtest/gtest.h>

#include "base/thrown.h"
#include "fabric/topology/channel_runs.h"

namespace asterism {
namespace {

class NoRouting final : public Routing {
 public:
  Step step(RouterId, RouterId, unsigned) const override { return {}; }
};

struct TopologyBuilderTest : testing::Test {
  FabricConfig config;
  SwitchTechnology technology;
  TopologyBuilder builder{"drawn", config, technology};
};

TEST_F(TopologyBuilderTest, ALinkTakesAtLeastACycleAndWhatItsLengthTakes) {
  const RouterId a = builder.add_router("A", {0_um, 0_um}, 5), b = builder.add_router("B", {0_um, 100_um}, 5);
  builder.add_channel(a, b);
  builder.add_channel(a, b, 3393_um);  // 223.94 ps; the clock's period is 224 ps
  builder.add_channel(a, b, 3394_um);  // 224.004 ps
  EXPECT_EQ(builder.topology().channels[0].length, 100_um);
  EXPECT_EQ(builder.topology().channels[0].latency, 1_cycles);
  EXPECT_EQ(builder.topology().channels[1].latency, 1_cycles);
  EXPECT_EQ(builder.topology().channels[2].latency, 2_cycles);
}

TEST_F(TopologyBuilderTest, RefusesALinkWithoutLength) {
  const RouterId a = builder.add_router("A", {5_um, 7_um}, 5), b = builder.add_router("B", {5_um, 7_um}, 5);
  EXPECT_THROW(builder.add_channel(a, b), std::invalid_argument);
  builder.add_channel(a, b, 1_um);
}

TEST_F(TopologyBuilderTest, TheConfigsClockOverridesARoutersOwn) {
  builder.add_router("A", {}, 5, false, 1_GHz);
  EXPECT_EQ(builder.topology().routers[0].period, 1000_ps);
  config.clock = 2_GHz;
  builder.add_router("B", {}, 5, false, 1_GHz);
  EXPECT_EQ(builder.topology().routers[1].period, 500_ps);
}

TEST_F(TopologyBuilderTest, RefusesMoreLinksThanPorts) {
  const RouterId a = builder.add_router("A", {}, 1);
  builder.add_node(a, 1_um);
  builder.add_node(a, 1_um);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { builder.finish(std::make_shared<NoRouting>()); }),
            "router A has radix 1 and 2 links");
}

}  // namespace
}  // namespace asterism
