// The debugger at a run: what `asterism run --gdb` adds to it.
#pragma once

#include <functional>

#include "base/event_log.h"
#include "platform/debug/debugger.h"
#include "platform/scenario.h"
#include "platform/simulated_system.h"
#include "platform/snapshot/live_snapshots.h"

namespace asterism {

// Connects it with the machine that a scenario has built. Throws ConfigError when there is nothing to debug.
void attach(Debugger& debugger, SimulatedSystem& machine, const Scenario& scenario, LiveSnapshots& snapshots,
            std::function<bool()> interrupted);

// Between a machine and its events.jsonl.
class EventsForDebugger final : public EventLog {
 public:
  EventsForDebugger(EventLog& log, Debugger& debugger) : log_(log), debugger_(debugger) {}
  void record(Picoseconds at, std::string_view source, std::string_view kind,
              std::initializer_list<Detail> details) override {
    log_.record(at, source, kind, details);
    debugger_.happened(at, source, kind);
  }
  using EventLog::record;

 private:
  EventLog& log_;
  Debugger& debugger_;
};

}  // namespace asterism
