// Multilevel checkpointing played through, failure by failure: whole cycles of a schedule.
//
// Failures come at their levels' rates, also while a checkpoint is written or read. Reproducible by seed on
// one machine (it needs logarithms).
//
// Within a cycle it is one step from one failure to the next, whatever lies between. Where fewer than one
// cycle in a hundred is struck, those between two failures are one step, too: what it takes grows with the
// failures, not with the cycles.
//
// The times between failures have a Weibull distribution of the mean that the rates make. At shape 1, the
// exponential one, it has no memory, and cycles are independent of each other. Below 1 failures follow on
// each other: what the logs of machines have, 0.7 to 0.8 by Schroeder and Gibson, "A large-scale study of
// failures in high-performance computing systems", DSN 2006. A run begins as if one had just happened.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "base/enum_names.h"
#include "resilience/checkpoint_levels.h"

namespace asterism {

// When a failure of the very level strikes whose checkpoint is being read. Lower ones let it be read again
// always, higher ones need a higher checkpoint, and the last level is always read again.
enum class RecoveryRule { escalate, retry };
constexpr auto enum_names(RecoveryRule) {
  return std::to_array<EnumName<RecoveryRule>>(
      {{RecoveryRule::escalate, "escalate",
        "a checkpoint of the next level is needed, as the Markov model has it"},
       {RecoveryRule::retry, "retry", "the same checkpoint is read again"}});
}

struct MonteCarloSettings {
  std::uint64_t seed = 1;
  std::uint64_t cycles = 1000;               // at least 2
  std::uint64_t max_failures = 100'000'000;  // it gives up behind them: a schedule that hardly gets on
  RecoveryRule rule = RecoveryRule::escalate;
  double shape = 1;           // of the Weibull distribution of the times between failures, above 0
  std::stop_token stop = {};  // it gives up when asked to
};

struct MonteCarloResult {
  std::uint64_t cycles = 0, failures = 0, escalations = 0;  // needs of a higher level than the one being read
  Seconds mean_cycle;
  double efficiency = 0;  // work over time; 0 when it gave up
  // Of the efficiency's 99% interval, normal: good from some dozens of cycles and of failures on.
  double half_width_99 = 0;
};

// Cycles in which about so many failures come, with so many in each; at least 2 and at most 2^62.
std::uint64_t cycles_with(std::uint64_t failures, double of_a_cycle);

// Throws as check_levels() and check_schedule(), and std::invalid_argument for fewer than two cycles and a
// shape that is not above 0.
MonteCarloResult play_checkpoints(std::span<const CheckpointLevel> levels, const CheckpointSchedule& schedule,
                                  const MonteCarloSettings& settings);

}  // namespace asterism
