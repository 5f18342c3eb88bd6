#include "cluster/truth/cluster_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace asterism {

namespace {

template <class... Args>
void expect(bool holds, fmt::format_string<Args...> words, Args&&... args) {
  if (!holds) throw ClusterTrialFailure(fmt::format(words, std::forward<Args>(args)...));
}

}  // namespace

ClusterOracle::ClusterOracle(const ClusterConfig& config, std::uint64_t seed)
    : config_(config),
      result_(RingProgram::expected(seed, config.nodes, config.program.words, config.program.steps)) {
  RingProgram ring(seed, 0, config.nodes * config.program.words);
  for (std::uint64_t step = 1; step < config.program.steps; ++step) {
    ring.step(ring.last(), ring.first());
    if (step % config.checkpoint.interval == 0)
      states_[step].assign(ring.words().begin(), ring.words().end());
  }
}

bool ClusterOracle::destroys(Loss loss, bool is_own) const {
  const CopyPlacement placement = config_.checkpoint.placement;
  const bool is_on_ssd =
      placement == CopyPlacement::full_ssd || (placement == CopyPlacement::half_ssd && !is_own);
  switch (loss) {
    case Loss::node:
    case Loss::link:
      return true;
    case Loss::memory:
      return !is_on_ssd;
    case Loss::ssd:
      return is_on_ssd;
    case Loss::gpu:
      return false;
  }
  return true;
}

// ---- what the cluster must hold ----

// Every state must be held twice, except for copies lost since the epoch began, which cannot have been
// replaced.
ClusterOracle::Owed ClusterOracle::owed(const Membership& membership, std::uint64_t version) const {
  Owed owed{version, {}};
  const auto has_lost = [&](NodeNumber node, bool is_own) {
    const auto losses = lost_in_epoch_.find(node);
    return losses != lost_in_epoch_.end() &&
           std::ranges::any_of(losses->second, [&](Loss loss) { return destroys(loss, is_own); });
  };
  for (Rank rank = 0; rank < membership.ranks(); ++rank) {
    const NodeNumber own = membership.node_of_rank[rank],
                     buddy = membership.node_of_rank[membership.buddy_of(rank)];
    owed.of_rank.push_back({own, buddy, !has_lost(own, true), !has_lost(buddy, false)});
  }
  return owed;
}

void ClusterOracle::commit(const Membership& membership, std::uint64_t version) {
  owed_ = owed(membership, version);
}

void ClusterOracle::global_commit(std::uint64_t version) { global_ = std::max(global_, version); }

void ClusterOracle::recovery(const Membership& membership, std::uint64_t version) {
  owed_.reset();
  if (version != 0) owed_ = owed(membership, version);
}

void ClusterOracle::loss(NodeNumber node, Loss loss) {
  lost_in_epoch_[node].push_back(loss);
  if (!owed_) return;
  for (Held& held : owed_->of_rank) {
    if (held.own_node == node && destroys(loss, true)) held.own = false;
    if (held.buddy_node == node && destroys(loss, false)) held.buddy = false;
  }
}

std::optional<std::uint64_t> ClusterOracle::version_owed() const {
  std::optional<std::uint64_t> version;
  if (config_.checkpoint.restart_from_beginning) version = 0;
  if (global_ != 0) version = global_;
  if (owed_ && std::ranges::all_of(owed_->of_rank, [&](const Held& held) {
        return held.own || held.buddy || owed_->version == global_;
      }))
    version = std::max(version.value_or(0), owed_->version);
  return version;
}

// ---- what the cluster holds ----

bool ClusterOracle::is_right(const StateCopy* copy) const {
  if (!copy) return false;
  const auto state = states_.find(copy->version);
  const std::size_t size = config_.program.state().count();
  return state != states_.end() && copy->bytes.size() == size &&
         std::memcmp(copy->bytes.data(), state->second.data() + copy->owner * config_.program.words, size) ==
             0;
}

std::optional<std::uint64_t> ClusterOracle::version_held(const TrafficCluster& cluster) {
  const Membership& membership = cluster.management().membership();
  const auto is_held_by_node = [&](Rank rank, std::uint64_t version, Rank holder) {
    const TrafficNode* node = cluster.node(membership.node_of_rank[holder]);
    return is_right(node->protocol().copies().find_valid(rank, version));
  };
  for (auto state = states_.rbegin(); state != states_.rend(); ++state) {
    const std::uint64_t version = state->first;
    bool is_held = true;
    held_needs_storage_ = false;
    for (Rank rank = 0; rank < membership.ranks() && is_held; ++rank) {
      if (is_held_by_node(rank, version, rank)) continue;
      if (is_held_by_node(rank, version, membership.buddy_of(rank))) continue;
      held_needs_storage_ = true;
      is_held = cluster.storage() && is_right(cluster.storage()->copies().find_valid(rank, version));
    }
    if (is_held) return version;
  }
  held_needs_storage_ = false;
  return config_.checkpoint.restart_from_beginning ? std::optional<std::uint64_t>(0) : std::nullopt;
}

void ClusterOracle::check_places(const TrafficCluster& cluster) const {
  for (NodeNumber number = 0; number < config_.storage_node(); ++number) {
    std::map<Rank, int> copies;
    for (const StateCopy& copy : cluster.node(number)->protocol().copies().all())
      expect(++copies[copy.owner] <= 2, "node {} has more than two copies of rank {}", number, copy.owner);
  }
}

void ClusterOracle::inspect(const TrafficCluster& cluster) {
  check_places(cluster);
  if (cluster.management().membership().epoch != epoch_) new_epoch(cluster);
}

void ClusterOracle::new_epoch(const TrafficCluster& cluster) {
  const Membership& membership = cluster.management().membership();
  epoch_ = membership.epoch;
  lost_in_epoch_.clear();
  // A node whose rank has changed, or that has no rank any more, has dropped its copies.
  if (owed_)
    for (Rank rank = 0; rank < membership.ranks(); ++rank) {
      Held& held = owed_->of_rank[rank];
      held.own = held.own && membership.node_of_rank[rank] == held.own_node;
      held.buddy = held.buddy && membership.node_of_rank[membership.buddy_of(rank)] == held.buddy_node;
    }
  held_ = version_held(cluster);
  const auto owed = version_owed();
  if (epoch_ > 1 && owed)
    expect(held_ && *held_ >= *owed, "in epoch {} version {} is owed, but {}", epoch_, *owed,
           held_ ? fmt::format("only version {} is held", *held_) : "none is held");
}

void ClusterOracle::rollback(std::uint64_t version) {
  expect(held_ == version, "the cluster restores version {} in epoch {}, but {}", version, epoch_,
         held_ ? fmt::format("version {} is the newest that is held", *held_) : "none is held");
  from_storage_ = held_needs_storage_;
}

void ClusterOracle::end(TrafficCluster& cluster) {
  const auto& outcome = cluster.management().outcome();
  expect(outcome.has_value(), "the run hangs: no events are left at {} ps, and it has no outcome",
         cluster.event_queue().now().count());
  if (outcome->finished)
    return expect(outcome->result == result_, "the result is {:016x}, not {:016x}", outcome->result, result_);
  if (outcome->reason.starts_with("no traffic spare")) {
    for (NodeNumber number = 0; number < config_.storage_node(); ++number)
      expect(cluster.management().membership().rank_of(number) != no_rank ||
                 !cluster.network().link_is_up(number),
             "the run ends with '{}', but node {} is a spare", outcome->reason, number);
    return;
  }
  expect(!held_, "the run ends with '{}', but version {} is held", outcome->reason, held_.value_or(0));
}

}  // namespace asterism
