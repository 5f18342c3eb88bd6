// The network between the nodes of a cluster: one NIC per node, and a full-duplex link from each NIC to one
// switch with unlimited buffers and no internal contention.
//
//   NIC queues -> link up -> switch -> link down -> receiver
//
// A frame occupies the sender's link for its transmission time. Its first bit is at the switch one latency
// later; the frame waits there until the receiver's link is free, and then occupies that link for its
// transmission time. The switch is of the cut-through kind: a frame that does not wait takes
// latency + bytes / bandwidth. A frame to all nodes occupies the sender's link once, and then each receiver's
// link. Frames are lost only on links that are down.
//
// With a host thread, a thread of each node passes frames between memory and its NIC, one at a time, as the
// communication thread of a node does in ni2012 (section 4.1). A frame occupies it for bytes / host_thread
// when it is sent, and again when it is received. As the threads of Charm++ do, it first receives all that
// has arrived, in that order, then sends all that the application has queued, or else one frame of a
// checkpoint, and begins again. Which frame it sends next, the policy says; but the program's frames that
// arrive wait behind those of a copy. A frame is on the link at the end of the time for which the sender's
// thread has it. A frame that a node sends to itself does not occupy the thread.
//
// A NIC has two send queues, for the application and for checkpoints. A policy selects the queue that sends
// next (ni2012, sections 4.2 and 4.3):
//
//   shared         frames are sent in the order of their arrival, as from a single queue
//   opportunistic  a checkpoint frame is sent only when the application's queue is empty
//   lottery        when both queues hold a frame, one is drawn at random; tickets set the odds
//
// Not modelled: corrupted frames, routing, contention inside the switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/activity_log.h"
#include "base/enum_names.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/units.h"
#include "cluster/event_queue.h"

namespace asterism {

class Fields;

using NodeNumber = std::uint32_t;
// The destination of a frame that every node but its source receives.
constexpr NodeNumber all_nodes = 0xffff'fffe;

struct Frame {
  // Preamble, addresses and check sequence, which only take time on the wire. If the payload begins with the
  // addresses (virtio/virtio_net.h), these bytes are the preamble, the check sequence and the gap.
  static constexpr std::uint64_t overhead_bytes = 24;
  static constexpr std::size_t max_payload = 4160;  // a page and a header, with 16 bytes to spare

  NodeNumber source = 0, destination = 0;
  std::vector<std::byte> payload;
  ActivityLog::Flow flow = 0;  // for the record of a run
};

enum class SendQueue { application = 0, checkpoint = 1 };

enum class SendPolicy { shared, opportunistic, lottery };
constexpr auto enum_names(SendPolicy) {
  return std::to_array<EnumName<SendPolicy>>(
      {{SendPolicy::shared, "shared", "frames are sent in the order of their arrival, as from one queue"},
       {SendPolicy::opportunistic, "opportunistic",
        "checkpoint frames are sent only when the application's queue is empty"},
       {SendPolicy::lottery, "lottery",
        "when both queues hold a frame, one is drawn; tickets set the odds"}});
}

struct NetworkConfig {
  Bandwidth bandwidth = Bandwidth(5'000'000'000);  // of a link, in each direction
  Picoseconds latency = 1_us;                      // from NIC to NIC
  SendPolicy policy = SendPolicy::opportunistic;
  std::uint32_t application_tickets = 1, checkpoint_tickets = 1;
  std::optional<Bandwidth> host_thread = std::nullopt;
};
void describe(Fields& f, NetworkConfig& c);

// The endpoint of a link.
class NetworkPort {
 public:
  virtual ~NetworkPort() = default;
  virtual void receive(Frame frame) = 0;
  // A frame of this queue has been sent, so that the queue may accept another.
  virtual void sent(SendQueue) {}
  // The link went up or down; a link that went down has lost the frames in the send queues.
  virtual void link_changed() {}
};

class Network {
 public:
  // Nodes are numbered 0 to count - 1. The seed is for the lottery.
  Network(EventQueue& event_queue, const NetworkConfig& config, NodeNumber count, std::uint64_t seed);

