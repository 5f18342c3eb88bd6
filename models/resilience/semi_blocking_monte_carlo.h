// Buddy checkpointing played through, failure by failure, to see how far the model of semi_blocking.h
// holds.
//
// As the model has it, plus what its first order leaves out: failures strike local dumps, restarts and
// rework as they do work, again and again. Intervals (a local dump, then tau) begin and end with all global
// checkpoints done, so they are independent. A failure
//   - during the local dump leads back to the last checkpoint: its interval is worked again, then dumped;
//   - in the first `overlap` of tau leads to the checkpoint before: its interval is worked again, the
//     checkpoint is taken again, blocking (c), and then the interval;
//   - later leads back to the interval's beginning; the global checkpoint is there and costs no overhead.
// Reproducible by seed on one machine.
#pragma once

#include <cstdint>
#include <stop_token>

#include "resilience/semi_blocking.h"

namespace asterism {

struct BuddyMonteCarlo {
  std::uint64_t intervals = 0, failures = 0;
  double stretch = 0;        // time over work; infinite when it gave up
  double half_width_99 = 0;  // of its 99% interval
};

// `failures`: about so many, at least 200 intervals. Throws as semi_blocking_time() for an endless run.
BuddyMonteCarlo play_semi_blocking(const BuddyCheckpoint& checkpoint, Seconds tau, std::uint64_t failures,
                                   std::uint64_t seed, const std::stop_token& stop = {});

}  // namespace asterism
