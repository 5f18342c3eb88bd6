#include "fabric/network/predicted_network.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fabric/network/zero_load.h"

namespace asterism {
namespace {

// Three routers in a row, each with its own clock and two nodes; two parallel channels from the first to the
// second. From the first to the third there is a detour over a fourth router, for congestion.
class Row final : public Routing {
 public:
  enum Name : RouterId { slow, fast, medium, detour };

  static std::shared_ptr<const Topology> make() {
    auto topology = std::make_shared<Topology>();
    for (const unsigned period : {500, 300, 400, 600})
      topology->routers.push_back({"R" + std::to_string(period), {}, 6, Picoseconds(period), false});
    const auto add = [&](RouterId from, RouterId to, unsigned cycles) {
      topology->channels.push_back({from, to, 900_um, Cycles(cycles)});
    };
    add(slow, fast, 2), add(slow, fast, 2);                                                  // 0 1
    add(fast, slow, 3), add(fast, medium, 1), add(medium, fast, 2);                          // 2 3 4
    add(slow, detour, 1), add(detour, slow, 1), add(detour, fast, 1), add(fast, detour, 1);  // 5 6 7 8
    for (RouterId r = slow; r <= medium; ++r)
      for (int i = 0; i < 2; ++i) topology->nodes.push_back({r, 500_um, Cycles(1 + r)});
    topology->routing = std::make_shared<Row>();
    return topology;
  }

  Step step(RouterId here, RouterId destination, unsigned) const override {
    const std::span<const ChannelId> all(ids);
    if (here == slow) return {all.subspan(0, 2), all.subspan(5, 1)};
    if (here == fast) return {all.subspan(destination == medium ? 3 : 2, 1)};
    if (here == detour) return {all.subspan(7, 1)};
    return {all.subspan(4, 1)};
  }

 private:
  static constexpr ChannelId ids[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
};

struct PredictedNetworkTest : testing::Test, FlitNetwork::Sink {
  std::shared_ptr<const Topology> topology = Row::make();
  PredictedNetwork network{topology, {}, FabricCurves()}, loose{topology, {}};
  Picoseconds delivered_at;

