// The fabric, loosely timed: it predicts at once when a packet would arrive, without moving a flit. It serves
// two fidelities (FabricConfig::fidelity): without curves it is `loose`, with them `contended`.
//
// Without curves a packet takes the zero-load latency of the flit engine (flit_network.h), edge by edge on
// the routers' own clocks. This is exact for a lone packet of at most FlitParameters::buffer_depth flits; a
// longer packet waits for credits, for about as long as predicted here.
//
// With curves it also waits: for injection, for every channel on the path, and for ejection (link_load.h).
// Traffic that came through the same input has queued before, and is not waited for again. With `shares`
// equal channels in round-robin order each channel gets every shares-th packet, so that arrivals are more
// even by that factor:
//
//   wait = wait of the link * share of the link's other traffic / shares, or its backlog if that is longer
//
// A packet counts at a link at the time at which it is sent, plus its waits before that link.
//
// Routes are those of the topology's Routing: equal channels in round-robin order, and with curves the
// fallback once as many flits as FlitParameters::fallback_occupancy are expected ahead of the preferred
// channel.
//
// A packet costs one step per hop and no allocation. Only integers and doubles with + - * / are used.
//
// Source: Pollaczek's formula as in Kleinrock, "Queueing Systems" I, section 5.6.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/reset.h"
#include "base/units.h"
#include "fabric/network/channel_choice.h"
#include "fabric/network/fabric_curves.h"
#include "fabric/network/flit_network.h"
#include "fabric/network/link_load.h"
#include "fabric/topology/topology.h"

namespace asterism {

class PredictedNetwork {
 public:
  // Keeps the topology alive. Packets are sent ahead of what is committed by about `quantum`.
  PredictedNetwork(std::shared_ptr<const Topology> topology, const FlitParameters& flit,
                   const std::optional<FabricCurves>& curves = {}, Picoseconds quantum = 0_ps);

  // No packet is sent before `until` any more. Waits follow from the load until then.
  void commit(Picoseconds until) { bins_.commit(until); }
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
  static constexpr std::size_t no_way = std::numeric_limits<std::size_t>::max();  // all share one queue

  // An output of a router or a node: a channel, an injection or an ejection.
  struct Port {
    double flit_time = 0;      // in ps, of the slower end
    std::uint32_t number = 0;  // its index among its router's outputs
    LinkLoad load;
    std::uint64_t total = 0;
  };
  enum class LinkKind : std::uint8_t { injection, channel, ejection };
  // A packet at a router: the edges at which its head and its tail are granted.
  struct Train {
    std::uint64_t head, tail;
  };
  struct Waits {
    LoadBins::Moment moment;          // at which the packet comes to the next link
    double total = 0;                 // in ps
    const LinkLoad* input = nullptr;  // the link by which it has come
  };

  const LinkCurve& curve(LinkKind kind) const {
    return kind == LinkKind::injection ? curves_->injection
           : kind == LinkKind::channel ? curves_->channel
                                       : curves_->ejection;
  }
  // `way` is an index in `ways_`.
  void pass(Port& port, LinkKind kind, std::size_t way, std::uint32_t flits, std::size_t shares,
            Waits& waits);
  std::uint64_t stalled(Train train, std::uint64_t rest, std::uint64_t round_trip) const;
  Train cross(Train granted, const Topology::Channel& channel, std::uint64_t flits) const;
  bool congested(ChannelId channel, const LoadBins::Moment& at);
  void number_ports();
  std::uint64_t period(RouterId router) const { return periods_[router]; }

  std::shared_ptr<const Topology> topology_;
  FlitParameters flit_;
  std::optional<FabricCurves> curves_;
  std::uint64_t before_grant_, after_grant_;
  LoadBins bins_;
  std::vector<Port> channels_, injections_, ejections_;
  std::vector<std::uint64_t> periods_;  // by RouterId, in ps
  // By input and output of each router. Those from an input follow each other, in the order of the outputs.
  std::vector<PartialLoad> ways_;
  std::vector<std::size_t> ways_from_channel_, ways_from_node_;  // the first of each
  ChannelChoice choice_;
  std::vector<bool> gated_;
};

}  // namespace asterism
