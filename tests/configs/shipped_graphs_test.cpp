#include <gtest/gtest.h>

#include "fabric/network/flit_network.h"
#include "fabric/topology/test_routes.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

struct ShippedGraph {
  FabricConfig config;
  GraphConfig graph;
  explicit ShippedGraph(const std::string& name) : graph(load_config<GraphConfig>(library, "graphs", name)) {
    config.topology = TopologyKind::graph;
    config.graph = name;
  }
  std::shared_ptr<const Topology> build() const { return build_topology(config, SwitchTechnology{}, &graph); }
};

TEST(ShippedGraphsTest, RoutesKeepTheRingWithAChordFreeOfDeadlock) {
  ShippedGraph ring("ring_with_chord");
  const auto topology = ring.build();
  EXPECT_EQ(topology->nodes.size(), 32u);
  EXPECT_EQ(route(*topology, 1, 3), "R1 R0 R4 R3");  // nothing passes R2 and R6
  EXPECT_EQ(route(*topology, 7, 2), "R7 R0 R1 R2");
  ring.graph.routes.clear();
  const std::string refused = refusal(ring.config, &ring.graph);
  EXPECT_NE(refused.find("topology ring_with_chord: packets could block each other for ever: "),
            std::string::npos)
      << refused;
}

TEST(ShippedGraphsTest, TheClosUsesAllItsSpinesAndNeedsOne) {
  const auto topology = ShippedGraph("small_clos").build();
  EXPECT_EQ(topology->nodes.size(), 64u);
  EXPECT_EQ(topology->routing->step(0, 3, 0).channels.size(), 3u);
  FlitNetwork network(topology, {});
  network.gate(4, true);
  network.gate(5, true);
  EXPECT_THROW(network.gate(6, true), std::invalid_argument);
}

TEST(ShippedGraphsTest, AreAsFullyExpanded) {
  for (const std::string& name : library.list("graphs")) {
    const ShippedGraph graph(name);
    ConfigDocument document = ConfigDocument::parse(expanded(graph.graph), name);
    EXPECT_EQ(read_config<GraphConfig>(document, library), graph.graph) << name;
    EXPECT_EQ(refusal(graph.config, &graph.graph), "none") << name;
  }
}

}  // namespace
}  // namespace asterism
