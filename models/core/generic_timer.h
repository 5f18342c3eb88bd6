// The generic timer of one core (Arm ARM DDI 0487, D11): the counter, the EL1 virtual timer and the EL1
// physical timer. An engine (base/engine.h) in plain C++.
//
// The counter is system time at a fixed frequency. It keeps running through every reset and is the same for
// all cores. There is no virtual offset (no EL2): the virtual and the physical counter are equal. A timer's
// output is high while it is enabled, not masked, and the counter has reached its compare value. The outputs
// are levels: PPI 27 (virtual) and PPI 30 (physical), as on QEMU's virt machine.
//
// Left out: the event stream (CNTKCTL.EVNTEN), CNTHP, CNTPS, traps of EL0.
#pragma once

#include <cstdint>
#include <optional>

#include "base/engine.h"
#include "base/reset.h"
#include "base/units.h"
#include "core/system_register.h"

namespace asterism {

class GenericTimer {
 public:
  struct Outputs {
    bool virtual_timer = false, physical_timer = false;
    bool operator==(const Outputs&) const = default;
  };
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void timer_outputs(Picoseconds at, Outputs outputs) = 0;
  };

  explicit GenericTimer(Frequency counter) : frequency_(counter) {}

  // MRS and MSR; nullopt and false for registers that are not the timer's. Writes to read-only registers (the
  // counters) are ignored. CNTFRQ is only a number that firmware may overwrite; it does not change the
  // counter.
  std::optional<std::uint64_t> read(SystemRegister which, Picoseconds now) const;
  bool write(SystemRegister which, std::uint64_t value, Picoseconds now);
  // The earliest time at which a read of the register would have returned the present value, if no write had
  // changed it: the tick of the counter. Zero for registers that do not depend on time.
  Picoseconds ticked(SystemRegister which, Picoseconds now) const;

  Outputs outputs(Picoseconds now) const;

  // The next time at which an output rises by itself. An output changed by a write is delivered by the next
  // advance_to().
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now, Sink& sink);

  // Every kind disables and unmasks both timers and sets their compare values to 0. The counter keeps
  // running.
  void reset(Reset);

 private:
  struct Timer {
    bool enabled = false, masked = false;
    std::uint64_t compare = 0;
  };
  std::uint64_t count(Picoseconds now) const { return cycles_in(now, frequency_).count(); }
  bool reached(const Timer& timer, Picoseconds now) const { return count(now) >= timer.compare; }
  bool output(const Timer& timer, Picoseconds now) const {
    return timer.enabled && !timer.masked && reached(timer, now);
  }
  std::optional<Picoseconds> rises(const Timer& timer) const;
  std::uint64_t read(const Timer& timer, unsigned op2, Picoseconds now) const;
  void write(Timer& timer, unsigned op2, std::uint64_t value, Picoseconds now);

  Frequency frequency_;
  std::uint64_t reported_frequency_ = frequency_.count();
  Timer virtual_, physical_;
  Picoseconds now_;    // of the last advance
  Outputs delivered_;  // to the sink
};

}  // namespace asterism
