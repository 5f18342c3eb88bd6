// Which nodes hold which copies of the last checkpoint that all buddies have. Each node has its own copy and
// that of its buddy (n ^ 1). Only the copies lost since then are stored, so that a machine of 100,000 nodes
// costs nothing.
//
// With groups of more than two nodes, each node has its own copy and a share of the parity of its group, from
// which the copy of any one node can be computed again. A node whose copy has been restored has no share
// until the next checkpoint: if another node of its group is lost before that, copies are lost.
//
// With more than two replicas, each node has its own copy and those of the nodes whose holder it is. It has
// no others' copies from its loss until the next checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace asterism {

class BuddyCopies {
 public:
  // The number of nodes of a group, which are numbered one after the other; 2: buddies.
  explicit BuddyCopies(std::uint32_t group = 2) : group_(group) {}
  // More than two replicas; `holders` are the other nodes that have a copy of a node.
  using Holders = std::function<std::vector<std::uint32_t>(std::uint32_t)>;
  explicit BuddyCopies(Holders holders) : holders_(std::move(holders)) {}
  // No node has a copy: at the start of a run, and after a recovery from elsewhere than from buddies.
  void none();
  // All nodes have both copies.
  void all();
  // The device on which a node holds copies has failed and is empty now.
  void lose(std::uint32_t node);
  // The node has received its own copy from its buddy.
  void restore_own(std::uint32_t node);
  // The pair has restored every copy that one of its two nodes still had. True if it has all its copies now.
  bool repair(std::uint32_t node);

  bool exist() const { return exist_; }
  // Whether a copy of the state of every node exists.
  bool recoverable() const;
  // The nodes without a copy of their own, in order. They need those of their buddies.
  std::vector<std::uint32_t> without_own() const;
  // A node that has the copy of this one, or has a part in computing it; of a parity, that is its buddy.
  std::uint32_t source(std::uint32_t node) const;
  // The number of copies that the pair of this node can restore from those that are left.
  unsigned repairable(std::uint32_t node) const;
  // The even nodes of the pairs that lack a copy, in order.
  std::vector<std::uint32_t> damaged() const;

 private:
  // The copies of a pair. `first` is its even node, `second` the buddy.
  struct Held {
    bool first_own = true, second_own = true;
    bool first_at_second = true, second_at_first = true;
    bool first_left() const { return first_own || first_at_second; }
    bool second_left() const { return second_own || second_at_first; }
    bool whole() const { return first_own && second_own && first_at_second && second_at_first; }
  };

  // Of a group with a parity, or of all nodes: those that were lost since the checkpoint, and those without a
  // copy of their own.
  struct Group {
    std::set<std::uint32_t> lost, without_own;
  };

  std::uint32_t group_ = 2;
  Holders holders_;
  bool exist_ = false;
  std::map<std::uint32_t, Held> damaged_;  // by the even node
  std::map<std::uint32_t, Group> groups_;  // by the number of the group
  Group replicas_;                         // of all nodes
};

}  // namespace asterism
