// The shipped curves belong to the topologies and to the engines as they are: after a change of one of these,
// `asterism fit TOPOLOGY --out configs/fabric_curves/TOPOLOGY.json` makes them anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/nightly.h"
#include "fabric/topology/topologies.h"
#include "fabric/traffic/fabric_fit.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

FabricCurves curves_of(const std::string& topology) {
  return load_config<FabricCurves>(library, "fabric_curves", topology);
}

TEST(FabricCurvesTest, EveryTopologyHasCurvesThatWereFittedToIt) {
  std::vector<std::string> topologies;
  for (const auto& kind : enum_names(TopologyKind{})) {
    if (kind.value == TopologyKind::crossbar) continue;
    topologies.emplace_back(kind.name);
    EXPECT_EQ(curves_of(topologies.back()).topology, kind.value) << kind.name;
    EXPECT_EQ(curves_of(topologies.back()).digest, curves_digest(fabric_to_fit(kind.value))) << kind.name;
  }
  std::ranges::sort(topologies);
  EXPECT_EQ(library.list("fabric_curves"), topologies);
}

TEST(FabricCurvesTest, TheMeanErrorsAreSmall) {
  for (const std::string& topology : library.list("fabric_curves")) {
    const FabricCurves curves = curves_of(topology);
    for (const CurveErrors& errors : {curves.fitted, curves.held_out}) {
      EXPECT_GT(errors.latency_mean, 0) << topology;
      EXPECT_LT(errors.latency_mean, 0.055) << topology;
      EXPECT_LT(errors.throughput_mean, 0.15) << topology;
    }
  }
}

FabricsToFit fabrics_of(const FabricConfig& config) {
  if (config.topology != TopologyKind::graph) return {build_topology(config, SwitchTechnology{})};
  FabricsToFit fabrics;
  for (const std::string& name : library.list("graphs")) {
    const auto graph = load_config<GraphConfig>(library, "graphs", name);
    fabrics.push_back(build_topology(config, SwitchTechnology{}, &graph));
  }
  return fabrics;
}

std::array<double, 4> values_of(const CurveErrors& errors) {
  return {errors.latency_mean, errors.latency_worst, errors.throughput_mean, errors.throughput_worst};
}

// Of one topology; of all in the nightly tests.
TEST(FabricCurvesTest, TheErrorsAreThoseOfTheEngines) {
  const std::vector<std::string> topologies =
      is_nightly() ? library.list("fabric_curves") : std::vector<std::string>{"swizzle_switch"};
  for (const std::string& topology : topologies) {
    const FabricCurves curves = curves_of(topology);
    const FabricConfig config = fabric_to_fit(curves.topology);
    for (const bool held_out : {false, true})
      EXPECT_EQ(values_of(fabric_curve_errors(fabrics_of(config), flit_parameters(config), curves, held_out)),
                values_of(held_out ? curves.held_out : curves.fitted))
          << topology << (held_out ? ", held out" : ", fitted");
  }
}

TEST(FabricCurvesTest, CurvesOfAnotherTopologyAreAProblem) {
  FabricConfig config;
  config.topology = TopologyKind::superstar;
  EXPECT_EQ(curves_problem(config, curves_of("superstar")), "");
  config.curves = "mesh";
  EXPECT_EQ(curves_problem(config, curves_of("mesh")),
            "mesh has the curves of mesh, and the topology is superstar");
}

TEST(FabricCurvesTest, CurvesOfOtherRoutersAreAProblem) {
  FabricConfig config;
  config.topology = TopologyKind::superstar;
  config.nodes = 64, config.clock = 1_GHz, config.link_cycles = 3_cycles, config.channel_width = 64;
  EXPECT_EQ(curves_problem(config, curves_of("superstar")), "");
  config.buffer_depth = 8, config.arbitration = ArbiterPolicy::fixed;
  EXPECT_EQ(curves_problem(config, curves_of("superstar")),
            "the curves superstar were fitted to superstar with other routers: `asterism fit superstar "
            "arbitration=\"fixed\" buffer_depth=8 --out FILE` makes them for these");
  config = {};
  config.topology = TopologyKind::superstar, config.concentration = 8;
  EXPECT_NE(curves_problem(config, curves_of("superstar")), "");
}

}  // namespace
}  // namespace asterism
