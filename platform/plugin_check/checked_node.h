// The node in which a device is checked: one of its user's, or else a memory, an interrupt controller and the
// device. Devices that keep their state in a file of the host's have a copy of it: a check changes no file of
// its user's.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "platform/config/config_library.h"
#include "platform/node/prepared_node.h"

namespace asterism {

inline constexpr const char* checked_instance = "device";

struct CheckedNode {
  PreparedNode node;
  struct Copied {
    std::filesystem::path original, copy;
  };
  std::vector<Copied> files = {};
  std::shared_ptr<const TemporaryFolder> folder = {};  // of the copies, and of traces that RTL writes

  // Gives the copies the contents of their originals; there is none of an original that does not exist.
  void renew_copies() const;
};

// `plugin` is the file that has the type, "" if it is one of Asterism's. `keys` are those of the device,
// "clock=1MHz"; its base and interrupts are chosen unless they are among them. RTL that it uses is built.
// Throws ConfigError with all errors.
CheckedNode node_with_device(const std::string& type, const std::string& plugin,
                             const std::vector<std::string>& keys, const ConfigLibrary& library);

// A node of a user's: a file of a node or of a scenario, or the name of one; `keys` are those of the file.
CheckedNode node_of_file(const std::string& file, const std::vector<std::string>& keys,
                         const ConfigLibrary& library);

}  // namespace asterism
