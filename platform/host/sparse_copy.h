// A copy of a file of the host's, of which long runs of zeros take no room.
#pragma once

#include <filesystem>

namespace asterism {

// Throws std::runtime_error.
void copy_sparse(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace asterism
