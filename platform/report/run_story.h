// What happened in a run, in one paragraph.
#pragma once

#include <string>

#include "platform/report/run_folder.h"

namespace asterism {

std::string run_story(const RunFolder& run);

}  // namespace asterism
