// What lockstep must have covered: the thresholds of a scenario (expect.coverage), and what the contracts of
// the blocks need.
#pragma once

#include <string>
#include <vector>

#include "cosim/coverage.h"
#include "platform/config/diagnostics.h"
#include "platform/node/device_list.h"
#include "platform/scenario/coverage_threshold.h"
#include "platform/scenario/scenario_config.h"

namespace asterism {

class ConfigDocument;

// An entry of expect.coverage.
struct CoverageDemand {
  std::string block, group;  // "arbiter", "requests at once"
  CoverageThreshold threshold;
  Origin origin;

  std::string path() const { return "expect.coverage." + block + "." + group; }
};
std::vector<CoverageDemand> coverage_demands(const ExpectConfig& expect, const ConfigDocument& document);

// Adds an error for each block that does not exist, or that is not in lockstep.
void check_covered_blocks(const ScenarioConfig& config, const DeviceList& devices,
                          const ConfigDocument& document, Diagnostics& problems);

// Throws ConfigError for a demand that no run can meet: an unknown group, or more points than the group has.
// `blocks` are those of the node, before the run.
void check_coverage_demands(const std::vector<CoverageDemand>& demands,
                            const std::vector<BlockCoverage>& blocks);

// The demands that were not met, one line each: "coverage of arbiter R5: pairs reached 2 of 20, wanted 8
// (40%)". Of many routers only the first ones have a line.
std::vector<std::string> unmet_demands(const std::vector<CoverageDemand>& demands,
                                       const std::vector<BlockCoverage>& blocks);

// What the contracts need and was not reached, for the summary and the log of a run.
struct CoverageWarning {
  std::string instance;  // "node.fabric.arbiter.R5", or "node.fabric.arbiter" if several routers lack it
  std::string text;      // "never had two requests at once, which its contract needs"
};
std::vector<CoverageWarning> coverage_warnings(const std::vector<BlockCoverage>& blocks);

}  // namespace asterism
