// The way back in time: the places at which a run was halted, what the debugger did there, and the task that
// a process of the run hands to an older one (snapshot/live_snapshots.h).
//
// A run is deterministic, and to halt it changes nothing. So a process that continues from a snapshot
// executes exactly what was executed before, if what the debugger changed (registers and memory, faults and
// resets, cores that it held or stepped) is repeated where it was done. Two executions find any earlier
// place: one that searches it and counts up to the end, and one that arrives there.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "platform/debug/gdb_session.h"

namespace asterism {

// A place in the execution of the whole system, at which it can be halted.
struct DebugPlace {
  enum class Kind : std::uint8_t {
    core,   // between two instructions of a core
    event,  // in an event of the run
    pause,  // between two slices of the simulation, in which no core runs
    stall,  // no event is pending
  } kind = Kind::core;
  unsigned core = 0;
  std::uint64_t count = 0;  // the core's retired instructions; the events so far; picoseconds
  std::uint64_t pc = 0;     // of the core
  bool operator==(const DebugPlace&) const = default;
};

// A packet that changed what is simulated afterwards.
struct DebugInput {
  DebugPlace at;
  GdbSession::Selection selection;  // in force before the packet
  std::string packet;
};

struct Reexecution {
  enum class Goal : std::uint8_t {
    load,    // none: the user has loaded the snapshot
    search,  // find the last hit before `end`, then arrive there
    arrive,  // halt at `end`
  } goal = Goal::load;
  DebugPlace end;
  std::vector<DebugInput> inputs = {};  // from the snapshot to the end
  Picoseconds end_time = {};            // of the first execution, not exactly

  // The hits of a search: the instructions of a core (reverse-stepi), or breakpoints, watchpoints and events.
  bool steps = false;
  unsigned core = 0;
  std::uint64_t from = 0;   // the count of the core from which on an instruction may be the last one
  bool end_counts = false;  // a hit at the end is one

  DebugStop stop = {};  // arrive: what is reported to the debugger
  // What the debugger has set. The levels of the log are assignments, in their order.
  GdbSession::Stops stops = {};
  std::set<std::string> events = {};
  std::vector<std::string> log_levels = {};
  std::string unread = {};  // what the debugger has sent, as far as it was not handled

  std::string to_text() const;
  static Reexecution from_text(std::string_view text);
};

}  // namespace asterism
