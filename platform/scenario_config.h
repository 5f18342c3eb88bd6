// A scenario: an experiment on a node (configs/scenarios).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "platform/node_config.h"

namespace asterism {

class Fields;

enum class FaultKind { power_loss };
constexpr auto enum_names(FaultKind) {
  return std::to_array<EnumName<FaultKind>>(
      {{FaultKind::power_loss, "power_loss", "the node loses its power"}});
}

struct FaultConfig {
  Picoseconds at;
  FaultKind kind = FaultKind::power_loss;
  Picoseconds restore_after = 1_ms;
};
void describe(Fields& f, FaultConfig& c);

struct ExpectConfig {
  std::optional<std::uint32_t> exit;
  std::optional<std::uint64_t> recoveries;
  std::optional<std::string> result_equals;  // "the same scenario with KEY=VALUE..."
};
void describe(Fields& f, ExpectConfig& c);

struct ScenarioConfig {
  NodeConfig node;
  std::string firmware;
  std::string args;
  std::string files;
  std::uint64_t seed = 1;
  Picoseconds until = 10_s;
  std::vector<FaultConfig> faults;
  ExpectConfig expect;
};
void describe(Fields& f, ScenarioConfig& c);

// The overrides that expect.result_equals asks for: those behind "the same scenario with". nullopt: another
// text.
std::optional<std::vector<std::string>> reference_overrides(const std::string& result_equals);

}  // namespace asterism
