// Buddy (double) checkpointing between nodes, blocking and semi-blocking: how long a run takes, and the
// interval that makes it shortest. ni2012 chapter 3, Eqs 3.1 to 3.9.
//
// Every node keeps its own checkpoint and that of its buddy. With blocking checkpoints the program waits for
// both copies. With semi-blocking checkpoints it waits for the local copy alone; the copy for the buddy (the
// global checkpoint) is sent while the program continues, and slows it down. A failure before all global
// checkpoints have ended sends the run back to the checkpoint before.
//
// Symbols, in seconds of the whole machine. A study uses the same names in lower case:
//
//   tau       the time from one checkpoint to the next; semi-blocking, the slow-down is included
//   overlap   how long a global checkpoint takes beside the program
//   overhead  by how much it delays the program, in each interval
//   delta     how long the program waits for the local checkpoint
//   c         how long the program waits for a blocking checkpoint
//   R         the time of a restart
//   MTTF      the mean time to a failure of the machine; the equations also call it M, MTF and MTFF
//   T_s       the work of the run
//
// The model is of first order: failures occur during all of the run time, and each costs the mean of a
// failure in undisturbed work, even if it occurs in a restart, in rework or in a local dump. Its bounds are
// overlap <= tau <= MTTF. It holds if tau + R + c is well below MTTF; README.md has the distance to a Monte
// Carlo simulation (semi_blocking_monte_carlo.h).
//
// Interpretation of Eqs 3.1 to 3.9: T_further-rollback (3.1) and T_further-recover (3.6) are one term. R is
// of the order of c, the dump whose reverse it is; the text says tau.
#pragma once

#include "base/enum_names.h"
#include "resilience/seconds.h"

namespace asterism {

struct BuddyCheckpoint {
  Seconds overlap, overhead;
  Seconds local;     // delta
  Seconds blocking;  // c
  Seconds restart;   // R
  Seconds mttf;
};

// Throws std::invalid_argument unless MTTF is above 0, all times are finite and not negative, the overhead is
// no longer than the overlap, and the overlap is no shorter than the global copy takes alone, which is c
// without the local copy: no copy is faster beside the program than while the program waits for it.
void check_buddy_checkpoint(const BuddyCheckpoint& checkpoint);

// The five parts of Eq. 3.1. The last three are infinite if the rework of failures takes more than all the
// time.
struct SemiBlockingTime {
  Seconds work, local, overhead, rollback, further_rollback;
  Seconds total() const { return work + local + overhead + rollback + further_rollback; }
};

// Eqs 3.1 to 3.7. Also throws std::invalid_argument unless overlap <= tau and overhead < tau, tau is at
// most MTTF, the work is above 0 and that of an interval is no longer than it.
SemiBlockingTime semi_blocking_time(const BuddyCheckpoint& checkpoint, Seconds work, Seconds tau);

// Eq. 3.8. Throws in the same way unless 0 < tau <= MTTF and tau <= work.
Seconds blocking_time(const BuddyCheckpoint& checkpoint, Seconds work, Seconds tau);

struct BuddyOptimum {
  Seconds tau;
  Seconds total;  // infinite if no interval makes progress, or none is within the bounds; then tau is 0
  bool at_bound = false;  // tau is as short as the overlap allows, or as long as MTTF or the run
};

// The shortest run within the bounds. The total time over tau is quasi-convex, so that its one minimum is
// found (Brent, Boost.Math; tau to a relative 1e-6). The overlap is often the active bound.
BuddyOptimum semi_blocking_optimum(const BuddyCheckpoint& checkpoint, Seconds work);
BuddyOptimum blocking_optimum(const BuddyCheckpoint& checkpoint, Seconds work);

// Eq. 3.9: the share by which semi-blocking is shorter.
double semi_blocking_benefit(const BuddyOptimum& semi_blocking, const BuddyOptimum& blocking);

enum class BuddyPlacement { pairs, ring };
constexpr auto enum_names(BuddyPlacement) {
  return std::to_array<EnumName<BuddyPlacement>>(
      {{BuddyPlacement::pairs, "pairs", "two nodes have each other's checkpoints"},
       {BuddyPlacement::ring, "ring", "each node has the checkpoint of the one before it"}});
}

// The mean time until a node fails while a buddy of it is not restored yet: MTTF^2 nodes / (buddies window),
// with 1 buddy in pairs and 2 in a ring, and a window of restart and overlap. The run then begins anew. First
// order: good if the window is well below MTTF. ni2012 excludes this case. Throws std::invalid_argument for
// fewer than two nodes, or an odd number of them in pairs.
Seconds mean_time_to_lost_checkpoint(const BuddyCheckpoint& checkpoint, unsigned nodes,
                                     BuddyPlacement placement);

}  // namespace asterism
