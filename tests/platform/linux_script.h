// What a scenario types at the console of Linux.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace asterism {

// The value of node.uart0.script that types commands at the prompt; after a command "" the node boots again.
// The last command switches it off.
inline std::string linux_script(const std::vector<std::string>& commands) {
  nlohmann::json steps = {{{"after", "login: "}, {"type", "root\n"}}};
  for (const std::string& each : commands)
    if (each.empty())
      steps.push_back({{"after", "login: "}, {"type", "root\n"}});
    else
      steps.push_back({{"after", "# "}, {"type", each + "\n"}});
  steps.push_back({{"after", "# "}, {"type", "poweroff -f\n"}});
  steps.push_back({{"after", "Power down"}});
  return steps.dump();
}

}  // namespace asterism
