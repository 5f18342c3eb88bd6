#include "fabric/network/flit_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/parameter_name.h"
#include "base/random.h"
#include "fabric/topology/test_topology.h"

namespace asterism {

static void PrintTo(const FlitParameters& p, std::ostream* out) {
  *out << p.virtual_channels << " channels " << p.buffer_depth << " flits " << p.router_stages << " stages "
       << p.credit_cycles << " credit " << p.crossing << " crossing " << to_text(p.arbitration);
}

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Collector : public FlitNetwork::Sink {
 public:
  void delivered(const Delivery& delivery) override { all.push_back(delivery); }
  std::vector<Delivery> all;
};

// Runs until nothing is left to do.
void drain(FlitNetwork& network, Collector& sink) {
  while (const auto next = network.next_event()) network.advance_to(*next, sink);
}

Picoseconds lone_packet(FlitNetwork& network, const Packet& packet, Picoseconds created) {
  Collector sink;
  network.advance_to(created, sink);
  network.inject(packet, created);
  drain(network, sink);
  EXPECT_EQ(sink.all.size(), 1u);
  return sink.all.empty() ? 0_ps : sink.all.front().delivered;
}

TEST(FlitNetworkTest, ALonePacketTakesStagesAndLinksOfEachHop) {
  FlitNetwork network(line({1_ns, 1_ns, 1_ns}).topology, {});
  // The packet starts at edge 1. It takes a link, 3 routers of 3 stages with 2 links between them, and a
  // link, until edge 14.
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 2, .flits = 1}, 0_ps), 14_ns);
}

TEST(FlitNetworkTest, TheTailFollowsItsHeadByACycleAFlit) {
  FlitNetwork network(line({1_ns, 1_ns, 1_ns}).topology, {});
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 2, .flits = 4}, 0_ps), 17_ns);
}

TEST(FlitNetworkTest, ANodeStartsAtTheFirstEdgeAfterThePacketCame) {
  FlitNetwork network(line({1_ns, 1_ns}).topology, {});
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 1}, 10_ns), 20_ns);
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 1}, Picoseconds(29'001)), 39_ns);
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 1}, Picoseconds(49'999)), 59_ns);
}

TEST(FlitNetworkTest, StagesAndChannelLatenciesAddUp) {
  FlitParameters parameters;
  for (const unsigned stages : {1u, 2u, 5u}) {
    parameters.router_stages = stages;
    FlitNetwork network(line({1_ns, 1_ns}, 7_cycles).topology, parameters);
    EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 1}, 0_ps).count(),
              1000 * (1 + 1 + stages + 7 + stages + 1));
  }
}

TEST(FlitNetworkTest, AClockCrossingWaitsForTheReceiversEdge) {
  // The packet is sent at 300 ps and is in the buffer at 600 ps, after a link. It leaves R0 at 1500 ps and
  // reaches R1's clock domain at 1800 ps. The crossing takes 1.84 of R1's cycles, until 3640 ps, so that R1
  // sees it at edge 4. It leaves at edge 7 and is delivered at edge 8.
  FlitNetwork network(line({300_ps, 1_ns}).topology, {});
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 1}, 0_ps), 8_ns);
}

TEST(FlitNetworkTest, BehindACrossingFlitsComeAnEdgeApart) {
  FlitNetwork network(line({300_ps, 1_ns}).topology, {});
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 1, .flits = 4}, 0_ps), 11_ns);
}

TEST(FlitNetworkTest, AfterALongRestACrossingIsAsFastAsBefore) {
  FlitNetwork network(line({300_ps, 1_ns}).topology, {});
  for (const std::uint64_t rest : {0, 1, 17, 1000, 123'456}) {  // every 3 ns the clocks are in phase as at 0
    const Picoseconds created(3000 * rest * 100);
    EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 1, .flits = 4}, created) - created, 11_ns)
        << rest;
    const Picoseconds back = created + 30_ns;
    const Picoseconds there = lone_packet(network, {.source = 1, .destination = 0, .flits = 4}, back) - back;
    EXPECT_EQ(there, Picoseconds(10'500)) << rest;
  }
}

TEST(FlitNetworkTest, PacketsOfOneVirtualChannelStayInOrder) {
  FlitNetwork network(line({230_ps, 1_ns, 410_ps}).topology, {.virtual_channels = 1});
  Collector sink;
  for (std::uint64_t i = 0; i < 200; ++i)
    network.inject({.source = 0, .destination = 2, .flits = static_cast<std::uint32_t>(1 + i % 5), .tag = i},
                   0_ps);
  drain(network, sink);
  ASSERT_EQ(sink.all.size(), 200u);
  for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ(sink.all[i].packet.tag, i);
}

