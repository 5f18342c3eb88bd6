// The devices of a node that is written in a test. The test defines ASTERISM_SOURCE_CONFIGS, the folder
// configs/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/node/address_map.h"
#include "platform/node/device_list.h"
#include "platform/node/node_config.h"

namespace asterism {

struct ListedNode {
  NodeConfig config;
  DeviceList devices = {};
  AddressMap map = {};
  std::string problems;  // "" if there are none

  // `text` is that of a node's file.
  static ListedNode of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const ConfigLibrary library{std::filesystem::path(ASTERISM_SOURCE_CONFIGS)};
    ConfigDocument document = ConfigDocument::parse(text, "node.json");
    Diagnostics found;
    for (const std::string& each : overrides) document.apply_override(each);
    ListedNode node{.config = read_config<NodeConfig>(document, &library, found), .problems = {}};
    if (found.empty()) node.devices = DeviceList(node.config, library, document, "", found);
    node.problems = found.text();
    if (found.empty()) node.map = AddressMap(node.devices);
    return node;
  }
  // A node of configs/nodes.
  static ListedNode named(const std::string& name, const std::vector<std::string>& overrides = {}) {
    return of("{\"use\": \"" + name + "\"}", overrides);
  }
};

}  // namespace asterism
