// Studies with seeds=N: each point runs with N seeds, and its row is their mean.
#pragma once

#include <string>
#include <vector>

#include "platform/study/point_runner.h"
#include "platform/study/study.h"

namespace asterism {

// A point of a study with one of its seeds.
struct SeededPoint {
  StudyPoint* point;
  const std::string* config;
};

// All that a study runs: its points, each followed by those of its further seeds.
std::vector<SeededPoint> points_of(const Study& study);

// A row for each point of the study, of a run of points_of() or of as many others. Numbers are means, with
// half the width of their 95% confidence interval by Student's t in PointRun::half_widths; texts and labels
// that differ name all of theirs. A point that lacks a seed has no row, and a column that lacks a value with
// one of the seeds has none.
PointRun mean_over_seeds(const Study& study, PointRun&& all);

// The same of these points, which are run. If the seeds of the first point give the same results, a line on
// stderr says so while the others run.
PointRun run_all_seeds(const Study& study, const std::vector<StudyPoint*>& points,
                       const PointRunSettings& settings);

// "each value is the mean of 5 seeds, ...", or that no result depends on the seed; "" without seeds=N.
std::string about_seeds(const Study& study, const PointRun& run);

}  // namespace asterism
