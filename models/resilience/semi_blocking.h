// Buddy (double) checkpointing between nodes, blocking and semi-blocking: how long a run takes, and the
// interval that makes it shortest. ni2012 chapter 3, Eqs 3.1 to 3.9.
//
// Every node keeps a checkpoint of its own and one of its buddy. Blocking, the program waits for both
// copies. Semi-blocking, it waits for the local copy alone; the one for the buddy (the global checkpoint)
// is sent while the program runs on, and slows it down. A failure that strikes before all global
// checkpoints have ended sends the run back to the checkpoint before.
//
// Symbols, in seconds of the whole machine; what a study calls them is the same in lower case:
//
//   tau       from one checkpoint to the next; semi-blocking, the slow-down is in it
//   overlap   how long a global checkpoint takes beside the program
//   overhead  how much later the program is by it, in each interval
//   delta     the program waits so long for the local checkpoint
//   c         and so long for the blocking one
//   R         a restart
//   MTTF      of the machine; the equations also call it M, MTF and MTFF
//   T_s       the work of the run
//
// The model is of first order: failures come in all the time there is, and each costs the mean of one that
// strikes undisturbed work, also where it strikes a restart, rework or a local dump. Its bounds are
// overlap <= tau <= MTTF. It holds where tau + R + c is well below MTTF; against failures played through
// (semi_blocking_monte_carlo.h) README.md has the distance.
//
// Read in Eqs 3.1 to 3.9: T_further-rollback (3.1) and T_further-recover (3.6) are one term; R is of the
// order of c, the dump whose reverse it is, where the text says tau.
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

// Throws std::invalid_argument unless MTTF is above 0, no time is negative or without an end, and the
// overhead is no longer than the overlap.
void check_buddy_checkpoint(const BuddyCheckpoint& checkpoint);

// The five parts of Eq. 3.1. Where the rework of failures takes more than all the time there is, the last
// three are infinite.
struct SemiBlockingTime {
  Seconds work, local, overhead, rollback, further_rollback;
  Seconds total() const { return work + local + overhead + rollback + further_rollback; }
};

// Eqs 3.1 to 3.7. Throws std::invalid_argument, too, unless overlap <= tau and overhead < tau, tau is at
// most MTTF, the work is above 0 and that of an interval is no longer than it.
SemiBlockingTime semi_blocking_time(const BuddyCheckpoint& checkpoint, Seconds work, Seconds tau);

// Eq. 3.8; throws likewise unless 0 < tau <= MTTF and tau <= work.
Seconds blocking_time(const BuddyCheckpoint& checkpoint, Seconds work, Seconds tau);

struct BuddyOptimum {
  Seconds tau;
  Seconds total;          // infinite where no interval gets on, or none is within the bounds: tau is 0 then
  bool at_bound = false;  // tau is as short as the overlap lets it be, or as long as MTTF or the run
};

// The shortest run within the bounds: total time over tau is quasi-convex, so that the one minimum is found
// (Brent, Boost.Math; tau to 1e-6 of itself). The overlap is often the active bound.
BuddyOptimum semi_blocking_optimum(const BuddyCheckpoint& checkpoint, Seconds work);
BuddyOptimum blocking_optimum(const BuddyCheckpoint& checkpoint, Seconds work);

// Eq. 3.9: by which share semi-blocking is shorter.
double semi_blocking_benefit(const BuddyOptimum& semi_blocking, const BuddyOptimum& blocking);

enum class BuddyPlacement { pairs, ring };
constexpr auto enum_names(BuddyPlacement) {
  return std::to_array<EnumName<BuddyPlacement>>(
      {{BuddyPlacement::pairs, "pairs", "two nodes have each other's checkpoints"},
       {BuddyPlacement::ring, "ring", "a node has that of the one before it"}});
}

// Mean time until a node fails while a buddy of it is not whole again: MTTF^2 nodes / (buddies window),
// buddies 1 in pairs and 2 in a ring, the window being restart and overlap. The run then begins anew. First
// order: good where the window is well below MTTF. Not in ni2012, which excludes the case. Throws
// std::invalid_argument for fewer than two nodes, or an odd number of them in pairs.
Seconds mean_time_to_lost_checkpoint(const BuddyCheckpoint& checkpoint, unsigned nodes,
                                     BuddyPlacement placement);

}  // namespace asterism
