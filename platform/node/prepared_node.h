// A node that has been read and checked, with everything that follows from its keys before it is built.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/core_timing.h"
#include "platform/config/config_document.h"
#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"
#include "platform/node/address_map.h"
#include "platform/node/device_list.h"
#include "platform/node/fabric_preparation.h"
#include "platform/node/node_config.h"
#include "platform/node/rtl_preparation.h"

namespace asterism {

struct PreparedNode {
  std::string name = {};
  NodeConfig config;
  DeviceList devices = {};
  AddressMap map = {};
  PreparedFabric fabric = {};
  std::optional<CoreTiming> core_timing = {};  // cores.timing
  PreparedRtl rtl = {};                        // prepare_rtl() builds it

  // Where core 0 starts in a ROM, which the node has.
  Address rom_entry() const { return devices.rom()->place.range().first; }
};

// Makes all checks of a node that need no build of RTL. `path` is the path of the node in the document, ""
// if the node is the document; `names` are those of its nodes in the log. `problems` receives the errors,
// also of files that the node names. Throws ConfigError for a file that cannot be read if it is the only
// error.
PreparedNode prepare_node(NodeConfig config, const std::vector<std::string>& names,
                          const ConfigLibrary& library, const ConfigDocument& document,
                          const std::string& path, Diagnostics& problems);

// The instances that have a log level, in each node of the names.
std::vector<std::string> log_instances(const DeviceList& devices, const std::vector<std::string>& names);

}  // namespace asterism
