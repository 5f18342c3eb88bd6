// The fabric, loosely timed: it predicts at once when a packet would arrive, without moving a flit.
//
// The prediction is the zero-load latency of the flit engine (flit_network.h), edge by edge on the routers'
// own clocks, plus the mean waiting time. The zero-load latency is exact for a lone packet of at most
// FlitParameters::buffer_depth flits; a longer packet waits for credits, for about as long as predicted here.
// The waiting time is that of injection, of every channel on the path, and of ejection: each is a queue with
// random arrivals and the packet lengths that were observed there (Pollaczek-Khinchine). Traffic that came
// through the same input has queued before, and is not waited for again:
//
//   wait = contention * other load * flit time * (sum of flits^2 / sum of flits)
//          / 2 / (1 - load / knee) / shares
//
// With `shares` equal channels in round-robin order each channel gets every shares-th packet, so that
// arrivals are more even by that factor. `load` is the share of time for which the channel was occupied over
// the last window. Packets of other masters may be reported in any order of time within a window, since
// masters run ahead of each other: a window slides over two bins, and the count of a bin is spread evenly
// over the time in which it was collected.
//
// Routes are those of the topology's Routing: equal channels in round-robin order, and the fallback once as
// many flits as FlitParameters::fallback_occupancy are expected ahead of the preferred channel.
//
// A packet costs one step per hop and no allocation. Only integers and doubles with + - * / are used.
//
// Source: Pollaczek's formula as in Kleinrock, "Queueing Systems" I, section 5.6; the two factors are fitted
// to the flit engine (LooseParameters).
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

// One set of parameters for all topologies; loose_accuracy_test checks the resulting accuracy.
struct LooseParameters {
  Picoseconds window = 1_us;  // a longer window gives steadier results but follows bursts later
  // A factor on the waiting time of a FIFO queue: packets on several virtual channels alternate flit by flit.
  double contention = 1.2;
  // The load at which a channel saturates, because of its virtual channels and finite buffers.
  double knee = 0.8;
};

class LooseNetwork {
 public:
  // Keeps the topology alive.
  LooseNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& flit,
               const LooseParameters& parameters = {});

  // Returns when the tail of a packet that is offered at `now` reaches its destination. The packet counts as
  // load. Throws std::invalid_argument for a node that does not exist and for a packet without flits.
  Picoseconds send(const Packet& packet, Picoseconds now);

  // No packet is routed through a gated router unless there is no other way.
  void gate(RouterId router, bool gated) { gated_.at(router) = gated; }

  // Every kind clears the load, the counts and the round-robin positions. Gated routers stay gated.
  void reset(Reset kind);

  // Flits since the last reset, as in FlitNetwork::Load.
  struct Load {
    std::vector<std::uint64_t> channel_flits, injected_flits, ejected_flits;
  };
  Load load() const;

 private:
  // A count over the last window.
  struct Window {
    std::uint64_t bin = 0;
    std::uint64_t last = 0;      // the latest counted time in the bin
    double now = 0, before = 0;  // the counts of the bin and of the previous one
  };
  // An output of a router or a node: a channel, an injection or an ejection.
  struct Port {
    std::uint64_t flit_time = 0;  // in ps, of the slower end
    std::uint32_t number = 0;     // its index among its router's outputs
    Window flits, squares;        // sums over the packets: flits, and flits squared
    std::uint64_t total = 0;
  };
  // A packet at a router: the edges at which its head and its tail are granted.
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
  // The index among the inputs of the router that the channel or the node leads to.
  std::vector<std::uint32_t> input_of_channel_, input_of_node_;
  std::vector<std::uint32_t> outputs_;  // by RouterId
  std::vector<std::size_t> first_way_;  // by RouterId
  std::vector<Window> ways_;            // flits, [router][input][output]
  ChannelChoice choice_;
  std::vector<bool> gated_;
};

}  // namespace asterism
