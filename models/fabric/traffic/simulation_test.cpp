#include "fabric/traffic/simulation.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "base/fields.h"
#include "base/temporary_folder.h"
#include "fabric/topology/test_topology.h"
#include "fabric/topology/topologies.h"
#include "fabric/traffic/saturation.h"
#include "fabric/traffic/trace.h"

namespace asterism {
namespace {

using TimedPacket = PacketSource::TimedPacket;

class ListSource final : public PacketSource {
 public:
  explicit ListSource(std::vector<TimedPacket> packets) : packets_(std::move(packets)) {}
  std::optional<TimedPacket> next() override {
    if (next_ == packets_.size()) return std::nullopt;
    return packets_[next_++];
  }

 private:
  std::vector<TimedPacket> packets_;
  std::size_t next_ = 0;
};

TimedPacket packet(Picoseconds created, NodeId source, NodeId destination, std::uint32_t flits = 4) {
  return {{.source = source, .destination = destination, .flits = flits}, created};
}

// Sends a packet from node 0 to node 1 every 10 ns, and one more.
std::vector<TimedPacket> every_10_ns(std::uint64_t count) {
  std::vector<TimedPacket> packets;
  for (std::uint64_t i = 0; i < count; ++i) packets.push_back(packet(10_ns * i, 0, 1));
  return packets;
}

const SimulationConfig short_run{.warm_up = 100_ns, .measure = 1_us, .drain = 1_us};

SimulationResult run(std::vector<TimedPacket> packets, const SimulationConfig& config = short_run,
                     const SimulationControl& control = {}) {
  ListSource source(std::move(packets));
  return simulate(line({1_ns, 1_ns}).topology, {}, source, config, control);
}

std::shared_ptr<const Topology> mesh(std::uint32_t nodes) {
  FabricConfig config;
  config.topology = TopologyKind::mesh;
  config.nodes = nodes;
  config.clock = 1_GHz;
  config.link_cycles = 1_cycles;
  return build_topology(config, {});
}

std::shared_ptr<const Topology> star(TopologyKind kind) {
  FabricConfig config;
  config.topology = kind;
  config.nodes = 64;
  config.global_routers = 2;
  return build_topology(config, {});
}

TEST(Simulation, DescriptionsAreSound) {
  EXPECT_EQ(description_problem<SimulationConfig>(), "");
  EXPECT_EQ(description_problem<ConvergenceConfig>(), "");
}

TEST(Simulation, CountsTheWindowAlone) {
  const auto result = run(every_10_ns(1000));
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_EQ(result.measured, 1_us);
  EXPECT_EQ(result.created, 100u);
  EXPECT_EQ(result.accepted_packets, 100u);
  EXPECT_EQ(result.delivered, 100u);
  EXPECT_EQ(result.load.channel_flits, (std::vector<std::uint64_t>{400, 0}));
  EXPECT_EQ(result.load.injected_flits, (std::vector<std::uint64_t>{400, 0}));
  EXPECT_EQ(result.load.ejected_flits, (std::vector<std::uint64_t>{0, 400}));
}

TEST(Simulation, RatesAndLoadsArePerTimeAndCapacity) {
  const auto result = run(every_10_ns(1000));
  EXPECT_DOUBLE_EQ(result.offered.per_ns, 0.05);
  EXPECT_DOUBLE_EQ(result.offered.per_cycle, 0.05);
  EXPECT_DOUBLE_EQ(result.accepted.per_ns, 0.05);
  EXPECT_EQ(result.channel_load, (std::vector<double>{0.4, 0}));
  EXPECT_EQ(result.injection_load, (std::vector<double>{0.4, 0}));
  EXPECT_EQ(result.ejection_load, (std::vector<double>{0, 0.4}));
  EXPECT_EQ(result.router_load, (std::vector<double>{0.1, 0.1}));  // one of four ports has a load of 0.4
  EXPECT_EQ(result.busiest_channel, 0u);
  EXPECT_EQ(result.busiest_channel_load, 0.4);
}

TEST(Simulation, RatesPerCycleCountEveryNodesOwn) {
  ListSource source(every_10_ns(1000));
  const auto result = simulate(line({1_ns, 4_ns}).topology, {}, source, short_run);
  EXPECT_DOUBLE_EQ(result.offered.per_ns, 0.05);
  EXPECT_DOUBLE_EQ(result.offered.per_cycle, 100.0 / 1250);
  EXPECT_EQ(result.simulated_cycles.count(), result.simulated / 1_ns);
}

TEST(Simulation, LatencyHasItsTwoStartsAndHopsAreRouters) {
  const auto result = run({packet(200_ns, 0, 1), packet(200_ns, 0, 1)});
  EXPECT_EQ(result.hops, (std::vector<std::uint64_t>{0, 0, 2}));
  EXPECT_EQ(result.mean_hops, 2);
  // The second packet waits in the source for the four flits of the first.
  EXPECT_EQ(result.latency.max() - result.latency.min(), 4_ns);
  EXPECT_EQ(result.network_latency.max(), result.network_latency.min());
}

TEST(Simulation, SourceThatEndsIsMeasuredToItsLastDelivery) {
  SimulationConfig config = short_run;
  config.warm_up = 0_ps;
  const auto result = run(every_10_ns(20), config);
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_EQ(result.measured, 190_ns + result.latency.max());
  EXPECT_EQ(result.simulated, result.measured);
  EXPECT_EQ(result.load.powered_time, (std::vector<Picoseconds>{result.measured, result.measured}));
}

TEST(Simulation, SaturationIsAResultNotAnEnd) {
  const TrafficConfig traffic{.rate = 0.25};
  SimulationConfig config = short_run;
  const auto topology = line({1_ns, 1_ns, 1_ns, 1_ns}).topology;
  const auto drained = simulate(topology, {}, traffic, config);
  EXPECT_FALSE(drained.converged);
  EXPECT_FALSE(drained.keeps_up);
  EXPECT_EQ(drained.reason.substr(0, 11), "saturated: ");
  EXPECT_EQ(drained.delivered, drained.created);
  config.drain_saturated = false;
  const auto cut = simulate(topology, {}, traffic, config);
  EXPECT_EQ(cut.simulated, 1100_ns);
  EXPECT_LT(cut.delivered, cut.created);
}

TEST(Simulation, PacketsThatDoNotArriveInTimeAreSaid) {
  SimulationConfig config = short_run;
  config.drain = 0_ps;
  auto packets = every_10_ns(1000);
  packets.insert(packets.begin() + 110, packet(1099_ns, 0, 1));
  const auto result = run(std::move(packets), config);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.keeps_up);
  EXPECT_EQ(result.reason, "2 of 101 measured packets were not delivered within 0ps");
}

TEST(Simulation, DriftOfTheLatencyIsSaid) {
  std::vector<TimedPacket> packets = every_10_ns(60);
  for (std::uint64_t i = 6; i < 12; ++i)
    for (int burst = 0; burst < 10; ++burst) packets.push_back(packet(100_ns * i, 0, 1));
  for (std::uint64_t i = 120; i < 1000; ++i) packets.push_back(packet(10_ns * i, 0, 1));
  const auto result = run(std::move(packets));
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(result.keeps_up);
  EXPECT_EQ(result.reason.substr(0, 20), "mean latency drifts:");
}

TEST(Simulation, WindowWithoutPacketsIsSaid) {
  const auto result = run({});
  EXPECT_EQ(result.reason, "no packet was created from 100ns to 1.1us");
  EXPECT_EQ(result.measured, 1_us);
}

TEST(Simulation, PacketsOutsideOfTheWindowAreSaid) {
  SimulationConfig late = short_run, early = short_run;
  late.warm_up = 1_us;
  EXPECT_EQ(run(every_10_ns(3), late).reason,
            "no packet was created from 1us to 2us, 3 before: see warm_up and measure");
  early.warm_up = 0_ps;
  EXPECT_EQ(run({packet(5_us, 0, 1)}, early).reason,
            "no packet was created from 0ps to 1us, the first comes at 5us: see warm_up and measure");
}

// Four routers in a ring without classes: every packet holds the channel for which the previous one waits.
TEST(Simulation, DeadlockIsNamed) {
  TestTopology ring({1_ns, 1_ns, 1_ns, 1_ns});
  for (RouterId r = 0; r < 4; ++r) {
    const ChannelId channel = ring.channel(r, (r + 1) % 4);
    for (RouterId d = 0; d < 4; ++d)
      if (d != r) ring.route(r, d, {channel});
  }
  std::vector<TimedPacket> packets;
  for (NodeId node = 0; node < 4; ++node) packets.push_back(packet(150_ns, node, (node + 2) % 4, 32));
  ListSource source(std::move(packets));
  const FlitParameters parameters{.virtual_channels = 1, .watchdog = Cycles(500)};
  const auto result = simulate(ring.topology, parameters, source, short_run);
  EXPECT_FALSE(result.converged);
  ASSERT_FALSE(result.blocked.empty());
  EXPECT_EQ(result.reason, "nothing moves: " + result.blocked.front());
}

TEST(Simulation, StoppedRunSaysSo) {
  std::stop_source stop;
  double progress = 0;
  const auto result = run(every_10_ns(1000), short_run, {.stop = stop.get_token(), .progress = [&](double p) {
                                                           progress = p;
                                                           if (p > 0.5) stop.request_stop();
                                                         }});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.reason, "stopped");
  EXPECT_LT(result.simulated, 700_ns);
}

