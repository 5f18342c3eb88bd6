// The levels of a study of checkpoints whose keys "rate", "cost" and "restart" list them, and "factor" times their rates.
#pragma once

#include <cstddef>
#include <vector>

#include "resilience/checkpoint_levels.h"
#include "resilience/long_duration.h"

namespace asterism {

// Throws StudyMistake unless there are 1 to max_levels rates and as many of all else.
std::vector<CheckpointLevel> listed_levels(const std::vector<double>& rate, double factor,
                                           const std::vector<LongDuration>& cost,
                                           const std::vector<LongDuration>& restart);
// For what else a study lists by level. Throws StudyMistake at the key unless `count`, how many there are, is `levels`.
void expect_one_for_each_level(const char* key, std::size_t count, std::size_t levels);

}  // namespace asterism
