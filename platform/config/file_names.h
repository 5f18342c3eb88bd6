// Names of files that a user gives.
#pragma once

#include <filesystem>
#include <string>

#include "platform/config/diagnostics.h"

namespace asterism {

// A name, given at the key `path`, that is longer than the file system takes is a ConfigError; it is not
// shown.
void refuse_overlong_name(const std::filesystem::path& file, const Origin& origin, const std::string& path);

}  // namespace asterism
