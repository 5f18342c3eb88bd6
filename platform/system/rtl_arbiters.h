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
#include "platform/system/rtl_blocks.h"

namespace asterism {

class RtlArbiters final : public RtlBlock {
 public:
  using Attach = std::function<void(std::size_t index, ArbitrationHook* hook)>;

  // `libraries` maps the radix of a switch to its library. Throws RtlError if a library does not fit.
  RtlArbiters(const std::string& instance, const ArbiterConfig& config,
              const std::vector<SwitchPorts>& switches,
              const std::map<unsigned, std::filesystem::path>& libraries, const RtlOptions& options,
              const Attach& attach);

  void finish(Picoseconds) override {}
  // "node.fabric.arbiter.XB.dram"
  std::vector<std::string> instances() const override { return instances_; }
  std::uint64_t mismatches() const override;
  std::vector<BlockCoverage> coverage() const override;  // of each switch
  // Into the group "arbiter" of the statistics of the fabric.
  void report(Statistics& fabric) const override;
  std::vector<std::string> summary() const override;

 private:
  std::vector<std::string> total_coverage() const;

  std::string instance_;
  Impl impl_;
  std::vector<std::string> names_;  // of the switches that have RTL
  std::vector<std::string> instances_;
  std::deque<RtlArbitration> arbitrations_;
};

}  // namespace asterism
