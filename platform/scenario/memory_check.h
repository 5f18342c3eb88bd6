// Checks of a node's memory that need several keys and files: that the DRAM part, the size, the address
// mapping, the codes and the faults fit each other.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"
#include "platform/node/node_config.h"
#include "platform/scenario/scenario_config.h"

namespace asterism {

class ConfigDocument;

// Adds each error to `problems`, at its place in the document. `path` is the path of the node in the
// document, "" if the node is the document itself. Throws ConfigError for an invalid part file.
void check_memory(const NodeConfig& node, const std::vector<FaultConfig>& faults,
                  const ConfigLibrary& library, const ConfigDocument& document, const std::string& path,
                  Diagnostics& problems);

}  // namespace asterism
