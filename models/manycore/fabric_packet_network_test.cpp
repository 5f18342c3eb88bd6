#include "manycore/fabric_packet_network.h"

#include <gtest/gtest.h>

#include <array>

#include "manycore/manycore.h"

namespace asterism {
namespace {

// Channel 2r leads from router r to the next one in a line, and channel 2r + 1 leads back.
class LineRouting final : public Routing {
 public:
  Step step(RouterId here, RouterId destination, unsigned) const override {
    return {.channels = std::span(&ids_[destination > here ? 2 * here : 2 * here - 1], 1)};
  }

 private:
  std::array<ChannelId, 8> ids_ = {0, 1, 2, 3, 4, 5, 6, 7};
};

// Four routers in a line, 1 mm apart, with two nodes each.
std::shared_ptr<const Topology> line() {
  Topology t;
  t.name = "line";
  for (RouterId r = 0; r < 4; ++r) {
    t.routers.push_back({.name = "R" + std::to_string(r), .at = {}, .radix = 4, .period = 220_ps});
    for (int node = 0; node < 2; ++node) t.nodes.push_back({r, 100_um, 1_cycles});
    if (r == 3) continue;
    t.channels.push_back({r, r + 1, 1000_um, 1_cycles});
    t.channels.push_back({r + 1, r, 1000_um, 1_cycles});
  }
  t.routing = std::make_shared<LineRouting>();
  return std::make_shared<const Topology>(std::move(t));
}

struct Arrivals final : PacketNetwork::Sink {
  void arrived(Picoseconds at, const PacketNetwork::Packet& packet) override {
    times.push_back(at);
    tags.push_back(packet.tag);
  }
  std::vector<Picoseconds> times;
  std::vector<std::uint64_t> tags;
};

const ManycoreConfig small_chip{.core = {.cpi = 1}, .memory = {.count = 2}, .instructions = 20'000};
const Workload light{.cores = 6, .l1_mpki = 60, .l2_mpki = 20};

TEST(FabricPacketNetworkTest, AllDeliverALonePacketAtTheSameTime) {
  FlitPacketNetwork flit(line(), {});
  PredictedPacketNetwork loose(line(), {}), contended(line(), {}, FabricCurves());
  Arrivals by_flit, by_loose, by_contended;
  for (PacketNetwork* network : std::initializer_list<PacketNetwork*>{&flit, &loose, &contended})
    network->send({.source = 0, .destination = 7, .flits = 4, .tag = 42}, 1_ns);
  flit.advance_to(100_ns, by_flit);
  loose.advance_to(100_ns, by_loose);
  contended.advance_to(100_ns, by_contended);
  EXPECT_EQ(by_flit.tags, std::vector<std::uint64_t>{42});
  EXPECT_EQ(by_flit.times, by_loose.times);
  EXPECT_EQ(by_flit.times, by_contended.times);
  EXPECT_EQ(loose.next_event(), std::nullopt);
}

TEST(FabricPacketNetworkTest, ALightWorkloadTakesAsLongOnBoth) {
  FlitPacketNetwork flit(line(), {});
  PredictedPacketNetwork contended(line(), {}, FabricCurves());
  const ManycoreResult accurate = run_manycore(small_chip, light, flit, 1);
  const ManycoreResult estimate = run_manycore(small_chip, light, contended, 1);
  ASSERT_TRUE(accurate.finished);
  EXPECT_EQ(accurate.counts.l1_misses, estimate.counts.l1_misses);
  EXPECT_NEAR(static_cast<double>(estimate.mean_time.count()),
              static_cast<double>(accurate.mean_time.count()),
              0.01 * static_cast<double>(accurate.mean_time.count()));
}

TEST(FabricPacketNetworkTest, ConservesPackets) {
  FlitPacketNetwork network(line(), {});
  const ManycoreResult result = run_manycore(small_chip, light, network, 1);
  std::uint64_t injected = 0, ejected = 0;
  for (const std::uint64_t flits : network.engine().load().injected_flits) injected += flits;
  for (const std::uint64_t flits : network.engine().load().ejected_flits) ejected += flits;
  EXPECT_EQ(injected, result.counts.flits);
  EXPECT_EQ(ejected, result.counts.flits);
  EXPECT_EQ(result.counts.returned, result.counts.l1_misses);
}

}  // namespace
}  // namespace asterism