  NodeNumber count() const { return static_cast<NodeNumber>(nics_.size()); }
  void attach(NodeNumber node, NetworkPort& port) { nics_.at(node).port = &port; }
  // Sets the bandwidth of one node's link; the others keep the configured bandwidth.
  void set_bandwidth(NodeNumber node, Bandwidth bandwidth) { nics_.at(node).bandwidth = bandwidth; }
  // The node's NIC sends and receives by itself, whatever host_thread is.
  void remove_host_thread(NodeNumber node) { nics_.at(node).thread = std::nullopt; }
  void set_tickets(NodeNumber node, std::uint32_t application, std::uint32_t checkpoint);
  std::uint32_t tickets(NodeNumber node, SendQueue queue) const {
    return nics_.at(node).tickets[static_cast<std::size_t>(queue)];
  }

  // Adds a frame to a send queue of the node frame.source. Throws std::invalid_argument for a payload over
  // max_payload and for a destination that does not exist. A frame that a node sends to itself takes the
  // latency only.
  void send(Frame frame, SendQueue queue);
  // Called for each frame passed to send() by a node whose link is up.
  std::function<void(const Frame&)> on_send;
  std::size_t waiting(NodeNumber node, SendQueue queue) const;  // frames
  // Empties the send queues, as at a reset of the node. Frames on the wire still arrive.
  void clear(NodeNumber node);

  // Taking a link down loses the node's queued frames, the frames on the wire from and to the node, and all
  // frames that are sent by it or to it until the link is up again.
  void set_link(NodeNumber node, bool up);
  bool link_is_up(NodeNumber node) const { return nics_.at(node).up; }

  // Frames are intervals of the tracks "node3.link_out" and "node3.link_in", and a flow leads from one to the
  // other. link_out has the names of send queues.
  void record_in(ActivityLog& activity);

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
  struct Arrived {
    Frame frame;
    std::uint32_t from_connection, to_connection;
  };
  struct Counts {
    std::uint64_t frames = 0, bytes = 0;
    Picoseconds waited;  // in the queue, summed over all frames
  };
  struct Nic {
    NetworkPort* port = nullptr;
    Bandwidth bandwidth;
    std::uint32_t tickets[2];
    std::deque<Waiting> queues[2];
    bool up = true, sending = false;  // sending: or receiving, with a host thread
    std::optional<Bandwidth> thread;
    std::deque<Arrived> arrived;   // frames that the host thread has not received yet
    bool sends_all = false;        // the host thread sends what the application has queued before it receives
    std::uint32_t connection = 0;  // number of times that the link went down
    Picoseconds receiver_free;     // the time from which the link from the switch is free
    Counts counts[2];
    std::uint64_t lost = 0;
    ActivityLog::Track out = 0, in = 0;
  };

  SendQueue next_queue(const Nic& nic);
  void start(NodeNumber node);
  void send_next(NodeNumber node);
  void receive_next(NodeNumber node);
  void frame_sent(NodeNumber node, SendQueue queue);
  void arrive_for_all(const Frame& frame, std::uint32_t from_connection);
  void arrive(Frame frame, std::uint32_t from_connection, std::uint32_t to_connection);
  void arrived_whole(Arrived arrived);
  void deliver(Arrived arrived);
  static Picoseconds wire_time(const Nic& nic, const Frame& frame);
  static Picoseconds thread_time(const Nic& nic, const Frame& frame);
  static void add(Statistics& statistics, std::span<const Nic> nics);

  EventQueue& event_queue_;
  const NetworkConfig config_;
  std::vector<Nic> nics_;
  std::uint64_t order_ = 0;
  Random random_;
  ActivityLog* activity_ = nullptr;
};

}  // namespace asterism
