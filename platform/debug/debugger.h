// Connects GDB to a running simulation: GDB's remote protocol (gdb_session.h) on a socket (gdb_port.h), with
// cores as threads.
//
// The system is halted before its first instruction until a debugger connects, and whenever a core stops.
// While it is halted, neither instructions nor simulated time advance. Cores run ahead of each other by up to
// a quantum (core/core_module.h), and each stops where it is. When a debugger detaches or its connection is
// lost, the system continues without breakpoints. Another debugger may connect later, which halts the system
// again.
//
// While a debugger is connected, snapshots of the run are kept (DebuggedSystem::snapshot_interval). To go
// back, the process hands a task to the newest one (reexecution.h) and ends; the process that continues from
// there executes again up to the wanted place and then serves the debugger, over the same connection. What is
// ahead of that place is forgotten.
//
// monitor commands: `monitor help`.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "core/core_module.h"
#include "platform/debug/debugged_core.h"
#include "platform/debug/gdb_packet.h"
#include "platform/debug/gdb_port.h"
#include "platform/debug/gdb_session.h"
#include "platform/debug/reexecution.h"
#include "platform/snapshot/live_snapshots.h"

namespace asterism {

class Debugger final : public CoreDebugger, private DebugTarget {
 public:
  // The system that is debugged, and its services for the debugger.
  struct DebuggedSystem {
    std::vector<DebuggedCore> cores;
    std::vector<std::string> infos;                            // the topics of `monitor info`
    std::function<std::string(const std::string& what)> info;  // the text for a topic, in lines
    LiveSnapshots* snapshots = nullptr;
    std::string why_no_snapshots = {};   // in words; "" if the run can have snapshots
    Picoseconds snapshot_interval = {};  // of simulated time, at least; 0: only the user makes snapshots
    // Executes `monitor fault JSON`. Returns why it cannot; "" if it is done.
    std::function<std::string(const std::string& json)> inject_fault;
    // Executes `monitor log INSTANCE=LEVEL`, likewise.
    std::function<std::string(const std::string& assignment)> set_log_level;
    // Executes `monitor symbols`. Returns what is done, or why nothing, in lines.
    std::function<std::string(unsigned core)> write_symbols;
    std::function<void()> halted;       // called whenever the system has been halted
    std::function<bool()> interrupted;  // whether the run must end
  };

  // Throws as GdbPort does.
  explicit Debugger(const GdbEndpoint& endpoint);

  std::string address() const { return port_.address(); }
  // Must be called before simulation begins.
  void attach(DebuggedSystem system);

  // Reports an event. The system halts at once if `monitor break on` names its kind.
  void event_occurred(Picoseconds at, std::string_view source, std::string_view kind);

  // To be called before and after a fork, because a fork does not copy threads.
  void pause_port() { port_.pause(), has_stale_news_ = port_.has_news(); }
  void resume_port() { port_.resume(); }

  // To be called between two slices of the simulation, when no core runs. It halts the system if the debugger
  // requests it.
  void poll();
  // When poll() must be called, apart from any other time.
  std::optional<Picoseconds> next_poll() const;
  // No event is pending. If a debugger is connected, the system halts so that it can be examined.
  void stalled();
  // Reports that the run has ended with this exit status.
  void ended(int status);
  // Whether the debugger has requested the end of the run.
  bool was_killed() const { return killed_; }

 private:
  bool wants_to_stop() const override { return !again_ && (stop_requested_ || port_.has_news()); }
  bool is_at_work() const override { return halted_ || takes_news_; }
  void stopped(CoreModule& core, Iss::Stop why) override;
  void went_off(CoreModule& core) override;

  // The reason to halt the system, if there is one.
  std::optional<DebugStop> requested_stop(unsigned core);
  // Halts the system at a place until it is resumed.
  void halt(const DebugStop& stop, const DebugPlace& here);
  void serve(const GdbPacketReader::Item& item);
  void resume();
  void start_cores();
  // Removes the breakpoints of a debugger that has disconnected, and the events at which it stops.
  void clear_breakpoints();
  void run_freely();
  // Reads what the port has received. Returns whether a debugger has connected.
  bool take_news();
  void check_for_kill(const GdbPacketReader::Item& item);
  void send(std::string_view payload);
  unsigned index_of(const CoreModule& core) const;

  // ---- the way back (debugger_history.cpp) ----

