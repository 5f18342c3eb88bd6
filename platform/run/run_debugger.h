// Connects a debugger to a run, for `asterism run --gdb`.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/event_log.h"
#include "platform/debug/debugger.h"
#include "platform/host/run_directory.h"
#include "platform/scenario/scenario.h"
#include "platform/snapshot/live_snapshots.h"
#include "platform/system/simulated_system.h"

namespace asterism {

// What a debugger of a run is connected to.
struct DebuggedRun {
  SimulatedSystem& system;
  const Scenario& scenario;
  const RunDirectory& directory;
  LiveSnapshots& snapshots;
  Picoseconds snapshot_interval;
  bool has_uart_port;
  std::function<void()> log_levels_changed;
  std::function<void()> halted;  // called whenever the debugger has halted the system
  std::function<bool()> interrupted;
};
// Why no process of the run can be a snapshot; "" if it can.
std::string why_no_live_snapshot(const Scenario& scenario, bool has_uart_port);

// Throws ConfigError if no core can be debugged.
void attach(Debugger& debugger, const DebuggedRun& run);

// The log levels of a scenario by instance. In a cluster the level of "node" holds for each node that has no
// level of its own.
std::map<std::string, LogLevel> log_levels(const Scenario& scenario);

// Passes the events of a run to events.jsonl and to the debugger.
class EventsForDebugger final : public EventLog {
 public:
  EventsForDebugger(EventLog& log, Debugger& debugger) : log_(log), debugger_(debugger) {}
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override {
    log_.record(at, source, kind, details);
    debugger_.event_occurred(at, source, kind);
  }
  using EventLog::record;
  ActivityLog* activity_log() override { return log_.activity_log(); }

 private:
  EventLog& log_;
  Debugger& debugger_;
};

}  // namespace asterism
