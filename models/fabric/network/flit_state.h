// The state of a FlitNetwork, and how one cycle changes it. flit_network.h describes what is modelled.
//
// Everything that one router sends to another passes through the calendar of the receiver's clock domain and
// takes effect at a later edge. The order in which the routers of one cycle are visited therefore does not
// matter, and only routers that hold flits and nodes that have packets are visited at all.
//
// The `router_stages` are split within a router: a head is routed and may request the switch `before_grant`
// cycles after its arrival (the flits behind it may do so at once), and it leaves `after_grant` cycles after
// its grant.
#pragma once

#include <algorithm>
#include <bit>

#include "fabric/network/channel_choice.h"
#include "fabric/network/flit_network.h"

namespace asterism {

class FlitNetwork::State {
 public:
  State(std::shared_ptr<const Topology> topology, const FlitParameters& parameters);

  void inject(const Packet& packet, Picoseconds now);
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);
  void reset();
  void reset_hooks(Reset kind);

  void attach_hook(RouterId router, ArbitrationHook* hook);
  void gate(RouterId router, bool gated);
  bool powered(RouterId router) const;

  Load load() const;
  void clear_load();
  std::uint64_t flits_in_flight() const { return flits_in_flight_; }
  std::uint64_t packets_waiting() const { return packets_waiting_; }
  std::vector<std::string> blocked() const;
  void audit() const;
  Bytes memory() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint16_t unrouted = 0xffff;
  using VcMask = std::uint16_t;  // one bit for each virtual channel of a port

  struct PacketState {
    Packet packet;
    Picoseconds created, injected;
    RouterId destination_router;
    std::uint32_t routers = 0;
    std::uint32_t next = none;  // the next one in the source queue, or in the free list
  };
  struct Arrival {
    std::uint32_t vc;      // numbered over all input ports
    std::uint32_t packet;  // of a head flit; none for the flits behind it
  };
  // The events of one edge.
  struct Bucket {
    std::vector<Arrival> arrivals;
    std::vector<std::uint32_t> credits;     // output VCs
    std::vector<std::uint32_t> deliveries;  // packets
    bool empty() const { return arrivals.empty() && credits.empty() && deliveries.empty(); }
  };
  // A set of ids. Members are visited in ascending order, which is the order of their state in memory.
  class IdSet {
   public:
    void resize(std::size_t size) { words_.assign((size + 63) / 64, 0); }
    void insert(std::uint32_t id) {
      std::uint64_t& word = words_[id / 64];
      count_ += (word >> (id % 64) & 1) ^ 1;
      word |= std::uint64_t{1} << (id % 64);
    }
    bool empty() const { return count_ == 0; }
    void clear() {
      std::ranges::fill(words_, 0);
      count_ = 0;
    }
    // Keeps the members for which `stays` returns true. It may insert an id that was visited already, or the
    // present one.
    template <class Stays>
    void visit(Stays&& stays) {
      for (std::size_t w = 0; w < words_.size(); ++w)
        for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
          const int bit = std::countr_zero(left);
          if (stays(static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(bit))) continue;
          words_[w] &= ~(std::uint64_t{1} << bit);
          --count_;
        }
    }