TEST(FlitNetworkTest, APacketToItsOwnRouterPassesItOnce) {
  FlitNetwork network(line({1_ns, 1_ns}).topology, {});
  Collector sink;
  network.inject({.source = 1, .destination = 1, .flits = 2, .tag = 77}, 0_ps);
  drain(network, sink);
  ASSERT_EQ(sink.all.size(), 1u);
  EXPECT_EQ(sink.all[0].delivered, 7_ns);
  EXPECT_EQ(sink.all[0].routers, 1u);
  EXPECT_EQ(sink.all[0].packet.tag, 77u);
  EXPECT_EQ(sink.all[0].injected, 1_ns);
}

TEST(FlitNetworkTest, ANodeSendsOneFlitACycle) {
  FlitNetwork network(line({1_ns, 1_ns}).topology, {});
  Collector sink;
  for (std::uint64_t i = 0; i < 3; ++i)
    network.inject({.source = 0, .destination = 1, .flits = 2, .tag = i}, 0_ps);
  EXPECT_EQ(network.packets_waiting(), 3u);
  drain(network, sink);
  ASSERT_EQ(sink.all.size(), 3u);
  EXPECT_EQ(sink.all[0].injected, 1_ns);
  EXPECT_EQ(sink.all[1].injected, 3_ns);
  EXPECT_EQ(sink.all[2].injected, 5_ns);
  EXPECT_EQ(sink.all[2].delivered, 15_ns);
}

TEST(FlitNetworkTest, WithoutCreditNothingMoves) {
  // With one virtual channel of one flit, the next flit waits until the credit of the last has returned. This
  // takes 3 stages (one of them before the grant), the link there, a credit cycle and the link back.
  FlitNetwork network(line({1_ns, 1_ns}).topology, {.virtual_channels = 1, .buffer_depth = 1});
  Collector sink;
  network.inject({.source = 0, .destination = 1, .flits = 2}, 0_ps);
  drain(network, sink);
  ASSERT_EQ(sink.all.size(), 1u);
  EXPECT_GT(sink.all[0].delivered, 11_ns);
  EXPECT_EQ(sink.all[0].delivered, 15_ns);
}

TEST(FlitNetworkTest, TwoInputsShareAnOutputAlternately) {
  TestTopology star({1_ns, 1_ns, 1_ns});
  const ChannelId a = star.channel(0, 2), b = star.channel(1, 2);
  star.route(0, 2, {a});
  star.route(1, 2, {b});
  FlitNetwork network(star.topology, {});
  Collector sink;
  for (int i = 0; i < 500; ++i)
    for (const NodeId source : {0u, 1u})
      network.inject({.source = source, .destination = 2, .flits = 1, .tag = 0}, 0_ps);
  drain(network, sink);
  ASSERT_EQ(sink.all.size(), 1000u);
  EXPECT_EQ(sink.all.back().delivered - sink.all.front().delivered, 999_ns);  // the output is never idle
  for (std::size_t i = 1; i < sink.all.size(); ++i)
    EXPECT_NE(sink.all[i].packet.source, sink.all[i - 1].packet.source) << i;
}

TEST(FlitNetworkTest, EqualChannelsAreTakenInRoundRobinOrder) {
  TestTopology pair({1_ns, 1_ns});
  const ChannelId a = pair.channel(0, 1), b = pair.channel(0, 1), c = pair.channel(0, 1);
  pair.route(0, 1, {a, b, c});
  FlitNetwork network(pair.topology, {});
  Collector sink;
  for (int i = 0; i < 30; ++i) network.inject({.source = 0, .destination = 1}, 0_ps);
  drain(network, sink);
  EXPECT_THAT(network.load().channel_flits, ElementsAre(10, 10, 10));
}

TEST(FlitNetworkTest, TheFallbackIsTakenBehindFullBuffers) {
  TestTopology pair({1_ns, 10_ns});  // a slow receiver
  const ChannelId near = pair.channel(0, 1), far = pair.channel(0, 1, 20_cycles);
  pair.route(0, 1, {near}, {far});
  FlitNetwork network(pair.topology, {.fallback_occupancy = 8});
  Collector sink;
  network.inject({.source = 0, .destination = 1, .flits = 4}, 0_ps);
  drain(network, sink);
  EXPECT_THAT(network.load().channel_flits, ElementsAre(4, 0));
  for (int i = 0; i < 20; ++i)
    network.inject({.source = 0, .destination = 1, .flits = 4},
                   network.next_event().value_or(sink.all.back().delivered));
  drain(network, sink);
  EXPECT_EQ(sink.all.size(), 21u);
  EXPECT_GT(network.load().channel_flits[far], 0u);
  EXPECT_GT(network.load().channel_flits[near], 4u);
}

