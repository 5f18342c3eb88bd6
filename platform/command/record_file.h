// The file traces/record.bin of a run.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "platform/instruments/run_record.h"

namespace asterism {

// Opens a file that a run has recorded. Throws InputMissing.
std::ifstream open_recorded(const std::filesystem::path& file);

// Throws InputMissing, or ConfigError if the file is damaged.
RunRecord read_record(const std::filesystem::path& file,
                      RunRecord::Truncated truncated = RunRecord::Truncated::refused);

}  // namespace asterism
