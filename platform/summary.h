// What `asterism run` prints at the end: one screen.
#pragma once

#include <string>
#include <vector>

#include "platform/run.h"

namespace asterism {

struct Summary {
  const Scenario& scenario;
  const RunOutcome& outcome;
  std::string directory;
  std::string comparison;             // what expect.result_equals found; empty: not asked for
  std::vector<std::string> failures;  // of expectations
};

std::string to_text(const Summary& summary);

// 12'400'000'000 ps -> "12.4 ms"
std::string human_time(Picoseconds time);

}  // namespace asterism