// Checks invariants under random traffic over a network with different clocks.
class RandomTraffic : public testing::TestWithParam<FlitParameters> {};

TEST_P(RandomTraffic, EveryPacketArrivesOnceAndWhole) {
  const TestTopology drawn = line({230_ps, 1_ns, 410_ps, 230_ps, 333_ps}, 3_cycles);
  FlitNetwork network(drawn.topology, GetParam());
  Collector sink;
  Random random(7);
  std::uint64_t flits = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const Packet packet{static_cast<NodeId>(random.below(5)), static_cast<NodeId>(random.below(5)),
                        static_cast<std::uint32_t>(1 + random.below(7)), i};
    const Picoseconds now(i * 800);
    network.advance_to(now, sink);
    network.inject(packet, now);
    flits += packet.flits;
    if (i % 16 == 0) network.audit();
  }
  drain(network, sink);
  EXPECT_EQ(network.flits_in_flight(), 0u);
  EXPECT_EQ(network.packets_waiting(), 0u);
  ASSERT_EQ(sink.all.size(), 4000u);
  std::vector<std::uint64_t> tags;
  for (const Delivery& delivery : sink.all) {
    tags.push_back(delivery.packet.tag);
    EXPECT_LT(delivery.created, delivery.injected);
    EXPECT_LT(delivery.injected, delivery.delivered);
  }
  std::ranges::sort(tags);
  for (std::uint64_t i = 0; i < tags.size(); ++i) ASSERT_EQ(tags[i], i);
  const FlitNetwork::Load load = network.load();
  std::uint64_t injected = 0, ejected = 0;
  for (const std::uint64_t n : load.injected_flits) injected += n;
  for (const std::uint64_t n : load.ejected_flits) ejected += n;
  EXPECT_EQ(injected, flits);
  EXPECT_EQ(ejected, flits);
}

TEST_P(RandomTraffic, TheSizeOfTheStepsCannotBeSeen) {
  const auto run = [&](std::uint64_t step) {
    FlitNetwork network(line({230_ps, 1_ns, 410_ps}, 2_cycles).topology, GetParam());
    Collector sink;
    Random random(3);
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::uint64_t now = i * 1500;
      for (std::uint64_t t = now >= 1500 ? now - 1500 : 0; t <= now; t += step)
        network.advance_to(Picoseconds(t), sink);
      network.advance_to(Picoseconds(now), sink);
      network.inject({static_cast<NodeId>(random.below(3)), static_cast<NodeId>(random.below(3)), 4, i},
                     Picoseconds(now));
    }
    drain(network, sink);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (const Delivery& d : sink.all) seen.emplace_back(d.packet.tag, d.delivered.count());
    return seen;
  };
  EXPECT_EQ(run(100), run(1'000'000));
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, RandomTraffic,
    testing::Values(FlitParameters{}, FlitParameters{.virtual_channels = 1, .buffer_depth = 1},
                    FlitParameters{.virtual_channels = 3, .buffer_depth = 2, .router_stages = 1},
                    FlitParameters{
                        .virtual_channels = 16, .buffer_depth = 255, .router_stages = 4, .credit_cycles = 3},
                    FlitParameters{.crossing = 0, .arbitration = ArbiterPolicy::round_robin},
                    FlitParameters{.arbitration = ArbiterPolicy::fixed}),
    ParameterName());

TEST(FlitNetworkTest, TheWatchdogNamesWhatIsBlocked) {
  // In a ring of four routers with one virtual channel, every packet goes two hops. Each holds the channel
  // that the packet behind it needs.
  TestTopology ring({1_ns, 1_ns, 1_ns, 1_ns});
  for (RouterId r = 0; r < 4; ++r) {
    const ChannelId next = ring.channel(r, (r + 1) % 4);
    for (RouterId d = 0; d < 4; ++d)
      if (d != r) ring.route(r, d, {next});
  }
  FlitNetwork network(ring.topology, {.virtual_channels = 1, .buffer_depth = 2, .watchdog = 500_cycles});
  Collector sink;
  for (NodeId n = 0; n < 4; ++n) network.inject({.source = n, .destination = (n + 2) % 4, .flits = 16}, 0_ps);
  EXPECT_TRUE(network.blocked().empty());
  drain(network, sink);  // it returns although nothing has arrived
  EXPECT_TRUE(sink.all.empty());
  EXPECT_GT(network.flits_in_flight(), 0u);
  const auto blocked = network.blocked();
  ASSERT_FALSE(blocked.empty());
  EXPECT_THAT(blocked.front(), AllOf(HasSubstr("packet from node"), HasSubstr("waits for a")));
  EXPECT_THAT(blocked, testing::Contains(HasSubstr("waits for a free virtual channel of R")));

  // A packet that the deadlock does not block arrives at its usual time.
  network.inject({.source = 0, .destination = 0, .flits = 1, .tag = 9}, 1_ms);
  EXPECT_GE(network.next_event(), 1_ms);
  network.advance_to(2_ms, sink);
  EXPECT_THAT(network.blocked(), testing::Not(testing::IsEmpty()));
}

