// The configuration of the fabric between the masters and the targets of a node: `fabric` of a node file and
// of a fabric study.
#pragma once

#include <optional>
#include <string>

#include "base/enum_names.h"
#include "base/units.h"
#include "fabric/arbiter_config.h"
#include "fabric/network/flit_network.h"
#include "swizzle_switch/swizzle_switch.h"

namespace asterism {

class Fields;

enum class TopologyKind {
  crossbar,
  swizzle_switch,
  mesh,
  cmesh_low,
  cmesh_high,
  fbfly,
  superstar,
  superstarx,
  superring,
  graph
};
constexpr auto enum_names(TopologyKind) {
  return std::to_array<EnumName<TopologyKind>>({
      {TopologyKind::crossbar, "crossbar", "ideal: a fixed latency, without contention"},
      {TopologyKind::swizzle_switch, "swizzle_switch",
       "one router with all ports: a crossbar that arbitrates"},
      {TopologyKind::mesh, "mesh", "one router per node: many hops, the most bandwidth and power"},
      {TopologyKind::cmesh_low, "cmesh-low",
       "a mesh with few nodes per router: half the hops, half the bandwidth"},
      {TopologyKind::cmesh_high, "cmesh-high",
       "a mesh with many nodes per router and parallel links: few, slow hops"},
      {TopologyKind::fbfly, "fbfly", "flattened butterfly: two hops at most, saturates early"},
      {TopologyKind::superstar, "superstar",
       "local routers under global routers: two hops, scales with the number of global routers"},
      {TopologyKind::superstarx, "superstarx",
       "a superstar with links between neighbours: local traffic is faster"},
      {TopologyKind::superring, "superring",
       "local routers under a ring of global routers: cheap, saturates first"},
      {TopologyKind::graph, "graph", "routers and links from a file in configs/graphs"},
  });
}

enum class Fidelity { loose, contended, flit };
constexpr auto enum_names(Fidelity) {
  return std::to_array<EnumName<Fidelity>>(
      {{Fidelity::loose, "loose", "a packet takes the latency that it has alone in the fabric"},
       {Fidelity::contended, "contended",
        "that latency, and waits by the load of the links: fast, and close to flit up to saturation"},
       {Fidelity::flit, "flit", "every flit passes through every router: exact and slow"}});
}

struct FabricConfig {
  TopologyKind topology = TopologyKind::crossbar;
  Picoseconds latency = 10_ns;  // of a crossbar: the total of both directions
  Fidelity fidelity = Fidelity::contended;
  std::optional<std::string> curves = {};  // a file in configs/fabric_curves; absent: that of the topology

  std::uint32_t nodes = 576;
  std::optional<std::uint32_t> ports = {};          // for a swizzle_switch, in place of nodes
  std::optional<std::uint32_t> concentration = {};  // nodes per router; if absent, fabric_shape() gives it
  std::optional<std::uint32_t> parallel_links = {};
  std::optional<std::uint32_t> global_routers = {};
  std::uint32_t gated_global_routers = 0;  // the last ones are power-gated from the start
  std::string graph = {};                  // a file in configs/graphs

  Micrometres tile = 900_um;  // the side of a node's square tile
  std::uint32_t channel_width = 128;
  std::string technology = "swizzle_switch_15nm";  // a file in configs/technologies
  std::optional<Frequency> clock = {};     // of all routers; if absent, what the radix of each router allows
  std::optional<Cycles> link_cycles = {};  // of all links; if absent, by the length of each link
  std::optional<Cycles> global_link_cycles = {};  // of links to and between global routers

  std::uint32_t virtual_channels = 4;
  std::uint32_t buffer_depth = 5;
  std::uint32_t router_stages = 3;
  std::uint32_t credit_cycles = 1;
  std::uint32_t crossing = 184;
  ArbiterPolicy arbitration = ArbiterPolicy::least_recently_granted;
  ArbiterConfig arbiter = {};
  std::uint32_t fallback_occupancy = 10;
  Cycles watchdog = Cycles(100'000);
};
void describe(Fields& f, FabricConfig& config);
// Without `arbiter`: for studies, in which the model always decides.
void describe_model(Fields& f, FabricConfig& config);

// The values of the optional numbers with the topology's own defaults, which are those of abeyratne2017 Table
// 3.2.
struct FabricShape {
  unsigned concentration = 1;
  unsigned parallel_links = 1;
  unsigned global_routers = 0;
};
FabricShape fabric_shape(const FabricConfig& config);

FlitParameters flit_parameters(const FabricConfig& config);

}  // namespace asterism
