#include "cluster/storage_node.h"

#include <optional>
#include <utility>

namespace asterism {

StorageNode::StorageNode(const ClusterConfig& config, EventQueue& event_queue, Network& network,
                         EventLog& events)
    : number_(config.storage_node()),
      event_queue_(event_queue),
      network_(network),
      events_(events),
      sender_(*this, copies_) {}

void StorageNode::membership(const Membership& membership) {
  membership_ = membership;
  network_.clear(number_);
  sender_.clear();
  copies_.drop_if([](const StateCopy& copy) { return !copy.valid; });
}

void StorageNode::send(Message message, std::span<const std::byte> data, SendQueue queue) {
  message.epoch = membership_.epoch;
  message.from = storage_rank;
  network_.send({.source = number_,
                 .destination = membership_.node_of_rank.at(message.to),
                 .payload = message.encode(data)},
                queue);
}

void StorageNode::receive(Frame frame) {
  const std::span<const std::byte> payload(frame.payload);
  const std::optional<Message> message = Message::decode_header(payload);
  if (!message || message->epoch != membership_.epoch || message->to != storage_rank) return;
  if (message->from >= membership_.ranks()) return;
  switch (message->kind) {
    case MessageKind::global:
      return receive_part(*message, payload.subspan(Message::header_size));
    case MessageKind::fetch:
      return sender_.start(MessageKind::state, message->from, message->owner, message->number,
                           CopyPlace::store);
    case MessageKind::inventory:
      return offer();
    default:
      return;
  }
}

void StorageNode::receive_part(const Message& part, std::span<const std::byte> data) {
  if (part.owner >= membership_.ranks()) return;
  // A copy that the store already holds is not stored again; its last part is still confirmed.
  if (copies_.find_valid(part.owner, part.number)) {
    if (part.offset + data.size() != part.total) return;
  } else {
    if (!copies_.add(part, data)) return;
    copies_.set_valid(part.owner, part.number);
    events_.record(
        now(), "cluster", "copy_held",
        {{"rank", std::uint64_t{part.owner}}, {"version", part.number}, {"node", std::uint64_t{number_}}});
    bool is_of_all = true;
    for (Rank rank = 0; rank < membership_.ranks(); ++rank)
      is_of_all = is_of_all && copies_.find_valid(rank, part.number) != nullptr;
    if (is_of_all && part.number > global_version_) {
      global_version_ = part.number;
      ++global_commits_;
      events_.record(now(), "cluster", "global_commit", {{"version", global_version_}});
    }
    copies_.drop_if([&](const StateCopy& copy) {
      const bool is_older = copy.owner == part.owner && copy.version < part.number;
      return copy.version < global_version_ || (is_older && copy.version != global_version_);
    });
  }
  send({.kind = MessageKind::global_stored, .to = part.from, .number = part.number, .owner = part.owner}, {},
       SendQueue::application);
}

void StorageNode::offer() {
  std::vector<Holding> held;
  for (const StateCopy& copy : copies_.all())
    if (copy.valid) held.push_back({copy.owner, copy.version});
  const std::vector<std::byte> data = encode_offer(held);
  send({.kind = MessageKind::offer, .to = 0, .number = held.size()}, data, SendQueue::application);
}

}  // namespace asterism
