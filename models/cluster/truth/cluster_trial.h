// Small clusters that lose nodes, links and what they hold, at random and at bad moments, and what must hold of every run.
//
// A trial makes a cluster of 2 to 6 traffic nodes with up to 4 spares, of any protocol, placement and policy, with or without a
// global store, and lets it lose up to six things: anywhere at any time, or aimed: while a checkpoint is taken, while a global
// copy is made, while it recovers, and two buddies at once. Then (cluster_oracle.h):
//
//   - the run ends with the right result, or says that nothing can be recovered when nothing can be; it never stands still
//   - every version that was committed, or gone back to, is held until losses have taken both copies of a rank
//   - a cluster goes back to the newest version that it holds whole
//   - a node holds at most two copies of its own state and two of its ward's
//
// A seed gives one trial, on every machine.
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
  return std::to_array<EnumName<ClusterAim>>({{any, "any", "each loss takes one of these by the seed"},
                                              {time, "time", "at any time"},
                                              {checkpoint, "checkpoint", "while a checkpoint is taken"},
                                              {global, "global", "while a global copy is made"},
                                              {recovery, "recovery", "while the cluster recovers"},
                                              {buddies, "buddies", "two buddies at once, at any time"}});
}

struct ClusterTrialConfig {
  ClusterAim aim = ClusterAim::any;
  BuddyMutant mutant = BuddyMutant::none;
};
void describe(Fields& f, ClusterTrialConfig& config);

// What trials have come across.
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

// Throws ClusterTrialFailure, also for what the cluster itself finds wrong (std::logic_error). The states
// that the trial has reached are added to `states`.
ClusterTrialCounts run_cluster_trial(const ClusterTrialConfig& config, std::uint64_t seed,
                                     ClusterStates* states = nullptr);

}  // namespace asterism