TEST(Simulation, RecordHasEveryPacketOnceInOrderOfCreation) {
  const TemporaryFolder folder;
  SimulationConfig config = short_run;
  config.record = folder / "record";
  const auto result = simulate(mesh(16), {}, {.rate = 0.05}, config);
  TraceSource source(config.record, *mesh(16));
  std::uint64_t in_window = 0;
  while (const auto p = source.next()) in_window += p->created >= 100_ns && p->created < 1100_ns;
  EXPECT_EQ(in_window, result.created);
}

TEST(Simulation, ReplayedRecordGivesTheSameLatencies) {
  const TemporaryFolder folder;
  SimulationConfig config = short_run;
  config.warm_up = 0_ps;
  config.record = folder / "record";
  const auto first = simulate(mesh(16), {}, {.rate = 0.05}, config);
  config.record.clear();
  const TrafficConfig replay{.pattern = TrafficPattern::trace, .trace = folder / "record"};
  const auto again = simulate(mesh(16), {}, replay, config);
  EXPECT_EQ(again.created, first.created);
  EXPECT_EQ(again.latency, first.latency);
}

TEST(Simulation, RecordOverwritesNothing) {
  const TemporaryFolder folder;
  SimulationConfig config = short_run;
  config.record = folder / "record";
  run({}, config);
  EXPECT_THROW(run({}, config), TraceError);
  config.record = folder / "no/such/folder/record";
  EXPECT_THROW(run({}, config), TraceError);
  EXPECT_THROW(find_saturation(mesh(16), {}, {}, config, {}), std::invalid_argument);
}

