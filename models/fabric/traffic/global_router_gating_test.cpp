#include "fabric/traffic/global_router_gating.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/fields.h"
#include "fabric/topology/topologies.h"
#include "fabric/traffic/simulation.h"

namespace asterism {
namespace {

// 64 nodes on four local routers of 16, at 1 GHz: a global router is sent 4 flits a ns at most.
std::shared_ptr<const Topology> gated_star(TopologyKind kind, std::uint32_t global_routers) {
  FabricConfig config;
  config.topology = kind;
  config.nodes = 64;
  config.concentration = 16;
  config.global_routers = global_routers;
  config.clock = 1_GHz;
  return build_topology(config, {});
}

// The rate of uniform traffic that keeps this number of global routers busy. 48 of the 63 other nodes are at
// other local routers.
double rate_for(double routers) { return routers * 4 / (4 * 64) * 63 / 48; }

SimulationResult run_gated(double rate, const GlobalRouterGatingConfig& gating) {
  return simulate(gated_star(TopologyKind::superstar, 4), {}, {.rate = rate},
                  {.warm_up = 5_us, .measure = 5_us, .drain = 5_us, .gating = gating});
}

TEST(GlobalRouterGatingTest, DescribesEveryMember) {
  EXPECT_EQ(description_problem<GlobalRouterGatingConfig>(), "");
}

TEST(GlobalRouterGatingTest, OneRouterIsEnoughForLittleTraffic) {
  const auto result = run_gated(0.0005, {.window = 500_ns});
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_DOUBLE_EQ(result.powered_global_routers, 1);
}

TEST(GlobalRouterGatingTest, WithoutAPolicyAllArePowered) {
  EXPECT_DOUBLE_EQ(run_gated(0.0005, {}).powered_global_routers, 4);
}

// Two routers would have a load of 0.35 each, which is above 0.3; three have 0.23, which is below 0.4.
TEST(GlobalRouterGatingTest, TheLastRouterGatedLeavesALoadBelowTheLowThreshold) {
  const auto result = run_gated(rate_for(0.7), {.window = 500_ns});
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_DOUBLE_EQ(result.powered_global_routers, 3);
}

TEST(GlobalRouterGatingTest, AllStayForMuchTraffic) {
  EXPECT_DOUBLE_EQ(run_gated(rate_for(1.5), {.window = 500_ns}).powered_global_routers, 4);
}

// Windows that are no multiple of the simulation's steps.
TEST(GlobalRouterGatingTest, AShortWindowHasTheSameLoad) {
  const auto result = run_gated(rate_for(1.5), {.window = 75_ns});
  EXPECT_GT(result.powered_global_routers, 3.5);
  EXPECT_LT(run_gated(rate_for(0.05), {.window = 75_ns}).powered_global_routers, 1.1);
}

// 0.77 of a global router's load come, when one is powered.
TEST(GlobalRouterGatingTest, WakesAsManyAsTheLoadAsksFor) {
  const auto topology = gated_star(TopologyKind::superstar, 4);
  FlitNetwork network(topology, {});
  GlobalRouterGating policy({.window = 1_us, .wake_up = 300_ns}, topology, network);
  struct Ignore final : FlitNetwork::Sink {
    void delivered(const Delivery&) override {}
  } sink;
  Picoseconds now;
  for (int window = 0; window < 4; ++window) {
    now += 1_us;
    policy.advance_to(now);
  }
  EXPECT_EQ(policy.powered(), 1u);
  // Every node sends 48 flits to another local router, four rows of nodes away: 3,072 of the 4,000 that reach
  // a global router in 1 us.
  for (NodeId node = 0; node < 64; ++node)
    for (int i = 0; i < 12; ++i)
      network.inject({.source = node, .destination = (node + 32) % 64, .flits = 4}, now);
  network.advance_to(now + 999_ns, sink);
  policy.advance_to(now + 1_us);
  EXPECT_EQ(policy.powered(), 2u);  // a load of 0.77, of which two have 0.38 each
  const RouterId second = static_cast<RouterId>(topology->routers.size() - 3);
  EXPECT_FALSE(network.powered(second));
  policy.advance_to(now + 1299_ns);
  EXPECT_FALSE(network.powered(second));
  policy.advance_to(now + 1300_ns);
  EXPECT_TRUE(network.powered(second));
}

TEST(GlobalRouterGatingTest, RefusesAFabricWithoutReplaceableRouters) {
  for (const auto kind : {TopologyKind::mesh, TopologyKind::superring}) {
    FabricConfig config;
    config.topology = kind;
    config.nodes = kind == TopologyKind::mesh ? 64 : 576;
    config.clock = 1_GHz;
    const auto topology = build_topology(config, {});
    FlitNetwork network(topology, {});
    EXPECT_THROW(GlobalRouterGating({.window = 1_us}, topology, network), std::invalid_argument);
    EXPECT_NO_THROW(GlobalRouterGating({}, topology, network));
  }
}

}  // namespace
}  // namespace asterism
