#include "resilience/replica_placement.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace asterism {
namespace {

// counts[k]: the number of sets of k lost nodes that leave every state.
using LossCounts = std::vector<double>;

LossCounts product(const LossCounts& a, const LossCounts& b, std::size_t most) {
  LossCounts all(std::min(a.size() + b.size() - 1, most + 1));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size() && i + j < all.size(); ++j) all[i + j] += a[i] * b[j];
  return all;
}

LossCounts power(LossCounts base, std::uint32_t exponent, std::size_t most) {
  LossCounts all{1};
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) all = product(all, base, most);
    base = product(base, base, most);
  }
  return all;
}

// Of one group: its sets of at most `tolerated` nodes.
LossCounts losses_of_group(std::uint32_t size, std::uint32_t tolerated) {
  LossCounts counts{1};
  counts.reserve(tolerated + 1);
  for (std::uint32_t k = 1; k <= tolerated; ++k) counts.push_back(counts.back() * (size - k + 1) / k);
  return counts;
}

// Sets of a ring of `nodes` without `copies` lost nodes in a row. The nodes are passed in order; `before` is
// the length of the row of lost nodes with which the ring begins, which continues the row at its end.
LossCounts losses_of_ring(std::uint32_t nodes, std::uint32_t copies, std::size_t most) {
  LossCounts all(most + 1);
  for (std::uint32_t before = 0; before < copies; ++before) {
    // sets[row][k]: after some nodes, with `row` lost nodes at the end. The node after the first row is left.
    std::vector<LossCounts> sets(copies, LossCounts(most + 1));
    if (before >= nodes || before > most) break;
    sets[0][before] = 1;
    for (std::uint32_t node = before + 1; node < nodes; ++node) {
      std::vector<LossCounts> next(copies, LossCounts(most + 1));
      for (std::uint32_t row = 0; row < copies; ++row)
        for (std::size_t k = 0; k <= most; ++k) {
          next[0][k] += sets[row][k];
          if (row + 1 < copies && k < most) next[row + 1][k + 1] += sets[row][k];
        }
      sets = std::move(next);
    }
    for (std::uint32_t row = 0; row + before < copies; ++row)
      for (std::size_t k = 0; k <= most; ++k) all[k] += sets[row][k];
  }
  return all;
}

double subsets(std::uint32_t of, std::uint32_t size) {
  double count = 1;
  for (std::uint32_t k = 1; k <= size; ++k) count = count * (of - k + 1) / k;
  return count;
}

std::uint32_t nodes_in_groups(const CopyPlacement& p) {
  if (p.placement == ReplicaPlacement::group) return p.nodes;
  if (p.placement == ReplicaPlacement::ring) return 0;
  return p.nodes % p.size == 0 ? p.nodes : (p.nodes / p.size - 1) * p.size;
}

void expect_of_placement(bool holds, const char* problem) {
  if (!holds) throw std::invalid_argument(problem);
}

}  // namespace

void check_placement(const CopyPlacement& p) {
  expect_of_placement(p.size >= 1 && p.size <= max_group_size, "a group has from 1 to 64 nodes");
  expect_of_placement(p.nodes >= p.size, "there are at least as many nodes as a group has");
  expect_of_placement(p.tolerated < p.size, "a group tolerates fewer losses than it has nodes");
  expect_of_placement(p.placement != ReplicaPlacement::group || p.nodes % p.size == 0,
                      "the number of nodes is a multiple of the size of a group");
  expect_of_placement(nodes_in_groups(p) == p.nodes || p.tolerated + 1 == p.size,
                      "a ring has copies and no parities: it tolerates one loss fewer than there are copies");
}

double survival_probability(const CopyPlacement& p, std::uint32_t lost) {
  check_placement(p);
  expect_of_placement(lost <= max_lost_at_once && lost <= p.nodes,
                      "at most 64 nodes are lost at once, and no more than there are");
  const std::uint32_t grouped = nodes_in_groups(p);
  LossCounts counts{1};
  if (grouped > 0) counts = power(losses_of_group(p.size, p.tolerated), grouped / p.size, lost);
  if (grouped < p.nodes) counts = product(counts, losses_of_ring(p.nodes - grouped, p.size, lost), lost);
  return lost < counts.size() ? counts[lost] / subsets(p.nodes, lost) : 0;
}

bool survives(const CopyPlacement& p, std::span<const std::uint32_t> lost) {
  const std::uint32_t grouped = nodes_in_groups(p);
  const auto first_of_ring = std::ranges::lower_bound(lost, grouped);
  for (auto node = lost.begin(); node != first_of_ring;) {
    const std::uint32_t group = *node / p.size;
    const auto end = std::find_if(node, first_of_ring, [&](std::uint32_t n) { return n / p.size != group; });
    if (end - node > p.tolerated) return false;
    node = end;
  }
  const std::uint32_t length = p.nodes - grouped;
  const auto is_lost = [&](std::uint32_t place) {
    return std::binary_search(first_of_ring, lost.end(), grouped + place % length);
  };
  for (auto node = first_of_ring; node != lost.end(); ++node) {
    std::uint32_t row = 1;
    while (row < p.size && is_lost(*node - grouped + row)) ++row;
    if (row == p.size) return false;
  }
  return true;
}

}  // namespace asterism
