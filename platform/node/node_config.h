// The configuration of a node: the hardware without firmware, faults and expectations (configs/nodes).
#pragma once

#include <map>
#include <string>

#include "base/enum_names.h"
#include "base/units.h"
#include "core/checks_config.h"
#include "core/core_config.h"
#include "cosim/swap_config.h"
#include "devices/nor_flash_config.h"
#include "devices/pl011_config.h"
#include "devices/pl031_config.h"
#include "dimm_ssd/dimm_ssd_config.h"
#include "fabric/fabric_config.h"
#include "gpu/gpus_config.h"
#include "manycore/manycore_config.h"
#include "memory/memory_config.h"
#include "nic/nic_config.h"
#include "pcram/pcram_node_config.h"
#include "platform/node/address_map.h"
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

struct NodeRtcConfig {
  RtcConfig device = {};
  DeviceSwapConfig swap = DeviceSwapConfig::of("rtl/pl031/block.json");
};
void describe(Fields& f, NodeRtcConfig& c);

struct NodeConfig {
  NodeProgram runs = NodeProgram::firmware;
  Picoseconds quantum = 1_us;
  CoreConfig cores;
  FabricConfig fabric;
  MemoryConfig memory;
  DimmSsdConfig dimm_ssd;
  GpusConfig gpu = {};
  PcramConfig pcram = {};
  NicConfig nic = {};
  Pl011Config uart0;
  NodeRtcConfig rtc = {};
  NorFlashConfig nor_flash = {};
  std::map<std::string, Placement> address_map;
  std::map<std::string, std::uint32_t> placement = {};  // fabric/port_placement.h
  ChecksConfig checks = {};
  ManycoreConfig chip = {};
  std::string workload = "mix1";
  std::map<std::string, LogLevel> log;
};
void describe(Fields& f, NodeConfig& c);

}  // namespace asterism
