// The latency of a packet that is alone in the fabric, as a closed form. It equals the result of the flit
// engine, to the edge, without moving a flit.
//
// The head leaves its node at the first edge of the router's clock after the packet was created, and each
// flit behind it leaves an edge later. A flit that a router took at an edge leaves `router_stages` edges
// later (a flit behind the head may leave one edge earlier, since its route is known, but never together with
// another flit), and takes the channel's latency in cycles of its sender. A router with another clock takes
// it at its first edge that is `crossing` later, one flit per edge.
//
// The result is exact for packets of at most `buffer_depth` flits. A longer packet may wait for credits, and
// takes at least this long.
#pragma once

#include "fabric/network/flit_network.h"
#include "fabric/topology/topology.h"

namespace asterism {

// The time from `created` to the arrival of the tail at the destination. If a router has several channels to
// choose from, the packet takes number `choice` of them, modulo their number; a new network begins with 0.
// Throws std::invalid_argument for nodes that do not exist and for packets without flits.
Picoseconds zero_load_latency(const Topology& topology, const FlitParameters& parameters, NodeId source,
                              NodeId destination, unsigned flits, Picoseconds created, unsigned choice = 0);

// The mean over `samples` packets between different nodes, created at any phase of the clocks, with all
// round-robin positions equally frequent: uniform random traffic without contention. The result is the same
// on every machine.
Picoseconds mean_zero_load(const Topology& topology, const FlitParameters& parameters, unsigned flits,
                           unsigned samples = 65'536);

}  // namespace asterism
