// A cluster of firmware ranks in memory, with queues in place of NICs and random choice in place of time:
// nodes that can act do so in a random order, so that each seed gives another interleaving.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

extern "C" {
#include "ring.h"
}

struct TestClusterConfig {
  std::uint32_t ranks = 3, spares = 2;
  std::uint64_t words = 600, steps = 20;
  std::uint64_t seed = 1;  // for the program and the random order
  BuddyConfig buddy = {buddy_semi_blocking, 4, false, false, 0, false, false};
  bool in_place = false;  // the program's words are the buffer of the own copy
};

class TestCluster {
 public:
  struct Node {
    std::uint32_t number = 0;
    bool is_alive = true, link_is_up = true;
    std::vector<std::uint64_t> words, copies;
    std::map<std::uint64_t, std::vector<std::uint8_t>>
        ssd[2];  // own copies and those of the protected rank, kept elsewhere
    std::uint64_t recalls[2] = {};
    std::optional<std::uint64_t> keeping;     // the version of the protected rank that is being stored
    std::vector<std::uint8_t> kept_at_begin;  // its bytes when that began
    bool keeping_is_durable = false;          // and the node does not know it
    unsigned dropped_when_durable = 0;
    bool ssd_fails[2] = {};  // for copies of either kind
    unsigned not_kept = 0;   // of them
    Buddy buddy = {};
    Ring ring = {};
    std::uint64_t now = 0;
    TestCluster* cluster = nullptr;
    std::uint32_t resumed_epoch = 0;
    std::uint64_t steps_held = 0;  // made while the blocking protocol held the application
  };
  // The global store.
  struct Storage {
    struct Copy {
      std::uint64_t total = 0;
      std::vector<std::uint8_t> data;
      bool is_whole() const { return data.size() == total; }
    };
    std::uint32_t epoch = 0;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Copy> copies;  // by owner and version
  };

  explicit TestCluster(const TestClusterConfig& config);

  // Makes one random choice: a node acts, or a frame arrives. False: nothing is left to do.
  bool step();
  // Runs until the run has ended; false if it hangs or takes too long.
  bool run(std::uint64_t at_most = 2'000'000);
  bool is_over() const { return result_ || not_recoverable_; }

  void lose_node(std::uint32_t node);    // with all its frames; a spare takes its rank
  void lose_memory(std::uint32_t node);  // the node starts again in the present epoch
  void lose_power(std::uint32_t node);   // like lose_memory(), but it finds its copies on the SSD again
  void lose_link(
      std::uint32_t node);  // it continues alone; a spare takes its rank, and it returns as a spare
  // Detects losses and begins a new epoch, as the management does some time after a loss.
  void detect_losses();
  bool has_undetected_loss() const { return undetected_; }

  std::optional<std::uint64_t> result() const { return result_; }
  std::optional<std::uint64_t> not_recoverable() const { return not_recoverable_; }  // the ranks
  bool spares_ran_out() const { return spares_ran_out_; }
  std::uint64_t expected() const;
  // The newest version of which valid copies of every rank exist anywhere; 0 if there is none.
  std::uint64_t newest_recoverable() const;
  std::uint64_t ranks_without_a_copy() const;  // of any version; a bit each
  bool all_run() const;                        // in the present epoch

  Node& node_of(std::uint32_t rank) { return *nodes_[node_of_rank_[rank]]; }
  const Node& node_of(std::uint32_t rank) const { return *nodes_[node_of_rank_[rank]]; }
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  Node& node(std::uint32_t number) { return *nodes_[number]; }
  const Storage& storage() const { return storage_; }
  std::uint32_t epoch() const { return epoch_; }
  asterism::Random& random() { return random_; }
  std::uint64_t sent(MessageKind kind) { return sent_[kind]; }
  // Loses the next `count` frames of this kind.
  void drop(MessageKind kind, unsigned count) { dropped_[kind] = count; }

 private:
  bool is_held(std::uint32_t rank, std::uint64_t version) const;

  struct Frame {
    MessageKind kind;
    std::vector<std::uint8_t> bytes;
  };
  struct Channel {
    std::uint32_t from, to;
    BuddyQueue queue;
    auto operator<=>(const Channel&) const = default;
  };

  void boot(Node& node);
  void adopt(Node& node);
  bool end_keeping(Node& node);
  bool is_reachable(std::uint32_t node) const { return nodes_[node]->is_alive && nodes_[node]->link_is_up; }
  BuddyMembership membership_of(const Node& node) const;
  void learn(Node& node);
  bool act(Node& node);
  bool deliver();
  void handle_storage_message(const std::vector<std::uint8_t>& bytes);
  void send_from_storage(MessageHeader header, const std::vector<std::uint8_t>& data);
  void keep_newest_in_storage();
  void send(Node& node, BuddyQueue queue, const MessageHeader& header, const void* data, std::size_t bytes);
  std::size_t waiting(const Node& node, BuddyQueue queue) const;
  void finish();

  const TestClusterConfig config_;
  asterism::Random random_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::uint32_t> node_of_rank_;
  std::uint32_t epoch_ = 1;
  std::map<Channel, std::deque<Frame>> channels_;  // none is empty
  Storage storage_;
  bool undetected_ = false, spares_ran_out_ = false;
  std::optional<std::uint64_t> result_, not_recoverable_;
  std::map<MessageKind, unsigned> dropped_;
  std::map<MessageKind, std::uint64_t> sent_;
};
