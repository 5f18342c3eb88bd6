// The accuracy of the contended fabric, with its shipped curves, compared with the flit engine under uniform
// traffic, to which the curves were not fitted, on the seven topologies with 576 nodes of abeyratne2017,
// chapter 3. Both simulate the same packets.
#include <gtest/gtest.h>

#include "base/parameter_name.h"
#include "fabric/network/predicted_network.h"
#include "fabric/topology/topologies.h"
#include "fabric/traffic/simulation.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

struct Case {
  TopologyKind kind;
  double saturation;  // packets/ns/node: the flit engine's mean latency is three times that of a lone packet
};
void PrintTo(const Case& c, std::ostream* out) { *out << to_text(c.kind); }

class ContendedAccuracyTest : public testing::TestWithParam<Case> {
 protected:
  static FabricConfig config() {
    FabricConfig config;
    config.topology = GetParam().kind;
    return config;
  }
  static TrafficConfig traffic(double share) {
    TrafficConfig traffic;
    traffic.rate = share * GetParam().saturation;
    return traffic;
  }
  SimulationResult flit(double share) const {
    return simulate(topology, flit_parameters(config()), traffic(share),
                    {.warm_up = 1_us, .measure = measured, .drain = 2_us});
  }
  static FabricCurves curves() {
    return load_config<FabricCurves>(ConfigLibrary(ASTERISM_SOURCE_CONFIGS), "fabric_curves",
                                     curves_name(config()));
  }
  double contended(double share) const {
    constexpr Picoseconds warm_up = 8_us;
    PredictedNetwork network(topology, flit_parameters(config()), curves());
    const auto source = make_packet_source(traffic(share), *topology, 1);
    Picoseconds sum;
    std::uint64_t packets = 0;
    while (const auto next = source->next()) {
      if (next->created >= warm_up + measured) break;
      network.commit(next->created);
      const Picoseconds arrival = network.send(next->packet, next->created);
      if (next->created < warm_up) continue;
      sum += arrival - next->created;
      ++packets;
    }
    return static_cast<double>(sum.count()) / static_cast<double>(packets);
  }
  // The mean latency of the contended fabric, relative to that of the flit engine.
  double ratio(double share) const { return contended(share) / flit(share).latency.mean(); }

  static constexpr Picoseconds measured = 1_us;
  std::shared_ptr<const Topology> topology = build_topology(config(), SwitchTechnology{});
};

TEST_P(ContendedAccuracyTest, IsWithin5PercentAt30PercentOfSaturation) {
  const double found = ratio(0.3);
  RecordProperty("contended_over_flit", std::to_string(found));
  EXPECT_NEAR(found, 1.0, 0.05);
}

TEST_P(ContendedAccuracyTest, IsWithin10PercentAt70PercentOfSaturation) {
  const double found = ratio(0.7);
  RecordProperty("contended_over_flit", std::to_string(found));
  EXPECT_NEAR(found, 1.0, 0.10);
}

// A packet that is longer than a buffer waits for credits on its way.
TEST_P(ContendedAccuracyTest, ALoneLongPacketIsWithin2Percent) {
  for (const std::uint32_t flits : {6u, 10u, 20u}) {
    struct Latencies final : FlitNetwork::Sink {
      Picoseconds sum;
      void delivered(const Delivery& delivery) override { sum += delivery.delivered - delivery.created; }
    } exact;
    FlitNetwork network(topology, flit_parameters(config()));
    PredictedNetwork loose(topology, flit_parameters(config()));
    Picoseconds sum, at = 1_us;
    for (NodeId source = 0; source < 576; source += 19, at += Picoseconds(3'000'137)) {
      const Packet packet{source, source * 31 % 576, flits, 0};
      network.inject(packet, at);
      network.advance_to(at + 1_us, exact);
      sum += loose.send(packet, at) - at;
    }
    const double ratio = static_cast<double>(sum.count()) / static_cast<double>(exact.sum.count());
    EXPECT_NEAR(ratio, 1.0, 0.02) << flits << " flits";
  }
}

// The rates above depend on these saturation rates.
TEST_P(ContendedAccuracyTest, SaturationIsWhereTheFlitEnginesLatencyRises) {
  const SimulationResult idle = flit(0.01), below = flit(0.9), above = flit(1.15);
  EXPECT_LT(below.latency.mean(), 3 * idle.latency.mean());
  EXPECT_GT(above.latency.mean(), 3 * idle.latency.mean());
}

INSTANTIATE_TEST_SUITE_P(
    Topologies, ContendedAccuracyTest,
    testing::Values(Case{TopologyKind::mesh, 0.163}, Case{TopologyKind::cmesh_low, 0.072},
                    Case{TopologyKind::cmesh_high, 0.0406}, Case{TopologyKind::fbfly, 0.040},
                    Case{TopologyKind::superstar, 0.195}, Case{TopologyKind::superstarx, 0.215},
                    Case{TopologyKind::superring, 0.0106}),
    ParameterName());

}  // namespace
}  // namespace asterism
