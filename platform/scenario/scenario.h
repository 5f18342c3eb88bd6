// A scenario prepared for a run: read and checked against everything that it names. Nothing is started yet.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload.h"
#include "platform/config/config.h"
#include "platform/firmware/firmware.h"
#include "platform/host/installed_files.h"
#include "platform/node/prepared_node.h"
#include "platform/scenario/coverage_check.h"
#include "platform/scenario/scenario_config.h"
#include "platform/scenario/scenario_request.h"

namespace asterism {

struct Scenario {
  std::string name;
  ScenarioConfig config;
  PreparedNode node = {};
  std::optional<Workload> workload = {};  // of a node of trace cores, which has no firmware
  Firmware firmware = {};
  std::vector<CoverageDemand> coverage = {};  // that of expect.coverage

  bool is_cluster() const { return config.is_cluster(); }
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
inline constexpr std::array<std::string_view, 10> scenario_keys = {
    "node", "cluster", "firmware", "args", "files", "seed", "until", "faults", "field_faults", "expect"};

// The file of a node or of a scenario (a path or a name) with its overrides, unchecked.
struct NodeDocument {
  ConfigDocument document;
  std::string name;
  std::string path;  // of the node in the document: "node" in a scenario, else ""
};
NodeDocument load_node_document(const std::string& file, const std::vector<std::string>& overrides,
                                const ConfigLibrary& configs);
// The node of it, without its RTL.
PreparedNode check_node(NodeDocument& loaded, const InstalledFiles& installed);
PreparedNode load_node(const std::string& file, const std::vector<std::string>& overrides,
                       const InstalledFiles& installed);

// Checks a scenario or a node without its firmware, for `asterism check`. Such a node has no name.
struct CheckedScenario {
  ScenarioConfig config;
  PreparedNode node = {};
};
CheckedScenario check_scenario(ConfigDocument& document, const InstalledFiles& installed);
PreparedNode check_node(ConfigDocument& document, const InstalledFiles& installed);

}  // namespace asterism
