// The membership of a cluster: which node holds which rank.
//
// The management maintains it over a network of its own, which never fails. It detects that a node, its link
// or its contents are lost, assigns the rank to a spare, and notifies all nodes at the same instant, one
// detection time after the loss. Each change begins a new epoch; messages carry their epoch, so that those of
// an older one are dropped.
//
// A node whose link was down counts as lost, however short the outage: frames may be missing. When the link
// is up again, the node returns as a spare without copies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "cluster/network.h"
#include "cluster/rank_mark.h"

namespace asterism {

using Rank = std::uint32_t;
constexpr Rank no_rank = 0xffff'ffff;        // the rank of a spare
constexpr NodeNumber no_node = 0xffff'ffff;  // the node of a vacant rank

struct Membership {
  std::uint32_t epoch = 0;
  std::vector<NodeNumber> node_of_rank;

  Rank ranks() const { return static_cast<Rank>(node_of_rank.size()); }
  Rank rank_of(NodeNumber node) const;
  // The rank whose node holds the second copy of this rank's state.
  Rank buddy_of(Rank rank) const { return (rank + 1) % ranks(); }
  // The rank whose second copy this rank's node holds.
  Rank protected_rank_of(Rank rank) const { return (rank + ranks() - 1) % ranks(); }
};

// What a node loses. After `node` and `link` a spare takes over the rank; after the others the node keeps its
// rank.
enum class Loss { node, link, memory, ssd, gpu };
constexpr auto enum_names(Loss) {
  return std::to_array<EnumName<Loss>>(
      {{Loss::node, "node", "the node and all its copies are lost; a spare takes over its rank"},
       {Loss::link, "link", "the node's link is down: it counts as lost until the link is up again"},
       {Loss::memory, "memory", "the contents of the node's memory are lost: the program's state and copies"},
       {Loss::ssd, "ssd", "the copies on the node's SSD are lost"},
       {Loss::gpu, "gpu", "the program's state is lost; no copies are"}});
}

class Management {
 public:
  class Member {
   public:
    virtual ~Member() = default;
    virtual void membership(const Membership& membership) = 0;
    // Every rank has finished, or the run has ended as not recoverable.
    virtual void run_ended() = 0;
    // A spare replaces only nodes of its own kind.
    enum class Kind { traffic, firmware, storage };
    virtual Kind kind() const { return Kind::traffic; }
  };
  struct Outcome {
    bool finished = false;     // false: the run is not recoverable
    std::string reason;        // why it is not recoverable
    std::uint64_t result = 0;  // of all ranks together
    Picoseconds at;
  };

  // At first, rank i is on node i; all further nodes are spares, except storage.
  Management(EventQueue& event_queue, Network& network, Rank ranks, Picoseconds detection, EventLog& events);

  // Makes the reported result of a rank final; by default it is discarded when the next epoch begins. If no
  // spare is left for the lost node of a rank that has reported, the rank becomes vacant and the others
  // continue. Call it before begin().
  void keep_results() { results_are_final_ = true; }
  // Losses move no ranks and begin no epochs: no node does anything for another. Call it before begin().
  void keep_ranks() { ranks_are_final_ = true; }

  void attach(NodeNumber node, Member& member) { nodes_.at(node).member = &member; }
  // Notifies all nodes of epoch 1.
  void begin();

  // The node suffers this loss now; the caller notifies the node itself. If no spare of the node's kind is
  // left for its rank, the run ends as not recoverable. `why` is added to the reason: how the node failed by
  // itself; empty for an injected loss.
  void lost(NodeNumber node, Loss loss, std::string why = "");
  // The node, whose contents were lost, works again after a time in which messages to it were lost: a new
  // epoch begins one detection time later.
  void restarted(NodeNumber node);
  // The node's link is up again: the node becomes a spare as soon as the loss has been detected.
  void returned(NodeNumber node);

  // The node's rank has finished with this result, which is valid until the next epoch, or final after
  // keep_results().
  void finished(NodeNumber node, std::uint64_t result);
  // Passes a mark of the node's rank to on_mark.
  void mark(NodeNumber node, RankMark mark, std::uint64_t number = 0) {
    on_mark(node, membership_.rank_of(node), mark, number);
  }
  // The node's rank has found that no version can be recovered; the run ends.
  void not_recoverable(NodeNumber node, std::string reason);

  // Called when the outcome is known and all members have been notified.
  std::function<void()> on_end = [] {};
  std::function<void(NodeNumber, Rank, RankMark, std::uint64_t number)> on_mark =
      [](NodeNumber, Rank, RankMark, std::uint64_t) {};

  const Membership& membership() const { return membership_; }
  const std::optional<Outcome>& outcome() const { return outcome_; }
  std::uint64_t losses() const { return losses_; }
  std::uint32_t spares_used() const;  // number of spares that have taken over a rank

 private:
  struct Node {
    Member* member = nullptr;
    bool reachable = true;      // as far as the management has detected
    bool returns = false;       // only its link was lost
    bool was_promoted = false;  // a spare that has taken over a rank
    std::string why;            // how it failed by itself
  };

  void detect(NodeNumber node);
  void begin_epoch();
  void end(bool finished, std::string reason);
  Member::Kind kind_of(NodeNumber node) const;
  std::optional<NodeNumber> spare_for(NodeNumber node) const;

  EventQueue& event_queue_;
  Network& network_;
  const Picoseconds detection_;
  EventLog& events_;
  Membership membership_;
  std::vector<Node> nodes_;
  std::vector<std::optional<std::uint64_t>> results_;  // by rank
  std::optional<Outcome> outcome_;
  std::uint64_t losses_ = 0;
  bool results_are_final_ = false, ranks_are_final_ = false;
};

}  // namespace asterism
