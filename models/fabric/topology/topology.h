// The structure of a fabric: routers, the channels between them and the nodes at their edge, with the lengths
// given by the floor plan and the clocks that their radix allows.
//
// A channel is one direction of one link; a link is two channels. A node is anything that sends and receives
// packets: a core, a memory controller, a device. It is attached to one router by an injection and an
// ejection channel of the same length, which are not among `channels`.
//
// Ports of a router, inputs and outputs alike, are first its nodes in the order of their ids, then its
// channels in the order of theirs. Latencies are in cycles of the sender's clock (of the router's clock for a
// node's two channels).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/topology/routing.h"

namespace asterism {

struct Topology {
  struct Point {
    Micrometres x, y;
  };
  struct Router {
    std::string name;  // "LR3", "GR0", "R17"
    Point at;
    unsigned radix = 0;   // the number of ports of its switch, used or not
    Picoseconds period;   // the period of its clock
    bool global = false;  // it may be power-gated if others take over its traffic
  };
  struct Channel {
    RouterId from = 0, to = 0;
    Micrometres length;
    Cycles latency;
  };
  struct Node {
    RouterId router = 0;
    Micrometres length;
    Cycles latency;
  };

  std::string name;
  unsigned channel_bits = 128;
  std::vector<Router> routers;
  std::vector<Channel> channels;
  std::vector<Node> nodes;
  std::shared_ptr<const Routing> routing;
};

}  // namespace asterism
