// The flit-accurate engine: wormhole switching with virtual channels and credits, every router on its own clock.
//
// A packet is a train of flits that keeps the virtual channel it was given at each hop until its tail has left
// (wormhole). A router is an input-buffered Swizzle-Switch: in each cycle every input port puts forward one of
// its virtual channels (round-robin among those whose flit could go: VC and credit downstream are there), every
// output port grants one of the inputs that want it (FlitParameters::arbitration), and the winning head flit takes
// a free virtual channel of its class with the most credits. The flit leaves `router_stages` cycles after it
// arrived when nothing is in its way. A credit goes back when the flit has left the buffer.
//
// Time is picoseconds. A router acts at the edges k * period of its clock. A flit between two clocks arrives at the
// first edge of the receiver that is `crossing` of its cycles after the sender's edge, at most one flit an edge.
//
// Cost: a router without a flit costs nothing, nor does a cycle without one.
//
// Source: abeyratne2017 section 3.4 (4 VCs of 5 flits, two-stage routers, dual-clock buffers, links pipelined at
// the sender's clock); Dally and Towles, "Principles and Practices of Interconnection Networks", ch. 16-19.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "fabric/topology/topology.h"
#include "swizzle_switch/arbitration_hook.h"
#include "swizzle_switch/swizzle_switch.h"

namespace asterism {

struct FlitParameters {
  unsigned virtual_channels = 4;  // per port; at most 16
  unsigned buffer_depth = 5;      // flits per virtual channel
  unsigned router_stages = 3;     // cycles from arrival to departure, >= 1
  unsigned credit_cycles = 1;     // from the buffer's router to the start of the link back
  unsigned crossing = 184;        // hundredths of a receiver's cycle before the edge that takes the flit
  ArbiterPolicy arbitration = ArbiterPolicy::least_recently_granted;
  unsigned fallback_occupancy =
      10;  // flits in the buffers ahead of a preferred channel from which the fallback is taken
  Cycles watchdog = Cycles(100'000);  // of the slowest clock without any flit moving: stuck
};

struct Packet {
  NodeId source = 0, destination = 0;
  std::uint32_t flits = 1;
  std::uint64_t tag = 0;  // the sender's own
};

struct Delivery {
  Packet packet;
  Picoseconds created, injected, delivered;  // offered; head left the node; tail reached the node
  unsigned routers;                          // passed
};

class FlitNetwork {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void delivered(const Delivery& delivery) = 0;
  };

  // Keeps the topology alive. Throws std::invalid_argument for parameters that do not fit it.
  FlitNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& parameters);
  ~FlitNetwork();

  // Puts a packet into the node's source queue, which has no limit; it starts at the next edge of the node's
  // router's clock. Not before the time of the last advance_to().
  void inject(const Packet& packet, Picoseconds now);

  // The engine protocol (base/engine.h). Every kind of reset empties the network and resets counters and priorities,
  // including those of hooks. Gated routers stay gated.
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);

  // Attaches a hook to the arbitration of a router; nullptr detaches it. The hook outlives the network or is detached.
  // Throws std::invalid_argument for a router of more than max_hook_radix inputs.
  void attach_hook(RouterId router, ArbitrationHook* hook);

  // Power gating: no new packet is routed through a gated router; it is gated once the last flit has left
  // (powered() says). Throws std::invalid_argument when a pair of nodes would be cut off.
  void gate(RouterId router, bool gated);
  bool powered(RouterId router) const;

  struct Load {                                                // since reset or clear_load()
    std::vector<std::uint64_t> channel_flits;                  // by ChannelId
    std::vector<std::uint64_t> injected_flits, ejected_flits;  // by NodeId
    std::vector<std::uint64_t> router_flits;                   // through the switch, by RouterId
    std::vector<Picoseconds> powered_time;                     // by RouterId
  };
  Load load() const;
  void clear_load();

  std::uint64_t flits_in_flight() const;  // in buffers and on links
  std::uint64_t packets_waiting() const;  // in source queues, not begun

  // Set once nothing has moved for FlitParameters::watchdog while flits are in the network: one line for each
  // blocked packet (at most 32) with where its head stands and for what it waits.
  std::vector<std::string> blocked() const;

  // Counts flits and credits of every virtual channel, in buffers and under way: throws std::logic_error when they
  // do not add up to the buffer's depth, or a buffer holds more. For tests; costs a walk over everything.
  void audit() const;

  // Bytes that the state takes, without the packets.
  Bytes memory() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace asterism
