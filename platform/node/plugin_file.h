// The file of a plug-in, before any of its code is executed.
#pragma once

#include <filesystem>

namespace asterism {

// Whether a file is a shared library with the description of a plug-in (tlm/plugin_abi.h), whatever it says.
bool is_plugin(const std::filesystem::path& file);

// Refuses a file that is no shared library for this machine, that was compiled with something else than the
// program, or that brings a SystemC or a library of nodes of its own. Throws TypeFileError, which does not
// name the file.
void check_plugin_file(const std::filesystem::path& file);

}  // namespace asterism
