// Self-hosted debug (Arm DDI 0487, D2): breakpoints, watchpoints and software step that the guest has set, as
// exceptions to EL1.
//
// A breakpoint is an operation that replaces its instruction, a watchpoint makes the accesses to its pages
// slow, and a step is a block of one instruction. A program that uses none of them has no cost.
//
// Choices that the manual permits: watchpoints of non-contiguous bytes watch the lowest contiguous ones; an
// address breakpoint whose BAS does not name the first half word never hits; DC ZVA is a store, other cache
// maintenance hits no watchpoint. Not modelled: vector catch and address mismatch, which are AArch32's;
// halting debug, since no external debugger can be attached.
#include <algorithm>
#include <bit>
#include <vector>

#include "core/a64/cpu.h"

namespace asterism::a64 {
namespace {

constexpr std::uint32_t pstate_d = 1 << 9;

// Fields of DBGBCRn_EL1 and DBGWCRn_EL1.
constexpr bool is_set(std::uint64_t control) { return control & 1; }
constexpr unsigned type_of(std::uint64_t control) { return control >> 20 & 0xf; }
constexpr unsigned linked_to(std::uint64_t control) { return control >> 16 & 0xf; }
constexpr unsigned bytes_of(std::uint64_t control) { return control >> 5 & 0xff; }
constexpr bool watches_loads(std::uint64_t control) { return control >> 3 & 1; }
constexpr bool watches_stores(std::uint64_t control) { return control >> 4 & 1; }
// Breakpoint types.
constexpr unsigned address_match = 0, linked_address_match = 1, context_match = 2, linked_context_match = 3;

// PMC or PAC, HMC and SSC, in the Non-secure state of a core without EL2.
constexpr bool is_for_level(std::uint64_t control, unsigned level) {
  constexpr unsigned secure_only = 2;
  return (control >> 14 & 3) != secure_only && (control >> (level == 0 ? 2 : 1) & 1);
}

constexpr bool knows_contexts(unsigned breakpoint) {
  return breakpoint < DebugRegisters::breakpoints &&
         breakpoint >= DebugRegisters::breakpoints - DebugRegisters::context_breakpoints;
}

// An address of 49 bits.
constexpr std::uint64_t sign_extended(std::uint64_t address) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(address << 15) >> 15);
}

constexpr bool is_address_breakpoint(std::uint64_t control) {
  constexpr unsigned first_half_word = 3;
  return is_set(control) && (type_of(control) == address_match || type_of(control) == linked_address_match) &&
         (control >> 5 & first_half_word) == first_half_word;
}

// The bytes that a watchpoint watches; nullopt: none.
std::optional<AddressRange> watched_by(std::uint64_t value, std::uint64_t control) {
  const unsigned mask = control >> 24 & 0x1f;
  unsigned bytes = bytes_of(control);
  if (!is_set(control) || mask == 1 || mask == 2) return std::nullopt;
  if (mask != 0) {
    const std::uint64_t size = std::uint64_t{1} << mask;
    return AddressRange{Address(value & ~(size - 1)), Bytes(size)};
  }
  if (value & 4) bytes &= 0xf;
  if (bytes == 0) return std::nullopt;
  const auto first = static_cast<unsigned>(std::countr_zero(bytes));
  return AddressRange{Address(value + first), Bytes(static_cast<unsigned>(std::countr_one(bytes >> first)))};
}

}  // namespace

bool Cpu::is_debugged() const { return !(system.oslsr & oslsr_locked) && !(debug.osdlr & osdlr_locked); }

// GenerateDebugExceptionsFrom() of the manual.
bool Cpu::gives_debug_exceptions(unsigned from, bool masked) const {
  return is_debugged() && (from == 0 || (system.mdscr & mdscr::kde && !masked));
}
bool Cpu::gives_debug_exceptions() const { return gives_debug_exceptions(level, daif & pstate_d); }

void Cpu::follow_debug_registers() {
  const bool monitors = is_debugged() && system.mdscr & mdscr::mde;
  may_step = is_debugged() && system.mdscr & mdscr::ss;
  meets_contexts = false;
  std::vector<std::uint64_t> addresses;
  for (unsigned i = 0; monitors && i < DebugRegisters::breakpoints; ++i) {
    if (is_address_breakpoint(debug.bcr[i]))
      addresses.push_back(sign_extended(debug.bvr[i]) & ~std::uint64_t{3});
    meets_contexts |= is_set(debug.bcr[i]) && type_of(debug.bcr[i]) == context_match && knows_contexts(i);
  }
  std::ranges::sort(addresses);
  if (blocks.set_own_breakpoints(addresses)) drop_code({Address(0), Bytes(never)});
  std::vector<AddressRange> ranges;
  for (unsigned i = 0; monitors && i < DebugRegisters::watchpoints; ++i)
    if (const auto range = watched_by(debug.wvr[i], debug.wcr[i])) ranges.push_back(*range);
  memory.watch_for_the_guest(std::move(ranges));
}

