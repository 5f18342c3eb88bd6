#include "fabric/traffic/fabric_fit.h"

#include <gtest/gtest.h>

#include "fabric/topology/topologies.h"

namespace asterism {
namespace {

constexpr FabricFitSettings coarse{.rounds = 1, .coarse = true};

FabricsToFit one_switch() {
  FabricConfig config;
  config.topology = TopologyKind::swizzle_switch;
  config.ports = 32;
  return {build_topology(config, SwitchTechnology{})};
}

TEST(FabricFitTest, AFitLowersTheErrors) {
  FabricCurves poor{.topology = TopologyKind::swizzle_switch};
  poor.injection.contention = 3, poor.ejection.knee = 0.3;
  const CurveErrors before = fabric_curve_errors(one_switch(), {}, poor, false, coarse);
  double last = 0;
  const FabricCurves fitted =
      fit_fabric_curves(one_switch(), {}, poor, coarse, [&](double done) { last = done; });
  EXPECT_EQ(fitted.topology, TopologyKind::swizzle_switch);
  EXPECT_EQ(last, 1);
  EXPECT_LT(fitted.fitted.latency_mean + fitted.fitted.throughput_mean,
            before.latency_mean + before.throughput_mean);
  EXPECT_LT(fitted.injection.contention, 3);
  EXPECT_GT(fitted.held_out.latency_mean, 0);
}

TEST(FabricFitTest, TheSameFitGivesTheSameCurves) {
  const auto fit = [] { return fit_fabric_curves(one_switch(), {}, {}, coarse); };
  const FabricCurves one = fit(), other = fit();
  EXPECT_EQ(one.ejection.knee, other.ejection.knee);
  EXPECT_EQ(one.fitted.latency_mean, other.fitted.latency_mean);
}

}  // namespace
}  // namespace asterism
