#pragma once

#include <functional>
#include <string>

namespace asterism {

class CoreModule;

struct DebuggedCore {
  std::string name;  // core0; of a cluster node1.core0
  CoreModule* core;
  std::function<bool()> reset_node;  // as PSCI SYSTEM_RESET does; false: it has no power
};

}  // namespace asterism
