#include "cluster_scale/cluster_setup.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>

#include "base/thrown.h"
#include "cluster_scale/cluster_test_setup.h"
#include "cluster_scale/cluster_text.h"

namespace asterism {
namespace {

using Change = std::function<void(ClusterSetup&)>;

std::string mistake(const Change& change) {
  ClusterSetup setup = small_cluster();
  change(setup);
  try {
    check_cluster(setup);
  } catch (const ClusterMistake& error) {
    return error.member() + ": " + error.what();
  }
  return "none";
}

TEST(ClusterSetupTest, ASmallMachineIsOne) {
  EXPECT_EQ(mistake([](ClusterSetup&) {}), "none");
}

TEST(ClusterSetupTest, RefusesMachinesWithoutBuddies) {
  EXPECT_EQ(mistake([](auto& s) { s.nodes = 1; }),
            "nodes: every node has a buddy: there are two nodes or more");
  EXPECT_EQ(mistake([](auto& s) { s.nodes = 0; }),
            "nodes: every node has a buddy: there are two nodes or more");
  EXPECT_EQ(mistake([](auto& s) { s.nodes = 7; }), "nodes: buddies are pairs: an even number of nodes");
}

TEST(ClusterSetupTest, RefusesABurstOfMoreNeighboursThanAPairOfSwitchesHas) {
  const auto burst = [](BurstPlace place, std::uint32_t nodes) {
    return mistake([&](auto& s) { s.burst_place = place, s.burst_nodes = nodes; });
  };
  EXPECT_EQ(burst(BurstPlace::neighbours, 4), "none");
  EXPECT_EQ(burst(BurstPlace::neighbours, 5),
            "burst_nodes: neighbours are on two switches: expected at most 4, got 5");
  EXPECT_EQ(burst(BurstPlace::anywhere, 5), "none");
}

TEST(ClusterSetupTest, RefusesANetworkWithoutSpaceForAllNodes) {
  EXPECT_EQ(mistake([](auto& s) {
              s.shape = {2, 2, 0};
            }),
            "shape: 2 x 2 x 1 switches of 2 nodes have no space for 8 nodes in 4 switches and 1 for spares");
  EXPECT_EQ(mistake([](auto& s) { s.shape = {5, 1, 0}; }), "none");
  EXPECT_NE(mistake([](auto& s) {
              s.topology = ClusterTopology::torus;
              s.shape = {2, 2, 1};
            }),
            "none");
  EXPECT_EQ(mistake([](auto& s) {
              s.topology = ClusterTopology::dragonfly;
              s.shape = {3, 2, 2};
            }),
            "shape: of a dragonfly: a chassis has a blade for each group");
  EXPECT_EQ(mistake([](auto& s) { s.io_switches = 5; }), "io_switches: no more than switches with nodes, 4");
}

TEST(ClusterSetupTest, RefusesRunsThatAreNone) {
  EXPECT_EQ(mistake([](auto& s) { s.interval = 101; }),
            "interval: expected at most the run's 100 iterations, got 101");
  EXPECT_EQ(mistake([](auto& s) { s.interval = 3; }),
            "interval: buddies have their copies when the next checkpoint begins: expected 4 s or longer, "
            "overlap less overhead, got 3 s");
  EXPECT_EQ(mistake([](auto& s) { s.overhead = Seconds(6); }),
            "overhead: expected at most the overlap, 5 s, got 6 s");
  EXPECT_EQ(mistake([](auto& s) { s.dump = Seconds(-1); }), "dump: a time is 0 or more");
  EXPECT_EQ(mistake([](auto& s) { s.dump = Seconds(1e6); }).substr(0, 39),
            "dump: expected at most the run's work, ");
  EXPECT_EQ(mistake([](auto& s) { s.overlap = Seconds(1e6); }).substr(0, 42),
            "overlap: expected at most the run's work, ");
  EXPECT_EQ(mistake([](auto& s) { s.overlap = Seconds(); }),
            "overlap: a time above 0: bytes take time to a buddy");
  EXPECT_EQ(mistake([](auto& s) { s.state = Bytes(); }), "state: a checkpoint has one byte or more");
  EXPECT_EQ(mistake([](auto& s) {
              s.global_every = 1;
              s.drain = Bandwidth();
            }),
            "drain: a rate above 0, or no global copies");
}

TEST(ClusterSetupTest, RefusesFailuresThatAreNone) {
  EXPECT_EQ(mistake([](auto& s) { s.rates[0] = Rate(-1e-9); }), "rates: a rate is 0 or more");
  EXPECT_EQ(mistake([](auto& s) { s.placed.clear(); }),
            "rates: something fails: a rate above 0, or a failure that is placed");
  EXPECT_EQ(mistake([](auto& s) { s.placed[0].node = 8; }), "placed: node 8 is not one of the 8 nodes");
  EXPECT_EQ(mistake([](auto& s) {
              s.placed.push_back({Seconds(1), ClusterFailureKind::gpu, 0});
            }),
            "placed: in the order of their times");
}

TEST(ClusterSetupTest, RefusesReplicasWithoutSwitchesOfTheirOwn) {
  EXPECT_EQ(mistake([](auto& s) { s.replicas = 4; }), "none");
  EXPECT_EQ(mistake([](auto& s) { s.replicas = 5; }),
            "replicas: each is on a switch of its own: expected at most 4, got 5");
  EXPECT_EQ(mistake([](auto& s) { s.replicas = 1; }),
            "replicas: a node's own copy and another one: 2 or more");
  EXPECT_EQ(mistake([](auto& s) {
              s.replicas = 3;
              s.nodes = 10;
            }),
            "replicas: more than 2 are on as many full switches: expected a multiple of 4 nodes, got 10");
  EXPECT_EQ(
      mistake([](auto& s) {
        s.replicas = 3;
        s.nodes = 12;
        s.nodes_per_switch = 1u << 31;  // twice that is 0 in 32 bits
      }),
      "replicas: more than 2 are on as many full switches: expected a multiple of 4294967296 nodes, got "
      "12");
  EXPECT_EQ(mistake([](auto& s) { s.replicas = 4, s.group = 4; }),
            "replicas: a group has whole copies or a parity: expected 2");
}

// Each node holds as many copies as there are of it, each on another switch.
TEST(ClusterPlacesTest, ReplicasAreSpreadEvenly) {
  for (const BuddyDistance distance : {BuddyDistance::far, BuddyDistance::near})
    for (const std::uint32_t replicas : {2u, 3u, 4u, 7u}) {
      ClusterSetup setup = small_cluster();
      setup.nodes = 48;
      setup.nodes_per_switch = 3;
      setup.replicas = replicas;
      setup.buddies = distance;
      const ClusterPlaces places(setup);
      std::vector<std::uint32_t> held(setup.nodes);
      for (std::uint32_t node = 0; node < setup.nodes; ++node) {
        std::set<std::uint32_t> switches{places.switch_of(node)};
        for (const std::uint32_t holder : places.holders(node)) {
          ++held.at(holder);
          switches.insert(places.switch_of(holder));
        }
        EXPECT_EQ(switches.size(), replicas);
      }
      for (const std::uint32_t copies : held) EXPECT_EQ(copies, replicas - 1);
    }
}

TEST(ClusterPlacesTest, BuddiesSitInSwitchesThatArePartners) {
  for (const BuddyDistance distance : {BuddyDistance::far, BuddyDistance::near})
    for (const std::uint32_t nodes : {2u, 6u, 8u, 10u, 1000u}) {
      ClusterSetup setup = small_cluster();
      setup.nodes = nodes;
      setup.nodes_per_switch = 3;
      setup.buddies = distance;
      const ClusterPlaces places(setup);
      std::vector<std::uint32_t> in(places.shape().compute);
      for (std::uint32_t node = 0; node < nodes; ++node) {
        const std::uint32_t here = places.switch_of(node);
        ++in.at(here);
        EXPECT_NE(here, places.partner(here));
        EXPECT_EQ(places.partner(here), places.switch_of(ClusterPlaces::buddy(node)));
      }
      for (std::uint32_t s = 0; s < in.size(); ++s) {
        EXPECT_EQ(in[s], places.nodes_in(s));
        EXPECT_GT(in[s], 0u);
      }
    }
}

TEST(ClusterPlacesTest, FarBuddiesAreHalfTheMachineAway) {
  ClusterSetup setup = small_cluster();
  EXPECT_EQ(ClusterPlaces(setup).partner(0), 2u);
  setup.buddies = BuddyDistance::near;
  EXPECT_EQ(ClusterPlaces(setup).partner(0), 1u);
}

TEST(ClusterPlacesTest, EachServerHasAboutAsManySwitches) {
  ClusterSetup setup = small_cluster();
  setup.nodes = 200;
  setup.io_switches = 7;
  const ClusterPlaces places(setup);
  std::map<std::uint32_t, int> switches;
  for (std::uint32_t s = 0; s < places.shape().compute; ++s) ++switches[places.io_switch(s)];
  EXPECT_EQ(switches.size(), 7u);
  for (const auto& [server, count] : switches) {
    EXPECT_LT(server, places.shape().compute);
    EXPECT_GE(count, 14);
    EXPECT_LE(count, 15);
  }
}

TEST(ClusterPlacesTest, TheSmallestNetworkHasSpaceForAllNodes) {
  for (const ClusterTopology topology :
       {ClusterTopology::fat_tree, ClusterTopology::dragonfly, ClusterTopology::torus})
    for (const std::uint32_t nodes : {2u, 100u, 4096u, 30'000u}) {
      ClusterSetup setup = small_cluster();
      setup.nodes = nodes;
      setup.topology = topology;
      const ClusterShape shape = ClusterPlaces(setup).shape();
      EXPECT_GE(shape.switches(), shape.compute + shape.spare);
      EXPECT_LT(shape.switches(), 1.5 * (shape.compute + shape.spare) + 16);
    }
}

ClusterSetup every_member_different() {
  ClusterSetup s = small_cluster();
  s.topology = ClusterTopology::torus;
  s.buddies = BuddyDistance::near;
  s.shape = {4, 5, 6};
  s.trunk = Bandwidth(7);
  s.oversubscription = 1.0 / 3;
  s.latency = Seconds(1e-7);
  s.copies = CopyDevice::memory;
  s.checkpoint = ClusterCheckpoint::blocking;
  s.rates = {Rate(1.0 / 7), Rate(2), Rate(3e-300), Rate(4), Rate(5), Rate(6), Rate(7), Rate(8), Rate(9)};
  s.replicas = 5;
  s.check_every = 9;
  s.check = Seconds(1.0 / 9);
  s.burst_nodes = 11;
  s.burst_place = BurstPlace::anywhere;
  s.slowdown = 1.0 / 11;
  s.slow_found = Seconds(1e5 / 3);
  s.placed.push_back({Seconds(2e6 / 3), ClusterFailureKind::link, 5});
  s.seed = 18'446'744'073'709'551'615u;
  return s;
}

TEST(ClusterTextTest, SetupsComeBackBitForBit) {
  const ClusterSetup setup = every_member_different();
  std::stringstream text;
  write_text(text, setup);
  EXPECT_EQ(read_setup(text), setup);
  EXPECT_EQ(read_setup(text), std::nullopt);
}

TEST(ClusterTextTest, ResultsComeBackBitForBit) {
  ClusterResult result;
  result.finished = true;
  result.time = Seconds(1.0 / 3);
  result.failures = {1, 2, 3, 4, 5};
  result.network_bytes = 1e300 / 7;
  result.check = Seconds(1.0 / 7);
  result.slow = Seconds(1.0 / 9);
  result.wrong = true;
  std::stringstream text;
  write_text(text, result);
  write_text(text, ClusterResult());
  EXPECT_EQ(read_result(text), result);
  EXPECT_EQ(read_result(text), ClusterResult());
}

TEST(ClusterTextTest, RefusesWhatIsNoSetup) {
  const auto refused = [](const std::string& text) {
    std::istringstream in(text);
    return thrown<std::invalid_argument>([&] { read_setup(in); });
  };
  EXPECT_EQ(refused("nodes 5 6\n"), "nodes: the value cannot be read in the line: nodes 5 6");
  EXPECT_EQ(refused("nodes x\n"), "nodes: the value cannot be read in the line: nodes x");
  EXPECT_EQ(refused("spares 5\n"), "nodes: expected in the line: spares 5");
  EXPECT_EQ(refused("nodes 5\n"), "no line for nodes_per_switch");
}

}  // namespace
}  // namespace asterism
