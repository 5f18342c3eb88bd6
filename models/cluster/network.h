// The network between the nodes of a cluster: a NIC a node, a full-duplex link from it to one switch that has room for
// all frames and a way for each.
//
//   NIC queues -> link up -> switch -> link down -> receiver
//
// A frame occupies the sender's link for its bytes, is at the switch a latency after its first bit, waits there until the
// receiver's link is free and occupies it for its bytes. Without waiting it takes latency + bytes / bandwidth: the switch
// cuts through. Nothing is lost but by a link that is down.
//
// A NIC has two send queues, the application's and the checkpoints', and a policy which goes next (ni2012, sections 4.2
// and 4.3):
//   shared         in the order of arrival: one queue in effect
//   opportunistic  a frame of a checkpoint goes when the application has none to send
//   lottery        each time both have one, by lot; tickets set the odds
//
// Not modelled: corrupted frames, routing, contention inside the switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "base/enum_names.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/units.h"
#include "cluster/event_queue.h"

namespace asterism {

class Fields;

using NodeNumber = std::uint32_t;

struct Frame {
  static constexpr std::uint64_t overhead_bytes =
      24;  // preamble, addresses, check sequence: time on the wire only
  static constexpr std::size_t max_payload = 4160;  // a page and a header

  NodeNumber source = 0, destination = 0;
  std::vector<std::byte> payload;
};

enum class SendQueue { application = 0, checkpoint = 1 };

enum class SendPolicy { shared, opportunistic, lottery };
constexpr auto enum_names(SendPolicy) {
  return std::to_array<EnumName<SendPolicy>>(
      {{SendPolicy::shared, "shared", "in the order of arrival, as from one queue"},
       {SendPolicy::opportunistic, "opportunistic", "checkpoints when the application has nothing to send"},
       {SendPolicy::lottery, "lottery", "by lot when both have something; tickets set the odds"}});
}

struct NetworkConfig {
  Bandwidth bandwidth = Bandwidth(5'000'000'000);  // of a link, in each direction
  Picoseconds latency = 1_us;                      // from NIC to NIC
  SendPolicy policy = SendPolicy::opportunistic;
  std::uint32_t application_tickets = 1, checkpoint_tickets = 1;
};
void describe(Fields& f, NetworkConfig& c);

// What stands at the end of a link.
class NetworkPort {
 public:
  virtual ~NetworkPort() = default;
  virtual void receive(Frame frame) = 0;
  // A frame of this queue has left: there may be room for another.
  virtual void sent(SendQueue) {}
};

class Network {
 public:
  // Nodes are 0 to count - 1. The seed is that of the lots.
  Network(EventQueue& event_queue, const NetworkConfig& config, NodeNumber count, std::uint64_t seed);

  NodeNumber count() const { return static_cast<NodeNumber>(nics_.size()); }
  void attach(NodeNumber node, NetworkPort& port) { nics_.at(node).port = &port; }
  // Of one link; the others keep the configuration's.
  void set_bandwidth(NodeNumber node, Bandwidth bandwidth) { nics_.at(node).bandwidth = bandwidth; }
  void set_tickets(NodeNumber node, std::uint32_t application, std::uint32_t checkpoint);
  std::uint32_t tickets(NodeNumber node, SendQueue queue) const {
    return nics_.at(node).tickets[static_cast<std::size_t>(queue)];
  }

  // frame.source sends; the frame waits in the queue. Throws std::invalid_argument for a payload over max_payload and for a
  // destination that there is not. A frame to oneself takes the latency only.
  void send(Frame frame, SendQueue queue);
  // Sees each frame that a node with its link up gives to send.
  std::function<void(const Frame&)> on_send;
  std::size_t waiting(NodeNumber node, SendQueue queue) const;
  // Forgets what waits to be sent: the node was reset. What is on the wire arrives.
  void clear(NodeNumber node);

  // Down: what waits or is on the wire from or to the node is lost, and all that it sends, or is sent, until it is up.
  void set_link(NodeNumber node, bool up);
  bool link_is_up(NodeNumber node) const { return nics_.at(node).up; }

  void report(Statistics& statistics) const;  // sums over all nodes
  void report(NodeNumber node, Statistics& statistics) const;
  std::uint64_t bytes_sent(NodeNumber node, SendQueue queue) const;
  std::uint64_t frames_sent(NodeNumber node, SendQueue queue) const;

 private:
  struct Waiting {
    Picoseconds since;
    std::uint64_t order;
    Frame frame;
  };
  struct Counts {
    std::uint64_t frames = 0, bytes = 0;
    Picoseconds waited;  // in the queue, of all frames
  };
  struct Nic {
    NetworkPort* port = nullptr;
    Bandwidth bandwidth;
    std::uint32_t tickets[2];
    std::deque<Waiting> queues[2];
    bool up = true, sending = false;
    std::uint32_t connection = 0;  // counts the times it went down
    Picoseconds receiver_free;     // when the link from the switch is
    Counts counts[2];
    std::uint64_t lost = 0;
  };

  SendQueue next_queue(const Nic& nic);
  void start(NodeNumber node);
  void left(NodeNumber node, SendQueue queue);
  void arrive(Frame frame, std::uint32_t from_connection, std::uint32_t to_connection);
  void deliver(Frame frame, std::uint32_t from_connection, std::uint32_t to_connection);
  static Picoseconds wire_time(const Nic& nic, const Frame& frame);
  static void add(Statistics& statistics, std::span<const Nic> nics);

  EventQueue& event_queue_;
  const NetworkConfig config_;
  std::vector<Nic> nics_;
  std::uint64_t order_ = 0;
  Random random_;
};

}  // namespace asterism
