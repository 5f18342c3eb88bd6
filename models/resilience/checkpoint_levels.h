// Multilevel checkpointing: cheap checkpoints are taken often, and expensive ones, which survive more
// failures, seldom.
//
// Levels are in the order of the failures that they survive; a failure of level k is one that the checkpoints
// below k do not survive. The machine works for an interval, writes a checkpoint and works on; it does not
// work while it writes or reads one. After a failure of level k it reads the youngest checkpoint of level k
// or higher and repeats the work since then.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "resilience/seconds.h"

namespace asterism {

struct CheckpointLevel {
  Rate failures;       // of this level
  Seconds checkpoint;  // to write one
  Seconds restart;     // to read it
};

constexpr std::size_t max_levels = 8;

// Throws std::invalid_argument unless there are 1 to max_levels levels, each with a rate above 0 and no
// negative time.
void check_levels(std::span<const CheckpointLevel> levels);
Rate failures_of(std::span<const CheckpointLevel> levels);  // of all levels

// The schedule of checkpoints. They are numbered from 0, and checkpoint 0 is of the last level. A cycle ends
// with the next checkpoint of the last level; then the schedule repeats.
struct CheckpointSchedule {
  Seconds interval;  // of work between two checkpoints
  // counts[k]: checkpoints of level k between two of the next level; one fewer than there are levels.
  std::vector<std::uint64_t> counts;

  // Of a cycle.
  std::uint64_t intervals() const;
  Seconds work() const { return interval * static_cast<double>(intervals()); }
  // Intervals between two checkpoints of this level or a higher one.
  std::uint64_t period(std::size_t level) const;
  std::size_t level_of(std::uint64_t checkpoint) const;  // by its number
  // The time from checkpoint 0 to the end of a later one if nothing fails; number intervals() is the last of
  // the cycle.
  Seconds until(std::uint64_t checkpoint, std::span<const CheckpointLevel> levels) const;
};

// Throws std::invalid_argument unless the interval is above 0, the counts suit the levels, and a cycle has at
// most 2^52 intervals.
void check_schedule(const CheckpointSchedule& schedule, std::span<const CheckpointLevel> levels);

}  // namespace asterism
