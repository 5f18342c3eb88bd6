// Hybrid local/global checkpoints: how long a run takes if every node stores most checkpoints locally and a
// few in a place that survives the loss of the node; and which share of them should be local, and how often
// they should be taken, for the shortest run. dong2011 section 4.4, Table V and Eqs 1 to 7.
//
// Symbols, with times in seconds of the whole machine. A study uses the same names in lower case:
//
//   T_S               the work of the run
//   p_L, p_G          the shares of local and global checkpoints; p_G = 1 - p_L
//   tau               the work between two checkpoints of any kind
//   delta_L, delta_G  the time to write a local and a global checkpoint
//   R_L, R_G          the time to recover from one: to read it, and to boot the node
//   q_L, q_G          the shares of failures that a local checkpoint survives and that need a global one
//   MTTF              the mean time to a failure of the machine
//
//   T_total = T_S + T_dump + T_rollback,recovery + T_extra-rollback                         (1)
//   T_dump = T_S / tau delta_eq,  delta_eq = delta_L p_L + delta_G p_G                      (2, 3)
//   T_rollback,recovery = ((tau + delta_eq) / 2 + R_eq) T_total / MTTF                      (4)
//   R_eq = R_L q_L + R_G q_G                                                                (5)
//   T_extra-rollback = p_L q_G / (2 p_G) (tau + delta_L) T_total / MTTF                     (6)
//
// (7) is the sum of these. It has T_total on both sides and is solved for it. T_total is infinite if failures
// take all the time. Without local checkpoints (p_L = 0) every failure recovers from a global one: R_eq =
// R_G. With any local checkpoints, however few, (5) holds.
//
// Increments (section 5.4): a checkpoint holds only the pages written since the last one of its kind. A page
// is written at random times, so that a share v(t) = 1 - exp(-t / T_D) of all pages has been written after
// the time t; T_D is `dirty_time`. A local checkpoint takes `coordination` and v(tau) of the rest of delta_L,
// and a global one v(tau / p_G) of the rest of delta_G. A recovery reads all pages.
//
// Background (section 5.3): each checkpoint is local, and the program waits for delta_L only. Every 1 / p_G
// of them is then stored as a global one, beside the program, which is slower by the share s
// (`background_slowdown`) for delta_G. It protects once it is stored, and has to be stored before the next
// one begins: delta_G p_G <= tau + delta_L. Thus
//
//   delta_eq = delta_L + p_G s delta_G                                                      (3')
//   T_extra-rollback = q_G (p_L / (2 p_G) (tau + delta_L) + delta_G) T_total / MTTF         (6')
//
// Both are not in the paper's equations; without them (`dirty_time` 0, `background` false) they are (1) to
// (7).
//
// Range of validity: tau + delta_eq + R_eq is well below MTTF, and so is this sum over p_L / p_G intervals.
// Failures occur halfway through an interval, and each costs the same wherever it occurs. In truth a machine
// that fails while it recovers loses the whole recovery; here it loses half an interval. README.md has the
// distance to a Monte Carlo simulation (local_global_monte_carlo.h). The loss of a global checkpoint while it
// is replaced is left out, as in the paper.
#pragma once

#include <optional>

#include "resilience/seconds.h"

namespace asterism {

struct LocalGlobalCheckpoint {
  Seconds local, global;                  // delta_L, delta_G
  Seconds local_restart, global_restart;  // R_L, R_G
  double locally_recoverable = 0;         // q_L
  Seconds mttf;
  Seconds coordination = {};  // the part of delta_L and delta_G that does not depend on what they hold
  Seconds dirty_time = {};    // T_D; 0: every checkpoint holds everything
  bool background = false;
  double background_slowdown = 0;  // s
};

// Throws std::invalid_argument unless MTTF is above 0, all times are finite and not negative, coordination is
// no longer than a checkpoint, and q_L and s are from 0 to 1.
void check_local_global(const LocalGlobalCheckpoint& checkpoint);

struct LocalGlobalTime {
  Seconds work, dump, rollback_recovery, extra_rollback;  // the four parts of Eq. 1

  Seconds total() const { return work + dump + rollback_recovery + extra_rollback; }
  double overhead() const { return total() / work - 1; }
  double availability() const { return work / total(); }  // 1 / (1 + overhead); 0 if there is no progress
};

// v(t): the share of all pages in an increment of the time t; 1 without increments.
double increment(const LocalGlobalCheckpoint& checkpoint, Seconds t);

// The same checkpoint with the delta_L and delta_G that its increments have at tau and p_L.
LocalGlobalCheckpoint with_increments(const LocalGlobalCheckpoint& checkpoint, Seconds tau,
                                      double local_share);

// Eqs 1 to 7. Also throws std::invalid_argument unless 0 <= p_L < 1 (p_L = 1 if q_L is 1), tau is above 0 and
// no longer than the work, and global checkpoints beside the program are stored in time.
LocalGlobalTime local_global_time(const LocalGlobalCheckpoint& checkpoint, Seconds work, Seconds tau,
                                  double local_share);

// The tau that makes (7) shortest at a share of local checkpoints: -a + sqrt(a^2 + a b / c), with a =
// delta_eq and T_S / T_total = (b - c tau) / (1 + a / tau). It is no shorter than `min_tau`, and than
// global checkpoints beside the program need. With increments it is found by Brent's minimiser.
Seconds best_tau(const LocalGlobalCheckpoint& checkpoint, double local_share, Seconds min_tau = Seconds(0.1));

// The best p_L for rare failures: 1 - sqrt(q_G / (q_L (r - 1))), r = delta_G / delta_L; 0 if that is negative
// or global checkpoints cost no more.
double closed_form_local_share(const LocalGlobalCheckpoint& checkpoint);

struct LocalGlobalOptimum {
  Seconds tau;
  double local_share = 0;  // p_L
  double overhead = 0;     // infinite if there is no progress at any tau
};

// Both by Brent's minimiser over p_G, with tau as best_tau() has it, and compared with p_L = 0. The default
// of `min_tau` is the paper's (section 5.1). Throws as check_local_global() does.
LocalGlobalOptimum local_global_optimum(const LocalGlobalCheckpoint& checkpoint,
                                        Seconds min_tau = Seconds(0.1));

}  // namespace asterism
