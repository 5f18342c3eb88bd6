// Fits the curves of a part (dram_curves.h) to the exact engine: DramChannel under masters in closed loops
// (dram_masters.h), on channels of one and of two ranks.
//
// Patterns: blocks at random, streams, and both; from 1 to 16 masters with 1 or 10 reads in flight, without
// pauses to nearly unloaded, with and without writes. The held-out patterns have other numbers of all of
// these. The parameters are changed one after the other by smaller and smaller factors, as long as the sum of
// the errors and of their squares falls: deterministic, and local.
#pragma once

#include <functional>
#include <string>

#include "memory/dram_curves.h"
#include "memory/dram_part.h"

namespace asterism {

struct DramFitSettings {
  unsigned rounds = 6;              // over all parameters
  std::uint32_t requests = 12'000;  // of a pattern, by all of its masters
  bool coarse = false;              // a tenth of the patterns
};

// Continues from the values of `start`. Progress, from 0 to 1, is reported if wanted, at least once for each
// pattern and each change of a parameter.
DramCurves fit_dram_curves(const std::string& name, const DramPart& part, const DramCurves& start = {},
                           const DramFitSettings& settings = {},
                           const std::function<void(double)>& progress = {});

// The errors of curves on the patterns that are fitted, or on those that are held out.
CurveErrors dram_curve_errors(const DramPart& part, const DramCurves& curves, bool held_out,
                              const DramFitSettings& settings = {});

}  // namespace asterism
