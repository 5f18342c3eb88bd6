// Pages for a browser of studies and sweeps, and of comparisons with papers: their figures, whose
// series hide and whose axes turn logarithmic, and their tables, which sort.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/study/paper.h"
#include "platform/study/point_runner.h"
#include "platform/study/study.h"

namespace asterism {

// Figures as the page draws them.
nlohmann::ordered_json json_of_panels(const std::vector<Panel>& panels);

std::string study_page(const Study& study, const PointRun& run);

// A part for each entry: published values beside measured ones, orderings, and its figure.
std::string paper_page(const Paper& paper);

}  // namespace asterism
