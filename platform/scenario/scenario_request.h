// What a user asks of a verb that runs a scenario.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace asterism {

// The scenario and the options of the command line.
struct ScenarioRequest {
  std::string
      file;  // a path, or a name in configs/scenarios; or an ELF file, which runs on the node of "hello"
  std::vector<std::string> overrides;
  std::optional<std::string> firmware;
  std::optional<std::string> until;
  // Log levels in addition to node.log: INSTANCE=LEVEL, where the instance may omit "node."
  std::vector<std::string> log;
};

}  // namespace asterism
