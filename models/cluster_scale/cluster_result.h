// The outcome of a run of the program on a machine.
//
// time = work + rework + dump + blocked + overhead + check + slow + detection + restart + spare_wait, except
// for rounding.
// `overlap` passes beside the program.
#pragma once

#include "cluster_scale/cluster_setup.h"

namespace asterism {

// The copies from which the program recovered.
enum class ClusterRecovery { local, buddy, global, start };
constexpr auto enum_names(ClusterRecovery) {
  return std::to_array<EnumName<ClusterRecovery>>(
      {{ClusterRecovery::local, "local", "every node from its own copy"},
       {ClusterRecovery::buddy, "buddy", "nodes without a copy of their own from their buddies'"},
       {ClusterRecovery::global, "global", "every node from the file system"},
       {ClusterRecovery::start, "start", "from the beginning: there was no copy of all nodes anywhere"}});
}
constexpr std::size_t cluster_recoveries = 4;

struct ClusterResult {
  std::uint64_t seed = 0;
  bool finished = false;  // otherwise it took longer than give_up
  Seconds time, work;
  Seconds rework, dump, blocked, overhead, detection, restart, spare_wait;
  Seconds check;      // for silent corruption
  Seconds slow;       // what slow nodes have added to iterations
  Seconds overlap;    // of all `checkpoints`: from the local copy to that of the buddies
  Seconds lost_work;  // all work that failures undid
  std::array<std::uint64_t, cluster_failure_kinds> failures{};
  // By the kind of the failure that rolled the program back: the work that was undone, and the time until the
  // program ran again; of slow nodes, also the time that they have added.
  std::array<Seconds, cluster_failure_kinds> lost{};
  std::array<std::uint64_t, cluster_recoveries> recoveries{};
  // Checkpoints that were completed at all buddies, that a failure ended, and that the previous one delayed.
  std::uint64_t checkpoints = 0, given_up = 0, late = 0;
  std::uint64_t global_copies = 0, global_given_up = 0, repairs = 0;
  double network_bytes = 0;  // to buddies, spares and the file system and back
  bool wrong = false;        // the run has ended with wrong data

  double efficiency() const { return time > Seconds() ? work / time : 0; }
  bool operator==(const ClusterResult&) const = default;
};

}  // namespace asterism
