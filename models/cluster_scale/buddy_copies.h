// Which nodes hold which copies of the last checkpoint that all buddies have. Each node has its own copy and
// that of its buddy (n ^ 1). Only the copies lost since then are stored, so that a machine of 100,000 nodes
// costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace asterism {

class BuddyCopies {
 public:
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

  bool exist_ = false;
  std::map<std::uint32_t, Held> damaged_;  // by the even node
};

}  // namespace asterism
