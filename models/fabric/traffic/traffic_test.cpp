#include "fabric/traffic/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/fields.h"
#include "base/thrown.h"

namespace asterism {
namespace {

// Each node has a router; there are no channels, as traffic ignores them.
Topology nodes(std::size_t count, Picoseconds period = 1_ns) {
  Topology topology;
  for (std::size_t i = 0; i < count; ++i) {
    topology.routers.push_back({.name = "R", .at = {}, .radix = 5, .period = period});
    topology.nodes.push_back({static_cast<RouterId>(i), 1_um, 1_cycles});
  }
  return topology;
}

std::vector<PacketSource::TimedPacket> packets(const TrafficConfig& config, const Topology& topology,
                                               int count, std::uint64_t seed = 1) {
  Traffic traffic(config, topology, seed);
  std::vector<PacketSource::TimedPacket> packets;
  for (int i = 0; i < count; ++i)
    if (auto packet = traffic.next()) packets.push_back(*packet);
  return packets;
}

// The nodes to which a node sends.
std::set<NodeId> destinations(const TrafficConfig& config, const Topology& topology, NodeId source) {
  std::set<NodeId> destinations;
  for (const auto& p : packets(config, topology, 20'000))
    if (p.packet.source == source) destinations.insert(p.packet.destination);
  return destinations;
}

std::string refusal(const TrafficConfig& config, const Topology& topology) {
  return thrown<std::invalid_argument>([&] { Traffic(config, topology, 1); });
}

TEST(Traffic, DescriptionIsSound) { EXPECT_EQ(description_problem<TrafficConfig>(), ""); }

TEST(Traffic, SameSeedGivesTheSamePackets) {
  const Topology topology = nodes(64, 447_ps);
  const auto first = packets({}, topology, 1000, 7), again = packets({}, topology, 1000, 7);
  const auto same = [](const auto& a, const auto& b) {
    return a.created == b.created && a.packet.source == b.packet.source &&
           a.packet.destination == b.packet.destination;
  };
  EXPECT_TRUE(std::equal(first.begin(), first.end(), again.begin(), same));
  const auto other = packets({}, topology, 1000, 8);
  EXPECT_FALSE(std::equal(first.begin(), first.end(), other.begin(), same));
}

TEST(Traffic, PacketsComeInOrderOfTimeAndSourceAtTheEdgesOfTheirClocks) {
  Topology topology = nodes(20, 300_ps);
  for (std::size_t i = 0; i < 20; i += 3) topology.routers[i].period = 700_ps;
  PacketSource::TimedPacket last{{}, 0_ps};
  for (const auto& p : packets({.rate = 0.3}, topology, 10'000)) {
    EXPECT_EQ(p.created % topology.routers[p.packet.source].period, 0_ps);
    EXPECT_TRUE(last.created < p.created ||
                (last.created == p.created && (last.packet.source < p.packet.source || p.created == 0_ps)));
    EXPECT_EQ(p.packet.flits, 4u);
    last = p;
  }
}

// The standard deviation of the n-th packet's time is less than its mean over the square root of n.
TEST(Traffic, RateCountsByTimeWhateverTheClocks) {
  Topology topology = nodes(64, 250_ps);
  for (std::size_t i = 0; i < 32; ++i) topology.routers[i].period = 1_ns;
  const auto all = packets({.rate = 0.05}, topology, 100'000);
  const double per_ns = 100'000 / (static_cast<double>(all.back().created.count()) / 1000) / 64;
  EXPECT_NEAR(per_ns, 0.05, 0.05 * 4 / 316);
  const auto slow = std::count_if(all.begin(), all.end(), [](const auto& p) { return p.packet.source < 32; });
  EXPECT_NEAR(static_cast<double>(slow), 50'000, 4 * 158);
}

TEST(Traffic, RateMayCountByCycles) {
  const auto all = packets({.rate = 0.05, .rate_unit = RateUnit::per_cycle}, nodes(64, 250_ps), 100'000);
  EXPECT_NEAR(100'000 / (static_cast<double>(all.back().created.count()) / 250) / 64, 0.05, 0.05 * 4 / 316);
}

TEST(Traffic, FullRateIsAPacketANodeAndCycle) {
  const auto all = packets({.rate = 1, .packet_flits = 1}, nodes(3), 9);
  for (unsigned i = 0; i < 9; ++i) {
    EXPECT_EQ(all[i].packet.source, i % 3);
    EXPECT_EQ(all[i].created, 1_ns * (i / 3));
  }
}

TEST(Traffic, NoRateIsNoPacket) { EXPECT_TRUE(packets({.rate = 0}, nodes(4), 1).empty()); }

TEST(Traffic, RateAboveTheInjectionBandwidthIsRefusedWithTheBound) {
  Topology topology = nodes(4, 250_ps);
  topology.routers[2].period = 500_ps;
  EXPECT_EQ(injection_bound({}, topology), 0.5);
  EXPECT_EQ(injection_bound({.rate_unit = RateUnit::per_cycle}, topology), 0.25);
  EXPECT_EQ(refusal({.rate = 0.5}, topology), "none");
  EXPECT_EQ(refusal({.rate = 0.51}, topology),
            "a rate of 0.51 packets per ns and node is not from 0 to the injection bandwidth of 0.5: a node "
            "sends one flit per cycle, and a packet has 4");
}

TEST(Traffic, UniformReachesEveryOtherNodeAsOften) {
  std::vector<int> seen(16);
  for (const auto& p : packets({}, nodes(16), 160'000)) {
    EXPECT_NE(p.packet.source, p.packet.destination);
    ++seen[p.packet.destination];
  }
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 5 * 100);
}

TEST(Traffic, UniformMayIncludeTheSender) {
  EXPECT_EQ(destinations({.to_self = true}, nodes(4), 2), (std::set<NodeId>{0, 1, 2, 3}));
}

// The fabric has 6 x 6 tiles in clusters of 2 x 2.
TEST(Traffic, ClusteredStaysInTheClusterAndThoseBesideIt) {
  const TrafficConfig config{.pattern = TrafficPattern::clustered, .cluster = 4};
  EXPECT_EQ(destinations(config, nodes(36), 0), (std::set<NodeId>{1, 6, 7, 2, 3, 8, 9, 12, 13, 18, 19}));
  EXPECT_EQ(destinations(config, nodes(36), 15),
            (std::set<NodeId>{14, 20, 21, 2, 3, 8, 9, 12, 13, 18, 19, 16, 17, 22, 23, 26, 27, 32, 33}));
}

TEST(Traffic, ClusteredTilesInReachAreAsLikely) {
  std::vector<int> seen(36);
  int sent = 0;
  for (const auto& p : packets({.pattern = TrafficPattern::clustered, .cluster = 4}, nodes(36), 720'000))
    if (p.packet.source == 15) ++seen[p.packet.destination], ++sent;
  std::erase(seen, 0);
  EXPECT_EQ(seen.size(), 19u);
  for (const int count : seen) EXPECT_NEAR(count, sent / 19.0, 5 * 33);
}

TEST(Traffic, ShareOfLocalPacketsCanBeGiven) {
  int local = 0;
  for (const auto& p : packets({.pattern = TrafficPattern::clustered, .cluster = 16, .local_share = 0.75},
                               nodes(576), 100'000))
    local += p.packet.source % 24 / 4 == p.packet.destination % 24 / 4 &&
             p.packet.source / 96 == p.packet.destination / 96;
  EXPECT_NEAR(local, 75'000, 5 * 137);
}

TEST(Traffic, OneTileClustersSendBesideWhateverTheShare) {
  const TrafficConfig config{.pattern = TrafficPattern::clustered, .cluster = 1, .local_share = 1.0};
  EXPECT_EQ(destinations(config, nodes(9), 4), (std::set<NodeId>{1, 3, 5, 7}));
}

TEST(Traffic, TransposeMirrorsTheGridAndItsDiagonalIsSilent) {
  const auto all = packets({.pattern = TrafficPattern::transpose}, nodes(16), 1000);
  for (const auto& p : all) {
    EXPECT_EQ(p.packet.destination, p.packet.source % 4 * 4 + p.packet.source / 4);
    EXPECT_NE(p.packet.source % 5, 0u);
  }
}

TEST(Traffic, DiagonalMaySendToItself) {
  EXPECT_EQ(destinations({.pattern = TrafficPattern::transpose, .to_self = true}, nodes(16), 5),
            (std::set<NodeId>{5}));
}

TEST(Traffic, BitComplementInvertsTheBitsOrMirrorsAtTheCentre) {
  for (const auto& p : packets({.pattern = TrafficPattern::bit_complement}, nodes(16), 1000))
    EXPECT_EQ(p.packet.destination, ~p.packet.source & 15);
  for (const auto& p : packets({.pattern = TrafficPattern::bit_complement}, nodes(9), 1000)) {
    EXPECT_EQ(p.packet.destination, 8 - p.packet.source);
    EXPECT_NE(p.packet.source, 4u);
  }
}

TEST(Traffic, HotspotsGetTheirShareBesideWhatIsUniform) {
  int hot = 0;
  for (const auto& p :
       packets({.pattern = TrafficPattern::hotspot, .hotspots = {3, 60}, .hotspot_share = 0.5}, nodes(64),
               100'000))
    hot += p.packet.destination == 3 || p.packet.destination == 60;
  // Half of all packets go to hotspots, except those that a hotspot would send to itself. The others go to
  // them with 2 of 63 nodes, or from a hotspot with 1 of 63.
  const double to_itself = 2.0 / 64 * 0.25, spread = 0.5 + to_itself;
  EXPECT_NEAR(hot, 100'000 * (0.5 - to_itself + spread * (62.0 / 64 * 2 / 63 + 2.0 / 64 / 63)), 5 * 158);
}

TEST(Traffic, PatternsThatDoNotFitAreRefused) {
  EXPECT_EQ(refusal({.pattern = TrafficPattern::transpose}, nodes(12)),
            "transpose traffic needs a square of tiles, not 4 x 3");
  EXPECT_EQ(refusal({.pattern = TrafficPattern::clustered, .grid_columns = 5}, nodes(16)),
            "clustered traffic needs whole rows of tiles: 16 nodes are not a multiple of 5 columns");
  EXPECT_EQ(refusal({.pattern = TrafficPattern::clustered}, nodes(36)),
            "6 x 6 places are not a whole number of blocks of 16");
  EXPECT_EQ(refusal({.pattern = TrafficPattern::hotspot, .hotspots = {64}}, nodes(64)),
            "hotspot 64 is not a node: there are 64");
  EXPECT_EQ(refusal({.pattern = TrafficPattern::hotspot, .hotspots = {}}, nodes(64)),
            "hotspot traffic needs a hotspot");
}

}  // namespace
}  // namespace asterism
