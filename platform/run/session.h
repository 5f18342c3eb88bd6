// One run of a scenario: the system that is simulated, and what of the host is connected to it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "core/host_threads.h"
#include "cosim/hang_watch.h"
#include "platform/debug/debugger.h"
#include "platform/live/live_session.h"
#include "platform/node/plugin_watch.h"
#include "platform/run/console.h"
#include "platform/run/interruption.h"
#include "platform/run/last_instructions.h"
#include "platform/run/run.h"
#include "platform/run/run_debugger.h"
#include "platform/run/run_progress.h"
#include "platform/run/served_run.h"
#include "platform/snapshot/live_snapshots.h"
#include "platform/system/simulated_system.h"

namespace asterism {

class Session {
 public:
  // Builds the system. Throws ConfigError if the scenario does not support a setting. All arguments must
  // exist as long as the session; a snapshot may change them.
  Session(const Scenario& scenario, const RunDirectory& directory, const RunSettings& settings);

  // To be called once.
  RunOutcome run();

 private:
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<SimulatedSystem> build_system();
  void attach_debugger();
  void attach_live_session();
  void announce_live_session() const;
  void end_live_session();
  void keep_last_instructions();
  void connect_output();
  void wait_for_clients();
  void show_pages();

  // All other threads of the process must end before it is copied or saved.
  LiveSnapshots::Threads threads();
  void end_threads();
  void pause();
  void resume();

  void advance_to_end();
  void continue_from_snapshot();
  bool save_live(const std::string& file);
  void advance(Picoseconds until);
  // How the run ends now, at until_ at the latest; nullopt if it continues.
  std::optional<RunOutcome::End> end_now();
  bool is_interrupted() const;
  bool is_copy() const;  // which records the last instructions
  std::optional<Picoseconds> next_poll() const;
  void simulate(Picoseconds slice, Picoseconds until);
  void wait_for_host(Picoseconds simulated, Clock::duration took);

  void take_end();
  void take_outcome();
  void write_reports();
  void warn_of_empty_traces() const;

  const Scenario& scenario_;
  const RunDirectory& directory_;
  const RunSettings& settings_;

  EventFile events_;
  Console console_;
  RawTerminal terminal_;
  Interruption interruption_;
  std::unique_ptr<UartPort> uart_port_;
  RtlOptions rtl_;
  std::unique_ptr<PluginWatch> plugin_watch_;  // nullptr: the node has no plug-ins
  std::unique_ptr<HangWatch> hang_watch_;
  std::unique_ptr<Debugger> debugger_;
  std::optional<EventsForDebugger> events_for_debugger_;
  std::unique_ptr<LiveSession> live_;
  Instruments instruments_;
  std::unique_ptr<HostThreads> threads_;
  std::unique_ptr<SimulatedSystem> system_;
  SerialConsoles serial_;
  std::optional<LiveSnapshots> snapshots_;
  std::optional<LastInstructions> last_instructions_;
  RunProgress progress_;
  std::optional<ServedRun> served_run_;
  Clock::time_point start_;
  Picoseconds until_;  // advance() ends there
  RunOutcome outcome_;
};

}  // namespace asterism
