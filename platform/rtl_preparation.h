// The RTL that a node asks for, built before it runs.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cosim/swap_config.h"
#include "platform/address_map.h"
#include "platform/config/diagnostics.h"
#include "platform/fabric_preparation.h"
#include "platform/node_config.h"

namespace asterism {

class ConfigDocument;

struct PreparedRtl {
  std::map<unsigned, std::filesystem::path> arbiters;  // libraries by the radix of a switch
  Origin arbiter_origin;                               // where the variant was written
  std::optional<DeviceLibrary> rtc;
  Origin rtc_origin;
  std::optional<DeviceLibrary> codec;  // of the memory
  Origin codec_origin;
  std::optional<DeviceLibrary> matt;  // of the DIMM-SSD
  Origin matt_origin;
  std::optional<DeviceLibrary> monitor;  // of the GPUs
  Origin monitor_origin;

  bool any() const { return !arbiters.empty() || rtc || codec || matt || monitor; }
};

// What can be known without building: that the blocks are there and their descriptions right. What does not fit goes to
// `problems`; throws as prepare_rtl. `path` is the node's in the document, "" when it is the document.
void check_rtl(const NodeConfig& node, const PreparedFabric& fabric, const ConfigDocument& document,
               const std::string& path, Diagnostics& problems);

// Builds what is not built yet, telling a line for each; without any RTL in the node it does nothing. Throws
// ConfigError or InputMissing for a block that is not there or does not build.
PreparedRtl prepare_rtl(const NodeConfig& node, const AddressMap& map, const PreparedFabric& fabric,
                        const ConfigDocument& document, const std::string& path);

}  // namespace asterism
