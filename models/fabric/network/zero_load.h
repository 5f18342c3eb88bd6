// The latency of a packet that is alone in the fabric, as a closed form: what the flit engine gives, to the edge,
// without moving a flit.
//
// The head leaves its node at the first edge of the router's clock after the packet was created, each flit behind it
// an edge later. A flit that a router took at an edge leaves `router_stages` edges later (one behind the head one edge
// earlier at best, as its way is known, and never together with another), and takes the channel's latency in cycles
// of its sender. A router of another clock takes it at its first edge that is `crossing` later, one flit an edge.
//
// Exact for packets of at most `buffer_depth` flits; a longer one may wait for credits, and takes at least this.
#pragma once

#include "fabric/network/flit_network.h"
#include "fabric/topology/topology.h"

namespace asterism {

// From `created` to the tail at the destination. Where a router has several channels to choose from the packet takes
// number `turn` of them, modulo their number; a fresh network begins with 0. Throws std::invalid_argument for nodes
// that there are not and packets without flits.
Picoseconds zero_load_latency(const Topology& topology, const FlitParameters& parameters, NodeId source,
                              NodeId destination, unsigned flits, Picoseconds created, unsigned turn = 0);

// The mean of that over `samples` packets between different nodes, created at any phase of the clocks, turns taken
// evenly: uniform random traffic before it contends. The same on every machine.
Picoseconds mean_zero_load(const Topology& topology, const FlitParameters& parameters, unsigned flits,
                           unsigned samples = 65'536);

}  // namespace asterism
