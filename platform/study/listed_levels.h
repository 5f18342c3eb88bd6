// The levels of a study of checkpoints, which the keys "rate", "cost" and "restart" list; "factor" is the
// factor of their rates.
#pragma once

#include <cstddef>
#include <vector>

#include "resilience/checkpoint_levels.h"
#include "resilience/long_duration.h"

namespace asterism {

// Throws StudyMistake unless there are 1 to max_levels rates and as many costs and restarts.
std::vector<CheckpointLevel> listed_levels(const std::vector<double>& rate, double factor,
                                           const std::vector<LongDuration>& cost,
                                           const std::vector<LongDuration>& restart);
// For other keys that list values by level. Throws StudyMistake at the key unless `count`, the number of its
// values, is `levels`.
void expect_one_for_each_level(const char* key, std::size_t count, std::size_t levels);

}  // namespace asterism
