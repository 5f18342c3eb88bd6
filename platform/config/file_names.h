// Checks of file names that a user gives.
#pragma once

#include <filesystem>
#include <string>

#include "platform/config/diagnostics.h"

namespace asterism {

// Throws ConfigError if a name, given at the key `path`, is longer than the file system allows. The message
// does not show the name.
void refuse_overlong_name(const std::filesystem::path& file, const Origin& origin, const std::string& path);

}  // namespace asterism
