#include "fabric/topology/topologies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/parameter_name.h"
#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

// A row of abeyratne2017 Table 3.2. Links between local routers count once for each direction, those of nodes
// once.
struct Row {
  TopologyKind kind;
  unsigned locals, globals, local_radix, global_radix;
  double local_mm, local_tolerance;  // the tolerance is relative
  double global_mm;
};
void PrintTo(const Row& row, std::ostream* out) { *out << to_text(row.kind); }

struct Means {
  double local_mm, global_mm;
};
Means mean_lengths(const Topology& topology) {
  double local = 0, global = 0, locals = 0, globals = 0;
  for (const Topology::Node& node : topology.nodes)
    local += static_cast<double>(node.length.count()), ++locals;
  for (const Topology::Channel& channel : topology.channels) {
    const bool is_global = topology.routers[channel.from].global || topology.routers[channel.to].global;
    (is_global ? global : local) += static_cast<double>(channel.length.count());
    ++(is_global ? globals : locals);
  }
  return {local / locals / 1000, globals == 0 ? 0 : global / globals / 1000};
}

TEST(SwitchTopologyTest, IsOneRouterOfItsPortsInTheMiddleOfItsTiles) {
  const auto topology =
      build_topology({.topology = TopologyKind::swizzle_switch, .ports = 12}, SwitchTechnology{});
  ASSERT_EQ(topology->routers.size(), 1u);
  EXPECT_EQ(topology->routers[0].name, "XB");
  EXPECT_EQ(topology->routers[0].radix, 12u);
  EXPECT_EQ(topology->nodes.size(), 12u);
  EXPECT_TRUE(topology->channels.empty());
  // The fabric has 4 by 3 tiles of 900 um. From the centre of a corner's tile to the middle it is 1.5 tiles
  // along and one across.
  EXPECT_EQ(topology->nodes[0].length, 2250_um);
  EXPECT_EQ(topology->nodes[5].length, 450_um);
}

TEST(SwitchTopologyTest, MorePortsMakeASlowerClock) {
  const auto period = [](unsigned ports) {
    return build_topology({.topology = TopologyKind::swizzle_switch, .ports = ports}, SwitchTechnology{})
        ->routers[0]
        .period;
  };
  EXPECT_LT(period(8), period(64));
}

class Table32Test : public testing::TestWithParam<Row> {};

TEST_P(Table32Test, RoutersRadixAndLinksAreThePublishedOnes) {
  const Row& row = GetParam();
  const auto topology = topology_of(row.kind);
  ASSERT_EQ(topology->routers.size(), row.locals + row.globals);
  for (RouterId r = 0; r < topology->routers.size(); ++r) {
    EXPECT_EQ(topology->routers[r].global, r >= row.locals);
    EXPECT_EQ(topology->routers[r].radix, r < row.locals ? row.local_radix : row.global_radix);
  }
  const Means means = mean_lengths(*topology);
  EXPECT_NEAR(means.local_mm, row.local_mm, row.local_tolerance * row.local_mm);
  EXPECT_NEAR(means.global_mm, row.global_mm, 0.005);
}

INSTANTIATE_TEST_SUITE_P(
    Abeyratne2017, Table32Test,
    testing::Values(Row{TopologyKind::mesh, 576, 0, 5, 0, 0.79, 0.025, 0},
                    Row{TopologyKind::cmesh_low, 144, 0, 8, 0, 1.28, 0.04, 0},
                    Row{TopologyKind::cmesh_high, 16, 0, 52, 0, 3.25, 0.04, 0},
                    Row{TopologyKind::fbfly, 16, 0, 42, 0, 3.56, 0.015, 0},
                    Row{TopologyKind::superstar, 36, 8, 24, 36, 1.80, 0.0025, 12.90},
                    // The table's 11.30 counts the 60 links between neighbours among the global ones.
                    Row{TopologyKind::superstarx, 36, 8, 28, 36, 2.11, 0.0025, 12.90},
                    Row{TopologyKind::superring, 36, 4, 17, 11, 1.80, 0.0025, 6.48}),
    ParameterName());

