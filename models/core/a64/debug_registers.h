// The registers of self-hosted debug that hold state (Arm DDI 0487, D2 and D17.3), except MDSCR_EL1 and
// OSLSR_EL1, which are in SystemRegisters. There are as many breakpoints and watchpoints as ID_AA64DFR0_EL1
// announces and a Cortex-A57 has. Their behaviour is in self_hosted_debug.cpp.
#pragma once

#include <array>
#include <cstdint>

namespace asterism::a64 {

struct DebugRegisters {
  static constexpr unsigned breakpoints = 6, watchpoints = 4;
  // The last breakpoints, which can be compared with CONTEXTIDR_EL1.
  static constexpr unsigned context_breakpoints = 2;

  std::array<std::uint64_t, breakpoints> bvr{}, bcr{};
  std::array<std::uint64_t, watchpoints> wvr{}, wcr{};
  std::uint64_t osdlr = 0;
  std::uint64_t claim = 0;             // DBGCLAIMSET_EL1, DBGCLAIMCLR_EL1
  std::uint64_t dtrtx = 0, dtrrx = 0;  // the communication channel; its other end is not connected

  bool operator==(const DebugRegisters&) const = default;
};

// The bits of MDSCR_EL1.
namespace mdscr {
inline constexpr std::uint64_t ss = 1 << 0, tdcc = 1 << 12, kde = 1 << 13, mde = 1 << 15,
                               txfull = std::uint64_t{1} << 29, rxfull = std::uint64_t{1} << 30;
// The bits that software may write while the OS lock is open, and the additional ones while it is locked, to
// save and restore the state of a debugger: ERR, HDE, TDA, INTdis, TXU, RXO, TXfull, RXfull.
inline constexpr std::uint64_t writable = ss | tdcc | kde | mde;
inline constexpr std::uint64_t saved =
    1 << 6 | 1 << 14 | 1 << 21 | 3 << 22 | 1 << 26 | 1 << 27 | txfull | rxfull;
}  // namespace mdscr

inline constexpr std::uint64_t oslsr_locked = 1 << 1;  // OSLSR_EL1.OSLK
inline constexpr std::uint64_t osdlr_locked = 1 << 0;  // OSDLR_EL1.DLK

}  // namespace asterism::a64
