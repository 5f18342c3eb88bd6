// In every topology and at any load, a packet that is sent arrives once and complete, and flits and credits
// of every virtual channel always add up.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"
#include "fabric/network/flit_network.h"
#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

class ConservationTest : public testing::TestWithParam<TopologyKind>, public FlitNetwork::Sink {
 public:
  void delivered(const Delivery& delivery) override { ++times_.at(delivery.packet.tag); }

 protected:
  std::vector<unsigned> times_;  // by tag
};

TEST_P(ConservationTest, NothingIsLostOrDoubledUnderOverload) {
  const auto topology = topology_of(GetParam());
  FlitNetwork network(topology, {});
  Random random(11);
  std::uint64_t flits = 0;
  constexpr std::uint64_t packets = 6'000;
  times_.resize(packets);
  for (std::uint64_t tag = 0; tag < packets; ++tag) {
    const Picoseconds now(tag * 8);  // 125 packets per nanosecond are more than any topology carries
    network.advance_to(now, *this);
    const auto length = static_cast<std::uint32_t>(1 + random.below(9));
    network.inject(
        {static_cast<NodeId>(random.below(576)), static_cast<NodeId>(random.below(576)), length, tag}, now);
    flits += length;
    if (tag % 500 == 0) network.audit();
  }
  while (const auto next = network.next_event()) network.advance_to(*next, *this);
  network.audit();
  EXPECT_EQ(times_, std::vector<unsigned>(packets, 1));
  EXPECT_EQ(network.flits_in_flight() + network.packets_waiting(), 0u);
  const FlitNetwork::Load load = network.load();
  const auto sum = [](const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  EXPECT_EQ(sum(load.injected_flits), flits);
  EXPECT_EQ(sum(load.ejected_flits), flits);
}

INSTANTIATE_TEST_SUITE_P(Topologies, ConservationTest,
                         testing::Values(TopologyKind::mesh, TopologyKind::cmesh_low,
                                         TopologyKind::cmesh_high, TopologyKind::fbfly,
                                         TopologyKind::superstar, TopologyKind::superstarx,
                                         TopologyKind::superring),
                         ParameterName());

}  // namespace
}  // namespace asterism
