// Randomised trials of the protocol: small clusters that lose nodes, links, memories, SSDs and GPUs, at
// random and at critical moments, and the conditions that every run must meet.
//
// A trial makes a cluster of 2 to 6 traffic nodes with up to 4 spares, of any protocol, placement and policy,
// with or without a global store. It injects up to six losses, at random times or aimed: while a checkpoint
// is taken, while a global copy is made, while the cluster recovers, or on two buddies at once. The
// conditions (cluster_oracle.h):
//
//   - the run ends with the correct result, or as not recoverable if no version can be recovered; it never
//     hangs
//   - every version that was committed or restored is held until losses have destroyed both copies of a rank
//   - the cluster restores the newest version that it holds of every rank
//   - a node holds at most two copies of its own state and two of its protected rank's
//
// A seed determines the trial, on every machine.
#pragma once

#include <array>
#include <cstdint>

#include "base/enum_names.h"
#include "cluster/buddy_protocol.h"
#include "cluster/truth/cluster_oracle.h"

namespace asterism {

class ClusterStates;
class Fields;

enum class ClusterAim : std::uint8_t { any, time, checkpoint, global, recovery, buddies };
constexpr auto enum_names(ClusterAim) {
  using enum ClusterAim;
  return std::to_array<EnumName<ClusterAim>>(
      {{any, "any", "the seed chooses one of the other aims for each loss"},
       {time, "time", "losses occur at any time"},
       {checkpoint, "checkpoint", "losses occur while a checkpoint is taken"},
       {global, "global", "losses occur while a global copy is made"},
       {recovery, "recovery", "losses occur while the cluster recovers"},
       {buddies, "buddies", "two buddies suffer a loss at once, at any time"}});
}

struct ClusterTrialConfig {
  ClusterAim aim = ClusterAim::any;
  BuddyMutant mutant = BuddyMutant::none;
};
void describe(Fields& f, ClusterTrialConfig& config);

// Counts of the events in trials.
struct ClusterTrialCounts {
  std::uint64_t finished = 0, not_recoverable = 0, no_spare = 0;  // ends
  std::array<std::uint64_t, 5> losses{};                          // by kind
  std::uint64_t in_checkpoint = 0, in_global = 0, in_recovery = 0, of_both_buddies = 0;
  std::uint64_t commits = 0, global_commits = 0, epochs = 0;
  std::uint64_t recoveries = 0, from_storage = 0, from_beginning = 0;
  std::uint64_t stale_frames = 0;

  ClusterTrialCounts& operator+=(const ClusterTrialCounts& other);
  bool operator==(const ClusterTrialCounts&) const = default;
};

// Throws ClusterTrialFailure if a condition is broken, or if the cluster itself detects an error
// (std::logic_error). Adds the states that the trial reaches to `states`.
ClusterTrialCounts run_cluster_trial(const ClusterTrialConfig& config, std::uint64_t seed,
                                     ClusterStates* states = nullptr);

}  // namespace asterism
