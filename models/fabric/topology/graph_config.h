// A topology drawn by the user: a file in configs/graphs. Routers have names and positions, links join two of
// them by name, and nodes are attached to routers and numbered in the order of the list.
//
// Packets take the shortest path by `metric`. Of equally short paths they take the one whose first link comes
// first in the file, or all in round-robin order (`ties`). A route overrides this for one destination: each
// router on its path sends packets for the last router to the next one. A graph whose routes could deadlock
// is refused, and the message names the cycle (channel_dependency.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class GraphMetric { hops, latency };
constexpr auto enum_names(GraphMetric) {
  return std::to_array<EnumName<GraphMetric>>(
      {{GraphMetric::hops, "hops", "the fewest links"},
       {GraphMetric::latency, "latency", "the least time through routers and links"}});
}

enum class GraphTies { first, in_turn };
constexpr auto enum_names(GraphTies) {
  return std::to_array<EnumName<GraphTies>>(
      {{GraphTies::first, "first",
        "the path whose first link comes first in the file: packets keep their order"},
       {GraphTies::in_turn, "in_turn", "all of them: more throughput, and routers on them can be gated"}});
}

struct GraphRouter {
  std::string name = {};
  Micrometres x, y;
  std::optional<Frequency> clock = {};  // if absent, what its radix allows
  bool global = false;
  bool operator==(const GraphRouter&) const = default;
};
void describe(Fields& f, GraphRouter& router);

struct GraphLink {
  std::string from = {}, to = {};
  std::uint32_t count = 1;
  std::optional<Micrometres> length = {};
  bool operator==(const GraphLink&) const = default;
};
void describe(Fields& f, GraphLink& link);

struct GraphNodes {
  std::string router = {};
  std::uint32_t count = 1;
  Micrometres length = 450_um;
  bool operator==(const GraphNodes&) const = default;
};
void describe(Fields& f, GraphNodes& nodes);

struct GraphRoute {
  std::vector<std::string> path = {};
  bool operator==(const GraphRoute&) const = default;
};
void describe(Fields& f, GraphRoute& route);

struct GraphConfig {
  GraphMetric metric = GraphMetric::hops;
  GraphTies ties = GraphTies::first;
  std::vector<GraphRouter> routers = {};
  std::vector<GraphLink> links = {};
  std::vector<GraphNodes> nodes = {};
  std::vector<GraphRoute> routes = {};
  bool operator==(const GraphConfig&) const = default;
};
void describe(Fields& f, GraphConfig& graph);

}  // namespace asterism
