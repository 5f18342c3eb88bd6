#include "fabric/topology/graph_config.h"

#include "base/fields.h"

namespace asterism {

constexpr Micrometres largest_chip = 1'000'000_um;  // along an axis; allows several chips on a board

static_assert(member_count<GraphRouter>() == 5);
void describe(Fields& f, GraphRouter& r) {
  f("name", r.name, "The name by which links, nodes and reports refer to the router.", required());
  f("x", r.x, "The position on the chip. Links between positions farther apart take more cycles.",
    at_most(largest_chip), required());
  f("y", r.y, "The position along the other axis.", at_most(largest_chip), required());
  f("clock", r.clock, "The clock of the router; absent: what the technology allows for its number of ports.",
    within(1_MHz, 100_GHz));
  f("global", r.global,
    "Whether the router may be power-gated: one without nodes whose traffic others can carry.");
}

static_assert(member_count<GraphLink>() == 4);
void describe(Fields& f, GraphLink& l) {
  f("from", l.from, "The name of a router. A link carries traffic both ways.", required());
  f("to", l.to, "The name of the other router.", required());
  f("count", l.count,
    "The number of parallel links, used in round-robin order. More of them carry more traffic and make both "
    "routers slower.",
    within(1, 64));
  f("length", l.length, "The length of the wire; absent: the distance along x and y.",
    within(1_um, 1'000'000_um));
}

static_assert(member_count<GraphNodes>() == 3);
void describe(Fields& f, GraphNodes& n) {
  f("router", n.router, "The name of the router to which the nodes are attached.", required());
  f("count", n.count, "The number of nodes. Each takes a port, which makes the router slower.",
    within(1, 4096));
  f("length", n.length, "The length of the wire to each node. A longer one takes more cycles.",
    within(1_um, 1'000'000_um));
}

static_assert(member_count<GraphRoute>() == 1);
void describe(Fields& f, GraphRoute& r) {
  f("path", r.path, "The names of linked routers. Each sends packets for the last router to the next one.",
    required());
  f.check([&] { return r.path.size() >= 2; }, "path", "has at least two routers");
}

static_assert(member_count<GraphConfig>() == 6);
void describe(Fields& f, GraphConfig& g) {
  f("metric", g.metric, "The path that packets take if no route is given for them.", one_of<GraphMetric>());
  f("ties", g.ties, "Which of several equally short paths is taken.", one_of<GraphTies>());
  f("routers", g.routers, "The routers, at most 1024.", required());
  f("links", g.links,
    "The links. Each joins two routers; more links carry more traffic and make the routers slower.",
    required());
  f("nodes", g.nodes, "The senders and receivers, by router. They are numbered in this order.", required());
  f("routes", g.routes, "Paths other than the shortest ones. They can avoid a deadlock or spread the load.");
  f.check([&] { return !g.routers.empty() && g.routers.size() <= 1024; }, "routers", "has 1 to 1024 routers");
  f.check([&] { return !g.nodes.empty(); }, "nodes", "has at least one");
}

}  // namespace asterism
