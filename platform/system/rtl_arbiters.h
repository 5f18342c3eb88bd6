// The RTL arbiters in the switches of a node's fabric (FabricConfig::arbiter): which switches have one, and
// their reports.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cosim/rtl_arbitration.h"
#include "fabric/fabric_config.h"
#include "fabric/switch_ports.h"

namespace asterism {

class RtlArbiters {
 public:
  using Attach = std::function<void(std::size_t index, ArbitrationHook* hook)>;

  // `libraries` maps the radix of a switch to its library. Throws RtlError if a library does not fit.
  RtlArbiters(const std::string& instance, const ArbiterConfig& config,
              const std::vector<SwitchPorts>& switches,
              const std::map<unsigned, std::filesystem::path>& libraries, const RtlOptions& options,
              const Attach& attach);

  // Called for the first differences of each switch.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  // "node.fabric.arbiter.XB.dram"
  const std::vector<std::string>& instances() const { return instances_; }

  std::uint64_t mismatches() const;
  // Of each switch, if the arbiters are in lockstep.
  std::vector<BlockCoverage> coverage() const;

  // Must be called at the end of the run.
  void report(Statistics& statistics) const;
  // Lines for the summary of a run: the number of decisions and the coverage.
  std::vector<std::string> summary() const;

 private:
  std::vector<std::string> total_coverage() const;

  std::string instance_;
  Impl impl_;
  std::vector<std::string> names_;  // of the switches that have RTL
  std::vector<std::string> instances_;
  std::deque<RtlArbitration> arbitrations_;
};

}  // namespace asterism
