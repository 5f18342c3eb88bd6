#include <gtest/gtest.h>

#include "fabric/topology/test_routes.h"

namespace asterism {
namespace {

FabricConfig graph_config() {
  FabricConfig config;
  config.topology = TopologyKind::graph;
  config.graph = "drawn";
  return config;
}

// A 1 mm square of routers "A" to "D" without links, with a node each.
GraphConfig square() {
  GraphConfig graph;
  const Micrometres side = 1000_um;
  graph.routers = {{"A", 0_um, 0_um}, {"B", side, 0_um}, {"C", side, side}, {"D", 0_um, side}};
  for (const GraphRouter& router : graph.routers) graph.nodes.push_back({router.name, 1, 450_um});
  return graph;
}
GraphConfig line() {
  GraphConfig graph = square();
  graph.links = {{"A", "B"}, {"B", "C"}, {"C", "D"}};
  return graph;
}
std::shared_ptr<const Topology> build(const GraphConfig& graph) {
  return build_topology(graph_config(), SwitchTechnology{}, &graph);
}
std::string refusal(const GraphConfig& graph) { return refusal(graph_config(), &graph); }

TEST(GraphTopologyTest, RoutersHaveThePortsThatTheyNeed) {
  GraphConfig graph = line();
  graph.links[0].count = 3;
  graph.nodes[0].count = 2;
  const auto topology = build(graph);
  EXPECT_EQ(topology->name, "drawn");
  EXPECT_EQ(topology->routers[0].radix, 5u);
  EXPECT_EQ(topology->routers[1].radix, 5u);
  EXPECT_EQ(topology->routers[2].radix, 3u);
  EXPECT_EQ(topology->routers[2].period, 216_ps);
  EXPECT_EQ(topology->nodes.size(), 5u);
  EXPECT_EQ(topology->routing->step(0, 2, 0).channels.size(), 3u);
}

TEST(GraphTopologyTest, ALinkIsAsLongAsItsRoutersAreApartUnlessGiven) {
  GraphConfig graph = line();
  graph.links[1].length = 5000_um;
  const auto topology = build(graph);
  EXPECT_EQ(topology->channels[0].length, 1000_um);
  EXPECT_EQ(topology->channels[2].length, 5000_um);
  EXPECT_EQ(topology->channels[3].length, 5000_um);
}

TEST(GraphTopologyTest, PacketsTakeTheFewestHopsAndOfEqualWaysTheFirstInTheFile) {
  GraphConfig graph = square();
  graph.links = {{"A", "D"}, {"A", "B"}, {"B", "C"}, {"D", "C"}};
  graph.nodes = {{"A"}, {"C"}};
  const auto topology = build(graph);
  EXPECT_EQ(route(*topology, 0, 2), "A D C");
  EXPECT_EQ(route(*topology, 2, 0), "C B A");
}

TEST(GraphTopologyTest, EqualPathsCanBeTakenInRoundRobinOrder) {
  GraphConfig graph = square();
  graph.ties = GraphTies::in_turn;
  graph.links = {{"A", "D"}, {"A", "B"}, {"B", "C"}, {"D", "C"}};
  graph.nodes = {{"A"}, {"C"}};
  const auto topology = build(graph);
  const auto channels = topology->routing->step(0, 2, 0).channels;
  ASSERT_EQ(channels.size(), 2u);
  EXPECT_EQ(topology->channels[channels[0]].to, 3u);
  EXPECT_EQ(topology->channels[channels[1]].to, 1u);
}

TEST(GraphTopologyTest, SetsThatBeginAlikeAreOfOneSize) {
  // There are three paths from A to E, of which two lead on to F.
  GraphConfig graph;
  graph.ties = GraphTies::in_turn;
  for (const char* name : {"A", "B", "C", "D", "E", "F"})
    graph.routers.push_back({name, Micrometres(1000 * (graph.routers.size() + 1)), 0_um});
  graph.links = {{"A", "B"}, {"A", "C"}, {"A", "D"}, {"B", "E"},
                 {"C", "E"}, {"D", "E"}, {"B", "F"}, {"C", "F"}};
  graph.nodes = {{"A"}, {"E"}, {"F"}};
  const auto topology = build(graph);
  EXPECT_EQ(topology->routing->step(0, 4, 0).channels.size(), 2u);
  EXPECT_EQ(topology->routing->step(0, 5, 0).channels.size(), 2u);
}

TEST(GraphTopologyTest, ByLatencyALongLinkIsAvoided) {
  GraphConfig graph = line();
  graph.links = {{"A", "D", 1, 90'000_um}, {"A", "B"}, {"B", "C"}, {"C", "D"}};
  graph.nodes = {{"A"}, {"D"}};
  EXPECT_EQ(route(*build(graph), 0, 3), "A D");
  graph.metric = GraphMetric::latency;
  EXPECT_EQ(route(*build(graph), 0, 3), "A B C D");
}

TEST(GraphTopologyTest, ARouteSaysOtherwise) {
  GraphConfig graph = square();
  graph.links = {{"A", "D"}, {"A", "B"}, {"B", "C"}, {"D", "C"}};
  graph.nodes = {{"A"}, {"C"}};
  graph.routes = {{{"A", "B", "C"}}};
  EXPECT_EQ(route(*build(graph), 0, 2), "A B C");
}

TEST(GraphTopologyTest, RefusesARingThatCouldDeadlock) {
  GraphConfig graph = square();
  graph.links = {{"A", "B"}, {"B", "C"}, {"C", "D"}, {"D", "A"}};
  graph.routes = {{{"A", "B", "C"}}, {{"B", "C", "D"}}, {{"C", "D", "A"}}, {{"D", "A", "B"}}};
  EXPECT_EQ(refusal(graph),
            "topology drawn: packets could block each other for ever: A->B -> B->C -> C->D -> D->A -> A->B");
}

TEST(GraphTopologyTest, RefusesADisconnectedGraph) {
  GraphConfig graph = line();
  graph.links = {{"A", "B"}, {"C", "D"}};
  EXPECT_EQ(refusal(graph), "topology drawn: there is no way from C to A");
}

TEST(GraphTopologyTest, RefusesALinkWithoutLength) {
  GraphConfig graph = line();
  graph.routers[1].x = 0_um;
  EXPECT_EQ(refusal(graph), "the link between A and B has no length");
}

TEST(GraphTopologyTest, RefusesNamesThatDoNotFit) {
  GraphConfig graph = line();
  graph.links[2].to = "E";
  EXPECT_EQ(refusal(graph), "links[2].to: no router has the name \"E\"");
  graph = line();
  graph.routers[3].name = "A";
  EXPECT_EQ(refusal(graph), "routers[3].name: there are two routers \"A\"");
  graph = line();
  graph.links[0].to = "A";
  EXPECT_EQ(refusal(graph), "links[0]: a link joins two different routers");
  graph = line();
  graph.links.pop_back();
  graph.nodes.pop_back();
  EXPECT_EQ(refusal(graph), "routers[3]: D has neither links nor nodes");
}

TEST(GraphTopologyTest, RefusesRoutesThatDoNotFit) {
  GraphConfig graph = line();
  graph.routes = {{{"A", "C"}}};
  EXPECT_EQ(refusal(graph), "routes[0].path: no link joins A and C");
  graph.links.push_back({"A", "D"});
  graph.routes = {{{"A", "B", "C"}}, {{"A", "D", "C"}}};
  EXPECT_EQ(refusal(graph), "routes[1].path: another route already sends what is at A for C elsewhere");
  graph.routes = {{{"B", "A"}}, {{"C", "B"}}, {{"B", "C", "B", "A"}}};
  EXPECT_EQ(refusal(graph), "routes[2].path: another route already sends what is at B for A elsewhere");
}

}  // namespace
}  // namespace asterism
