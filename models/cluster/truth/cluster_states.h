// The coverage states of cluster trials, each with the number of times that trials have reached it. Nothing
// is known of a state that no trial reaches: the study lists it, and a test fails.
//
//   loss      what was lost, on which kind of node, and what that node was doing
//   buddies   what two buddies lost at once; and what the first of them was doing
//   path      what was lost last, and what the cluster recovered from, or why it ended
//   broken    what was lost during a recovery from this source
//   again     two losses in this order with nothing between them, or with a recovery but no commit between
//             them
//   storage   protocol, placement of copies, and what the cluster recovered from
//   returns   protocol, and the relation of the restored version to the one committed last
//
// Impossible states are not listed.
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
      {{rank_zero, "rank_zero", "the rank that also coordinates the others"},
       {rank, "rank"},
       {spare, "spare"}});
}

enum class BuddyPhase : std::uint8_t { computing, waiting, local_copy, buddy_copy, global_copy, recovery };
constexpr auto enum_names(BuddyPhase) {
  using enum BuddyPhase;
  return std::to_array<EnumName<BuddyPhase>>(
      {{computing, "computing"},
       {waiting, "waiting",
        "the program is stalled until the previous checkpoint, or this one, is committed"},
       {local_copy, "local_copy"},
       {buddy_copy, "buddy_copy", "the rank's copy is being sent to its buddy"},
       {global_copy, "global_copy", "the rank's copy is being sent to the global store"},
       {recovery, "recovery"}});
}

enum class RecoveryPath : std::uint8_t { copies, storage, beginning, not_recoverable, no_spare };
constexpr auto enum_names(RecoveryPath) {
  using enum RecoveryPath;
  return std::to_array<EnumName<RecoveryPath>>(
      {{copies, "copies", "only the copies in nodes were needed"},
       {storage, "storage", "the state of at least one rank came from the global store"},
       {beginning, "beginning", "the program started again"},
       {not_recoverable, "not_recoverable", "the run ends because no version is held of every rank"},
       {no_spare, "no_spare", "the run ends because no node is left for a rank"}});
}
constexpr bool goes_on(RecoveryPath path) {
  return path != RecoveryPath::not_recoverable && path != RecoveryPath::no_spare;
}

enum class ReturnTo : std::uint8_t { committed, newer, older, beginning };
constexpr auto enum_names(ReturnTo) {
  using enum ReturnTo;
  return std::to_array<EnumName<ReturnTo>>({{committed, "committed", "the version committed last"},
                                            {newer, "newer", "a version that was complete but not committed"},
                                            {older, "older", "a version from the global store"},
                                            {beginning, "beginning"}});
}

enum class LossesBetween : std::uint8_t { nothing, recovery };
constexpr auto enum_names(LossesBetween) {
  return std::to_array<EnumName<LossesBetween>>(
      {{LossesBetween::nothing, "at_once", "neither a recovery nor a commit came between"},
       {LossesBetween::recovery, "after_recovery", "a recovery but no commit came between"}});
}

class ClusterStates {
 public:
  struct State {
    std::string name;  // "loss ssd rank buddy_copy"
    std::uint64_t count;
  };

  ClusterStates();

  // `phases` is a bit set: bit i stands for BuddyPhase i. A spare has none.
  void loss(Loss loss, LossRole role, std::uint32_t phases);
  void buddies(Loss of_rank, Loss of_buddy, std::uint32_t phases);
  void path(Loss last, RecoveryPath path);
  void broken(Loss loss, RecoveryPath path);
  void again(Loss first, Loss second, LossesBetween between);
  void storage(CheckpointProtocol protocol, CopyPlacement placement, RecoveryPath path);
  void returns(CheckpointProtocol protocol, ReturnTo to);

  // All possible states, in a fixed order.
  std::vector<State> listed() const;
  std::vector<std::string> not_reached() const;

  ClusterStates& operator+=(const ClusterStates& other);

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace asterism
