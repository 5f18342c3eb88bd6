#include "cluster/truth/cluster_states.h"

#include <algorithm>
#include <functional>

namespace asterism {
namespace {

template <NamedEnum E>
constexpr std::size_t count_of = enum_names(E{}).size();

constexpr std::size_t kinds = count_of<Loss>, roles = count_of<LossRole>, phases = count_of<BuddyPhase>,
                      paths = count_of<RecoveryPath>, betweens = count_of<LossesBetween>,
                      protocols = count_of<CheckpointProtocol>, placements = count_of<CopyPlacement>,
                      targets = count_of<ReturnTo>;

// Where each table begins in the counts. A spare's losses are counted under the first phase.
constexpr std::size_t loss_at = 0, buddies_at = loss_at + kinds * roles * phases,
                      buddies_in_at = buddies_at + kinds * kinds, path_at = buddies_in_at + phases,
                      broken_at = path_at + kinds * paths, again_at = broken_at + kinds * paths,
                      storage_at = again_at + kinds * kinds * betweens,
                      returns_at = storage_at + protocols * placements * paths,
                      end_at = returns_at + protocols * targets;

template <NamedEnum E>
constexpr std::size_t index(E value) {
  return static_cast<std::size_t>(value);
}
constexpr std::size_t index_of_loss(Loss loss, LossRole role) {
  return loss_at + (index(loss) * roles + index(role)) * phases;
}
constexpr std::size_t index_of_again(Loss first, Loss second, LossesBetween between) {
  return again_at + (index(first) * kinds + index(second)) * betweens + index(between);
}
constexpr std::size_t index_of_storage(CheckpointProtocol protocol, CopyPlacement placement,
                                       RecoveryPath path) {
  return storage_at + (index(protocol) * placements + index(placement)) * paths + index(path);
}

}  // namespace

ClusterStates::ClusterStates() : counts_(end_at) {}

void ClusterStates::loss(Loss loss, LossRole role, std::uint32_t in_phases) {
  const std::size_t at = index_of_loss(loss, role);
  if (role == LossRole::spare) ++counts_[at];
  for (std::size_t phase = 0; phase < phases; ++phase)
    if (role != LossRole::spare && in_phases >> phase & 1) ++counts_[at + phase];
}
void ClusterStates::buddies(Loss of_rank, Loss of_buddy, std::uint32_t in_phases) {
  ++counts_[buddies_at + index(of_rank) * kinds + index(of_buddy)];
  for (std::size_t phase = 0; phase < phases; ++phase)
    if (in_phases >> phase & 1) ++counts_[buddies_in_at + phase];
}
void ClusterStates::path(Loss last, RecoveryPath path) {
  ++counts_[path_at + index(last) * paths + index(path)];
}
void ClusterStates::broken(Loss loss, RecoveryPath path) {
  ++counts_[broken_at + index(loss) * paths + index(path)];
}
void ClusterStates::again(Loss first, Loss second, LossesBetween between) {
  ++counts_[index_of_again(first, second, between)];
}
void ClusterStates::storage(CheckpointProtocol protocol, CopyPlacement placement, RecoveryPath path) {
  ++counts_[index_of_storage(protocol, placement, path)];
}
void ClusterStates::returns(CheckpointProtocol protocol, ReturnTo to) {
  ++counts_[returns_at + index(protocol) * targets + index(to)];
}

std::vector<ClusterStates::State> ClusterStates::listed() const {
  std::vector<State> states;
  const auto add = [&](std::size_t at, auto... words) {
    std::string name;
    ((name += (name.empty() ? "" : " "), name += words), ...);
    states.push_back({std::move(name), counts_[at]});
  };
  for (const auto& loss : enum_names(Loss{})) {
    for (const auto& role : enum_names(LossRole{})) {
      const std::size_t at = index_of_loss(loss.value, role.value);
      if (role.value == LossRole::spare) {
        add(at, "loss", loss.name, role.name);
        continue;
      }
      for (const auto& phase : enum_names(BuddyPhase{}))
        add(at + index(phase.value), "loss", loss.name, role.name, phase.name);
    }
    for (const auto& other : enum_names(Loss{})) {
      add(buddies_at + index(loss.value) * kinds + index(other.value), "buddies", loss.name, other.name);
      for (const auto& between : enum_names(LossesBetween{}))
        add(index_of_again(loss.value, other.value, between.value), "again", loss.name, other.name,
            between.name);
    }
    for (const auto& path : enum_names(RecoveryPath{})) {
      add(path_at + index(loss.value) * paths + index(path.value), "path", loss.name, path.name);
      if (goes_on(path.value))
        add(broken_at + index(loss.value) * paths + index(path.value), "broken", loss.name, path.name);
    }
  }
  for (const auto& phase : enum_names(BuddyPhase{}))
    add(buddies_in_at + index(phase.value), "buddies", phase.name);
  for (const auto& protocol : enum_names(CheckpointProtocol{})) {
    for (const auto& placement : enum_names(CopyPlacement{}))
      for (const auto& path : enum_names(RecoveryPath{}))
        if (goes_on(path.value))
          add(index_of_storage(protocol.value, placement.value, path.value), "storage", protocol.name,
              placement.name, path.name);
    for (const auto& to : enum_names(ReturnTo{}))
      add(returns_at + index(protocol.value) * targets + index(to.value), "returns", protocol.name, to.name);
  }
  return states;
}

std::vector<std::string> ClusterStates::not_reached() const {
  std::vector<std::string> names;
  for (State& state : listed())
    if (state.count == 0) names.push_back(std::move(state.name));
  return names;
}

ClusterStates& ClusterStates::operator+=(const ClusterStates& other) {
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
  return *this;
}

}  // namespace asterism
