// The fabric, loosely timed: when a packet would arrive, answered at once and without moving a flit.
//
// The answer is the zero-load latency of the flit engine (flit_network.h), edge by edge on the routers' own clocks and
// exact for a lone packet of at most FlitParameters::buffer_depth flits (one that is longer waits for credits, about as
// long as here), plus the mean time that it would wait:
//
//   injection, every channel on its way, ejection: a queue with random arrivals and the trains of flits that were
//   seen there (Pollaczek-Khinchine); what came by the same input has queued before and is not waited for again
//
//     wait = contention * other load * flit time * (sum of flits^2 / sum of flits) / 2 / (1 - load / knee) / turns
//
// Of `turns` equal channels that take turns each sees every turns-th packet, which come that much more evenly.
// `load` is the share of time that the channel was taken over the last window. Packets of other masters may be told
// in any order of time within a window (masters run ahead of each other): a window slides over two bins, and within a
// bin what was counted is spread evenly over the time that it came from.
//
// Routes are those of the topology's Routing: equal channels in rounds, the fallback once as many flits as
// FlitParameters::fallback_occupancy are to be expected ahead of the preferred channel.
//
// A packet costs one step a hop, no allocation. Integers and doubles with + - * / only.
//
// Source: Pollaczek's formula as in Kleinrock, "Queueing Systems" I, section 5.6; the two factors are fitted to the flit
// engine (LooseParameters).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "fabric/network/channel_choice.h"
#include "fabric/network/flit_network.h"
#include "fabric/topology/topology.h"

namespace asterism {

// One set for all topologies; loose_accuracy_test holds the figures that it gives.
struct LooseParameters {
  Picoseconds window = 1_us;  // a longer one is steadier and follows bursts later
  // Of a FIFO queue's wait: trains on several virtual channels alternate, flit by flit.
  double contention = 1.2;
  // The load at which a channel carries no more, because of its virtual channels and finite buffers.
  double knee = 0.8;
};

class LooseNetwork {
 public:
  // Keeps the topology alive.
  LooseNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& flit,
               const LooseParameters& parameters = {});

  // When the tail of a packet that is offered at `now` reaches its destination. The packet counts as load.
  // Throws std::invalid_argument for a node that there is not and for a packet without flits.
  Picoseconds send(const Packet& packet, Picoseconds now);

  // No packet is routed through a gated router, unless there is no other way.
  void gate(RouterId router, bool gated) { gated_.at(router) = gated; }

  // On every kind: no load, no counts, the rounds from their start; what is gated stays so.
  void reset(Reset kind);

  // Flits since the last reset, as FlitNetwork::Load has them.
  struct Load {
    std::vector<std::uint64_t> channel_flits, injected_flits, ejected_flits;
  };
  Load load() const;

 private:
  // A count over the last window.
  struct Window {
    std::uint64_t bin = 0;
    std::uint64_t last = 0;      // the latest time in the bin that was counted
    double now = 0, before = 0;  // in the bin and in the one before it
  };
  // What leaves a router or a node: a channel, an injection or an ejection.
  struct Port {
    std::uint64_t flit_time = 0;  // ps, of the slower end
    std::uint32_t number = 0;     // among its router's outputs
    Window flits, squares;        // of the packets: their flits, and those squared
    std::uint64_t total = 0;
  };
  // A train of flits at a router: the edges at which head and tail are granted.
  struct Train {
    std::uint64_t head, tail;
  };

  void count(Window& window, double amount, std::uint64_t at) const;
  double over(const Window& window, std::uint64_t at) const;
  double load_of(const Port& port, std::uint64_t at) const;
  double wait_at(const Port& port, double other, std::uint64_t at) const;
  double pass(Port& port, Window* same_way, std::uint32_t flits, std::uint64_t at);
  std::uint64_t stalled(Train train, std::uint64_t rest, std::uint64_t round_trip) const;
  Train cross(Train granted, const Topology::Channel& channel, std::uint64_t flits) const;
  bool congested(ChannelId channel, std::uint64_t at) const;
  Window* way(RouterId router, std::uint32_t input, const Port& port) {
    return &ways_[first_way_[router] + std::size_t{input} * outputs_[router] + port.number];
  }
  void number_ports();
  std::uint64_t period(RouterId router) const { return topology_->routers[router].period.count(); }

  std::shared_ptr<const Topology> topology_;
  FlitParameters flit_;
  LooseParameters parameters_;
  std::uint64_t before_grant_, after_grant_;
  std::vector<Port> channels_, injections_, ejections_;
  std::vector<std::uint32_t> input_of_channel_,
      input_of_node_;                   // among the inputs of the router that they lead to
  std::vector<std::uint32_t> outputs_;  // by RouterId
  std::vector<std::size_t> first_way_;  // by RouterId
  std::vector<Window> ways_;            // flits, [router][input][output]
  ChannelChoice choice_;
  std::vector<bool> gated_;
};

}  // namespace asterism
