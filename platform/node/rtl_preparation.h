// The RTL that a node uses, built before the node runs.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/swap_config.h"
#include "platform/config/diagnostics.h"
#include "platform/node/address_map.h"
#include "platform/node/fabric_preparation.h"
#include "platform/node/node_config.h"

namespace asterism {

class ConfigDocument;

struct PreparedRtl {
  std::map<unsigned, std::filesystem::path> arbiters;  // the library for each radix of a switch
  Origin arbiter_origin;                               // where the key `variant` was written
  // By instance, in the order of PlacedDevice::rtl; without a file where the model is alone.
  std::map<std::string, std::vector<DeviceLibrary>> devices;

  bool any() const;
};

// Makes the checks that need no build: that the blocks exist and that their descriptions are correct. Adds
// errors to `problems`; throws as prepare_rtl(). `path` is the path of the node in the document, "" if the
// node is the document.
void check_rtl(const NodeConfig& node, const DeviceList& devices, const PreparedFabric& fabric,
               const ConfigDocument& document, const std::string& path, Diagnostics& problems);

// Builds the blocks that are not built yet, and prints a line for each. Does nothing if the node has no RTL.
// Throws ConfigError or InputMissing if a block is missing or does not build.
PreparedRtl prepare_rtl(const NodeConfig& node, const DeviceList& devices, const AddressMap& map,
                        const PreparedFabric& fabric, const ConfigDocument& document,
                        const std::string& path);

}  // namespace asterism
