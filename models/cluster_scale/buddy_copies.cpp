#include "cluster_scale/buddy_copies.h"

#include <algorithm>

namespace asterism {

void BuddyCopies::none() {
  exist_ = false;
  damaged_.clear();
  groups_.clear();
  replicas_ = {};
}

void BuddyCopies::all() {
  exist_ = true;
  damaged_.clear();
  groups_.clear();
  replicas_ = {};
}

void BuddyCopies::lose(std::uint32_t node) {
  if (!exist_) return;
  if (holders_) {
    replicas_.lost.insert(node);
    replicas_.without_own.insert(node);
    return;
  }
  if (group_ > 2) {
    Group& group = groups_[node / group_];
    group.lost.insert(node);
    group.without_own.insert(node);
    return;
  }
  Held& held = damaged_[node & ~1u];
  if (node % 2 == 0)
    held.first_own = held.second_at_first = false;
  else
    held.second_own = held.first_at_second = false;
}

void BuddyCopies::restore_own(std::uint32_t node) {
  replicas_.without_own.erase(node);
  if (const auto group = groups_.find(node / group_); group != groups_.end())
    group->second.without_own.erase(node);
  const auto pair = damaged_.find(node & ~1u);
  if (pair == damaged_.end()) return;
  Held& held = pair->second;
  if (node % 2 == 0)
    held.first_own = held.first_left();
  else
    held.second_own = held.second_left();
  if (held.whole()) damaged_.erase(pair);
}

bool BuddyCopies::repair(std::uint32_t node) {
  const auto pair = damaged_.find(node & ~1u);
  if (pair == damaged_.end()) return true;
  Held& held = pair->second;
  held.first_own = held.first_at_second = held.first_left();
  held.second_own = held.second_at_first = held.second_left();
  const bool whole = held.whole();
  if (whole) damaged_.erase(pair);
  return whole;
}

bool BuddyCopies::recoverable() const {
  return exist_ &&
         std::ranges::all_of(
             damaged_,
             [](const auto& pair) { return pair.second.first_left() && pair.second.second_left(); }) &&
         std::ranges::all_of(groups_,
                             [](const auto& group) {
                               return group.second.lost.size() <= 1 || group.second.without_own.empty();
                             }) &&
         std::ranges::all_of(replicas_.without_own, [this](std::uint32_t node) {
           return std::ranges::any_of(
               holders_(node), [this](std::uint32_t holder) { return !replicas_.lost.contains(holder); });
         });
}

std::uint32_t BuddyCopies::source(std::uint32_t node) const {
  if (!holders_) return node ^ 1u;
  const std::vector<std::uint32_t> holders = holders_(node);
  const auto left = std::ranges::find_if(
      holders, [this](std::uint32_t holder) { return !replicas_.lost.contains(holder); });
  return left == holders.end() ? holders.front() : *left;
}

std::vector<std::uint32_t> BuddyCopies::without_own() const {
  std::vector<std::uint32_t> nodes;
  for (const auto& [first, held] : damaged_) {
    if (!held.first_own) nodes.push_back(first);
    if (!held.second_own) nodes.push_back(first + 1);
  }
  for (const auto& [number, group] : groups_)
    nodes.insert(nodes.end(), group.without_own.begin(), group.without_own.end());
  nodes.insert(nodes.end(), replicas_.without_own.begin(), replicas_.without_own.end());
  return nodes;
}

unsigned BuddyCopies::repairable(std::uint32_t node) const {
  const auto pair = damaged_.find(node & ~1u);
  if (pair == damaged_.end()) return 0;
  const Held& held = pair->second;
  unsigned copies = 0;
  if (held.first_left()) copies += !held.first_own + !held.first_at_second;
  if (held.second_left()) copies += !held.second_own + !held.second_at_first;
  return copies;
}

std::vector<std::uint32_t> BuddyCopies::damaged() const {
  std::vector<std::uint32_t> nodes;
  for (const auto& [first, held] : damaged_) nodes.push_back(first);
  return nodes;
}

}  // namespace asterism
