// Faults that a user adds to a run in progress, checked as those of its scenario.
#pragma once

#include <string>
#include <vector>

#include "platform/config/diagnostics.h"
#include "platform/host/run_directory.h"
#include "platform/scenario/scenario.h"
#include "platform/system/simulated_system.h"

namespace asterism {

// The scenario of a run with a fault (JSON; "": none) in the place of its own ones, and with log levels.
// Throws ConfigError.
Scenario prepare_with(const RunDirectory& directory, const std::string& fault, std::vector<std::string> log);

// The words of an error, with paths below `prefix`. It leaves out the file, which the user has not written.
std::string message_of(const ConfigError& error, const std::string& prefix);

// `json` has the keys of a fault in a scenario; without "at" it occurs now. Returns why it cannot be
// injected; "" if it is done.
std::string inject_fault(SimulatedSystem& system, const RunDirectory& directory, const std::string& json);

}  // namespace asterism
