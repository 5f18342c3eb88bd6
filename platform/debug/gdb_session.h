// GDB's remote serial protocol, the stub's side: what a debugger's packet asks of the machine and what is answered. All-stop:
// the whole machine stands still while packets are handled. No sockets, no simulation: a DebugTarget has the machine.
//
// Cores are threads, numbered from 1. Software breakpoints (Z0) are hardware breakpoints (Z1): memory is not changed. Registers are
// told by a target description (registers of the general, floating-point and system kind).
//
// A packet that is unknown gets an empty answer, a malformed one E01, memory that is not there E0e; nothing a debugger sends
// ends the simulation but k and vKill, whose meaning that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/debug_port.h"

namespace asterism {

// What is debugged. Cores are counted from 0.
class DebugTarget {
 public:
  virtual ~DebugTarget() = default;

  virtual unsigned cores() const = 0;
  virtual std::string name(unsigned core) const = 0;   // core0; of a cluster node1.core0
  virtual std::string state(unsigned core) const = 0;  // running, off, ...

  // The general registers as GDB numbers them: x0 to x30, sp, pc, PSTATE.
  static constexpr unsigned sp_number = 31, pc_number = 32, pstate_number = 33, generals = 34;
  virtual std::uint64_t read(unsigned core, unsigned general) const = 0;
  // False: the core waits for the bus in the midst of an instruction, or has no such PSTATE.
  virtual bool write(unsigned core, unsigned general, std::uint64_t value) = 0;
  virtual DebugPort& port(unsigned core) = 0;

  // As the core would see it, without side effects; how many bytes from the first on there are.
  virtual std::size_t read_memory(unsigned core, std::uint64_t address, char* data, std::size_t size) = 0;
  virtual bool write_memory(unsigned core, std::uint64_t address, std::string_view data) = 0;

  // What `monitor` commands say, with a newline at the end of each line.
  virtual std::string monitor(unsigned core, const std::string& command) = 0;
};

// Why the machine has stopped.
struct DebugStop {
  enum class Why : std::uint8_t {
    interrupted,
    stepped,
    breakpoint,
    loaded,
    stored,
    event
  } why = Why::interrupted;
  unsigned core = 0;
  std::uint64_t address = 0;  // that was loaded or stored; of the instruction with the breakpoint
  std::string text = {};      // shown to the user; with a newline
};

// What a core does when the machine goes on.
struct DebugAction {
  enum class What : std::uint8_t { hold, run, step } what = What::run;
  // Steps on while the pc is in [first, last).
  std::uint64_t first = 0, last = 0;
  bool operator==(const DebugAction&) const = default;
};

class GdbSession {
 public:
  static constexpr unsigned generals = DebugTarget::generals, vectors = DebugPort::vectors;
  static constexpr std::size_t max_breakpoints = 1024;

  explicit GdbSession(DebugTarget& target) : target_(target) {}

  struct Answer {
    enum class What : std::uint8_t {
      reply,   // `text`
      resume,  // the machine goes on; stopped() or ended() is the reply
      detach,  // after the reply the debugger is gone; the machine goes on
      kill,    // the machine is to end; no reply
    } what = What::reply;
    std::string text = {};
    bool without_acknowledgements = false;  // from the next packet on
  };
  Answer handle(std::string_view packet);

  // Each core's, after Answer::What::resume.
  const std::vector<DebugAction>& actions() const { return actions_; }

  // Replies to a resume: payloads, to be sent in their order.
  std::vector<std::string> stopped(const DebugStop& stop);
  std::string ended(unsigned status) const;

  // A debugger has come or gone: no breakpoints, no watchpoints.
  void reset();

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
  unsigned for_registers_ = 0, for_resume_ = 0;  // cores chosen by Hg and Hc
  struct Breakpoint {
    std::uint64_t address;
    bool is_hardware;
    bool operator==(const Breakpoint&) const = default;
  };
  std::vector<Breakpoint> breakpoints_;
  std::vector<Watchpoint> watchpoints_;
  std::vector<DebugAction> actions_;
  std::vector<std::string> last_stop_ = {"T02thread:1;"};
  bool tells_breakpoints_ = false;  // swbreak, hwbreak in stop replies
};

}  // namespace asterism
