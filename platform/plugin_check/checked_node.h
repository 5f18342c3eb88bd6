// The node in which a device is checked: one of its user's, or else a memory, an interrupt controller and the
// device.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_library.h"
#include "platform/node/prepared_node.h"

namespace asterism {

inline constexpr const char* checked_instance = "device";

// `plugin` is the file that has the type, "" if it is one of Asterism's. `keys` are those of the device,
// "clock=1MHz"; its base and interrupts are chosen unless they are among them. RTL that it uses is built.
// Throws ConfigError with all errors.
PreparedNode node_with_device(const std::string& type, const std::string& plugin,
                              const std::vector<std::string>& keys, const ConfigLibrary& library);

// A node of a user's, a file or a name in configs/nodes; `keys` are those of the node.
PreparedNode node_of_file(const std::string& file, const std::vector<std::string>& keys,
                          const ConfigLibrary& library);

}  // namespace asterism
