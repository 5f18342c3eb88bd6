// What the description of the configuration adds to the folder of a run, for its report.
#pragma once

#include <string>

#include "platform/host/installed_files.h"
#include "platform/report/run_page.h"

namespace asterism {

// A run without its picture of the node if its scenario cannot be prepared here, because a plug-in or a file
// is missing. Throws ConfigError if a file of the run is damaged.
RunOnPage described_run(const std::string& folder, const InstalledFiles& installed);

// Writes report.html into the folder of a run, and returns its path.
std::string write_report(const std::string& folder, const InstalledFiles& installed);

}  // namespace asterism
