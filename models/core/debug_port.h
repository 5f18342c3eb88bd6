// The debugger's interface to an A64 engine: breakpoints, watchpoints, single steps, and all registers.
//
// Addresses are virtual. The engine stops before an instruction, which has had no effect, and the next run()
// continues with that instruction. Nothing of this costs time before it stops the engine, except that loads
// and stores to the pages of a watchpoint are slow.
//
// Registers may be read at any time, and written while is_between_instructions().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct Watchpoint {
  AddressRange range;  // at least one byte
  bool loads = false, stores = false;
  bool operator==(const Watchpoint&) const = default;
};

struct WatchHit {
  std::uint64_t address = 0;  // of the first watched byte
  bool is_store = false;
};

class DebugPort {
 public:
  virtual ~DebugPort() = default;

  // Replaces all breakpoints. run() returns Iss::Stop::breakpoint before an instruction at one of these
  // addresses.
  virtual void set_breakpoints(std::vector<std::uint64_t> addresses) = 0;
  // Replaces all watchpoints. run() returns Iss::Stop::watchpoint before an instruction that accesses bytes
  // of one of them.
  virtual void set_watchpoints(std::vector<Watchpoint> watchpoints) = 0;
  virtual WatchHit watch_hit() const = 0;  // of the last such stop
  // Requests one step: run() returns Iss::Stop::stepped after one instruction, or at the vector if that takes
  // an exception. Interrupts are not taken. The request survives stops of other kinds, until cancel_step() or
  // a reset.
  virtual void step() = 0;
  virtual void cancel_step() = 0;
  // For re-execution: run() returns Iss::Stop::reached before the first instruction at which at least this
  // many are retired, and before each one after that, also before a pending interrupt is taken and at a
  // vector; `never` ends that. Unlike a step, it changes nothing of what the core does. It survives a reset.
  static constexpr std::uint64_t never = ~std::uint64_t{0};
  virtual void stop_from(std::uint64_t instructions) = 0;

  // False while an instruction waits for the bus.
  virtual bool is_between_instructions() const = 0;

  // Iss::read() and write() access x0 to x30, sp and pc; Iss::read() also PSTATE. This writes PSTATE. False:
  // refused, because this core does not have the exception level or state.
  virtual bool write_pstate(std::uint64_t value) = 0;
  struct Vector {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Vector&) const = default;
  };
  static constexpr unsigned vectors = 32;
  virtual Vector read_vector(unsigned index) const = 0;
  virtual void write_vector(unsigned index, Vector value) = 0;
  virtual std::uint32_t fpsr() const = 0;
  virtual std::uint32_t fpcr() const = 0;
  virtual void set_fpsr(std::uint32_t value) = 0;
  virtual void set_fpcr(std::uint32_t value) = 0;

  // The architectural names of the system registers that hold or report something, in the same order in all
  // runs of a build.
  virtual std::span<const std::string> system_registers() const = 0;
  virtual std::uint64_t read_system(std::size_t index) = 0;
  // Writes what the guest could write. False: the register is read-only, or implemented by the host (the
  // timers).
  virtual bool write_system(std::size_t index, std::uint64_t value) = 0;

  // The physical address of a virtual one, whatever the permissions. nullopt: a translation fault.
  virtual std::optional<Address> physical(std::uint64_t address) = 0;
};

}  // namespace asterism
