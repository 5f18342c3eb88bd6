// Checks that a routing function is safe: packets reach every node, no route is circular, and no packet can
// wait for itself.
//
// A packet that holds a virtual channel waits for one of the next channel. The channel dependency graph has a
// vertex for each (channel, class) and an edge from each vertex to all vertices that a packet in it may
// request next, including fallbacks. Without a cycle the network cannot deadlock, and since no route then
// takes a channel twice in one class, every route ends (Dally and Seitz, "Deadlock-Free Message Routing in
// Multiprocessor Interconnection Networks", 1987). Gating routers only removes edges, and so preserves this.
//
// The time is proportional to the number of pairs of routers, the memory to the channels times the ports
// behind each.
#pragma once

#include <optional>
#include <string>

#include "fabric/topology/topology.h"

namespace asterism {

// Returns nullopt if the routing is safe, else one sentence with the names of routers:
//
//   "there is no way from R0 to R5"
//   "the route to R3 runs in a circle: R0 -> R1 -> R0"
//   "packets could block each other for ever: R0->R1 -> R1->R2 -> R2->R0 -> R0->R1"
//
// Classes are named if there are several: "R0->R1 (class 0) -> ...".
std::optional<std::string> routing_problem(const Topology& topology);

}  // namespace asterism
