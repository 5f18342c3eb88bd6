// A scenario prepared for a run: read and checked against everything that it names. Nothing is started yet.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/core_timing.h"
#include "core/workload.h"
#include "platform/config/config.h"
#include "platform/firmware/elf_image.h"
#include "platform/firmware/function_symbols.h"
#include "platform/firmware/kernel_symbols.h"
#include "platform/firmware/linux_image.h"
#include "platform/host/installed_files.h"
#include "platform/node/address_map.h"
#include "platform/node/device_list.h"
#include "platform/node/fabric_preparation.h"
#include "platform/node/rtl_preparation.h"
#include "platform/scenario/coverage_check.h"
#include "platform/scenario/scenario_config.h"
#include "platform/scenario/scenario_request.h"

namespace asterism {

struct Scenario {
  std::string name;
  ScenarioConfig config;
  DeviceList devices = {};
  AddressMap map = {};
  PreparedFabric fabric = {};
  std::optional<CoreTiming> core_timing = {};  // cores.timing
  std::optional<Workload> workload = {};       // of a node of trace cores, which has no firmware
  std::string firmware_file = {};
  ElfImage firmware = {};
  std::optional<LinuxImage> linux_image = {};  // replaces `firmware` if that is a kernel of Linux
  KernelSymbols kernel_symbols = {};           // of `linux_image`
  FunctionSymbols symbols = {};                // of the firmware or kernel; none if its table is damaged
  std::vector<AddressRange> stacks = {};       // of the firmware, that are known
  std::vector<std::byte> rom = {};             // replaces `firmware` if the firmware is the image of a ROM
  PreparedRtl rtl = {};
  std::vector<CoverageDemand> coverage = {};  // that of expect.coverage

  bool is_cluster() const { return config.is_cluster(); }
  // What a boot ROM loads into DRAM, and where core 0 starts.
  const std::vector<Segment>& segments() const {
    return linux_image ? linux_image->segments() : firmware.segments();
  }
  Address entry() const;
  std::string expanded() const { return asterism::expanded(config); }
};

// Throws ConfigError or InputMissing with all errors.
Scenario prepare(const ScenarioRequest& request, const InstalledFiles& installed);
// The same from a document, without log levels in addition to node.log.
Scenario prepare(ConfigDocument document, const std::string& name, const InstalledFiles& installed);

// The scenario of the request with its overrides, unchecked.
struct NamedDocument {
  ConfigDocument document;
  std::string name;
};
NamedDocument load_scenario(const ScenarioRequest& request, const InstalledFiles& installed);

// The keys that distinguish the file of a scenario from that of a node, which has no firmware, faults or
// expectations.
inline constexpr std::array<std::string_view, 9> scenario_keys = {
    "node", "cluster", "firmware", "args", "files", "seed", "until", "faults", "expect"};

// A checked node from the file of a node or of a scenario (a path or a name), with its devices.
struct CheckedNode {
  std::string name;
  NodeConfig config;
  DeviceList devices = {};
  AddressMap map = {};
  PreparedFabric fabric = {};
};
CheckedNode load_node(const std::string& file, const std::vector<std::string>& overrides,
                      const InstalledFiles& installed);

// Checks a scenario or a node without its firmware, for `asterism check`. Such a node has no name.
struct CheckedScenario {
  ScenarioConfig config;
  CheckedNode node = {};
};
CheckedScenario check_scenario(ConfigDocument& document, const InstalledFiles& installed);
CheckedNode check_node(ConfigDocument& document, const InstalledFiles& installed);

}  // namespace asterism
