// The rows of the registers of self-hosted debug, for system_registers.cpp.
#pragma once

#include <cstdint>

#include "core/a64/debug_registers.h"
#include "core/a64/system_register_rows.h"

namespace asterism::a64::rows {

using D = DebugRegisters;

// ---- access at EL0 ----

// MDSCR_EL1.TDCC keeps the communication channel from EL0.
inline Permission channel(const Cpu& cpu, bool) {
  return cpu.system.mdscr & mdscr::tdcc ? Permission::trapped : Permission::allowed;
}
inline Permission channel_reader(const Cpu& cpu, bool is_write) {
  return is_write ? Permission::undefined : channel(cpu, false);
}

// ---- effects of reads and writes ----

// Of four registers of a breakpoint or watchpoint.
template <auto array, unsigned n>
std::uint64_t read_monitor(const Cpu& cpu) {
  return (cpu.debug.*array)[n];
}
template <auto array, unsigned n, std::uint64_t (*kept)(std::uint64_t)>
Written write_monitor(Cpu& cpu, std::uint64_t value) {
  (cpu.debug.*array)[n] = kept(value);
  cpu.follow_debug_registers();
  return Written::synchronise;
}
constexpr std::uint64_t all_of(std::uint64_t value) { return value; }  // also a context, of 32 bits
// 49 bits, a multiple of 4.
constexpr std::uint64_t watched_address(std::uint64_t value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << 15) >> 15) & ~std::uint64_t{3};
}
// BT, LBN, SSC, HMC, PMC, E; of BAS, bits 0 and 2 stand for half words.
constexpr std::uint64_t breakpoint_control(std::uint64_t value) {
  const std::uint64_t half_words = value & 0xa0;
  return (value & 0x00ff'e007) | half_words | half_words << 1;
}
// MASK, WT, LBN, SSC, HMC, BAS, LSC, PAC, E.
constexpr std::uint64_t watchpoint_control(std::uint64_t value) { return value & 0x1f1f'ffff; }

inline std::uint64_t read_mdscr(const Cpu& cpu) { return cpu.system.mdscr; }
inline Written write_mdscr(Cpu& cpu, std::uint64_t value) {
  const std::uint64_t mask = mdscr::writable | (cpu.system.oslsr & oslsr_locked ? mdscr::saved : 0);
  cpu.system.mdscr = (cpu.system.mdscr & ~mask) | (value & mask);
  cpu.follow_debug_registers();
  return Written::synchronise;
}
inline Written write_oslar(Cpu& cpu, std::uint64_t value) {
  cpu.system.oslsr = (cpu.system.oslsr & ~oslsr_locked) | (value & 1 ? oslsr_locked : 0);
  cpu.follow_debug_registers();
  return Written::synchronise;
}
inline std::uint64_t read_oslsr(const Cpu& cpu) { return cpu.system.oslsr; }
inline std::uint64_t read_osdlr(const Cpu& cpu) { return cpu.debug.osdlr; }
inline Written write_osdlr(Cpu& cpu, std::uint64_t value) {
  cpu.debug.osdlr = value & osdlr_locked;
  cpu.follow_debug_registers();
  return Written::synchronise;
}

// The communication channel: sent data stay, because nothing reads them, and nothing is ever received.
inline std::uint64_t read_channel_status(const Cpu& cpu) {
  return cpu.system.mdscr & (mdscr::txfull | mdscr::rxfull);
}
inline std::uint64_t read_received(const Cpu& cpu) { return cpu.debug.dtrrx; }
inline Written send(Cpu& cpu, std::uint64_t value) {
  cpu.debug.dtrtx = static_cast<std::uint32_t>(value);
  cpu.system.mdscr |= mdscr::txfull;
  return Written::done;
}
inline std::uint64_t read_both(const Cpu& cpu) { return cpu.debug.dtrtx << 32 | cpu.debug.dtrrx; }
inline Written send_both(Cpu& cpu, std::uint64_t value) { return send(cpu, value); }
template <std::uint64_t D::*place>
std::uint64_t read_saved(const Cpu& cpu) {
  return cpu.debug.*place;
}
template <std::uint64_t D::*place>
Written write_saved(Cpu& cpu, std::uint64_t value) {
  cpu.debug.*place = static_cast<std::uint32_t>(value);
  return Written::done;
}

constexpr std::uint64_t claim_tags = 0xff;
inline std::uint64_t read_claim_tags(const Cpu&) { return claim_tags; }
inline std::uint64_t read_claim(const Cpu& cpu) { return cpu.debug.claim; }
inline Written set_claim(Cpu& cpu, std::uint64_t value) {
  cpu.debug.claim |= value & claim_tags;
  return Written::done;
}
inline Written clear_claim(Cpu& cpu, std::uint64_t value) {
  cpu.debug.claim &= ~value;
  return Written::done;
}

// ---- rows ----

template <unsigned n>
consteval SystemRegisterRow value_of_breakpoint(const char* name) {
  return computed({2, 0, 0, n, 4}, name, read_monitor<&D::bvr, n>, write_monitor<&D::bvr, n, all_of>);
}
template <unsigned n>
consteval SystemRegisterRow control_of_breakpoint(const char* name) {
  return computed({2, 0, 0, n, 5}, name, read_monitor<&D::bcr, n>,
                  write_monitor<&D::bcr, n, breakpoint_control>);
}
template <unsigned n>
consteval SystemRegisterRow value_of_watchpoint(const char* name) {
  return computed({2, 0, 0, n, 6}, name, read_monitor<&D::wvr, n>,
                  write_monitor<&D::wvr, n, watched_address>);
}
template <unsigned n>
consteval SystemRegisterRow control_of_watchpoint(const char* name) {
  return computed({2, 0, 0, n, 7}, name, read_monitor<&D::wcr, n>,
                  write_monitor<&D::wcr, n, watchpoint_control>);
}

static_assert(D::breakpoints == 6 && D::watchpoints == 4);
inline constexpr SystemRegisterRow debug_rows[] = {
    // clang-format off
    value_of_breakpoint<0>("DBGBVR0_EL1"), control_of_breakpoint<0>("DBGBCR0_EL1"),
    value_of_breakpoint<1>("DBGBVR1_EL1"), control_of_breakpoint<1>("DBGBCR1_EL1"),
    value_of_breakpoint<2>("DBGBVR2_EL1"), control_of_breakpoint<2>("DBGBCR2_EL1"),
    value_of_breakpoint<3>("DBGBVR3_EL1"), control_of_breakpoint<3>("DBGBCR3_EL1"),
    value_of_breakpoint<4>("DBGBVR4_EL1"), control_of_breakpoint<4>("DBGBCR4_EL1"),
    value_of_breakpoint<5>("DBGBVR5_EL1"), control_of_breakpoint<5>("DBGBCR5_EL1"),
    value_of_watchpoint<0>("DBGWVR0_EL1"), control_of_watchpoint<0>("DBGWCR0_EL1"),
    value_of_watchpoint<1>("DBGWVR1_EL1"), control_of_watchpoint<1>("DBGWCR1_EL1"),
    value_of_watchpoint<2>("DBGWVR2_EL1"), control_of_watchpoint<2>("DBGWCR2_EL1"),
    value_of_watchpoint<3>("DBGWVR3_EL1"), control_of_watchpoint<3>("DBGWCR3_EL1"),
    computed({2, 0, 0, 2, 2},    "MDSCR_EL1",         read_mdscr, write_mdscr),
    only_written({2, 0, 1, 0, 4}, "OSLAR_EL1",       write_oslar),
    computed({2, 0, 1, 1, 4},    "OSLSR_EL1",         read_oslsr),
    computed({2, 0, 1, 3, 4},    "OSDLR_EL1",         read_osdlr, write_osdlr),
    constant({2, 0, 1, 0, 0},   "MDRAR_EL1",         0),   // no debug ROM
    ignored({2, 0, 0, 2, 0},    "MDCCINT_EL1"),            // the channel interrupts an external debugger's peer
    computed({2, 3, 0, 1, 0},    "MDCCSR_EL0",        read_channel_status, nullptr, channel_reader),
    computed({2, 3, 0, 4, 0},    "DBGDTR_EL0",        read_both, send_both, channel),
    computed({2, 3, 0, 5, 0},    "DBGDTRRX_EL0, DBGDTRTX_EL0", read_received, send, channel),
    computed({2, 0, 0, 0, 2},    "OSDTRRX_EL1",       read_saved<&D::dtrrx>, write_saved<&D::dtrrx>),
    computed({2, 0, 0, 3, 2},    "OSDTRTX_EL1",       read_saved<&D::dtrtx>, write_saved<&D::dtrtx>),
    ignored({2, 0, 0, 6, 2},    "OSECCR_EL1"),             // nothing is caught for an external debugger
    ignored({2, 0, 1, 4, 4},    "DBGPRCR_EL1"),            // nor is power kept for one
    computed({2, 0, 7, 8, 6},    "DBGCLAIMSET_EL1",   read_claim_tags, set_claim),
    computed({2, 0, 7, 9, 6},    "DBGCLAIMCLR_EL1",   read_claim, clear_claim),
    constant({2, 0, 7, 14, 6},  "DBGAUTHSTATUS_EL1", 0xe), // Non-secure: no halting debug, performance monitors
    // clang-format on
};

}  // namespace asterism::a64::rows