TEST(Simulation, SameSeedGivesTheSameResult) {
  const auto topology = star(TopologyKind::superstarx);
  const SimulationConfig config{.seed = 5, .warm_up = 100_ns, .measure = 300_ns};
  const auto a = simulate(topology, {}, {.rate = 0.1}, config),
             b = simulate(topology, {}, {.rate = 0.1}, config);
  EXPECT_EQ(a.latency, b.latency);
  EXPECT_EQ(a.load.channel_flits, b.load.channel_flits);
  EXPECT_EQ(a.channel_load, b.channel_load);
  EXPECT_EQ(a.simulated, b.simulated);
  EXPECT_EQ(a.flit_hops, b.flit_hops);
  const SimulationConfig other{.seed = 6, .warm_up = 100_ns, .measure = 300_ns};
  EXPECT_NE(simulate(topology, {}, {.rate = 0.1}, other).latency, a.latency);
}

TEST(Simulation, GatedRoutersCarryNothing) {
  const auto topology = star(TopologyKind::superstar);
  SimulationConfig config = short_run;
  config.gated = {"GR1"};
  const auto result = simulate(topology, {}, {.rate = 0.05}, config);
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_EQ(result.router_load.back(), 0);
  EXPECT_EQ(result.load.powered_time.back(), 0_ps);
  config.gated = {"GR7"};
  EXPECT_THROW(simulate(topology, {}, {.rate = 0.05}, config), std::invalid_argument);
}

// For a 24 x 24 mesh with 4 virtual channels of 5 flits and packets of 4 flits, BookSim2 reports 73.4 cycles
// at 0.002 packets per cycle.
TEST(Simulation, MeshHasBookSimsLatency) {
  const auto result = simulate(
      mesh(576), {}, {.rate = 0.002, .rate_unit = RateUnit::per_cycle, .to_self = true}, SimulationConfig{});
  EXPECT_TRUE(result.converged) << result.reason;
  EXPECT_NEAR(result.latency.mean() / 1000, 73.4, 0.03 * 73.4);
}

TEST(Simulation, SaturationIsFoundForAPattern) {
  // Bit complement puts sqrt(n) / 2 * rate * 4 flits on each channel through the centre of a mesh.
  const auto found = find_saturation(mesh(16), {}, {.pattern = TrafficPattern::bit_complement}, short_run,
                                     {.low = 0.01, .tolerance = 0.02});
  EXPECT_GT(found.rate, 0.7 * 0.125);
  EXPECT_LE(found.accepted.per_ns, 0.125);
  EXPECT_LE(*found.unsustained - found.rate, 0.02 * found.rate);
}

}  // namespace
}  // namespace asterism
