// The registers of self-hosted debug that hold state (Arm DDI 0487, D2 and D17.3), but for MDSCR_EL1 and OSLSR_EL1, which
// SystemRegisters has. As many breakpoints and watchpoints as ID_AA64DFR0_EL1 announces, which is what a Cortex-A57 has. What
// they do stands in self_hosted_debug.cpp.
#pragma once

#include <array>
#include <cstdint>

namespace asterism::a64 {

struct DebugRegisters {
  static constexpr unsigned breakpoints = 6, watchpoints = 4;
  static constexpr unsigned context_breakpoints = 2;  // the last ones, which CONTEXTIDR_EL1 is compared with

  std::array<std::uint64_t, breakpoints> bvr{}, bcr{};
  std::array<std::uint64_t, watchpoints> wvr{}, wcr{};
  std::uint64_t osdlr = 0;
  std::uint64_t claim = 0;             // DBGCLAIMSET_EL1, DBGCLAIMCLR_EL1
  std::uint64_t dtrtx = 0, dtrrx = 0;  // the communication channel; nobody is at its other end

  bool operator==(const DebugRegisters&) const = default;
};

// Bits of MDSCR_EL1.
namespace mdscr {
inline constexpr std::uint64_t ss = 1 << 0, tdcc = 1 << 12, kde = 1 << 13, mde = 1 << 15,
                               txfull = std::uint64_t{1} << 29, rxfull = std::uint64_t{1} << 30;
// What software may write while the OS lock is open, and what else while it is locked, to save and restore a debugger's state:
// ERR, HDE, TDA, INTdis, TXU, RXO, TXfull, RXfull.
inline constexpr std::uint64_t writable = ss | tdcc | kde | mde;
inline constexpr std::uint64_t saved =
    1 << 6 | 1 << 14 | 1 << 21 | 3 << 22 | 1 << 26 | 1 << 27 | txfull | rxfull;
}  // namespace mdscr

inline constexpr std::uint64_t oslsr_locked = 1 << 1;  // OSLSR_EL1.OSLK
inline constexpr std::uint64_t osdlr_locked = 1 << 0;  // OSDLR_EL1.DLK

}  // namespace asterism::a64
