// What a debugger does with an engine that runs A64 instructions: breakpoints, watchpoints, single steps, and all registers.
//
// Addresses are virtual, as the program has them. A stop is before an instruction, which has had no effect, and run() again
// goes on with that instruction; nothing of this costs anything until it is met, but for loads and stores to the pages of
// a watchpoint, which are slow.
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
  std::uint64_t address = 0;  // the first byte that is watched
  bool is_store = false;
};

class DebugPort {
 public:
  virtual ~DebugPort() = default;

  // These and no others: run() returns Iss::Stop::breakpoint before an instruction at one of them.
  virtual void set_breakpoints(std::vector<std::uint64_t> addresses) = 0;
  // These and no others: run() returns Iss::Stop::watchpoint before an instruction that accesses bytes of one of them.
  virtual void set_watchpoints(std::vector<Watchpoint> watchpoints) = 0;
  virtual WatchHit watch_hit() const = 0;  // the last one
  // run() returns Iss::Stop::stepped after one instruction, or at the vector when it takes an exception. Interrupts are not
  // taken. Once; it stays asked for through stops of other kinds, until forget_step() or a reset.
  virtual void step() = 0;
  virtual void forget_step() = 0;

  // False while an instruction waits for the bus.
  virtual bool is_between_instructions() const = 0;

  // x0 to x30, sp and pc are Iss::read() and write(), so is reading PSTATE. Writing it is refused, with false, for an exception
  // level or a state that this core does not have.
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

  // The system registers that hold or tell something, by their architectural names; the order never changes in a build.
  virtual std::span<const std::string> system_registers() const = 0;
  virtual std::uint64_t read_system(std::size_t index) = 0;
  // Writes what the guest could write; false: it is read-only, or the host's (the timers).
  virtual bool write_system(std::size_t index, std::uint64_t value) = 0;

  // Where a virtual address leads, whatever the permissions; nullopt: to a translation fault.
  virtual std::optional<Address> physical(std::uint64_t address) = 0;
};

}  // namespace asterism
