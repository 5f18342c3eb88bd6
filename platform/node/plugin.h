// Plug-ins: shared libraries with types of devices (tlm/device.h) that are not linked into the program
// (docs/plugins.md). A library is loaded when a device names it by the key `plugin`, or when its type is not
// known and a folder of the search path has lib<type>.so. It stays loaded until the process ends.
//
// Before any of its code is executed, its file is checked (plugin_file.h). It is then loaded, and the
// descriptions of its types are checked, in a copy of this process, so that code which throws, crashes or
// never returns cannot harm this one. Later calls of its functions are watched (plugin_watch.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/type_file.h"

namespace asterism {

// Loads a plug-in, unless it is loaded already, and returns the types that it has added, sorted. Throws
// TypeFileError, which does not name the file, and the same one at each further call.
std::vector<std::string> load_plugin(const std::filesystem::path& file);

// Makes a type of devices known, by the rules of TypeFromFile::provide().
std::string provide_device_type(const std::string& type, const std::string& given,
                                const std::filesystem::path& beside);

// The file of the plug-in that has a type and is loaded; "" if the program has the type.
std::string plugin_with(const std::string& type);

// Loads all plug-ins in the folders of the search path. Throws ConfigError.
void load_all_plugins();

}  // namespace asterism
