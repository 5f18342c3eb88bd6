// The stub side of GDB's remote serial protocol: it decodes the packets of a debugger, executes them on a
// DebugTarget, and encodes the replies. The mode is all-stop: the whole system is halted while packets are
// handled. This class uses neither sockets nor a simulation.
//
// Cores are threads, numbered from 1. Software breakpoints (Z0) are implemented as hardware breakpoints (Z1),
// so memory is not changed. A target description names the registers (general, floating-point and system
// registers).
//
// An unknown packet gets an empty reply, a malformed packet E01, and an access to memory that does not exist
// E0e. Of all packets only k and vKill, which request it, end the simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/debug_port.h"

namespace asterism {

// The system that is debugged. Cores are counted from 0.
class DebugTarget {
 public:
  virtual ~DebugTarget() = default;

  virtual unsigned cores() const = 0;
  virtual std::string name(unsigned core) const = 0;   // core0; in a cluster node1.core0
  virtual std::string state(unsigned core) const = 0;  // running, off, ...

  // The general registers as GDB numbers them: x0 to x30, sp, pc, PSTATE.
  static constexpr unsigned sp_number = 31, pc_number = 32, pstate_number = 33, generals = 34;
  virtual std::uint64_t read(unsigned core, unsigned general) const = 0;
  // Returns false if the core waits for the bus within an instruction, or if it does not support the PSTATE.
  virtual bool write(unsigned core, unsigned general, std::uint64_t value) = 0;
  virtual DebugPort& port(unsigned core) = 0;

  // Reads memory as the core would see it, without side effects. Returns the number of bytes, from the first
  // on, that exist.
  virtual std::size_t read_memory(unsigned core, std::uint64_t address, char* data, std::size_t size) = 0;
  virtual bool write_memory(unsigned core, std::uint64_t address, std::string_view data) = 0;

  // Executes a `monitor` command and returns its output, with a newline at the end of each line.
  virtual std::string monitor(unsigned core, const std::string& command) = 0;
};

// Why the system has halted.
struct DebugStop {
  enum class Why : std::uint8_t {
    interrupted,
    stepped,
    breakpoint,
    loaded,
    stored,
    event,
    beginning,  // there is no earlier place to go back to
  } why = Why::interrupted;
  unsigned core = 0;
  std::uint64_t address = 0;  // of the load or store, or of the instruction with the breakpoint
  std::string text = {};      // for the user; with a newline
};

// What a core does when the system is resumed.
struct DebugAction {
  enum class What : std::uint8_t { hold, run, step } what = What::run;
  // A step is repeated while the pc is in [first, last).
  std::uint64_t first = 0, last = 0;
  bool repeats_at(std::uint64_t pc) const { return pc >= first && pc < last; }
  bool operator==(const DebugAction&) const = default;
};

class GdbSession {
 public:
  static constexpr unsigned generals = DebugTarget::generals, vectors = DebugPort::vectors;
  static constexpr std::size_t max_breakpoints = 1024;

  explicit GdbSession(DebugTarget& target) : target_(target) {}

  struct Answer {
    enum class What : std::uint8_t {
      reply,          // `text`
      resume,         // resume the system; stopped() or ended() is the reply
      step_back,      // go back by one instruction of the core `for_resume`; stopped() is the reply
      continue_back,  // go back to the last breakpoint or watchpoint; stopped() is the reply
      detach,         // send the reply, close the connection and resume the system
      kill,           // end the run; there is no reply
    } what = What::reply;
    std::string text = {};
    bool without_acknowledgements = false;  // from the next packet on
  };
  Answer handle(std::string_view packet);

  // The action of each core after Answer::What::resume.
  const std::vector<DebugAction>& actions() const { return actions_; }

  // The replies to a resume: payloads to be sent in this order.
  std::vector<std::string> stopped(const DebugStop& stop);
  std::string ended(unsigned status) const;

  // Removes all breakpoints and watchpoints, when a debugger connects or disconnects.
  void reset();

  struct Breakpoint {
    std::uint64_t address = 0;
    bool is_hardware = false;
    bool operator==(const Breakpoint&) const = default;
  };
  // The breakpoints and watchpoints.
  struct Stops {
    std::vector<Breakpoint> breakpoints = {};
    std::vector<Watchpoint> watchpoints = {};
  };
  const Stops& stops() const { return stops_; }
  void set_stops(Stops stops);

  // The cores chosen by Hg and Hc.
  struct Selection {
    unsigned for_registers = 0, for_resume = 0;
  };
  const Selection& selection() const { return selection_; }
  void select(Selection cores) { selection_ = cores; }

 private:
  Answer query(std::string_view packet);
  Answer set(std::string_view packet);
  std::string transfer(std::string_view request);
  std::string monitor(std::string_view digits);
  std::string select(std::string_view packet);
  std::string read_registers();
  std::string write_registers(std::string_view digits);
  std::string read_register(std::string_view packet);
  std::string write_register(std::string_view packet);
  std::string read_memory(std::string_view packet);
  std::string write_memory(std::string_view packet, bool is_binary);
  std::string change_breakpoint(std::string_view packet, bool insert);
  Answer resume(std::string_view packet);
  Answer resume_each(std::string_view actions);
  void apply_breakpoints();
  void apply_watchpoints();

  std::string register_bytes(unsigned core, unsigned number);
  bool set_register(unsigned core, unsigned number, std::string_view bytes);
  unsigned registers() const;
  std::optional<unsigned> core_of(std::string_view thread) const;
  std::string description() const;
  std::string threads() const;

  DebugTarget& target_;
  Selection selection_;
  Stops stops_;
  std::vector<DebugAction> actions_;
  std::vector<std::string> last_stop_ = {"T02thread:1;"};
  bool reports_breakpoints_ = false;  // as swbreak and hwbreak in stop replies
};

}  // namespace asterism
