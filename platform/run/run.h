// Runs a scenario: builds the node or the cluster, advances simulated time, writes the run directory, and
// returns how the run ended.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cosim/rtl_arbitration.h"
#include "platform/debug/gdb_port.h"
#include "platform/host/run_directory.h"
#include "platform/run/run_instruments.h"
#include "platform/run/uart_port.h"
#include "platform/scenario/scenario.h"
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
    interrupted,  // by SIGINT, SIGTERM, or a kill from a debugger
  };
  End end = End::time_limit;
  std::uint64_t firmware_status = 0;
  Picoseconds time;
  std::uint64_t instructions = 0;
  bool snapshot_saved = false;
  std::uint64_t checkpoints = 0, recoveries = 0, power_losses = 0, warm_resets = 0;
  // The period of the last warm resets, if the node was still being reset when the run was stopped.
  std::optional<Picoseconds> reset_period;
  double host_seconds = 0;
  std::optional<ClusterOutcome> cluster;
  std::optional<std::string> script_waits_for;  // the text that the unfinished console script waits for
  std::vector<CoreReport> cores;                // at the end
  bool has_last_instructions = false;
  std::string memory;                   // the failures of the memory; "" if there are none
  std::string checks;                   // what node.checks has found; "" if nothing
  std::uint64_t findings = 0;           // their number
  std::string finding;                  // the one that has ended the run
  std::vector<std::string> rtl;         // the reports of the node's RTL, one line each
  std::uint64_t mismatches = 0;         // between RTL and models
  std::string mismatch;                 // the first ones, several lines each
  std::vector<BlockCoverage> coverage;  // of the blocks in lockstep

  bool is_success() const { return ended_by_itself() && firmware_status == 0 && end != End::not_recoverable; }
  bool ended_by_itself() const {
    return end == End::firmware_exit || end == End::power_off || end == End::workload_done ||
           end == End::cluster_finished || end == End::not_recoverable;
  }
};

// The exit status of the process.
int exit_status(const RunOutcome& outcome, bool expectations_met);

// A snapshot that a run makes once, at a simulated time.
struct SnapshotSettings {
  Picoseconds at;
  // Returns false. Returns true in each process that continues from the snapshot: there, threads must be
  // started again, and the run's folder and the settings are those given to that process.
  std::function<bool()> save;
  std::vector<FaultConfig> faults = {};  // additional faults in such a process
};

struct RunSettings {
  RtlOptions rtl = {};        // its folder for traces is that of the run directory
  bool show_console = true;   // write the guest's output to stdout, in addition to the run directory
  bool show_progress = true;  // on a terminal, from the third second on
  std::optional<GdbEndpoint> gdb = {};     // the run waits for a debugger at this address
  Picoseconds gdb_snapshots = 1_ms;        // the distance of the snapshots for it; 0: none
  std::optional<UartEndpoint> uart0 = {};  // where clients connect to uart0
  InstrumentOptions instruments = {};
  unsigned threads = 1;  // host threads that simulate A64 cores
  std::optional<SnapshotSettings> snapshot = {};
  std::function<void()> on_start = {};  // called when the node is built; after this call nothing is refused
};

// One SystemC elaboration: at most one call in a process.
RunOutcome run(const Scenario& scenario, const RunDirectory& directory, const RunSettings& settings);

}  // namespace asterism
