#include "resilience/replica_placement.h"

#include <algorithm>
#include <string>
#include <vector>

#include "resilience/training_mistake.h"

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

// Sets of a ring of `nodes` without `copies` lost nodes in a row. Between the nodes that are left there are
// rows of less than `copies` lost ones, which the powers count from one node that is left on; it may be at
// any place of the ring, and each set is counted once for each of the nodes that it leaves.
LossCounts losses_of_ring(std::uint32_t nodes, std::uint32_t copies, std::size_t most) {
  const LossCounts row(std::min<std::size_t>(copies, most + 1), 1);
  LossCounts all(most + 1);
  for (std::uint32_t lost = 0; lost <= most && lost < nodes; ++lost) {
    const LossCounts rows = power(row, nodes - lost, lost);
    if (lost < rows.size()) all[lost] = rows[lost] * nodes / (nodes - lost);
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

void expect_of_placement(bool holds, const char* member, const std::string& expected, std::uint32_t got) {
  if (!holds) throw TrainingMistake(member, "expected " + expected + ", got " + std::to_string(got));
}

}  // namespace

std::uint32_t nodes_in_ring(const CopyPlacement& p) { return p.nodes - nodes_in_groups(p); }

void check_placement(const CopyPlacement& p) {
  const std::string group = std::to_string(p.size) + " nodes of a group";
  expect_of_placement(p.size >= 1 && p.size <= max_group_size, "size", "a group of 1 to 64 nodes", p.size);
  expect_of_placement(p.nodes >= p.size, "nodes", "at least the " + group, p.nodes);
  expect_of_placement(p.tolerated < p.size, "tolerated", "fewer losses than the " + group, p.tolerated);
  expect_of_placement(p.placement != ReplicaPlacement::group || p.nodes % p.size == 0, "nodes",
                      "a multiple of the " + group, p.nodes);
  expect_of_placement(nodes_in_groups(p) == p.nodes || p.tolerated + 1 == p.size, "tolerated",
                      "one loss fewer than the " + std::to_string(p.size) + " copies of a ring", p.tolerated);
}

double survival_probability(const CopyPlacement& p, std::uint32_t lost) {
  check_placement(p);
  const std::uint32_t most = std::min(p.nodes, max_lost_at_once);
  expect_of_placement(lost <= most, "lost", "at most " + std::to_string(most) + " lost nodes", lost);
  if (lost <= p.tolerated) return 1;
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
