#include "fabric/fabric_config.h"

#include "base/fields.h"
#include "swizzle_switch/arbitration_hook.h"

namespace asterism {

static_assert(member_count<ArbiterConfig>() == 5);
void describe(Fields& f, ArbiterConfig& c) {
  f("impl", c.impl,
    "What decides: the model, RTL, or both in lockstep. rtl and lockstep need Verilator, and time for the "
    "first build.",
    one_of<Impl>());
  f.when("impl", c.impl, {Impl::rtl, Impl::lockstep}, [&] {
    f("variant", c.variant,
      "The block.json of the arbiter's RTL, or a library built from one. Lockstep reports a block that has "
      "another policy.",
      may_be_beside());
    f("routers", c.routers,
      "The names of the routers that use this implementation; the others use the model. If empty, all "
      "routers use it.");
    f("trace", c.trace, "Which signals of the RTL are recorded.");
  });
  describe_on_mismatch(f, c.impl, c.on_mismatch);
}

namespace {

using enum TopologyKind;

void describe_size(Fields& f, FabricConfig& c) {
  f.when("topology", c.topology, {mesh, cmesh_low, cmesh_high, fbfly, superstar, superstarx, superring}, [&] {
    f("nodes", c.nodes,
      "The number of cores, memory controllers and devices. More nodes need more routers or a higher radix.",
      within(2, 16'384));
  });
  f.when("topology", c.topology, swizzle_switch, [&] {
    f("ports", c.ports,
      "The number of ports of the switch; absent: one for each core and device, 64 in a study. More ports "
      "make its clock slower.",
      within(2, max_hook_radix));
  });
  f.when("topology", c.topology,
         {swizzle_switch, mesh, cmesh_low, cmesh_high, fbfly, superstar, superstarx, superring}, [&] {
           f("tile", c.tile,
             "The side of a node's square tile on the chip. A larger tile makes all links longer.",
             within(10_um, 100'000_um));
         });
  f.when("topology", c.topology, {cmesh_low, cmesh_high, fbfly, superstar, superstarx, superring}, [&] {
    f("concentration", c.concentration,
      "The number of nodes per router; absent: cmesh-low 4, cmesh-high and fbfly 36, others 16. More nodes "
      "per router give fewer hops through slower routers."

      ,
      within(1, 1024));
  });
  f.when("topology", c.topology, {mesh, cmesh_low, cmesh_high, fbfly}, [&] {
    f("parallel_links", c.parallel_links,
      "The number of parallel links between two routers; absent: cmesh-high 4, others 1. More links carry "
      "more traffic through slower routers."

      ,
      within(1, 64));
  });
  f.when("topology", c.topology, {superstar, superstarx, superring}, [&] {
    f("global_routers", c.global_routers,
      "The number of routers that connect the local ones; absent: superring 4, others 8. More of them carry "
      "more traffic and draw more power.",
      within(1, 64));
    f("global_link_cycles", c.global_link_cycles,
      "The latency of each link to or between global routers; absent: link_cycles, or else by the length of "
      "the link.",
      within(1_cycles, 1'000_cycles));
  });
  f.when("topology", c.topology, {superstar, superstarx, graph}, [&] {
    f("gated_global_routers", c.gated_global_routers,
      "The number of global routers, counted from the last, that start power-gated. Each saves its power and "
      "costs its share of throughput.",
      within(0, 63));
  });
  f.when("topology", c.topology, graph, [&] {
    f("graph", c.graph, "The routers, links and nodes: a file in configs/graphs.", names_file("graphs"),
      required());
  });
}

void describe_routers(Fields& f, FabricConfig& c) {
  f("channel_width", c.channel_width,
    "The number of bits of a flit. Wider channels give fewer flits per packet and slower routers.",
    within(8, 4096));
  f("technology", c.technology,
    "The clock, energy and area against the radix: a file in configs/technologies.",
    names_file("technologies"));
  f("clock", c.clock, "The clock of all routers; absent: each router is as fast as its radix allows.",
    within(1_MHz, 100_GHz));
  f("link_cycles", c.link_cycles, "The latency of every link; absent: by the length of the link.",
    within(1_cycles, 1'000_cycles));
  f("virtual_channels", c.virtual_channels,
    "The number of virtual channels per port. With fewer of them, a blocked packet blocks others behind it.",
    within(1, 16));
  f("buffer_depth", c.buffer_depth,
    "The buffer of each virtual channel in flits. If it is smaller than a link's round trip, the link idles "
    "between credits.",
    within(1, 255));
  f("router_stages", c.router_stages, "The cycles of a flit in a router without contention.", within(1, 16));
  f("credit_cycles", c.credit_cycles,
    "The cycles from a freed buffer to the start of the link back. More cycles need deeper buffers.",
    within(1, 64));
  f("crossing", c.crossing,
    "The time of a clock crossing, in hundredths of the receiver's cycle before the edge that takes the "
    "flit. A longer one slows down every hop between routers with different clocks."

    ,
    within(0, 1000));
  f("arbitration", c.arbitration, "Which input wins an output. Only lrg is fair under any load.",
    one_of<ArbiterPolicy>());
  f("fallback_occupancy", c.fallback_occupancy,
    "The number of flits waiting ahead of a neighbour's link at which superstarx uses a global router. A "
    "smaller number spreads local bursts earlier.",
    within(0, 65'536));
  f("watchdog", c.watchdog,
    "The cycles of the slowest clock without any movement after which blocked packets are reported. Too few "
    "report a slow receiver.",
    within(100_cycles, 1'000'000'000_cycles));
}

bool has_locals_under_globals(const FabricConfig& c) {
  return c.topology == superstar || c.topology == superstarx || c.topology == superring;
}
unsigned local_routers(const FabricConfig& c) { return c.nodes / fabric_shape(c).concentration; }

void describe_relations(Fields& f, FabricConfig& c) {
  f.check(
      [&] {
        return c.topology == crossbar || c.topology == swizzle_switch || c.topology == graph ||
               c.nodes % fabric_shape(c).concentration == 0;
      },
      "nodes", "is a whole number of clusters of `concentration` nodes");
  f.check([&] { return !has_locals_under_globals(c) || local_routers(c) >= 2; }, "nodes",
          "makes at least two clusters of `concentration` nodes");
  f.check([&] { return c.topology != superring || fabric_shape(c).global_routers >= 3; }, "global_routers",
          "makes a ring: at least 3");
  f.check([&] { return c.topology != superring || local_routers(c) % fabric_shape(c).global_routers == 0; },
          "global_routers", "divides the local routers into equal parts");
  f.check(
      [&] {
        return c.topology != superring || fabric_shape(c).global_routers < 5 || c.virtual_channels >= 2;
      },
      "virtual_channels", "breaks the ring's deadlock: at least 2 from 5 global routers on");
  f.check(
      [&] {
        return !has_locals_under_globals(c) || c.topology == superring ||
               c.gated_global_routers < fabric_shape(c).global_routers;
      },
      "gated_global_routers", "leaves one global router powered");
}

}  // namespace

static_assert(member_count<FabricConfig>() == 26);
void describe(Fields& f, FabricConfig& c) {
  describe_model(f, c);
  f("arbiter", c.arbiter, "What decides which input wins an output of a switch.");
  f.check(
      [&] { return c.arbiter.impl == Impl::model || c.topology == crossbar || c.fidelity == Fidelity::flit; },
      "arbiter.impl", "is model where there is no arbitration: in a loose or contended fabric of routers");
}

void describe_model(Fields& f, FabricConfig& c) {
  f("topology", c.topology, "How masters and targets are connected.", one_of<TopologyKind>());
  f("fidelity", c.fidelity,
    "How exactly contention is modelled. An ideal crossbar has none, and loose and contended are the same.",
    one_of<Fidelity>());
  f.when("topology", c.topology, crossbar, [&] {
    f("latency", c.latency,
      "The latency of every access that goes over the fabric. A longer one slows down device registers.",
      within(0_ns, 1_ms));
  });
  describe_size(f, c);
  f.when("topology", c.topology,
         {swizzle_switch, mesh, cmesh_low, cmesh_high, fbfly, superstar, superstarx, superring, graph}, [&] {
           describe_routers(f, c);
           f.when("fidelity", c.fidelity, Fidelity::contended, [&] {
             f("curves", c.curves,
               "The waits at a given load: a file in configs/fabric_curves, made by `asterism fit`; absent: "
               "that with the name of the topology.",
               names_file("fabric_curves"));
           });
         });
  describe_relations(f, c);
}

FabricShape fabric_shape(const FabricConfig& c) {
  FabricShape shape;
  switch (c.topology) {
    case cmesh_low:
      shape = {4, 1, 0};
      break;
    case cmesh_high:
      shape = {36, 4, 0};
      break;
    case fbfly:
      shape = {36, 1, 0};
      break;
    case superstar:
    case superstarx:
      shape = {16, 1, 8};
      break;
    case superring:
      shape = {16, 1, 4};
      break;
    case crossbar:
    case swizzle_switch:
    case mesh:
    case graph:
      return {1, c.topology == mesh ? c.parallel_links.value_or(1) : 1, 0};
  }
  shape.concentration = c.concentration.value_or(shape.concentration);
  if (shape.global_routers == 0)
    shape.parallel_links = c.parallel_links.value_or(shape.parallel_links);
  else
    shape.global_routers = c.global_routers.value_or(shape.global_routers);
  return shape;
}

FlitParameters flit_parameters(const FabricConfig& c) {
  return {.virtual_channels = c.virtual_channels,
          .buffer_depth = c.buffer_depth,
          .router_stages = c.router_stages,
          .credit_cycles = c.credit_cycles,
          .crossing = c.crossing,
          .arbitration = c.arbitration,
          .fallback_occupancy = c.fallback_occupancy,
          .watchdog = c.watchdog};
}

}  // namespace asterism
