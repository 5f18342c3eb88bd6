#include "platform/study/listed_levels.h"

#include <fmt/format.h>

#include "platform/study/study_kind.h"

namespace asterism {

void expect_one_for_each_level(const char* key, std::size_t count, std::size_t levels) {
  if (count != levels)
    throw StudyMistake(key, fmt::format("one for each of the {} levels of \"rate\", got {}", levels, count));
}

std::vector<CheckpointLevel> listed_levels(const std::vector<double>& rate, double factor,
                                           const std::vector<LongDuration>& cost,
                                           const std::vector<LongDuration>& restart) {
  const std::size_t count = rate.size();
  if (count == 0 || count > max_levels)
    throw StudyMistake("rate", fmt::format("there are 1 to {} levels, got {}", max_levels, count));
  expect_one_for_each_level("cost", cost.size(), count);
  expect_one_for_each_level("restart", restart.size(), count);
  std::vector<CheckpointLevel> levels(count);
  for (std::size_t i = 0; i < count; ++i)
    levels[i] = {Rate(rate[i] * factor), seconds(cost[i]), seconds(restart[i])};
  return levels;
}

}  // namespace asterism
