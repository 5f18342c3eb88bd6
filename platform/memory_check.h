// What a node's memory asks beyond its description: that part, size, mapping, codes and faults fit each other.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"
#include "platform/node_config.h"
#include "platform/scenario_config.h"

namespace asterism {

class ConfigDocument;

// What does not fit goes to `problems`, at the place in the document that is wrong; `path` is the node's in it, "" when it
// is the document. Throws ConfigError for a bad part file.
void check_memory(const NodeConfig& node, const std::vector<FaultConfig>& faults,
                  const ConfigLibrary& library, const ConfigDocument& document, const std::string& path,
                  Diagnostics& problems);

}  // namespace asterism
