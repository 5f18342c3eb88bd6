// A Monte Carlo simulation of hybrid local/global checkpoints, event by event, with which the equations of
// local_global.h are compared.
//
// The machine works for tau, then takes a checkpoint; global ones are spread among the local ones as evenly
// as their share allows. A failure occurs at any time, also in a checkpoint and in a recovery, and sends the
// machine back to the last complete checkpoint or, if a local one does not survive it, to the last global
// one. A recovery in which a failure occurs is begun again, from the global checkpoint if the failure needs
// it. In the background (local_global.h) a global checkpoint counts once it is stored; a failure that the
// local one survives lets it be stored from the beginning. The size of increments is that of the equations,
// also after a failure.
#pragma once

#include <cstdint>
#include <stop_token>

#include "resilience/local_global.h"
#include "resilience/node_failures.h"

namespace asterism {

struct LocalGlobalMonteCarloSettings {
  std::uint32_t nodes = 1;  // together they have the checkpoint's MTTF
  double shape = 1;         // of the distribution of their lifetimes: node_failures.h
  bool new_machine = false;
  std::uint64_t failures = 100'000;  // approximately
  std::uint64_t seed = 1;
  std::stop_token stop = {};  // the simulation ends early if a stop is requested
};

struct LocalGlobalMonteCarlo {
  std::uint64_t failures = 0, global_failures = 0, checkpoints = 0;
  Seconds time;
  double availability = 0;   // work over time; 0 if it ended early or made hardly any progress
  double half_width_99 = 0;  // of its 99% interval
};

// Throws as local_global_time() and NodeFailures do.
LocalGlobalMonteCarlo simulate_local_global(const LocalGlobalCheckpoint& checkpoint, Seconds tau,
                                            double local_share, const LocalGlobalMonteCarloSettings& play);

}  // namespace asterism
