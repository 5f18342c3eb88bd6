// Hybrid local/global checkpoints played through, event by event: what the equations of local_global.h are
// compared with.
//
// Work for tau, then a checkpoint, global ones as evenly among the local ones as their share has it. A failure
// strikes at any time, in a checkpoint and in a recovery too, and sends the machine back to the last checkpoint
// that is complete, or, if a local one does not survive it, to the last global one. A recovery that is struck
// is begun again; by a failure that needs it, from the global checkpoint.
#pragma once

#include <cstdint>
#include <stop_token>

#include "resilience/local_global.h"
#include "resilience/node_failures.h"

namespace asterism {

struct LocalGlobalPlay {
  std::uint32_t nodes = 1;  // which together have the checkpoint's MTTF
  double shape = 1;         // of their lifetimes: node_failures.h
  bool new_machine = false;
  std::uint64_t failures = 100'000;  // about
  std::uint64_t seed = 1;
  std::stop_token stop = {};  // it gives up when asked to
};

struct LocalGlobalPlayed {
  std::uint64_t failures = 0, global_failures = 0, checkpoints = 0;
  Seconds time;
  double availability = 0;   // work over time; 0 when it gave up, or hardly got on
  double half_width_99 = 0;  // of its 99% interval
};

// Throws as local_global_time() and NodeFailures.
LocalGlobalPlayed play_local_global(const LocalGlobalCheckpoint& checkpoint, Seconds tau, double local_share,
                                    const LocalGlobalPlay& play);

}  // namespace asterism
