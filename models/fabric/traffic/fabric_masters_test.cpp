#include "fabric/traffic/fabric_masters.h"

#include <gtest/gtest.h>

#include "fabric/topology/topologies.h"

namespace asterism {
namespace {

std::shared_ptr<const Topology> star() {
  FabricConfig config;
  config.topology = TopologyKind::superstar;
  config.nodes = 64;
  return build_topology(config, SwitchTechnology{});
}
const FlitParameters flit{};

TEST(FabricMastersTest, ALoneMasterTakesTheSameTimeOnEveryEngine) {
  const FabricLoad load{.masters = 1, .targets = 1, .pause = 50_ns};
  const auto topology = star();
  const FabricLoadTime time{.warm_up = 0_us, .measured = 2_us};
  const FabricLoadResult exact = run_flit(load, topology, flit, time);
  EXPECT_GT(exact.accesses, 10u);
  const FabricLoadResult loose = run_predicted(load, topology, flit, {}, 1_us, time);
  EXPECT_EQ(loose.accesses, exact.accesses);
  EXPECT_EQ(loose.latency, exact.latency);
  const FabricLoadResult contended = run_predicted(load, topology, flit, FabricCurves(), 1_us, time);
  EXPECT_NEAR(contended.latency / exact.latency, 1.0, 0.01);
}

TEST(FabricMastersTest, LooseMastersDoNotWaitForEachOther) {
  const auto latency = [](std::uint32_t masters) {
    const FabricLoad load{.masters = masters, .targets = 1, .in_flight = 10, .seed = 3};
    return run_predicted(load, star(), flit, {}, 1_us).latency;
  };
  EXPECT_NEAR(latency(30) / latency(1), 1.0, 0.1);
}

// 30 masters that read from one target: a response has 5 flits, of which the target's node sends one in each
// cycle of its router's clock.
TEST(FabricMastersTest, ATargetIsReadNoFasterThanItsLinkCarries) {
  const FabricLoad load{.masters = 30, .targets = 1, .in_flight = 10};
  const auto topology = star();
  const double most = 10e6 / (5 * static_cast<double>(topology->routers[0].period.count()));
  for (const Picoseconds quantum : {100_ns, 1_us, 10_us}) {
    const FabricLoadResult result =
        run_predicted(load, topology, flit, FabricCurves(), quantum, {.warm_up = 20_us, .measured = 10_us});
    EXPECT_LT(static_cast<double>(result.accesses), 1.03 * most) << quantum.count();
    EXPECT_GT(static_cast<double>(result.accesses), 0.9 * most) << quantum.count();
  }
}

// Once the waits have been learned, results move by less than 2% between quanta of 100 ns and of 10 us.
TEST(FabricMastersTest, TheQuantumHardlyChangesLatencyAndThroughput) {
  const auto topology = star();
  for (const std::uint32_t masters : {4u, 16u})
    for (const std::uint32_t targets : {1u, 4u})
      for (const Picoseconds pause : {0_ns, 100_ns}) {
        const FabricLoad load{
            .masters = masters, .targets = targets, .in_flight = 4, .pause = pause, .writes = 0.3};
        const FabricLoadTime time{.warm_up = 200_us, .measured = 100_us};
        const auto with = [&](Picoseconds quantum) {
          return run_predicted(load, topology, flit, FabricCurves(), quantum, time);
        };
        const FabricLoadResult shortest = with(100_ns);
        for (const Picoseconds quantum : {1_us, 10_us}) {
          const FabricLoadResult result = with(quantum);
          const auto accesses = static_cast<double>(result.accesses);
          EXPECT_NEAR(accesses / static_cast<double>(shortest.accesses), 1.0, 0.02)
              << masters << " on " << targets << ", " << pause.count() << " ps, " << quantum.count() << " ps";
          EXPECT_NEAR(result.latency / shortest.latency, 1.0, 0.02)
              << masters << " on " << targets << ", " << pause.count() << " ps, " << quantum.count() << " ps";
        }
      }
}

TEST(FabricMastersTest, ContendedIsCloseToTheFlitEngine) {
  const auto topology = star();
  for (const std::uint32_t in_flight : {1u, 4u}) {
    const FabricLoad load{.masters = 16, .targets = 4, .in_flight = in_flight, .pause = 20_ns, .writes = 0.3};
    const FabricLoadResult exact = run_flit(load, topology, flit),
                           contended = run_predicted(load, topology, flit, FabricCurves(), 1_us,
                                                     {.warm_up = 50_us, .measured = 10_us});
    EXPECT_NEAR(contended.latency / exact.latency, 1.0, 0.05) << in_flight;
  }
}

TEST(FabricMastersTest, RefusesMoreMastersAndTargetsThanNodes) {
  EXPECT_THROW(run_flit({.masters = 60, .targets = 5}, star(), flit), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
