// Synthetic traffic: which nodes send, when, and to which destinations.
//
// Every node that sends creates packets by a Bernoulli trial at each cycle of its router's clock, with the
// probability that gives `rate`. Nodes are the tiles of a grid, numbered row by row, and clusters are blocks
// of them (floor_plan.h). A node that its pattern maps to itself sends nothing (transpose's diagonal) unless
// `to_self` is set.
//
//   uniform         any other node
//   clustered       any other node of the same cluster or of one that shares a side with it
//   transpose       from (column, row) to (row, column); needs a square grid
//   bit_complement  from node n to node nodes - 1 - n, the tile opposite to the grid's centre. If the number
//                   of nodes is a power of two, that is n with all its bits inverted
//   hotspot         a share of the packets to one of the hotspots, all equally likely; the other packets, and
//                   those of a hotspot to itself, are uniform
//   trace           no pattern: packets from a file (trace.h); rate and packet_flits are not used
//
// Source: Dally and Towles, "Principles and Practices of Interconnection Networks", section 3.2; clustered:
// abeyratne2017 section 3.5.1 (16 tiles per cluster), whose share of local packets is not stated: it is
// uniform over all tiles in reach here, unless local_share is given.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/enum_names.h"
#include "base/random.h"
#include "base/units.h"
#include "fabric/topology/floor_plan.h"
#include "fabric/topology/topology.h"
#include "fabric/traffic/packet_source.h"

namespace asterism {

class Fields;

enum class TrafficPattern { uniform, clustered, transpose, bit_complement, hotspot, trace };
constexpr auto enum_names(TrafficPattern) {
  return std::to_array<EnumName<TrafficPattern>>(
      {{TrafficPattern::uniform, "uniform", "each packet to any other node"},
       {TrafficPattern::clustered, "clustered", "to the own cluster and its neighbours"},
       {TrafficPattern::transpose, "transpose", "from (column, row) to (row, column)"},
       {TrafficPattern::bit_complement, "bit-complement", "to the tile opposite to the grid's centre"},
       {TrafficPattern::hotspot, "hotspot", "a share of the packets to a few nodes"},
       {TrafficPattern::trace, "trace", "packets from a file"}});
}

enum class RateUnit { per_ns, per_cycle };
constexpr auto enum_names(RateUnit) {
  return std::to_array<EnumName<RateUnit>>(
      {{RateUnit::per_ns, "per_ns", "packets per nanosecond and node"},
       {RateUnit::per_cycle, "per_cycle", "packets per node and cycle of its router's clock"}});
}

struct TrafficConfig {
  TrafficPattern pattern = TrafficPattern::uniform;
  double rate = 0.01;  // packets that a node creates per `rate_unit`; 0 for none
  RateUnit rate_unit = RateUnit::per_ns;
  std::uint32_t packet_flits = 4;
  std::uint32_t grid_columns = 0;  // if 0, those of the squarest grid
  bool to_self = false;            // whether the sender is among its own destinations; not for clustered
  std::uint32_t cluster = 16;      // tiles
  std::optional<double> local_share = {};  // the share of clustered packets that stay in their cluster
  std::vector<std::uint32_t> hotspots = {0};
  double hotspot_share = 0.1;
  std::filesystem::path trace = {};
};
void describe(Fields& f, TrafficConfig& config);

// The highest rate, in the config's unit, at which a node can inject what it creates: one flit per cycle of
// the slowest clock of any node. Infinite for a trace.
double injection_bound(const TrafficConfig& config, const Topology& topology);

// Generates the packets of a pattern, in order of time, then of source. The same seed gives the same packets
// on any host. The cost is proportional to the packets, not to the nodes and cycles between them.
class Traffic final : public PacketSource {
 public:
  // Throws std::invalid_argument for a pattern that does not fit the number of nodes, a node that does not
  // exist, or a rate above the injection bound (the message gives the bound).
  Traffic(const TrafficConfig& config, const Topology& topology, std::uint64_t seed);

  std::optional<TimedPacket> next() override;

 private:
  // Nodes whose routers share a clock. Slot s is the trial of its sender s % senders at cycle s / senders.
  struct Domain {
    Picoseconds period;
    std::vector<NodeId> senders;
    Geometric gap;
    Random random;
    std::uint64_t slot;  // the slot of the next packet

    Picoseconds time() const { return period * (slot / senders.size()); }
    NodeId source() const { return senders[slot % senders.size()]; }
  };
  void check() const;
  bool sends(NodeId node) const;
  NodeId destination(NodeId source, Random& random) const;
  NodeId uniform(NodeId source, Random& random) const;
  NodeId clustered(NodeId source, Random& random) const;
  NodeId transposed(NodeId node) const { return node % grid_.columns * grid_.columns + node / grid_.columns; }

  TrafficConfig config_;
  NodeId nodes_;
  Grid grid_;                    // of tiles
  Grid cluster_;                 // in tiles, when clustered
  std::vector<Domain> domains_;  // in the order of their first node
};

// The packets that `config` describes: Traffic, or the trace that it names (trace.h, whose errors this
// function throws).
std::unique_ptr<PacketSource> make_packet_source(const TrafficConfig& config, const Topology& topology,
                                                 std::uint64_t seed);

}  // namespace asterism