  struct Kept {  // a snapshot
    unsigned number;
    DebugPlace at;
    Picoseconds time;
    std::size_t inputs;  // the number of inputs before it
    bool is_of_user;
  };
  struct Hit {
    DebugPlace at;
    std::size_t inputs;
    DebugStop stop;
    Picoseconds time;
  };
  struct Watched {
    DebugPlace at;
    WatchHit hit;
  };
  // A re-execution in progress.
  struct Again {
    Reexecution task;
    std::size_t repeated = 0;             // inputs
    std::optional<Hit> hit = {};          // the last one
    std::optional<Watched> watched = {};  // a watchpoint whose access is about to be executed
  };
  static constexpr std::size_t most_kept = 100, kept_for_ways = 16;  // of which: those made on a way back

  DebugPlace place_of(unsigned core) const;
  static DebugPlace pause_now();
  bool keeps_snapshots() const;
  // Returns true in a process that continues from the snapshot, perhaps with a task.
  bool keep_snapshot(const DebugPlace& here, bool is_of_user = false);
  void forget_history();
  void record(const GdbSession::Selection& selection, const GdbPacketReader::Item& item,
              const GdbSession::Answer& answer);
  void go_back(bool steps);
  [[noreturn]] void continue_from(unsigned snapshot, Reexecution task);
  void refuse_to_go_back(const std::string& why);
  void give_up_search();
  void end_again();
  void set_log_levels(const std::vector<std::string>& assignments);
  void search_before(const Reexecution& task);
  // A re-execution has reached a place.
  void pass(const DebugPlace& here, Iss::Stop why);
  void note_hit(const DebugPlace& here, const DebugStop& stop);
  bool reach(const DebugPlace& here);
  void reach_end(const DebugPlace& here);
  void lose_the_way(const DebugPlace& here);
  void arm();
  // Continues a re-execution at the place where the system was halted when the snapshot was made.
  void continue_again();
  const DebugPlace& next_place() const;
  std::string snapshot(std::span<const std::string> words);

  // DebugTarget
  unsigned cores() const override { return static_cast<unsigned>(system_.cores.size()); }
  std::string name(unsigned core) const override { return system_.cores[core].name; }
  std::string state(unsigned core) const override;
  std::uint64_t read(unsigned core, unsigned general) const override;
  bool write(unsigned core, unsigned general, std::uint64_t value) override;
  DebugPort& port(unsigned core) override { return system_.cores[core].core->iss().debug_port(); }
  std::size_t read_memory(unsigned core, std::uint64_t address, char* data, std::size_t size) override;
  bool write_memory(unsigned core, std::uint64_t address, std::string_view data) override;
  std::string monitor(unsigned core, const std::string& command) override;
  std::string fault(const std::string& command);
  std::string set_log_level(const std::string& assignment);
  std::string break_on(const std::vector<std::string>& words);
  std::string info(const std::string& what) const;

  GdbPort port_;
  DebuggedSystem system_;
  GdbSession session_{*this};
  GdbPacketReader reader_;
  std::string last_sent_;  // to be sent again if it arrived damaged
  bool acknowledges_ = true;
  bool connected_ = false;
  std::uint64_t connection_ = 0;
  bool waits_for_first_ = true;  // the system is halted until a debugger connects
  bool stop_requested_ = true;
  bool halted_ = false, takes_news_ = false;
  bool is_stop_expected_ = false;  // the debugger has resumed the system and waits for a stop reply
  bool killed_ = false;
  std::optional<unsigned> off_;          // a core that was to make a step but is off
  std::set<std::string> break_on_;       // the kinds of events at which the system halts
  std::vector<std::string> log_levels_;  // assignments by `monitor log`
  std::deque<std::string> last_events_;  // for `monitor info events`
  std::uint64_t events_ = 0;

  bool has_stale_news_ = false;  // in a snapshot: of its first execution
  std::vector<Kept> kept_;
  Picoseconds next_kept_;
  std::vector<DebugInput> inputs_;  // since the debugger has connected
  bool all_run_ = true;             // no core was held or stepped by the last resume
  bool monitor_changed_ = false;    // a `monitor` command has changed what is simulated
  DebugPlace here_;                 // where the system was halted last
  DebugStop here_stop_;             // and why
  std::size_t halt_inputs_ = 0;     // the number of inputs before that
  std::optional<Again> again_;
};

}  // namespace asterism
