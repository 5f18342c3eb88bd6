// Who is who in a cluster: which node holds which rank.
//
// The management keeps it, beside the network (a cluster's management network, which fails with nothing): it notices that a
// node, its link or what it holds is lost, gives the rank to a spare, and tells every node at one instant, a detection time
// after the loss. Each change begins a new epoch; messages carry theirs, so that those of an older one are dropped.
//
// A link that was down for however short a time is a lost node: frames may be missing. When it is up again the node comes
// back as a spare that holds nothing.
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
constexpr Rank no_rank = 0xffff'ffff;        // of a spare
constexpr NodeNumber no_node = 0xffff'ffff;  // of a vacant rank

struct Membership {
  std::uint32_t epoch = 0;
  std::vector<NodeNumber> node_of_rank;

  Rank ranks() const { return static_cast<Rank>(node_of_rank.size()); }
  Rank rank_of(NodeNumber node) const;
  Rank buddy_of(Rank rank) const { return (rank + 1) % ranks(); }  // holds its second copy
  Rank protected_rank_of(Rank rank) const {
    return (rank + ranks() - 1) % ranks();
  }  // whose second copy it holds
};

// What a node loses. A lost node has lost all; the others go on by themselves, as what they were.
enum class Loss { node, link, memory, ssd, gpu };
constexpr auto enum_names(Loss) {
  return std::to_array<EnumName<Loss>>(
      {{Loss::node, "node", "the node, with all it holds; a spare takes its rank"},
       {Loss::link, "link", "its link: as the node, until it is up again"},
       {Loss::memory, "memory", "what is in its memory: the program's state and copies"},
       {Loss::ssd, "ssd", "the copies on its SSD"},
       {Loss::gpu, "gpu", "the program's state; copies are elsewhere"}});
}

class Management {
 public:
  class Member {
   public:
    virtual ~Member() = default;
    virtual void membership(const Membership& membership) = 0;
    // Every rank has finished, or one has said that nothing can be recovered.
    virtual void run_ended() = 0;
    // What it can be: one with firmware does not stand in for a traffic node, nor the other way round.
    enum class Kind { traffic, firmware, storage };
    virtual Kind kind() const { return Kind::traffic; }
  };
  struct Outcome {
    bool finished = false;     // else not recoverable
    std::string reason;        // why not
    std::uint64_t result = 0;  // of all ranks
    Picoseconds at;
  };

  // Ranks 0 to ranks - 1 are on the nodes of these numbers at first; the others are spares, but for storage.
  Management(EventQueue& event_queue, Network& network, Rank ranks, Picoseconds detection, EventLog& events);

  // Before begin(): what a rank has reported stands for good, not until the next epoch only. The rank of a lost node that has
  // reported, and for which no spare is left, is then vacant, and the others go on.
  void keep_results() { results_are_final_ = true; }

  void attach(NodeNumber node, Member& member) { nodes_.at(node).member = &member; }
  // Tells epoch 1 to all.
  void begin();

  // Now. The node itself is told by whoever calls. A rank for which no spare of its node's kind is left ends the run: not
  // recoverable. `why`: what the node has failed by, for that reason; "" where it was struck.
  void lost(NodeNumber node, Loss loss, std::string why = "");
  // The link that was lost is up again: the node is a spare from when the loss is noticed.
  void returned(NodeNumber node);

  // A rank has come to its end with this result; counts until the next epoch, or stands.
  void finished(NodeNumber node, std::uint64_t result);
  // What the rank that a node holds does; on_mark is told of it.
  void mark(NodeNumber node, RankMark mark, std::uint64_t number = 0) {
    on_mark(node, membership_.rank_of(node), mark, number);
  }
  // A rank has found that nothing can be recovered.
  void not_recoverable(NodeNumber node, std::string reason);

  // The outcome is there, and all have been told.
  std::function<void()> on_end = [] {};
  std::function<void(NodeNumber, Rank, RankMark, std::uint64_t number)> on_mark =
      [](NodeNumber, Rank, RankMark, std::uint64_t) {};

  const Membership& membership() const { return membership_; }
  const std::optional<Outcome>& outcome() const { return outcome_; }
  std::uint64_t losses() const { return losses_; }
  std::uint32_t spares_used() const;  // nodes that began without a rank and have held one

 private:
  struct Node {
    Member* member = nullptr;
    bool reachable = true;      // as far as the management has noticed
    bool returns = false;       // it is its link that was lost
    bool was_promoted = false;  // began as a spare, and has held a rank
    std::string why;            // it has failed by itself
  };

  void notice(NodeNumber node);
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
  bool results_are_final_ = false;
};

}  // namespace asterism