void Cpu::take_debug(unsigned from_el0, std::uint32_t iss, std::optional<std::uint64_t> address) {
  take_synchronous(esr::make(from_el0 + (level == 0 ? 0 : 1), iss | esr::debug_exception), address);
}

bool Cpu::is_linked_context(std::uint64_t control) const {
  const unsigned other = linked_to(control);
  return knows_contexts(other) && is_set(debug.bcr[other]) &&
         type_of(debug.bcr[other]) == linked_context_match &&
         static_cast<std::uint32_t>(debug.bvr[other]) == system.contextidr;
}

// ---- software step ----

bool Cpu::is_stepping() const { return may_step && gives_debug_exceptions(); }

// DebugExceptionReturnSS() of the manual.
bool Cpu::steps_after_return(std::uint64_t to_pstate, unsigned to_level) const {
  constexpr std::uint64_t ss = 1 << 21;
  return may_step && to_pstate & ss && !gives_debug_exceptions() &&
         gives_debug_exceptions(to_level, to_pstate & pstate_d);
}

void Cpu::finish_step(std::uint32_t word) {
  constexpr Encoding load_exclusive = encoding("size 001000 0 1 0 Rs o0 Rt2 Rn Rt"),
                     load_exclusive_pair = encoding("1 sz 001000 0 1 1 Rs o0 Rt2 Rn Rt");
  if (!single_step) return;  // the instruction has taken an exception, or returned from one
  single_step = false;
  stepped = {instructions(), load_exclusive.matches(word) || load_exclusive_pair.matches(word)};
}

bool Cpu::take_debug_exception() {
  if (!may_step && !meets_contexts) return false;
  if (!gives_debug_exceptions()) return false;
  if (may_step && !single_step) {
    constexpr std::uint32_t isv = 1 << 24, ex = 1 << 6;
    const bool has_stepped = stepped.count == instructions();
    take_debug(esr::ec_step_lower, has_stepped ? isv | (stepped.load_exclusive ? ex : 0) : 0, std::nullopt);
    stepped.count = never;
    return true;
  }
  if (!meets_contexts) return false;
  for (unsigned i = 0; i < DebugRegisters::breakpoints; ++i) {
    if (!knows_contexts(i) || !is_set(debug.bcr[i]) || type_of(debug.bcr[i]) != context_match) continue;
    if (!is_for_level(debug.bcr[i], level)) continue;
    if (static_cast<std::uint32_t>(debug.bvr[i]) != system.contextidr) continue;
    take_debug(esr::ec_breakpoint_lower, 0, std::nullopt);
    return true;
  }
  return false;
}

// ---- breakpoints ----

bool Cpu::is_at_breakpoint(std::uint64_t address) const {
  if (!gives_debug_exceptions()) return false;
  for (unsigned i = 0; i < DebugRegisters::breakpoints; ++i) {
    const std::uint64_t control = debug.bcr[i];
    if (!is_address_breakpoint(control) || !is_for_level(control, level)) continue;
    if ((sign_extended(debug.bvr[i]) & ~std::uint64_t{3}) != address) continue;
    if (type_of(control) == address_match || is_linked_context(control)) return true;
  }
  return false;
}

const Operation* Cpu::meet_own_breakpoint(Cpu& cpu, const Operation& op) {
  cpu.leave(cpu.pc_of(op), cpu.index_of(op));
  if (cpu.is_at_breakpoint(cpu.pc)) {
    cpu.take_debug(esr::ec_breakpoint_lower, 0, std::nullopt);
  } else {
    if (!cpu.is_passing(cpu.pc)) cpu.passing = {cpu.pc, cpu.instructions()};
    cpu.passing.own_breakpoint = true;
  }
  return &exit_operation;
}

// ---- watchpoints ----

bool Cpu::take_watchpoint(const Operation& op, const Accessed& access) {
  if (!memory.is_watched_for_the_guest() || !gives_debug_exceptions()) return false;
  const std::uint64_t first = without_tag(access.address), last = first + access.size - 1;
  std::optional<std::uint64_t> met;
  for (unsigned i = 0; i < DebugRegisters::watchpoints; ++i) {
    const std::uint64_t control = debug.wcr[i];
    const auto range = watched_by(debug.wvr[i], control);
    if (!range || last < range->first.value() || first > range->last().value()) continue;
    if (!(access.is_store ? watches_stores(control) : watches_loads(control))) continue;
    if (!is_for_level(control, access.as_el0 ? 0 : level)) continue;
    if (control >> 20 & 1 && !is_linked_context(control)) continue;
    met = std::min(met.value_or(never), std::max(first, range->first.value()));
  }
  if (!met) return false;
  constexpr std::uint32_t is_write = 1 << 6;
  leave(pc_of(op), index_of(op));
  // The tag is that of the access.
  const std::uint64_t address = access.address + (*met - first);
  take_debug(esr::ec_watchpoint_lower, access.is_store ? is_write : 0, address);
  return true;
}

}  // namespace asterism::a64
