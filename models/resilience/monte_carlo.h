// A Monte Carlo simulation of multilevel checkpointing, failure by failure, over whole cycles of a schedule.
//
// Failures occur at the rates of their levels, also while a checkpoint is written or read. Results are
// reproducible by seed on one machine, since logarithms are needed.
//
// Within a cycle the simulation takes one step from one failure to the next, whatever lies between. If fewer
// than one cycle in a hundred has a failure, the cycles between two of these are one step as well, so that
// the cost grows with the failures and not with the cycles.
//
// The times between failures have a Weibull distribution with the mean that the rates give. With shape 1 it
// is exponential and has no memory, and cycles are independent of each other. Below 1 failures come in
// bursts, as in the logs of machines: 0.7 to 0.8 by Schroeder and Gibson, "A large-scale study of failures in
// high-performance computing systems", DSN 2006. A run begins as if a failure had just happened.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "base/enum_names.h"
#include "resilience/background_levels.h"
#include "resilience/checkpoint_levels.h"

namespace asterism {

// What a failure of the level whose checkpoint is being read needs. After a lower one the same checkpoint is
// always read again, a higher one needs a higher checkpoint, and that of the last level is always read again.
enum class RecoveryRule { escalate, retry };
constexpr auto enum_names(RecoveryRule) {
  return std::to_array<EnumName<RecoveryRule>>(
      {{RecoveryRule::escalate, "escalate",
        "a checkpoint of the next level is needed, as in the Markov model"},
       {RecoveryRule::retry, "retry", "the same checkpoint is read again"}});
}

struct MonteCarloSettings {
  std::uint64_t seed = 1;
  std::uint64_t cycles = 1000;  // at least 2
  // After these it ends early, since the schedule makes hardly any progress.
  std::uint64_t max_failures = 100'000'000;
  RecoveryRule rule = RecoveryRule::escalate;
  HigherLevels higher = HigherLevels::blocking;
  double shape = 1;           // of the Weibull distribution of the times between failures, above 0
  std::stop_token stop = {};  // it ends early if a stop is requested
};

struct MonteCarloResult {
  // Escalations are failures that need a higher level than the one being read.
  std::uint64_t cycles = 0, failures = 0, escalations = 0;
  Seconds mean_cycle;
  double efficiency = 0;  // work over time; 0 if it ended early
  // Of the 99% interval of the efficiency by a normal distribution, good from some dozens of cycles and
  // failures on.
  double half_width_99 = 0;
};

// The number of cycles that have about `failures` failures at `of_a_cycle` in each; from 2 to 2^62.
std::uint64_t cycles_with(std::uint64_t failures, double of_a_cycle);

// Throws as check_levels() and check_schedule() do, with levels in the background as check_drains() does, and
// std::invalid_argument for fewer than two cycles or a shape that is not above 0.
MonteCarloResult simulate_checkpoints(std::span<const CheckpointLevel> levels,
                                      const CheckpointSchedule& schedule, const MonteCarloSettings& settings);

}  // namespace asterism
