// The RTL in the switches of a node's fabric (FabricConfig::arbiter): which switch has it, what it reports.
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

  // `libraries` by the radix of a switch. Throws RtlError for a library that does not fit.
  RtlArbiters(const std::string& instance, const ArbiterConfig& config,
              const std::vector<SwitchPorts>& switches,
              const std::map<unsigned, std::filesystem::path>& libraries, const RtlOptions& options,
              const Attach& attach);

  // Called once, at the first difference of any switch.
  std::function<void(const Lockstep::Mismatch&)> on_mismatch;

  // "node.fabric.arbiter.XB.dram"
  const std::vector<std::string>& instances() const { return instances_; }

  // At the end of the run.
  void report(Statistics& statistics) const;
  // For the last screen: how many decisions, what they reached.
  std::vector<std::string> summary() const;

 private:
  std::vector<std::string> reached_in_all() const;

  std::string instance_;
  Impl impl_;
  std::vector<std::string> names_;  // of the switches that have it
  std::vector<std::string> instances_;
  std::deque<RtlArbitration> arbitrations_;
};

}  // namespace asterism