   private:
    std::vector<std::uint64_t> words_;
    std::size_t count_ = 0;
  };
  struct Domain {
    std::uint64_t period = 1;  // ps
    std::uint64_t cycle = 0;   // the last edge that was processed
    std::vector<Bucket> calendar;
    std::vector<std::uint64_t> due;  // one bit for each bucket that is not empty
    IdSet routers;                   // the routers that hold flits
    IdSet nodes;                     // the nodes that have packets to send
  };
  // Where the flits or credits of a port go, and when they take effect there.
  struct Path {
    std::uint32_t cycles = 0;  // cycles of the sender from the grant to the arrival, or to a clock crossing
    std::uint16_t domain = 0;
    bool crosses = false;  // the path leads into another clock domain
  };
  // The output port of a router towards a channel or a node, or of a node towards its router. A node accepts
  // every flit.
  struct OutputPort {
    VcMask free = 0;                // virtual channels that no packet holds
    VcMask usable = 0;              // virtual channels with credit
    std::uint32_t first_vc = none;  // of the input port at the other end; none for an ejection port
    Path path;
    std::uint64_t flits = 0;
  };
  struct InputPort {
    VcMask occupied = 0;
    std::uint16_t next_vc = 0;      // where the round-robin starts
    std::uint32_t upstream_vc = 0;  // the first output VC that receives its credits
    Path credits;
    RouterId router = 0;
    std::uint32_t place = 0;  // its bit in occupied_ports_
  };
  // An input virtual channel. Flits are not stored one by one: those of the packet at the front come first,
  // followed by those of the packets that wait behind it.
  struct Vc {
    std::uint16_t output =
        // The output of its router that the packet at the front takes; unrouted if there is no packet.
        unrouted;
    // Virtual channels downstream: all of the packet's class, or the one that the packet holds.
    VcMask wanted = 0;
    bool holds = false;
    std::uint8_t flits = 0;
    std::uint8_t first_waiting = 0, waiting = 0;  // waiting packets, in a ring
    std::uint32_t packet = 0;                     // at the front
    std::uint32_t left = 0;                       // the number of its flits that have not left

    std::uint32_t held() const { return holds ? wanted : 0u; }
  };
  struct Router {
    std::uint32_t first_input = 0, inputs = 0;
    std::uint32_t first_output = 0, outputs = 0;
    std::uint32_t first_word = 0, words = 0;  // of occupied_ports_
    std::uint32_t domain = 0;
    bool gated = false;
    std::uint64_t committed = 0;  // packets routed to it whose tail has not left it
    std::uint64_t flits = 0;
  };
  struct GatedTime {
    // In ps; `since` is the start of the present gating plus 1, or 0 if the router is not gated.
    std::uint64_t since = 0, before = 0;
  };
  struct Node {
    std::uint32_t queue = none, queue_end = none;  // packets
    std::uint32_t sent = 0;                        // the number of flits of the front packet that were sent
    std::uint32_t vc = 0;                          // the virtual channel that it holds, if sent > 0
    std::uint32_t output = 0;
  };

  void build_domains();
  void build_ports();
  void join(std::uint32_t output, std::uint32_t input, Cycles latency, RouterId from, RouterId to);
  void size_calendars();
  void check_connected() const;

  void step(Domain& domain, std::uint64_t cycle, Sink& sink);
  void arrive(const Arrival& arrival, Domain& domain);
  void route(std::uint32_t vc, std::uint32_t packet, RouterId at);
  bool congested(ChannelId channel) const;
  bool is_powered(ChannelId channel) const { return !routers_[topology_->channels[channel].to].gated; }
  bool send_from_node(Node& node, Domain& domain);
  template <bool has_hook>
  bool switch_router(RouterId id, Domain& domain);
  void note_request(std::uint32_t output, std::uint32_t local_input, std::uint32_t vc);
  std::uint32_t decision(RouterId id, std::uint32_t output, std::uint32_t choice);
  std::uint32_t put_forward(const Router& router, std::uint32_t port) const;  // none if no flit can move
  void grant(Router& router, Domain& domain, std::uint32_t output, std::uint32_t local_input,
             std::uint32_t vc);
  std::uint32_t take_vc(OutputPort& port, std::uint32_t output, std::uint32_t candidates);
  void send(std::uint32_t output, std::uint32_t vc, std::uint32_t head, const Domain& from);
  void return_credit(InputPort& port, std::uint32_t vc_of_port, const Domain& domain);
  std::uint64_t edge_behind_crossing(const Path& path, const Domain& from) const;
  static void catch_up(Domain& domain, std::uint64_t now);
  static Bucket& bucket(Domain& domain, std::uint64_t cycle);
  std::uint64_t next_cycle(const Domain& domain) const;  // ~0 if there is nothing to do
  void note_gating(RouterId router);
  std::uint32_t new_packet(const Packet& packet, Picoseconds now);

  static VcMask bit(std::uint32_t vc) { return static_cast<VcMask>(1u << vc); }
  // Virtual channels are numbered port by port, and waiting packets by virtual channel, in strides that are
  // powers of two.
  std::uint32_t port_of(std::uint32_t vc) const { return vc >> vc_shift_; }
  std::uint32_t number_of(std::uint32_t vc) const { return vc & ((1u << vc_shift_) - 1); }
  std::uint32_t first_vc_of(std::uint32_t port) const { return port << vc_shift_; }
  std::uint32_t& waiting_packet(std::uint32_t vc, std::uint32_t place) {
    return waiting_packets_[(std::size_t{vc} << depth_shift_) + (place & ((1u << depth_shift_) - 1))];
  }
  std::string name_of_output(std::uint32_t output) const;

  std::shared_ptr<const Topology> topology_;
  FlitParameters parameters_;
  std::uint32_t virtual_channels_, vc_shift_, depth_shift_, before_grant_, after_grant_;

  std::vector<VcMask> class_masks_;
  std::vector<std::uint8_t> class_of_vc_;
  std::vector<Domain> domains_;
  std::vector<Router> routers_;
  std::vector<GatedTime> gated_times_;
  std::vector<SwizzleSwitch> switches_;
  std::vector<OutputPort> outputs_;
  std::vector<std::uint64_t> last_edge_;  // [output]: the last edge at which a flit came out of a crossing
  std::vector<std::uint32_t> output_of_channel_, ejection_of_node_, channel_of_output_;
  std::vector<std::uint8_t> credits_;  // [output][vc]
  std::vector<InputPort> inputs_;
  std::vector<Vc> vcs_;
  std::vector<std::uint32_t> waiting_packets_;  // [vc][depth]
  std::vector<std::uint64_t> occupied_ports_;
  std::vector<Node> nodes_;
  ChannelChoice choice_;
  std::vector<PacketState> packets_;
  std::uint32_t free_packet_ = none;

  // [output of the present router]: the input VC with the highest priority.
  std::vector<std::uint32_t> request_;
  std::vector<std::uint32_t> requested_;  // the outputs that have a request

  std::vector<ArbitrationHook*> hooks_;     // by router; empty if no router has a hook
  std::vector<RequestSet> requests_;        // all requests, for a router with a hook
  std::vector<std::uint32_t> put_forward_;  // [input of that router]: its virtual channel

  std::uint64_t now_ = 0, last_move_ = 0, load_since_ = 0;  // ps
  std::uint64_t slowest_period_ = 1;
  std::uint64_t flits_in_flight_ = 0, packets_waiting_ = 0;
  bool moved_ = false;  // whether anything moved in the present step
  bool stuck_ = false;
};

}  // namespace asterism