  void delivered(const Delivery& delivery) override { delivered_at = delivery.delivered; }
  Picoseconds exact(const Packet& packet, Picoseconds at) {
    FlitNetwork flits(topology, {});
    flits.inject(packet, at);
    flits.advance_to(at + 1_us, *this);
    return delivered_at;
  }
  // Returns the latency of the last packet when so many packets are sent every 20 ns.
  Picoseconds latency_under_load(NodeId source, NodeId destination, unsigned packets_in_20_ns) {
    Picoseconds latency;
    for (Picoseconds at = 1_ns; at < 4_us; at += 20_ns)
      for (unsigned i = 0; i < packets_in_20_ns; ++i) latency = send({source, destination, 4, 0}, at) - at;
    return latency;
  }
  // Both nodes of the slow router send as much as they can, and more.
  void congest() {
    for (Picoseconds at = 1_ns; at < 4_us; at += 20_ns)
      for (unsigned i = 0; i < 24; ++i) send({i % 2, 4, 4, 0}, at);
  }
  Picoseconds send(const Packet& packet, Picoseconds at) {
    network.commit(at);
    return network.send(packet, at);
  }
};

TEST_F(PredictedNetworkTest, ALonePacketArrivesWhenTheFlitEngineDeliversIt) {
  for (NodeId source = 0; source < 6; ++source)
    for (NodeId destination = 0; destination < 6; ++destination)
      for (std::uint32_t flits = 1; flits <= 5; ++flits)
        for (const Picoseconds at : {0_ps, 1_ps, 299_ps, 300_ps, 12345_ps}) {
          const Packet packet{source, destination, flits, 0};
          for (PredictedNetwork* each : {&network, &loose}) {
            each->reset(Reset::cold);
            ASSERT_EQ(each->send(packet, at), exact(packet, at))
                << source << " to " << destination << ", " << flits << " flits at " << at.count();
          }
        }
}

TEST_F(PredictedNetworkTest, WithoutCurvesEveryPacketTakesItsZeroLoadLatency) {
  unsigned choice = 0;
  for (Picoseconds at; at < 4_us; at += Picoseconds(2'503)) {
    loose.commit(at);
    for (int i = 0; i < 20; ++i, ++choice)
      ASSERT_EQ(loose.send({0, 4, 4, 0}, at), at + zero_load_latency(*topology, {}, 0, 4, 4, at, choice));
  }
}

TEST_F(PredictedNetworkTest, LoadOfOthersMakesAPacketWait) {
  const Picoseconds lone = send({2, 4, 4, 0}, 2_ns) - 2_ns;
  const auto beside = [&](unsigned packets) {
    network.reset(Reset::cold);
    latency_under_load(0, 4, packets);
    return send({2, 4, 4, 0}, Picoseconds(4'002'000)) - Picoseconds(4'002'000);
  };
  EXPECT_GT(beside(3), lone);
  EXPECT_GT(beside(8), beside(3));
}

TEST_F(PredictedNetworkTest, NoMoreLeavesANodeThanItsLinkCarries) {
  std::uint64_t packets = 0;
  Picoseconds last;
  for (Picoseconds at; at < 40_us; at += 1_ns, ++packets) last = std::max(last, send({0, 4, 4, 0}, at));
  EXPECT_GE(last, packets * 4 * 500_ps - 1_us);
  EXPECT_LE(last, packets * 4 * 500_ps + 2_us);
}

// They do not wait for their answers, and the second is simulated after the first one in each quantum.
TEST_F(PredictedNetworkTest, NoMorePassesAChannelThanItCarriesIfTwoMastersPostPackets) {
  for (const Picoseconds quantum : {100_ns, 1_us, 10_us}) {
    network = PredictedNetwork(topology, {}, FabricCurves(), quantum);
    std::uint64_t packets = 0;
    Picoseconds last;
    for (Picoseconds from; from < 100_us; from += quantum) {
      network.commit(from);
      for (const NodeId master : {2u, 3u})
        for (Picoseconds at = from; at < from + quantum; at += 2_ns, ++packets)
          last = std::max(last, network.send({master, 4, 4, 0}, at));
    }
    // The channel from the fast router to the medium one carries a flit in 400 ps.
    EXPECT_GE(last, packets * 4 * 400_ps - 2_us) << quantum.count();
    EXPECT_LE(last, packets * 4 * 400_ps * 105 / 100) << quantum.count();
  }
}

TEST_F(PredictedNetworkTest, LoadFades) {
  latency_under_load(0, 4, 8);
  const Packet packet{2, 4, 4, 0};
  EXPECT_GT(send(packet, 4_us), exact(packet, 4_us));
  EXPECT_EQ(send(packet, 100_us), exact(packet, 100_us));
}

TEST_F(PredictedNetworkTest, EqualChannelsAreChosenInRoundRobinOrder) {
  for (int i = 0; i < 6; ++i) send({0, 4, 4, 0}, 1_us);
  const PredictedNetwork::Load load = network.load();
  EXPECT_EQ(load.channel_flits, (std::vector<std::uint64_t>{12, 12, 0, 24, 0, 0, 0, 0, 0}));
  EXPECT_EQ(load.injected_flits, (std::vector<std::uint64_t>{24, 0, 0, 0, 0, 0}));
  EXPECT_EQ(load.ejected_flits, (std::vector<std::uint64_t>{0, 0, 0, 0, 24, 0}));
}

TEST_F(PredictedNetworkTest, ACongestedChannelGivesWayToTheFallback) {
  latency_under_load(0, 4, 4);
  EXPECT_EQ(network.load().channel_flits[5], 0u);
  network.reset(Reset::cold);
  congest();
  EXPECT_GT(network.load().channel_flits[5], 0u);
}

TEST_F(PredictedNetworkTest, NoPacketGoesThroughAGatedRouter) {
  network.gate(Row::detour, true);
  congest();
  EXPECT_EQ(network.load().channel_flits[5], 0u);
}

// Masters run ahead of each other by a quantum. The later one sees the same load with any quantum.
TEST_F(PredictedNetworkTest, TheQuantumHardlyChangesTheMeanLatency) {
  const auto mean_with = [&](Picoseconds quantum) {
    network = PredictedNetwork(topology, {}, FabricCurves(), quantum);
    Picoseconds sum;
    std::uint64_t packets = 0;
    for (Picoseconds from; from < 200_us; from += quantum) {
      network.commit(from);
      for (Picoseconds at = from; at < from + quantum; at += 5_ns) network.send({0, 4, 4, 0}, at);
      for (Picoseconds at = from; at < from + quantum; at += 5_ns) {
        const Picoseconds arrival = network.send({2, 5, 4, 0}, at);
        if (from >= 50_us) sum += arrival - at, ++packets;
      }
    }
    return static_cast<double>(sum.count()) / static_cast<double>(packets);
  };
  const double shortest = mean_with(100_ns);
  EXPECT_GT(shortest, 1.02 * static_cast<double>(exact({2, 5, 4, 0}, 0_ps).count()));
  EXPECT_NEAR(mean_with(1_us) / shortest, 1.0, 0.002);
  EXPECT_NEAR(mean_with(10_us) / shortest, 1.0, 0.002);
}

TEST_F(PredictedNetworkTest, AResetClearsLoadAndCountsButNotGating) {
  network.gate(Row::detour, true);
  congest();
  network.reset(Reset::power_loss);
  EXPECT_EQ(network.load().channel_flits, std::vector<std::uint64_t>(9, 0));
  const Packet packet{2, 4, 4, 0};
  EXPECT_EQ(send(packet, 4_us), exact(packet, 4_us));
  network.reset(Reset::power_loss);
  congest();
  EXPECT_EQ(network.load().channel_flits[5], 0u);
}

TEST_F(PredictedNetworkTest, RefusesPacketsThatDoNotFit) {
  EXPECT_THROW(network.send({0, 6, 4, 0}, 0_ps), std::invalid_argument);
  EXPECT_THROW(network.send({6, 0, 4, 0}, 0_ps), std::invalid_argument);
  EXPECT_THROW(network.send({0, 1, 0, 0}, 0_ps), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
