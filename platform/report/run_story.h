// What happened in a run, in one paragraph.
#pragma once

#include <optional>
#include <string>

#include "platform/report/run_folder.h"

namespace asterism {

// `record_end` is the time of the last that is in its record, if there is one.
std::string run_story(const RunFolder& run, std::optional<Picoseconds> record_end = {});

}  // namespace asterism
