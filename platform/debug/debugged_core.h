#pragma once

#include <functional>
#include <string>

namespace asterism {

class CoreModule;

struct DebuggedCore {
  std::string name;  // core0; in a cluster node1.core0
  CoreModule* core;
  std::function<bool()>
      reset_node;  // resets as PSCI SYSTEM_RESET does; returns false if the node has no power
};

}  // namespace asterism