// Two leaves that are connected through two hubs.
struct Hubs : TestTopology {
  Hubs() : TestTopology({1_ns, 1_ns, 1_ns, 1_ns}) {
    topology->nodes.resize(2);  // on the leaves R0 and R1
    const ChannelId up[2][2] = {{channel(0, 2), channel(0, 3)}, {channel(1, 2), channel(1, 3)}};
    for (RouterId leaf = 0; leaf < 2; ++leaf) {
      route(leaf, 1 - leaf, {up[leaf][0], up[leaf][1]});
      for (RouterId hub = 2; hub < 4; ++hub) route(hub, leaf, {channel(hub, leaf)});
    }
  }
};

TEST(FlitNetworkTest, AGatedRouterIsPassedByAndGoesDarkWhenEmpty) {
  FlitNetwork network(Hubs().topology, {});
  Collector sink;
  for (int i = 0; i < 10; ++i) network.inject({.source = 0, .destination = 1, .flits = 4}, 0_ps);
  network.advance_to(12_ns, sink);  // both hubs hold flits
  network.gate(2, true);
  EXPECT_TRUE(network.powered(2));
  drain(network, sink);
  EXPECT_EQ(sink.all.size(), 10u);
  EXPECT_FALSE(network.powered(2));
  EXPECT_LT(network.load().router_flits[2], network.load().router_flits[3]);
  EXPECT_LT(network.load().powered_time[2], network.load().powered_time[3]);
  network.gate(2, false);
  EXPECT_TRUE(network.powered(2));
}

TEST(FlitNetworkTest, GatingNeverDisconnectsNodes) {
  FlitNetwork network(Hubs().topology, {});
  network.gate(2, true);
  EXPECT_THROW(network.gate(3, true), std::invalid_argument);
  EXPECT_TRUE(network.powered(3));
  EXPECT_THROW(network.gate(0, true), std::invalid_argument);  // router 0 has a node
}

TEST(FlitNetworkTest, GatedRoutersStayGatedThroughAReset) {
  FlitNetwork network(Hubs().topology, {});
  Collector sink;
  network.gate(2, true);
  network.reset(Reset::warm);
  network.inject({.source = 0, .destination = 1, .flits = 4}, 0_ps);
  network.inject({.source = 0, .destination = 1, .flits = 4}, 0_ps);
  drain(network, sink);
  EXPECT_EQ(network.load().router_flits[2], 0u);
  EXPECT_EQ(network.load().powered_time[2], 0_ps);
  EXPECT_EQ(network.load().router_flits[3], 8u);
}

TEST(FlitNetworkTest, ResetDropsWhatWasInProgress) {
  FlitNetwork network(line({1_ns, 300_ps}).topology, {});
  Collector sink;
  for (int i = 0; i < 20; ++i) network.inject({.source = 0, .destination = 1, .flits = 4}, 0_ps);
  network.advance_to(15_ns, sink);
  const std::size_t before = sink.all.size();
  network.reset(Reset::power_loss);
  EXPECT_EQ(network.next_event(), std::nullopt);
  EXPECT_EQ(network.flits_in_flight() + network.packets_waiting(), 0u);
  drain(network, sink);
  EXPECT_EQ(sink.all.size(), before);
  EXPECT_EQ(lone_packet(network, {.source = 0, .destination = 0}, 20_ns), 26_ns);
}

TEST(FlitNetworkTest, ParametersThatDoNotFitAreRefused) {
  const auto refuses = [](const FlitParameters& parameters) {
    EXPECT_THROW(FlitNetwork(line({1_ns, 1_ns}).topology, parameters), std::invalid_argument);
  };
  refuses({.virtual_channels = 0});
  refuses({.virtual_channels = 17});
  refuses({.buffer_depth = 0});
  refuses({.buffer_depth = 256});
  refuses({.router_stages = 0});
  FlitNetwork network(line({1_ns, 1_ns}).topology, {});
  EXPECT_THROW(network.inject({.source = 2, .destination = 0}, 0_ps), std::invalid_argument);
  EXPECT_THROW(network.inject({.source = 0, .destination = 1, .flits = 0}, 0_ps), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
