// Runs a scenario: builds the node or the cluster, advances simulated time, writes the run directory, and
// returns how the run ended.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cosim/rtl_arbitration.h"
#include "platform/debug/gdb_port.h"
#include "platform/debug/socket_endpoint.h"
#include "platform/host/run_directory.h"
#include "platform/run/run_instruments.h"
#include "platform/run/run_outcome.h"
#include "platform/run/uart_port.h"
#include "platform/scenario/scenario.h"
#include "platform/serve/page_server.h"

namespace asterism {

// A snapshot that a run makes once, at a simulated time.
struct SnapshotSettings {
  Picoseconds at;
  // Returns false. Returns true in each process that continues from the snapshot: there, threads must be
  // started again, and the run's folder and the settings are those given to that process.
  std::function<bool()> save;
};

// A live session (platform/live).
struct LiveSettings {
  std::optional<SocketEndpoint> endpoint;  // nullopt: none, in a process that continues from a snapshot
  std::string version;                     // of Asterism
  // Saves the run to a file, as SnapshotSettings::save does. Throws ConfigError.
  std::function<bool(const std::string& file)> save;
};

struct RunSettings {
  RtlOptions rtl = {};        // its folder for traces is that of the run directory
  bool show_console = true;   // write the guest's output to stdout, in addition to the run directory
  bool show_progress = true;  // on a terminal, from the third second on
  std::optional<GdbEndpoint> gdb = {};     // the run waits for a debugger at this address
  Picoseconds gdb_snapshots = 1_ms;        // the distance of the snapshots for it; 0: none
  std::optional<UartEndpoint> uart0 = {};  // where clients connect to uart0
  PageServer* pages = nullptr;             // shows the run while it goes on; needs instruments.record
  bool pages_wait = false;                 // the run begins when a page is open
  InstrumentOptions instruments = {};
  unsigned threads = 1;  // host threads that simulate A64 cores
  std::optional<LiveSettings> live = {};
  std::optional<SnapshotSettings> snapshot = {};
  std::vector<FaultConfig> more_faults = {};  // in a process that continues from a snapshot
  std::function<void()> on_start = {};  // called when the node is built; after this call nothing is refused
};

// One SystemC elaboration: at most one call in a process.
RunOutcome run(const Scenario& scenario, const RunDirectory& directory, const RunSettings& settings);

}  // namespace asterism