TEST(TopologiesTest, TheLongestLinkOfTheFlattenedButterflyTakesThreeCycles) {
  const auto topology = topology_of(TopologyKind::fbfly);
  Micrometres longest;
  Cycles slowest;
  for (const Topology::Channel& channel : topology->channels) {
    longest = std::max(longest, channel.length);
    slowest = std::max(slowest, channel.latency);
  }
  EXPECT_EQ(longest, 16'200_um);
  EXPECT_EQ(slowest, 3_cycles);  // 16.2 mm * 66 ps/mm is 2.26 cycles of 473 ps
}

TEST(TopologiesTest, ALinkIsPipelinedAtTheSendersClock) {
  const auto topology = topology_of(TopologyKind::superstar);
  const Topology::Channel& up = topology->channels.front();  // LR0 -> GR0
  const Topology::Channel& down = topology->channels[288];   // GR0 -> LR0
  EXPECT_EQ(up.length, 7'200_um);
  EXPECT_EQ(down.length, 7'200_um);
  EXPECT_EQ(up.latency, 2_cycles);    // 475.2 ps at a period of 336 ps
  EXPECT_EQ(down.latency, 2_cycles);  // 475.2 ps at a period of 425 ps
  EXPECT_EQ(topology->routers.front().period, 336_ps);
  EXPECT_EQ(topology->routers.back().period, 425_ps);
}

TEST(TopologiesTest, OneClockAndLinkCyclesOverrideTheFloorPlan) {
  FabricConfig config;
  config.topology = TopologyKind::superstar;
  config.clock = 2_GHz;
  config.link_cycles = 1_cycles;
  config.global_link_cycles = 3_cycles;
  const auto topology = build_topology(config, SwitchTechnology{});
  for (const Topology::Router& router : topology->routers) EXPECT_EQ(router.period, 500_ps);
  for (const Topology::Channel& channel : topology->channels) EXPECT_EQ(channel.latency, 3_cycles);
  for (const Topology::Node& node : topology->nodes) EXPECT_EQ(node.latency, 1_cycles);
}

TEST(TopologiesTest, AnyNumbersMakeATopology) {
  FabricConfig config;
  config.topology = TopologyKind::cmesh_high;
  config.nodes = 552;
  config.concentration = 12;
  config.parallel_links = 2;
  const auto topology = build_topology(config, SwitchTechnology{});
  EXPECT_EQ(topology->routers.size(), 46u);  // 2 x 23
  EXPECT_EQ(topology->routers[0].radix, 20u);
  EXPECT_EQ(topology->channels.size(), 2u * 2 * (23 + 2 * 22));
}

TEST(TopologiesTest, ASingleRouterNeedsNoChannels) {
  FabricConfig config;
  config.topology = TopologyKind::cmesh_low;
  config.nodes = 4;
  EXPECT_TRUE(build_topology(config, SwitchTechnology{})->channels.empty());
}

TEST(TopologiesTest, RefusesWhatDoesNotFit) {
  FabricConfig config;
  EXPECT_EQ(refusal(config), "a crossbar is ideal and has no routers");
  config.topology = TopologyKind::superstar;
  config.nodes = 577;
  EXPECT_EQ(refusal(config), "577 nodes are not a whole number of clusters of 16");
  config.nodes = 16'384;
  EXPECT_NE(refusal(config).find("radix 1024"), std::string::npos) << refusal(config);
  config.topology = TopologyKind::superring;
  config.nodes = 576;
  config.global_routers = 5;
  EXPECT_EQ(refusal(config), "36 local routers are not a whole number of parts for 5 global routers");
  config.topology = TopologyKind::graph;
  EXPECT_EQ(refusal(config), "topology graph needs a graph");
}

TEST(TopologiesTest, TheLastGlobalRoutersStartGated) {
  const auto star = topology_of(TopologyKind::superstar, 64);
  FabricConfig config;
  config.gated_global_routers = 2;
  EXPECT_EQ(gated_routers(config, *star), (std::vector<RouterId>{11, 10}));
  config.gated_global_routers = 9;
  EXPECT_THROW(gated_routers(config, *star), std::invalid_argument);
}

TEST(TopologiesTest, AMeshOfThousandsOfRoutersIsChecked) {
  EXPECT_EQ(topology_of(TopologyKind::mesh, 4096)->routers.size(), 4096u);
}

}  // namespace
}  // namespace asterism
