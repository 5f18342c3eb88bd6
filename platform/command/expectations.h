// What a scenario expects of its run.
#pragma once

#include <string>
#include <vector>

#include "platform/host/run_directory.h"
#include "platform/run/run_outcome.h"
#include "platform/scenario/scenario_config.h"

namespace asterism {

// The expectations that are not met, one line each.
std::vector<std::string> unmet(const ExpectConfig& expect, const RunOutcome& outcome,
                               const RunDirectory& directory);

}  // namespace asterism
