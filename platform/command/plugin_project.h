// The project of a plug-in, for `asterism plugin new`.
#pragma once

#include <string>

namespace asterism {

// Writes a device to a new or empty folder, whose name is that of its type, and prints the commands that
// build and run it. Returns the exit status. Throws ConfigError before anything is written if the name is not
// free: files, targets, constants of a C header and a device of a node are named after it.
int write_plugin_project(const std::string& folder);

}  // namespace asterism
