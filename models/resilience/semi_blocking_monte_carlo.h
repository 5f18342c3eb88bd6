// A Monte Carlo simulation of buddy checkpointing, failure by failure, which shows how far the model of
// semi_blocking.h holds.
//
// It makes the assumptions of the model and adds what its first order leaves out: failures occur in local
// dumps, restarts and rework as they do in work, again and again. Intervals (a local dump, then tau) begin
// and end with all global checkpoints done, so they are independent. A failure
//
//   - during the local dump leads back to the last checkpoint: its interval is worked again, then dumped;
//   - in the first `overlap` of tau leads to the checkpoint before: its interval is worked again, the
//     checkpoint is taken again, blocking (c), and then the interval is worked;
//   - later leads back to the beginning of the interval; the global checkpoint is there and costs no
//     overhead.
//
// The times between two failures of the machine have a Weibull distribution with the mean MTTF: its hazard
// falls with the time since the last failure if the shape is below 1, so that failures come in groups, and is
// constant if the shape is 1, as in the model. Intervals then depend on each other; the confidence interval
// is that of the means of batches.
//
// Results are reproducible by seed on one machine.
#pragma once

#include <cstdint>
#include <stop_token>

#include "resilience/semi_blocking.h"

namespace asterism {

struct BuddyMonteCarlo {
  std::uint64_t intervals = 0, failures = 0;
  double stretch = 0;        // time over work; infinite if the simulation ended early
  double half_width_99 = 0;  // of its 99% interval
};

// `failures` is the approximate number of failures; at least 200 intervals are simulated. Throws as
// semi_blocking_time() does for an endless run, and unless the shape is 0.1 to 10.
BuddyMonteCarlo simulate_semi_blocking(const BuddyCheckpoint& checkpoint, Seconds tau, std::uint64_t failures,
                                       std::uint64_t seed, const std::stop_token& stop = {},
                                       double shape = 1);

}  // namespace asterism
