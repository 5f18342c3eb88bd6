// Connects a debugger to a run, for `asterism run --gdb`.
#pragma once

#include <functional>

#include "base/event_log.h"
#include "platform/debug/debugger.h"
#include "platform/scenario.h"
#include "platform/simulated_system.h"
#include "platform/snapshot/live_snapshots.h"

namespace asterism {

// Connects the debugger to the system of a scenario. Throws ConfigError if no core can be debugged.
void attach(Debugger& debugger, SimulatedSystem& system, const Scenario& scenario, LiveSnapshots& snapshots,
            std::function<bool()> interrupted);

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

 private:
  EventLog& log_;
  Debugger& debugger_;
};

}  // namespace asterism
