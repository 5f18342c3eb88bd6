#include "fabric/topology/graph_config.h"

#include "base/fields.h"

namespace asterism {

constexpr Micrometres largest_chip = 1'000'000_um;  // along an axis, with room for several on a board

static_assert(member_count<GraphRouter>() == 5);
void describe(Fields& f, GraphRouter& r) {
  f("name", r.name, "By which links and nodes name it; reports do too", required());
  f("x", r.x, "Place on the chip; links between places farther apart take more cycles", at_most(largest_chip),
    required());
  f("y", r.y, "As x, along the other axis", at_most(largest_chip), required());
  f("clock", r.clock, "Absent: what the technology allows a router of as many ports", within(1_MHz, 100_GHz));
  f("global", r.global, "Whether it may be power-gated; one without nodes whose work others can do");
}

static_assert(member_count<GraphLink>() == 4);
void describe(Fields& f, GraphLink& l) {
  f("from", l.from, "Name of a router; a link carries both ways", required());
  f("to", l.to, "Name of the other router", required());
  f("count", l.count,
    "Links side by side, used in turn; more of them carry more and make both routers slower", within(1, 64));
  f("length", l.length, "Of the wire; absent: the distance along x and y", within(1_um, 1'000'000_um));
}

static_assert(member_count<GraphNodes>() == 3);
void describe(Fields& f, GraphNodes& n) {
  f("router", n.router, "Name of the router that they hang on", required());
  f("count", n.count, "Nodes; each takes a port, which makes the router slower", within(1, 4096));
  f("length", n.length, "Of the wire to each; a longer one takes more cycles", within(1_um, 1'000'000_um));
}

static_assert(member_count<GraphRoute>() == 1);
void describe(Fields& f, GraphRoute& r) {
  f("path", r.path, "Names of linked routers; each sends what is for the last one to the next", required());
  f.check([&] { return r.path.size() >= 2; }, "path", "has at least two routers");
}

static_assert(member_count<GraphConfig>() == 6);
void describe(Fields& f, GraphConfig& g) {
  f("metric", g.metric, "Which way packets take where no route says", one_of<GraphMetric>());
  f("ties", g.ties, "Which of several ways as short", one_of<GraphTies>());
  f("routers", g.routers, "At most 1024", required());
  f("links", g.links, "Each joins two routers; more of them carry more and make the routers slower",
    required());
  f("nodes", g.nodes, "What sends and receives, by router; they count in this order", required());
  f("routes", g.routes, "Ways other than the shortest; they can avoid a deadlock or spread the load");
  f.check([&] { return !g.routers.empty() && g.routers.size() <= 1024; }, "routers", "has 1 to 1024 routers");
  f.check([&] { return !g.nodes.empty(); }, "nodes", "has at least one");
}

}  // namespace asterism
