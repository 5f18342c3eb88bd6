// The best points of a sweep over choices, ranked by the kind's y, for each value of its key of sizes
// (StudyKind::best_for): the best machine of each number of GPUs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "platform/study/point_runner.h"
#include "platform/study/study.h"

namespace asterism {

struct BestPoints {
  std::string size;                 // "gpus=16384"
  std::vector<std::size_t> ranked;  // points, the best first
};

// Nothing if the kind is not ranked, or if it sweeps nothing beside sizes. Equal points stay in order.
std::vector<BestPoints> best_points(const Study& study, const PointRun& run);

// The column by which a point is ranked: y, or if it is doubtful, the one beside it, such as the simulated
// one.
std::string_view ranking_column(const Study& study, const PointRun& run, std::size_t point);

// The same of the sizes that have more than one point, and so a choice.
std::vector<BestPoints> best_choices(const Study& study, const PointRun& run);

// Lines below the table: the best point of each size, of ten sizes at most. "" if points are not ranked.
std::string best_text(const Study& study, const PointRun& run);

// Whether bars of a sweep would be illegible, and a ranking takes their place.
bool is_ranked_only(const Study& study, const PointRun& run);

}  // namespace asterism
