// The configuration of a node: the hardware without firmware, faults and expectations (configs/nodes).
#pragma once

#include <map>
#include <string>

#include "base/enum_names.h"
#include "base/units.h"
#include "core/checks_config.h"
#include "core/core_config.h"
#include "fabric/fabric_config.h"
#include "manycore/manycore_config.h"
#include "memory/memory_config.h"
#include "platform/node/devices_config.h"
#include "tlm/log.h"

namespace asterism {

class Fields;

constexpr auto enum_names(LogLevel) {
  return std::to_array<EnumName<LogLevel>>({{LogLevel::trace, "trace", "For a core: every instruction."},
                                            {LogLevel::debug, "debug"},
                                            {LogLevel::info, "info"},
                                            {LogLevel::warning, "warning"},
                                            {LogLevel::error, "error"},
                                            {LogLevel::off, "off"}});
}

enum class NodeProgram { firmware, workload };
constexpr auto enum_names(NodeProgram) {
  return std::to_array<EnumName<NodeProgram>>(
      {{NodeProgram::firmware, "firmware", "A64 cores, memory and devices, which run a program."},
       {NodeProgram::workload, "workload",
        "Trace cores whose cache misses follow a workload, L2 banks and memory controllers, for studies of "
        "the fabric."}});
}

// The main memory: a device of the type `memory` that every node has, without `type`.
struct NodeMemoryConfig {
  Address base = Address(0x4000'0000);
  MemoryConfig controller = {};

  DeviceEntry entry() const;  // as an entry of the devices
};
void describe(Fields& f, NodeMemoryConfig& c);

struct NodeConfig {
  NodeProgram runs = NodeProgram::firmware;
  Picoseconds quantum = 1_us;
  CoreConfig cores;
  FabricConfig fabric;
  NodeMemoryConfig memory;
  DevicesConfig devices = {};
  std::map<std::string, std::uint32_t> placement = {};  // fabric/port_placement.h
  ChecksConfig checks = {};
  ManycoreConfig chip = {};
  std::string workload = "mix1";
  std::map<std::string, LogLevel> log;
};
void describe(Fields& f, NodeConfig& c);

}  // namespace asterism
