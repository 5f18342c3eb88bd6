#include "fabric/topology/ring_routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

std::shared_ptr<const Topology> ring(unsigned globals) {
  FabricConfig config;
  config.topology = TopologyKind::superring;
  config.global_routers = globals;
  return build_topology(config, SwitchTechnology{});
}
// The first local router of each part.
std::vector<RouterId> firsts(const Topology& topology) {
  std::map<RouterId, RouterId> first;
  for (RouterId l = 36; l-- > 0;) first[topology.channels[l].to] = l;
  std::vector<RouterId> locals;
  locals.reserve(first.size());
  for (const auto& [global, local] : first) locals.push_back(local);
  return locals;
}

TEST(RingRoutingTest, LocalRoutersOfOnePartMeetAtItsGlobalRouter) {
  const auto topology = ring(4);
  EXPECT_EQ(route(*topology, 0, 14), "LR0 " + topology->routers[topology->channels[0].to].name + " LR14");
}

TEST(RingRoutingTest, TakesTheShorterWayRound) {
  const auto topology = ring(6);
  const auto l = firsts(*topology);
  const auto name = [&](unsigned g) { return " " + topology->routers[l[g]].name; };
  EXPECT_EQ(route(*topology, l[0], l[1]), name(0).substr(1) + " GR0 GR1" + name(1));
  EXPECT_EQ(route(*topology, l[0], l[5]), name(0).substr(1) + " GR0 GR5" + name(5));
  EXPECT_EQ(route(*topology, l[1], l[5]), name(1).substr(1) + " GR1 GR0 GR5" + name(5));
}

TEST(RingRoutingTest, OfTwoEqualWaysHalfThePacketsTakeEach) {
  const auto topology = ring(4);
  const auto l = firsts(*topology);
  std::map<ChannelId, int> uses;
  for (unsigned from = 0; from < 4; ++from)
    for (RouterId at = topology->channels[l[from]].to, to = l[(from + 2) % 4];
         at != topology->channels[to].to;) {
      const ChannelId channel = topology->routing->step(at, to, 0).channels.front();
      ++uses[channel];
      at = topology->channels[channel].to;
    }
  EXPECT_EQ(uses.size(), 8u);  // every channel of the ring is used
  for (const auto& [channel, count] : uses) EXPECT_EQ(count, 1);
}

TEST(RingRoutingTest, ALongRingChangesTheClassWhereItCloses) {
  const auto topology = ring(6);
  EXPECT_EQ(topology->routing->vc_classes(), 2u);
  const auto l = firsts(*topology);
  EXPECT_EQ(topology->routing->step(36 + 4, l[0], 0).vc_class, 0u);  // GR4 -> GR5
  EXPECT_EQ(topology->routing->step(36 + 5, l[0], 0).vc_class, 1u);  // GR5 -> GR0
  EXPECT_EQ(topology->routing->step(36 + 0, l[0], 1).vc_class, 1u);  // to the local router
  EXPECT_EQ(topology->routing->step(36 + 0, l[5], 0).vc_class, 1u);  // GR0 -> GR5
  EXPECT_EQ(ring(4)->routing->vc_classes(), 1u);
}

TEST(RingRoutingTest, NeighboursInTheRingAreNeighboursOnTheChip) {
  for (const unsigned globals : {4u, 6u, 12u, 36u}) {
    const auto topology = ring(globals);
    Micrometres longest;
    for (ChannelId c = 2 * 36; c < topology->channels.size(); ++c)
      longest = std::max(longest, topology->channels[c].length);
    EXPECT_LE(longest, 10'800_um) << globals;  // the side of a part
  }
}

}  // namespace
}  // namespace asterism
