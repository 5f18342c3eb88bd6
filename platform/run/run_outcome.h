// How a run ended, and what it did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "cosim/coverage.h"
#include "platform/instruments/core_report.h"
#include "platform/system/simulated_system.h"

namespace asterism {

struct RunOutcome {
  enum class End {
    firmware_exit,     // semihosting SYS_EXIT
    power_off,         // by PSCI SYSTEM_OFF or the power controller; counts as status 0
    workload_done,     // every trace core has executed its instructions; counts as status 0
    cluster_finished,  // every rank has completed all its steps; counts as status 0
    not_recoverable,   // the ranks of a cluster have lost a state with all its copies
    time_limit,
    stalled,      // no event is pending: all cores sleep and nothing can wake them
    mismatch,     // RTL and model differ, or the RTL has failed
    check,        // node.checks has found a mistake of the firmware, and says that it ends the run
    quit,         // a client of a live session has ended it; counts as status 0
    interrupted,  // by SIGINT, SIGTERM, or a kill from a debugger
  };
  End end = End::time_limit;
  std::uint64_t firmware_status = 0;
  Picoseconds time;
  std::uint64_t instructions = 0;
  bool snapshot_saved = false;
  std::vector<std::pair<std::string, std::uint64_t>> checkpoints_of = {};  // of each DIMM-SSD
  bool has_begun_checkpoints = false;                                      // on a DIMM-SSD
  std::uint64_t checkpoints = 0, recoveries = 0, power_losses = 0, gpu_losses = 0, warm_resets = 0;
  std::optional<Picoseconds> power_returns;  // after the end of the run
  std::uint64_t ignored_power_losses = 0;    // because the power was off already
  std::uint64_t late_faults = 0;             // of the scenario, which would have occurred after the end
  // The period of the last warm resets, if the node was still being reset when the run was stopped.
  std::optional<Picoseconds> reset_period;
  double host_seconds = 0;
  std::optional<ClusterOutcome> cluster;
  std::optional<std::string> script_waits_for;  // of SimulatedSystem
  std::vector<CoreReport> cores;                // at the end
  bool has_last_instructions = false;
  std::string memory;                                  // the failures of the memory; "" if there are none
  std::string checks;                                  // what node.checks has found; "" if nothing
  std::uint64_t findings = 0;                          // their number
  std::string finding;                                 // the one that has ended the run
  std::vector<std::string> rtl;                        // the reports of the node's RTL, one line each
  std::uint64_t mismatches = 0;                        // between RTL and models
  std::string mismatch;                                // the first ones, several lines each
  std::vector<BlockCoverage> coverage;                 // of the blocks in lockstep
  std::optional<std::uint64_t> compared_translations;  // of SimulatedSystem

  bool is_success() const { return ended_by_itself() && firmware_status == 0 && end != End::not_recoverable; }
  bool ended_by_itself() const {
    return end == End::firmware_exit || end == End::power_off || end == End::workload_done ||
           end == End::cluster_finished || end == End::not_recoverable;
  }
};

// The word for it in stats.json.
std::string_view name_of(RunOutcome::End end);

// The exit status of the process.
int exit_status(const RunOutcome& outcome, bool expectations_met);

}  // namespace asterism
