// Who holds which copies of the last checkpoint that all buddies have. Each node has its own copy and that of its
// buddy (n ^ 1); what has been lost of them since is kept here, so that a machine of 100,000 nodes costs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace asterism {

class BuddyCopies {
 public:
  // Nobody has a copy: at the start of a run, and after the program has come from elsewhere than from buddies.
  void none();
  // All have both copies.
  void all();
  // The device of a node on which it holds copies is lost, and is empty now.
  void lose(std::uint32_t node);
  // The node has got its own copy from its buddy.
  void restore_own(std::uint32_t node);
  // The pair has both copies of both nodes, as far as either of them had one. True when that is all of them.
  bool repair(std::uint32_t node);

  bool exist() const { return exist_; }
  // Every node's state is somewhere.
  bool recoverable() const;
  // Nodes without a copy of their own, in order; they need that of their buddies.
  std::vector<std::uint32_t> without_own() const;
  // How many copies the pair of this node could have again from what is left of it.
  unsigned repairable(std::uint32_t node) const;
  // Even nodes of the pairs that lack a copy, in order.
  std::vector<std::uint32_t> damaged() const;

 private:
  // Of a pair whose even node is `first`, `second` being its buddy.
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
