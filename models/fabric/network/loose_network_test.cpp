#include "fabric/network/loose_network.h"

#include <gtest/gtest.h>

#include <stdexcept>

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

struct LooseNetworkTest : testing::Test, FlitNetwork::Sink {
  std::shared_ptr<const Topology> topology = Row::make();
  LooseNetwork network{topology, {}};
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
      for (unsigned i = 0; i < packets_in_20_ns; ++i)
        latency = network.send({source, destination, 4, 0}, at) - at;
    return latency;
  }
};

TEST_F(LooseNetworkTest, ALonePacketArrivesWhenTheFlitEngineDeliversIt) {
  for (NodeId source = 0; source < 6; ++source)
    for (NodeId destination = 0; destination < 6; ++destination)
      for (std::uint32_t flits = 1; flits <= 5; ++flits)
        for (const Picoseconds at : {0_ps, 1_ps, 299_ps, 300_ps, 12345_ps}) {
          const Packet packet{source, destination, flits, 0};
          network.reset(Reset::cold);
          ASSERT_EQ(network.send(packet, at), exact(packet, at))
              << source << " to " << destination << ", " << flits << " flits at " << at.count();
        }
}

TEST_F(LooseNetworkTest, LoadOfOthersMakesAPacketWait) {
  const Picoseconds lone = network.send({2, 4, 4, 0}, 2_ns) - 2_ns;
  const auto beside = [&](unsigned packets) {
    network.reset(Reset::cold);
    latency_under_load(0, 4, packets);
    return network.send({2, 4, 4, 0}, Picoseconds(4'002'000)) - Picoseconds(4'002'000);
  };
  EXPECT_GT(beside(3), lone);
  EXPECT_GT(beside(8), beside(3));
}

TEST_F(LooseNetworkTest, AWaitBeyondSaturationStaysFinite) { EXPECT_LT(latency_under_load(0, 4, 100), 1_us); }

TEST_F(LooseNetworkTest, LoadIsForgottenAfterAWindow) {
  latency_under_load(0, 4, 8);
  const Packet packet{2, 4, 4, 0};
  EXPECT_GT(network.send(packet, 4_us), exact(packet, 4_us));
  EXPECT_EQ(network.send(packet, 7_us), exact(packet, 7_us));
}

TEST_F(LooseNetworkTest, EqualChannelsAreChosenInRoundRobinOrder) {
  for (int i = 0; i < 6; ++i) network.send({0, 4, 4, 0}, 1_us);
  const LooseNetwork::Load load = network.load();
  EXPECT_EQ(load.channel_flits, (std::vector<std::uint64_t>{12, 12, 0, 24, 0, 0, 0, 0, 0}));
  EXPECT_EQ(load.injected_flits, (std::vector<std::uint64_t>{24, 0, 0, 0, 0, 0}));
  EXPECT_EQ(load.ejected_flits, (std::vector<std::uint64_t>{0, 0, 0, 0, 24, 0}));
}

TEST_F(LooseNetworkTest, ACongestedChannelGivesWayToTheFallback) {
  latency_under_load(0, 4, 4);
  EXPECT_EQ(network.load().channel_flits[5], 0u);
  network.reset(Reset::cold);
  latency_under_load(0, 4, 40);
  EXPECT_GT(network.load().channel_flits[5], 0u);
}

TEST_F(LooseNetworkTest, NoPacketGoesThroughAGatedRouter) {
  network.gate(Row::detour, true);
  latency_under_load(0, 4, 40);
  EXPECT_EQ(network.load().channel_flits[5], 0u);
}

// Masters run ahead of each other by a quantum. The later one sees the load of the first at the same
// simulated time, and no more.
TEST_F(LooseNetworkTest, PacketsOfThePastCountInTheirOwnTime) {
  const auto mean_beside = [&](bool in_order) {
    network.reset(Reset::cold);
    Picoseconds sum;
    const auto load = [&](Picoseconds at) { network.send({0, 4, 4, 0}, at); };
    const auto probe = [&](Picoseconds at) { sum += network.send({2, 5, 4, 0}, at) - at; };
    for (Picoseconds quantum = 10_us; quantum < 30_us; quantum += 1_us) {
      for (Picoseconds at = quantum; at < quantum + 1_us; at += 5_ns) {
        load(at);
        if (in_order) probe(at);
      }
      for (Picoseconds at = quantum; at < quantum + 1_us && !in_order; at += 5_ns) probe(at);
    }
    return static_cast<double>(sum.count()) / 4000;
  };
  EXPECT_NEAR(mean_beside(false) / mean_beside(true), 1.0, 0.1);
}

TEST_F(LooseNetworkTest, AResetClearsLoadAndCountsButNotGating) {
  network.gate(Row::detour, true);
  latency_under_load(0, 4, 40);
  network.reset(Reset::power_loss);
  EXPECT_EQ(network.load().channel_flits, std::vector<std::uint64_t>(9, 0));
  const Packet packet{2, 4, 4, 0};
  EXPECT_EQ(network.send(packet, 4_us), exact(packet, 4_us));
  latency_under_load(0, 4, 40);
  EXPECT_EQ(network.load().channel_flits[5], 0u);
}

TEST_F(LooseNetworkTest, RefusesPacketsThatDoNotFit) {
  EXPECT_THROW(network.send({0, 6, 4, 0}, 0_ps), std::invalid_argument);
  EXPECT_THROW(network.send({6, 0, 4, 0}, 0_ps), std::invalid_argument);
  EXPECT_THROW(network.send({0, 1, 0, 0}, 0_ps), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
