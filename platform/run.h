// Runs a scenario: builds the node or the cluster, lets simulated time pass, writes the run directory, and
// says how it ended.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cosim/rtl_arbitration.h"
#include "platform/debug/gdb_port.h"
#include "platform/run_directory.h"
#include "platform/run_instruments.h"
#include "platform/scenario.h"
#include "platform/simulated_system.h"

namespace asterism {

struct RunOutcome {
  enum class End {
    firmware_exit,     // semihosting SYS_EXIT
    power_off,         // PSCI SYSTEM_OFF or the power controller: counts as status 0
    workload_done,     // every trace core has executed its instructions: counts as status 0
    cluster_finished,  // every rank has completed all its steps; counts as status 0
    not_recoverable,   // the ranks of a cluster have lost a state with all its copies
    time_limit,
    stalled,      // nothing is left to happen: all cores sleep and nothing can wake them
    mismatch,     // RTL and model differ, or the RTL has failed
    interrupted,  // SIGINT, SIGTERM, or a debugger's kill
  };
  End end = End::time_limit;
  std::uint64_t firmware_status = 0;
  Picoseconds time;
  std::uint64_t instructions = 0;
  bool snapshot_saved = false;
  std::uint64_t checkpoints = 0, recoveries = 0, power_losses = 0;
  double host_seconds = 0;
  std::optional<ClusterOutcome> cluster;
  std::optional<std::string> script_waits_for;  // words, of the script at the console that is not through
  std::vector<std::string> cores;               // what each was doing at the end
  std::string memory;                           // what failed in it, "" when nothing
  std::vector<std::string> rtl;                 // what the RTL in the node did, a line each
  std::string mismatch;                         // several lines

  bool ended_by_itself() const {
    return end == End::firmware_exit || end == End::power_off || end == End::workload_done ||
           end == End::cluster_finished || end == End::not_recoverable;
  }
};

// Of the process.
int exit_status(const RunOutcome& outcome, bool expectations_met);

// What a run leaves behind on its way, once.
struct SnapshotSettings {
  Picoseconds at;
  // Returns false, and true in each process that goes on from there: threads are started again then, and the
  // run's folder and the settings are those that the process was given.
  std::function<bool()> save;
  std::vector<FaultConfig> faults = {};  // that strike such a process besides
};

struct RunSettings {
  RtlOptions rtl = {};                  // whose folder for traces is the run directory's
  bool show_console = true;             // the guest's output goes to stdout as well as to the run directory
  bool show_progress = true;            // on a terminal, after two seconds
  std::optional<GdbEndpoint> gdb = {};  // the run waits there for a debugger
  InstrumentOptions instruments = {};
  unsigned threads = 1;  // of the host, that simulate the cores of A64 firmware
  std::optional<SnapshotSettings> snapshot = {};
  std::function<void()> on_start = {};  // the node is built: nothing will be refused any more
};

// One SystemC elaboration: at most one call in a process.
RunOutcome run(const Scenario& scenario, const RunDirectory& directory, const RunSettings& settings);

}  // namespace asterism
