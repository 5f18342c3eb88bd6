// Checkpoints of the second and higher levels that are written in the background: the program waits only for
// the copy of the first level, from which the others are drained while it works.
//
// A checkpoint of level k is copied from that of level k - 1 when this one is complete. Drains are in whole
// periods of the level below and follow the progress of the program: work that is repeated after a failure
// does not advance them. That is conservative by less than an interval for each such failure.
//
// A checkpoint that a failure needs but that is still being drained cannot be used: the machine goes back to
// the one before. One that is read back is a checkpoint of all lower levels again. The medium of a level has
// one drain at a time, so that a drain is no longer than its period; it costs the program nothing.
//
// Source: lee2019 sections 1 and 2.1 describe such drains (by Moody et al., SC 2010, section 2, a flush of
// the cache) and do not model them. The model is this project's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/enum_names.h"
#include "resilience/checkpoint_levels.h"

namespace asterism {

enum class HigherLevels { blocking, background };
constexpr auto enum_names(HigherLevels) {
  return std::to_array<EnumName<HigherLevels>>(
      {{HigherLevels::blocking, "blocking", "the program waits while they are written"},
       {HigherLevels::background, "background",
        "they are drained from the checkpoint of the level below while the program works"}});
}

// For each level but the first: the number of periods of the level below that a drain takes. The period of
// the first level is an interval of work and the checkpoint after it.
std::vector<std::uint64_t> drains_of(const CheckpointSchedule& schedule,
                                     std::span<const CheckpointLevel> levels);
// The intervals from the checkpoint to the end of its drain, for every level; 0 for the first.
std::vector<std::uint64_t> delays_of(const CheckpointSchedule& schedule,
                                     std::span<const CheckpointLevel> levels);

// Throws std::invalid_argument, after check_levels() and check_schedule(), for a drain that is longer than
// the period of its level.
void check_drains(const CheckpointSchedule& schedule, std::span<const CheckpointLevel> levels);

// The schedule with this interval in which each drain begins when the one before has ended: since they cost
// nothing, no other schedule with the interval is better but for rounding.
CheckpointSchedule tightest_drains(Seconds interval, std::span<const CheckpointLevel> levels);

}  // namespace asterism
