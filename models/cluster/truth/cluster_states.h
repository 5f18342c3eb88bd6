// The states that cluster trials are to reach, each with how often they did. What no trial has reached is not
// shown: the study lists it, and a test fails.
//
//   loss      what was lost, on whom, and what that one was doing
//   buddies   what two buddies lost at once; and what the first of them was doing
//   path      what was lost last, and what the cluster went on from, or why it ended
//   broken    what was lost during a recovery that went on from this
//   again     two losses in this order with nothing between, or with a recovery between and no commit
//   storage   protocol, placement of copies, and what the cluster went on from
//   returns   protocol, and how the version that the cluster went back to stands to the one committed last
//
// A state that cannot be is not listed; cluster_states.cpp says why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "cluster/cluster_config.h"
#include "cluster/membership.h"

namespace asterism {

enum class LossRole : std::uint8_t { rank_zero, rank, spare };
constexpr auto enum_names(LossRole) {
  using enum LossRole;
  return std::to_array<EnumName<LossRole>>(
      {{rank_zero, "rank_zero", "who brings the ranks together, too"}, {rank, "rank"}, {spare, "spare"}});
}

enum class BuddyPhase : std::uint8_t { computing, waiting, local_copy, buddy_copy, global_copy, recovery };
constexpr auto enum_names(BuddyPhase) {
  using enum BuddyPhase;
  return std::to_array<EnumName<BuddyPhase>>(
      {{computing, "computing"},
       {waiting, "waiting", "standing for a checkpoint: for the last one's commit, or for this one's"},
       {local_copy, "local_copy"},
       {buddy_copy, "buddy_copy", "its copy is on the way to the buddy"},
       {global_copy, "global_copy", "its copy is on the way to the global store"},
       {recovery, "recovery"}});
}

enum class RecoveryPath : std::uint8_t { copies, storage, beginning, not_recoverable, no_spare };
constexpr auto enum_names(RecoveryPath) {
  using enum RecoveryPath;
  return std::to_array<EnumName<RecoveryPath>>(
      {{copies, "copies", "of the nodes alone"},
       {storage, "storage", "some rank's state came from the global store"},
       {beginning, "beginning"},
       {not_recoverable, "not_recoverable", "the run ends: no version is held of every rank"},
       {no_spare, "no_spare", "the run ends: no node is left for a rank"}});
}
constexpr bool goes_on(RecoveryPath path) {
  return path != RecoveryPath::not_recoverable && path != RecoveryPath::no_spare;
}

enum class ReturnTo : std::uint8_t { committed, newer, older, beginning };
constexpr auto enum_names(ReturnTo) {
  using enum ReturnTo;
  return std::to_array<EnumName<ReturnTo>>({{committed, "committed", "the version committed last"},
                                            {newer, "newer", "one that was complete and not committed"},
                                            {older, "older", "one of the global store"},
                                            {beginning, "beginning"}});
}

enum class LossesBetween : std::uint8_t { nothing, recovery };
constexpr auto enum_names(LossesBetween) {
  return std::to_array<EnumName<LossesBetween>>(
      {{LossesBetween::nothing, "at_once", "neither recovery nor commit"},
       {LossesBetween::recovery, "after_recovery", "a recovery, and no commit"}});
}

class ClusterStates {
 public:
  struct State {
    std::string name;  // "loss ssd rank buddy_copy"
    std::uint64_t count;
  };

  ClusterStates();

  // `phases` is a set: bit i is BuddyPhase i. A spare has none.
  void loss(Loss loss, LossRole role, std::uint32_t phases);
  void buddies(Loss of_rank, Loss of_buddy, std::uint32_t phases);
  void path(Loss last, RecoveryPath path);
  void broken(Loss loss, RecoveryPath path);
  void again(Loss first, Loss second, LossesBetween between);
  void storage(CheckpointProtocol protocol, CopyPlacement placement, RecoveryPath path);
  void returns(CheckpointProtocol protocol, ReturnTo to);

  // Those that can be, in one order.
  std::vector<State> listed() const;
  std::vector<std::string> not_reached() const;

  ClusterStates& operator+=(const ClusterStates& other);

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace asterism
