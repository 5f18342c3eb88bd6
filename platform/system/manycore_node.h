// A node of trace cores: the many-core chip of manycore/manycore.h on the node's fabric, simulated in
// SystemC's time. It runs a workload instead of firmware, and ends when every core has executed its
// instructions.
#pragma once

#include <memory>
#include <systemc>

#include "manycore/fabric_packet_network.h"
#include "manycore/manycore.h"
#include "platform/scenario/scenario.h"
#include "platform/system/rtl_arbiters.h"
#include "platform/system/simulated_system.h"
#include "tlm/alarm.h"

namespace asterism {

class ManycoreNode final : public sc_core::sc_module, public SimulatedSystem, private Manycore::Sink {
 public:
  // Throws RtlError if an RTL library does not fit the node.
  ManycoreNode(const sc_core::sc_module_name& name, const Scenario& scenario, const RtlOptions& rtl);

  const std::optional<End>& end() const override { return end_; }
  std::uint64_t instructions() const override;  // only those of cores that have finished
  std::string cpu_engine() const override { return "trace cores"; }
  std::vector<std::string> rtl_instances() const override;
  std::vector<std::string> rtl_summary() const override;
  std::vector<Lockstep::Mismatch> first_mismatches() const override { return first_mismatches_; }
  std::uint64_t mismatches() const override { return arbiters_ ? arbiters_->mismatches() : 0; }
  std::vector<BlockCoverage> coverage() const override;
  void report(Statistics& statistics) const override;

 private:
  void attach_arbiters(const RtlOptions& rtl);
  void core_finished(Picoseconds at, std::uint32_t core) override;

  const Scenario& scenario_;
  std::unique_ptr<FlitPacketNetwork> flit_;
  std::unique_ptr<PredictedPacketNetwork> predicted_;  // exactly one of the two exists
  std::optional<RtlArbiters> arbiters_;
  std::vector<Lockstep::Mismatch> first_mismatches_;
  Manycore chip_;
  Alarm alarm_;
  std::uint32_t finished_ = 0;
  Picoseconds first_finished_, finish_times_;  // finish_times_ is the sum over all cores
  std::optional<End> end_;
};

}  // namespace asterism
