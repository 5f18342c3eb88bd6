// The system registers of EL0 and EL1 that hold state of their own (Arm DDI 0487, D17). system_registers.cpp
// defines what a guest may read and write, and with what effect. The timers are implemented by the host
// (IssHost::read_register).
#pragma once

#include <cstdint>

namespace asterism::a64 {

struct SystemRegisters {
  std::uint64_t sctlr = 0, actlr = 0, cpacr = 0;
  std::uint64_t ttbr0 = 0, ttbr1 = 0, tcr = 0, mair = 0, amair = 0, contextidr = 0, par = 0;
  std::uint64_t vbar = 0, elr = 0, spsr = 0, esr = 0, far = 0, afsr0 = 0, afsr1 = 0;
  std::uint64_t sp_el0 = 0, sp_el1 = 0;
  std::uint64_t tpidr_el0 = 0, tpidrro_el0 = 0, tpidr_el1 = 0;
  std::uint64_t csselr = 0, mdscr = 0, oslsr = 0xa, cntkctl = 0;

  bool operator==(const SystemRegisters&) const = default;
};

inline constexpr std::uint32_t fpcr_writable = 0x07c0'0000;  // AHP, DN, FZ, RMode; with FEAT_FP16 FZ16, too
inline constexpr std::uint32_t fpsr_writable = 0x0800'009f;  // QC, cumulative exceptions

// The bits of SCTLR_EL1 that have an effect. The others hold what is written, except EE and E0E: data are
// little-endian.
namespace sctlr {
inline constexpr std::uint64_t m = 1 << 0, a = 1 << 1, c = 1 << 2, sa = 1 << 3, sa0 = 1 << 4, uma = 1 << 9,
                               i = 1 << 12, dze = 1 << 14, uct = 1 << 15, ntwi = 1 << 16, ntwe = 1 << 18,
                               wxn = 1 << 19, uci = 1 << 26;
inline constexpr std::uint64_t writable = 0xfcff'ffff;
}  // namespace sctlr

}  // namespace asterism::a64
