// A debugger at a running machine: GDB's remote protocol (gdb_session.h) at a socket (gdb_port.h), cores as
// threads.
//
// The machine stands still before its first instruction until a debugger comes, and whenever a core stops:
// nothing passes, neither instructions nor simulated time. Cores run ahead of each other by up to a quantum
// (core/core_module.h), and stand where each of them is. A debugger that detaches or vanishes leaves the
// machine running, without breakpoints; another may come later, and stops it.
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
#include <vector>

#include "base/units.h"
#include "core/core_module.h"
#include "platform/debug/debugged_core.h"
#include "platform/debug/gdb_packet.h"
#include "platform/debug/gdb_port.h"
#include "platform/debug/gdb_session.h"

namespace asterism {

class Debugger final : public CoreDebugger, private DebugTarget {
 public:
  // What the machine does for it.
  struct DebuggedSystem {
    std::vector<DebuggedCore> cores;
    std::vector<std::string> infos;                            // what `monitor info` knows,
    std::function<std::string(const std::string& what)> info;  // and says of it, line by line
    std::function<std::string(std::span<const std::string> words)>
        snapshot;                       // what stands behind `monitor snapshot`
    std::function<bool()> interrupted;  // the run is to end: nobody waits any longer
  };

  // Throws as GdbPort does.
  explicit Debugger(const GdbEndpoint& endpoint);

  std::string address() const { return port_.address(); }
  // Before simulation begins. Throws std::invalid_argument when an engine has no DebugPort.
  void attach(DebuggedSystem machine);

  // Stops the machine there and then when it is what `monitor break on` asks for.
  void happened(Picoseconds at, std::string_view source, std::string_view kind);

  // Around a fork, in which threads get lost.
  void pause_port() { port_.pause(); }
  void resume_port() { port_.resume(); }

  // Between two slices of a simulation, in which no core may run: a debugger that wants to stop the machine
  // does.
  void look();
  // Nothing is left to happen: a debugger that is there may still look.
  void stalled();
  // The run has ended with this exit status.
  void ended(int status);
  // The debugger asked for the end of the run.
  bool was_killed() const { return killed_; }

 private:
  bool wants_to_stop() const override { return asked_ || port_.has_news(); }
  void stopped(CoreModule& core, Iss::Stop why) override;
  void went_off(CoreModule& core) override;

  // Whether the machine has to stop, and why.
  std::optional<DebugStop> asked_stop(unsigned core);
  // Until the machine goes on.
  void halt(const DebugStop& stop);
  void serve(const GdbPacketReader::Item& item);
  void resume();
  // Of a debugger that has gone: breakpoints, and the events that it stops at.
  void forget_wishes();
  void run_freely();
  // Whether a debugger has come.
  bool take_news();
  void look_for_kill(const GdbPacketReader::Item& item);
  void send(std::string_view payload);
  unsigned index_of(const CoreModule& core) const;

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
  std::string break_on(const std::vector<std::string>& words);
  std::string info(const std::string& what) const;

  GdbPort port_;
  DebuggedSystem system_;
  GdbSession session_{*this};
  GdbPacketReader reader_;
  std::string last_sent_;  // to be repeated when it arrived damaged
  bool acknowledges_ = true;
  bool connected_ = false;
  std::uint64_t connection_ = 0;
  bool waits_for_first_ = true;  // the machine stands still until somebody comes
  bool asked_ = true;            // to stop
  bool halted_ = false;
  bool owes_stop_ = false;  // the debugger has let the machine go on, and waits for a stop reply
  bool killed_ = false;
  std::optional<unsigned> off_;          // a core that was to make a step, and cannot
  std::set<std::string> break_on_;       // kinds of events
  std::deque<std::string> last_events_;  // for `monitor info events`
};

}  // namespace asterism
