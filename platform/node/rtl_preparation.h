// The RTL that a node uses, built before the node runs.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cosim/swap_config.h"
#include "platform/config/diagnostics.h"
#include "platform/node/address_map.h"
#include "platform/node/fabric_preparation.h"
#include "platform/node/node_config.h"

namespace asterism {

class ConfigDocument;

struct PreparedRtl {
  std::map<unsigned, std::filesystem::path> arbiters;  // the library for each radix of a switch
  Origin arbiter_origin;                               // where the key `variant` was written
  std::optional<DeviceLibrary> rtc;
  Origin rtc_origin;
  std::optional<DeviceLibrary> codec;  // of the memory controller
  Origin codec_origin;
  std::optional<DeviceLibrary> matt;  // of the DIMM-SSD
  Origin matt_origin;
  std::optional<DeviceLibrary> monitor;  // of the GPUs
  Origin monitor_origin;

  bool any() const { return !arbiters.empty() || rtc || codec || matt || monitor; }
};

// Makes the checks that need no build: that the blocks exist and that their descriptions are correct. Adds
// errors to `problems`; throws as prepare_rtl(). `path` is the path of the node in the document, "" if the
// node is the document.
void check_rtl(const NodeConfig& node, const PreparedFabric& fabric, const ConfigDocument& document,
               const std::string& path, Diagnostics& problems);

// Builds the blocks that are not built yet, and prints a line for each. Does nothing if the node has no RTL.
// Throws ConfigError or InputMissing if a block is missing or does not build.
PreparedRtl prepare_rtl(const NodeConfig& node, const AddressMap& map, const PreparedFabric& fabric,
                        const ConfigDocument& document, const std::string& path);

}  // namespace asterism
