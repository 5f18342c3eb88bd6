// The summary that `asterism run` prints at the end: at most one screen; or the same for scripts, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "platform/run/run_outcome.h"
#include "platform/scenario/scenario.h"

namespace asterism {

struct Summary {
  const Scenario& scenario;
  const RunOutcome& outcome;
  std::string directory;
  std::string comparison;             // the outcome of expect.result_equals; empty if the scenario has none
  std::vector<std::string> failures;  // the expectations that are not met
  std::vector<CoverageWarning> warnings;
};

std::string to_text(const Summary& summary);
// `status` is the exit status of the command.
nlohmann::ordered_json to_json(const Summary& summary, int status);

}  // namespace asterism
