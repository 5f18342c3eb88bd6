// The system registers of EL0 and EL1 that hold state of their own (Arm DDI 0487, D17). What a guest may read and write,
// and with what effect, stands in system_registers.cpp; the timers belong to the host (IssHost::read_register).
#pragma once

#include <cstdint>

namespace asterism::a64 {

struct SystemRegisters {
  std::uint64_t sctlr = 0, actlr = 0, cpacr = 0;
  std::uint64_t ttbr0 = 0, ttbr1 = 0, tcr = 0, mair = 0, amair = 0, contextidr = 0, par = 0;
  std::uint64_t vbar = 0, elr = 0, spsr = 0, esr = 0, far = 0, afsr0 = 0, afsr1 = 0;
  std::uint64_t sp_el0 = 0, sp_el1 = 0;
  std::uint64_t tpidr_el0 = 0, tpidrro_el0 = 0, tpidr_el1 = 0;
  std::uint64_t csselr = 0, mdscr = 0, cntkctl = 0;

  bool operator==(const SystemRegisters&) const = default;
};

}  // namespace asterism::a64
