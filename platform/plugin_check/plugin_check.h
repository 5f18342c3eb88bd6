// Checks a device against the rules of TLM-2.0 and of a node's devices (tlm_rule.h): the parts of the check
// are trials (device_trials.h), each of which builds the device anew in a process of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/plugin_check/checked_node.h"
#include "platform/plugin_check/trial.h"

namespace asterism {

struct PluginCheckSettings {
  std::uint64_t seed = 1;
  unsigned accesses = 1000;                    // of a trial
  std::chrono::milliseconds patience{10'000};  // with a device that shows no progress
};

struct RuleVerdict {
  // Of a rule that is not checked, the device has what the rule is about, and nothing was compared.
  enum class Kind { holds, broken, not_checked, not_applicable };
  TlmRule rule;
  Kind kind;
  std::uint64_t covered = 0;               // transactions and other observations
  std::uint64_t broken = 0;                // of these
  std::vector<RuleFinding> findings = {};  // the first ones
  std::string why = {};                    // it neither holds nor is broken
};

struct PluginCheckReport {
  std::string type;
  std::uint64_t seed;
  std::uint64_t answers, transactions,
      line_changes;                   // accesses of the check, and what the device did by itself
  std::vector<RuleVerdict> verdicts;  // of all rules
  bool is_ok() const;                 // no rule is broken, and some hold
  std::string text() const;           // of at most 80 columns
  nlohmann::ordered_json json() const;
};

// The device is one of the node. SystemC must not have elaborated in this process. Throws ConfigError for
// what only building the device shows.
PluginCheckReport check_device(const CheckedNode& node, const std::string& instance,
                               const PluginCheckSettings& settings);

}  // namespace asterism
