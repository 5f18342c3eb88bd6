#include "fabric/network/zero_load.h"

#include <gtest/gtest.h>

#include "base/parameter_name.h"
#include "base/random.h"
#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

struct LastDelivery final : FlitNetwork::Sink {
  Picoseconds latency;
  void delivered(const Delivery& delivery) override { latency = delivery.delivered - delivery.created; }
};

class ZeroLoadTest : public testing::TestWithParam<TopologyKind> {};

// Sends lone packets between random pairs at random times and compares each with the closed form. The pairs
// include nodes of the same router, neighbours and distant nodes.
void expect_engine_agrees(const std::shared_ptr<const Topology>& topology, const FlitParameters& parameters) {
  Random random(7);
  Picoseconds now;
  FlitNetwork network(topology, parameters);
  const std::uint64_t nodes = topology->nodes.size();
  for (unsigned i = 0; i < 300; ++i) {
    const auto source = static_cast<NodeId>(random.below(nodes));
    const auto destination = static_cast<NodeId>((source + random.below(i % 3 == 0 ? 26 : nodes)) % nodes);
    const auto flits = static_cast<unsigned>(1 + random.below(5));
    now += Picoseconds(400'000 + random.below(5'000));
    LastDelivery last;
    network.advance_to(now, last);
    network.reset(Reset::cold);
    network.inject({source, destination, flits}, now);
    network.advance_to(now + 400_ns, last);
    ASSERT_EQ(last.latency, zero_load_latency(*topology, parameters, source, destination, flits, now))
        << source << " -> " << destination << ", " << flits << " flits, created at " << now.count() << " ps";
    now += 400_ns;
  }
}

TEST_P(ZeroLoadTest, IsWhatTheFlitEngineGivesToTheEdge) { expect_engine_agrees(topology_of(GetParam()), {}); }

TEST(ZeroLoadParametersTest, HoldsForAnyPipelineAndCrossing) {
  const auto star = topology_of(TopologyKind::superstarx);
  for (const unsigned stages : {1u, 2u, 5u})
    for (const unsigned crossing : {0u, 50u, 300u}) {
      FlitParameters parameters;
      parameters.router_stages = stages;
      parameters.crossing = crossing;
      expect_engine_agrees(star, parameters);
    }
}

TEST(ZeroLoadParametersTest, TheNextPacketTakesTheNextChannel) {
  const auto star = topology_of(TopologyKind::superstar);
  FlitNetwork network(star, {});
  Picoseconds now;
  for (unsigned choice = 0; choice < 10; ++choice, now += 100_ns) {
    LastDelivery last;
    network.inject({0, 575, 4}, now);
    network.advance_to(now + 100_ns, last);
    EXPECT_EQ(last.latency, zero_load_latency(*star, {}, 0, 575, 4, now, choice)) << choice;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTopology, ZeroLoadTest,
                         testing::Values(TopologyKind::mesh, TopologyKind::cmesh_low,
                                         TopologyKind::cmesh_high, TopologyKind::fbfly,
                                         TopologyKind::superstar, TopologyKind::superstarx,
                                         TopologyKind::superring),
                         ParameterName());

TEST(ZeroLoadFormulaTest, CountsCyclesOfOneClock) {
  FabricConfig config;
  config.topology = TopologyKind::mesh;
  config.nodes = 16;
  config.clock = 1_GHz;
  config.link_cycles = 1_cycles;
  const auto mesh = build_topology(config, SwitchTechnology{});
  const auto latency = [&](NodeId to, unsigned flits, Picoseconds created) {
    return zero_load_latency(*mesh, {}, 0, to, flits, created);
  };
  EXPECT_EQ(latency(0, 1, 0_ps), 6_ns);    // edge 1, link, router, link
  EXPECT_EQ(latency(1, 1, 0_ps), 10_ns);   // one more link and one more router
  EXPECT_EQ(latency(15, 4, 0_ps), 33_ns);  // 6 hops and 3 flits after the head
  EXPECT_EQ(latency(15, 4, 999_ps), 33'000_ps - 999_ps);
  EXPECT_EQ(latency(15, 4, 1000_ps), 33_ns);  // the first edge is strictly after the creation
}

TEST(ZeroLoadFormulaTest, ACrossingWaitsForTheReceiversEdges) {
  const auto star = topology_of(TopologyKind::superstar);
  // The packet starts at edge 1 of the node beside LR0 and takes 1 cycle to LR0, 3 in it and 2 to GR0, until
  // 7 * 336 = 2352 ps. The crossing takes 782 ps, until edge 8 of GR0 (3400 ps). 3 cycles in GR0 and 2 to LR1
  // end at 13 * 425 = 5525 ps. The crossing takes 618.24 ps, until edge 19 of LR1 (6384 ps). 3 cycles in LR1
  // and 1 to the node follow.
  const NodeId beside_lr0 = 25, beside_lr1 = 5;
  EXPECT_EQ(zero_load_latency(*star, {}, beside_lr0, beside_lr1, 1, 0_ps), 23 * 336_ps);
}

TEST(ZeroLoadFormulaTest, TheNextPacketTakesAnotherGlobalRouter) {
  const auto star = topology_of(TopologyKind::superstar);
  const auto latency = [&](unsigned choice) { return zero_load_latency(*star, {}, 0, 575, 4, 0_ps, choice); };
  EXPECT_EQ(latency(0), latency(8));
  const auto far = [&](unsigned choice) { return zero_load_latency(*star, {}, 0, 23, 4, 0_ps, choice); };
  EXPECT_LT(far(0), far(4));  // GR4 is in the other half
}

TEST(ZeroLoadFormulaTest, MeansAreThoseOfTheChapterBeforeContention) {
  const auto mean_ns = [](TopologyKind kind) {
    return static_cast<double>(mean_zero_load(*topology_of(kind), {}, 4).count()) / 1000;
  };
  // The published means under some load are 16.8, 9.6 and 9.3 ns.
  EXPECT_NEAR(mean_ns(TopologyKind::mesh), 16.8, 0.05 * 16.8);
  EXPECT_NEAR(mean_ns(TopologyKind::cmesh_low), 9.6, 0.05 * 9.6);
  EXPECT_NEAR(mean_ns(TopologyKind::superstar), 9.3, 0.05 * 9.3);
}

TEST(ZeroLoadFormulaTest, RefusesWhatIsNotThere) {
  const auto mesh = topology_of(TopologyKind::mesh, 16);
  EXPECT_THROW(zero_load_latency(*mesh, {}, 16, 0, 1, 0_ps), std::invalid_argument);
  EXPECT_THROW(zero_load_latency(*mesh, {}, 0, 16, 1, 0_ps), std::invalid_argument);
  EXPECT_THROW(zero_load_latency(*mesh, {}, 0, 1, 0, 0_ps), std::invalid_argument);
  EXPECT_THROW(mean_zero_load(*mesh, {}, 4, 0), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
