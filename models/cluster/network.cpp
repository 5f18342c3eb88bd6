#include "cluster/network.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/fields.h"

namespace asterism {

namespace {

constexpr std::size_t index(SendQueue queue) { return static_cast<std::size_t>(queue); }
constexpr std::uint64_t wire_bytes(const Frame& frame) {
  return frame.payload.size() + Frame::overhead_bytes;
}

}  // namespace

static_assert(member_count<NetworkConfig>() == 6);
void describe(Fields& f, NetworkConfig& c) {
  f("bandwidth", c.bandwidth, "The bandwidth of a node's link, in each direction.",
    within(1_MBps, 1000_GBps));
  f("latency", c.latency, "The latency from NIC to NIC, without the transmission time.", within(1_ns, 1_s));
  f("host_thread", c.host_thread,
    "The rate at which a thread of each node passes frames between memory and NIC, sent and received ones "
    "together. Without it, a NIC does so by itself.",
    within(1_MBps, 1000_GBps));
  f("policy", c.policy, "How a NIC selects the send queue that sends next.", one_of<SendPolicy>());
  f.when("policy", c.policy, {SendPolicy::lottery}, [&] {
    f("application_tickets", c.application_tickets,
      "The lottery tickets of the application's queue. More tickets make it win more often.",
      within(1, 1'000'000'000));
    f("checkpoint_tickets", c.checkpoint_tickets, "The lottery tickets of the checkpoint queue.",
      within(1, 1'000'000'000));
  });
}

Network::Network(EventQueue& event_queue, const NetworkConfig& config, NodeNumber count, std::uint64_t seed)
    : event_queue_(event_queue), config_(config), nics_(count), random_(seed) {
  for (Nic& nic : nics_) {
    nic.bandwidth = config.bandwidth;
    nic.thread = config.host_thread;
    nic.tickets[0] = config.application_tickets;
    nic.tickets[1] = config.checkpoint_tickets;
  }
}

void Network::record_in(ActivityLog& activity) {
  activity_ = &activity;
  for (std::size_t node = 0; node < nics_.size(); ++node) {
    const std::string name = "node" + std::to_string(node);
    nics_[node].out = activity.track(name + ".link_out");
    nics_[node].in = activity.track(name + ".link_in");
  }
}

void Network::set_tickets(NodeNumber node, std::uint32_t application, std::uint32_t checkpoint) {
  if (application == 0 && checkpoint == 0) throw std::invalid_argument("a lottery needs at least one ticket");
  nics_.at(node).tickets[0] = application;
  nics_.at(node).tickets[1] = checkpoint;
}

Picoseconds Network::wire_time(const Nic& nic, const Frame& frame) {
  return transfer_time(Bytes(wire_bytes(frame)), nic.bandwidth);
}

Picoseconds Network::thread_time(const Nic& nic, const Frame& frame) {
  return nic.thread ? transfer_time(Bytes(wire_bytes(frame)), *nic.thread) : Picoseconds();
}

void Network::send(Frame frame, SendQueue queue) {
  if (frame.payload.size() > Frame::max_payload)
    throw std::invalid_argument(
        "the payload of a frame is too long: " + std::to_string(frame.payload.size()) + " B, at most " +
        std::to_string(Frame::max_payload) + " B");
  if (frame.destination >= count() && frame.destination != all_nodes)
    throw std::invalid_argument("a frame is addressed to node " + std::to_string(frame.destination) + " of " +
                                std::to_string(count()));
  const NodeNumber node = frame.source;
  Nic& nic = nics_.at(node);
  if (!nic.up) {
    ++nic.lost;
    return;
  }
  if (on_send) on_send(frame);
  nic.queues[index(queue)].push_back({event_queue_.now(), order_++, std::move(frame)});
  start(node);
}

std::size_t Network::waiting(NodeNumber node, SendQueue queue) const {
  return nics_.at(node).queues[index(queue)].size();
}

void Network::clear(NodeNumber node) {
  for (auto& queue : nics_.at(node).queues) queue.clear();
}

void Network::set_link(NodeNumber node, bool up) {
  Nic& nic = nics_.at(node);
  if (nic.up == up) return;
  nic.up = up;
  if (!up) {
    ++nic.connection;
    for (auto& queue : nic.queues) nic.lost += queue.size();
    nic.lost += nic.arrived.size();
    nic.arrived.clear();
    clear(node);
  }
  if (nic.port) nic.port->link_changed();
}

SendQueue Network::next_queue(const Nic& nic) {
  const auto& application = nic.queues[0];
  const auto& checkpoint = nic.queues[1];
  if (application.empty() || checkpoint.empty())
    return application.empty() ? SendQueue::checkpoint : SendQueue::application;
  switch (config_.policy) {
    case SendPolicy::opportunistic:
      return SendQueue::application;
    case SendPolicy::shared:
      return application.front().order < checkpoint.front().order ? SendQueue::application
                                                                  : SendQueue::checkpoint;
    case SendPolicy::lottery:
      break;
  }
  const std::uint64_t tickets = std::uint64_t{nic.tickets[0]} + nic.tickets[1];
  return random_.below(tickets) < nic.tickets[0] ? SendQueue::application : SendQueue::checkpoint;
}

void Network::start(NodeNumber node) {
  Nic& nic = nics_[node];
  if (nic.sending) return;
  const bool sends = !nic.queues[0].empty() || !nic.queues[1].empty();
  if (!nic.arrived.empty() && !(sends && nic.sends_all)) return receive_next(node);
  if (sends) send_next(node);
}

void Network::send_next(NodeNumber node) {
  Nic& nic = nics_[node];
  const SendQueue queue = next_queue(nic);
  Waiting next = std::move(nic.queues[index(queue)].front());
  nic.queues[index(queue)].pop_front();
  Counts& counts = nic.counts[index(queue)];
  ++counts.frames;
  counts.bytes += wire_bytes(next.frame);
  counts.waited += event_queue_.now() - next.since;
  nic.sending = true;
  const NodeNumber to = next.frame.destination;
  const std::uint32_t from_connection = nic.connection;
  const Picoseconds on_wire = to == node ? Picoseconds() : wire_time(nic, next.frame);
  const Picoseconds busy = to == node ? Picoseconds() : std::max(on_wire, thread_time(nic, next.frame));
  const Picoseconds at_switch = busy - on_wire + config_.latency;
  if (activity_ && to != node) {
    next.frame.flow = activity_->new_flow();
    const Picoseconds end = event_queue_.now() + busy;
    activity_->interval(
        nic.out, end - on_wire, end, queue == SendQueue::application ? "application" : "checkpoint",
        {{"to", std::uint64_t{to}}, {"bytes", wire_bytes(next.frame)}}, std::span(&next.frame.flow, 1));
  }
  if (to == all_nodes)
    event_queue_.after(at_switch, [this, frame = std::move(next.frame), from_connection] {
      arrive_for_all(frame, from_connection);
    });
  else
    event_queue_.after(at_switch, [this, frame = std::move(next.frame), from_connection,
                                   to_connection = nics_[to].connection]() mutable {
      arrive(std::move(frame), from_connection, to_connection);
    });
  event_queue_.after(busy, [this, node, queue] { frame_sent(node, queue); });
}

// The host thread takes the frame that arrived first.
void Network::receive_next(NodeNumber node) {
  Nic& nic = nics_[node];
  Arrived next = std::move(nic.arrived.front());
  nic.arrived.pop_front();
  nic.sending = true;
  const Picoseconds busy = thread_time(nic, next.frame);
  event_queue_.after(busy, [this, node, next = std::move(next)]() mutable {
    nics_[node].sending = false;
    deliver(std::move(next));
    start(node);
  });
}

void Network::frame_sent(NodeNumber node, SendQueue queue) {
  Nic& nic = nics_[node];
  nic.sending = false;
  nic.sends_all = queue == SendQueue::application && !nic.queues[index(queue)].empty();
  if (nic.port && nic.up) nic.port->sent(queue);
  start(node);
}

// The first bit of the frame is at the switch, which passes it to all.
void Network::arrive_for_all(const Frame& frame, std::uint32_t from_connection) {
  for (NodeNumber node = 0; node < count(); ++node) {
    if (node == frame.source) continue;
    Frame copy = frame;
    copy.destination = node;
    arrive(std::move(copy), from_connection, nics_[node].connection);
  }
}

// The first bit of the frame is at the switch.
void Network::arrive(Frame frame, std::uint32_t from_connection, std::uint32_t to_connection) {
  const NodeNumber to = frame.destination;
  Nic& receiver = nics_[to];
  const Picoseconds now = event_queue_.now();
  Picoseconds whole = now;
  if (frame.source != to) {
    // The last bit cannot arrive before the sender, whose link may be the slower one, has sent it.
    const Picoseconds slowest = std::max(wire_time(receiver, frame), wire_time(nics_[frame.source], frame));
    whole = std::max(now, receiver.receiver_free) + slowest;
    receiver.receiver_free = whole;
    if (activity_)
      activity_->interval(receiver.in, whole - slowest, whole, "frame",
                          {{"from", std::uint64_t{frame.source}}, {"bytes", wire_bytes(frame)}},
                          std::span(&frame.flow, 1));
  }
  event_queue_.at(whole,
                  [this, arrived = Arrived{std::move(frame), from_connection, to_connection}]() mutable {
                    arrived_whole(std::move(arrived));
                  });
}

void Network::arrived_whole(Arrived arrived) {
  const NodeNumber to = arrived.frame.destination;
  Nic& receiver = nics_[to];
  if (!receiver.thread || !receiver.up || arrived.frame.source == to) return deliver(std::move(arrived));
  receiver.arrived.push_back(std::move(arrived));
  start(to);
}

void Network::deliver(Arrived arrived) {
  Nic& receiver = nics_[arrived.frame.destination];
  const Nic& sender = nics_[arrived.frame.source];
  if (!receiver.up || sender.connection != arrived.from_connection ||
      receiver.connection != arrived.to_connection) {
    ++receiver.lost;
    return;
  }
  if (receiver.port) receiver.port->receive(std::move(arrived.frame));
}

std::uint64_t Network::bytes_sent(NodeNumber node, SendQueue queue) const {
  return nics_.at(node).counts[index(queue)].bytes;
}

std::uint64_t Network::frames_sent(NodeNumber node, SendQueue queue) const {
  return nics_.at(node).counts[index(queue)].frames;
}

void Network::report(NodeNumber node, Statistics& statistics) const { add(statistics, {&nics_.at(node), 1}); }

void Network::report(Statistics& statistics) const { add(statistics, nics_); }

void Network::add(Statistics& statistics, std::span<const Nic> nics) {
  std::uint64_t lost = 0;
  for (const SendQueue queue : {SendQueue::application, SendQueue::checkpoint}) {
    Counts sum;
    for (const Nic& nic : nics) {
      const Counts& counts = nic.counts[index(queue)];
      sum.frames += counts.frames;
      sum.bytes += counts.bytes;
      sum.waited += counts.waited;
    }
    Statistics& group = statistics.group(queue == SendQueue::application ? "application" : "checkpoint");
    group.add("frames", sum.frames);
    group.add("sent", Bytes(sum.bytes));
    group.add("waited", sum.waited);
  }
  for (const Nic& nic : nics) lost += nic.lost;
  statistics.add("lost_frames", lost);
}

}  // namespace asterism
