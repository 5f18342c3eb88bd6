// The flit-accurate engine: wormhole switching with virtual channels and credits, with a clock for every
// router.
//
// A packet is a sequence of flits that keeps the virtual channel it was given at each hop until its tail has
// left (wormhole). A router is an input-buffered Swizzle-Switch: in each cycle every input port selects one
// of its virtual channels (round-robin among those whose flit could move, because a virtual channel and a
// credit are available downstream), every output port grants one of the inputs that request it
// (FlitParameters::arbitration), and the winning head flit takes the free virtual channel of its class with
// the most credits. The flit leaves `router_stages` cycles after its arrival if nothing blocks it. A credit
// is returned when the flit has left the buffer.
//
// Time is in picoseconds. A router acts at the edges k * period of its clock. A flit between two clock
// domains arrives at the first edge of the receiver that is `crossing` of its cycles after the sender's edge,
// at most one flit per edge.
//
// Cost: a router without a flit costs nothing, and neither does a cycle without one.
//
// Source: abeyratne2017 section 3.4 (4 VCs of 5 flits, two-stage routers, dual-clock buffers, links pipelined
// at the sender's clock); Dally and Towles, "Principles and Practices of Interconnection Networks", ch.
// 16-19.
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
  // Hundredths of a receiver's cycle between the sender's edge and the edge that takes the flit.
  unsigned crossing = 184;
  ArbiterPolicy arbitration = ArbiterPolicy::least_recently_granted;
  // The number of flits in the buffers ahead of a preferred channel at which the fallback is used.
  unsigned fallback_occupancy = 10;
  // Cycles of the slowest clock without any movement, after which the network counts as blocked.
  Cycles watchdog = Cycles(100'000);
};

struct Packet {
  NodeId source = 0, destination = 0;
  std::uint32_t flits = 1;
  std::uint64_t tag = 0;  // for use by the sender
};

struct Delivery {
  Packet packet;
  Picoseconds created, injected, delivered;  // offered; head left the node; tail reached the node
  unsigned routers;                          // the number of routers passed
};

class FlitNetwork {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void delivered(const Delivery& delivery) = 0;
  };

  // Keeps the topology alive. Throws std::invalid_argument for parameters that do not fit the topology.
  FlitNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& parameters);
  ~FlitNetwork();

  // Adds a packet to the node's source queue, which has no limit. It starts at the next edge of the clock of
  // the node's router. `now` must not be before the time of the last advance_to().
  void inject(const Packet& packet, Picoseconds now);

  // The engine protocol (base/engine.h). Every kind of reset empties the network and resets counters and
  // priorities, including those of hooks. Gated routers stay gated.
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset(Reset kind);

  // Attaches a hook to the arbitration of a router; nullptr detaches it. The hook outlives the network or is
  // detached. Throws std::invalid_argument for a router of more than max_hook_radix inputs.
  void attach_hook(RouterId router, ArbitrationHook* hook);

  // Power gating: no new packet is routed through a gated router. The router loses power once the last flit
  // has left it (see powered()). Throws std::invalid_argument if a pair of nodes would be disconnected.
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
  std::uint64_t packets_waiting() const;  // in source queues, not started

  // Not empty once nothing has moved for FlitParameters::watchdog while flits are in the network: one line
  // for each blocked packet (at most 32) with the position of its head and what it waits for.
  std::vector<std::string> blocked() const;

  // Counts the flits and credits of every virtual channel, in buffers and in transit. Throws std::logic_error
  // if they do not add up to the buffer's depth, or if a buffer overflows. For tests: it walks over the whole
  // state.
  void audit() const;

  // The size of the state, without the packets.
  Bytes memory() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace asterism
