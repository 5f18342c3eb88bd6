// The global store of a cluster: receives copies of the ranks' states and sends them back, at the speed of
// its link.
//
// For each rank it keeps the newest version that it holds of all ranks, and the newest version that it holds
// of this rank. It is never lost.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cluster/cluster_config.h"
#include "cluster/copy_sender.h"
#include "cluster/copy_store.h"
#include "cluster/event_queue.h"
#include "cluster/membership.h"

namespace asterism {

class StorageNode final : public NetworkPort, public Management::Member, NodeServices {
 public:
  StorageNode(const ClusterConfig& config, EventQueue& event_queue, Network& network, EventLog& events);
  StorageNode(const StorageNode&) = delete;

  const CopyStore& copies() const { return copies_; }
  // The newest version that the store holds of all ranks; 0 if there is none.
  std::uint64_t global_version() const { return global_version_; }
  std::uint64_t global_commits() const { return global_commits_; }

  // NetworkPort
  void receive(Frame frame) override;
  void sent(SendQueue queue) override { sender_.pump(queue); }
  // Management::Member
  void membership(const Membership& membership) override;
  void run_ended() override { sender_.clear(); }
  Kind kind() const override { return Kind::storage; }

 private:
  Picoseconds now() const override { return event_queue_.now(); }
  void send(Message message, std::span<const std::byte> data, SendQueue queue) override;
  std::size_t waiting(SendQueue queue) const override { return network_.waiting(number_, queue); }
  std::uint64_t frames_sent(SendQueue queue) const override { return network_.frames_sent(number_, queue); }
  void set_tickets(std::uint32_t, std::uint32_t) override {}
  Picoseconds occupy(CopyPlace, CopyAccess, Bytes) override { return now(); }
  void at(Picoseconds when, std::function<void()> action) override {
    event_queue_.at(when, std::move(action));
  }
  void cancel_all() override {}

  void receive_part(const Message& part, std::span<const std::byte> data);
  void offer();

  const NodeNumber number_;
  EventQueue& event_queue_;
  Network& network_;
  EventLog& events_;
  CopyStore copies_;
  CopySender sender_;
  Membership membership_;
  std::uint64_t global_version_ = 0, global_commits_ = 0;
};

}  // namespace asterism
