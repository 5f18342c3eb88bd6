// The table of the system registers that MRS and MSR access, with one row each (system_registers.cpp).
#pragma once

#include <cstdint>
#include <span>

#include "core/a64/cpu.h"
#include "core/system_register.h"

namespace asterism::a64 {

enum class Permission : std::uint8_t { undefined, trapped, allowed };

// What has to follow a write: nothing, or Cpu::synchronise().
enum class Written : std::uint8_t { done, synchronise };

struct SystemRegisterRow {
  using Read = std::uint64_t (*)(const Cpu&);
  using Write = Written (*)(Cpu&, std::uint64_t value);
  using State = std::uint64_t SystemRegisters::*;
  using AtEl0 = Permission (*)(const Cpu&, bool is_write);

  SystemRegister which;
  const char* name;
  bool readable = true, writable = false;
  AtEl0 at_el0 = nullptr;        // whether EL0 may access it, if EL1 may; nullptr: UNDEFINED
  State state = nullptr;         // where its state is,
  std::uint64_t constant = 0;    // or the constant that it reads as,
  Read read = nullptr;           // or the function that computes it
  Write write = nullptr;         // the effect of a write; nullptr: all of `state`
  bool belongs_to_host = false;  // IssHost::read_register() and write_register()
  bool of_gic = false;           // exists only with Options::gic
  bool counts = false;           // of the performance monitors: events are counted before the access
};

// nullptr: no such register. Rows have numbers from 1 on; 0 is none.
const SystemRegisterRow* find_system_register(SystemRegister which);
std::uint16_t number_of(const SystemRegisterRow* row);
const SystemRegisterRow* system_register_row(std::uint16_t number);

std::uint32_t writable_fpcr(const Cpu& cpu);

// At the present exception level, with the bits of SCTLR_EL1 and CNTKCTL_EL1 that control EL0.
Permission permission(const Cpu& cpu, const SystemRegisterRow& row, bool is_write);
// Whether EL0 may always access it.
bool is_open_to_el0(const SystemRegisterRow& row);

std::uint64_t read(Cpu& cpu, const Operation& op, const SystemRegisterRow& row);
Written write(Cpu& cpu, const Operation& op, const SystemRegisterRow& row, std::uint64_t value);

// For a debugger: the registers that hold or report something and are accessible in no other way; reading and
// writing one. False: the guest could not write it, or it is implemented by the host.
std::span<const SystemRegisterRow* const> reported_system_registers();
std::uint64_t inspect(Cpu& cpu, const SystemRegisterRow& row);
bool alter(Cpu& cpu, const SystemRegisterRow& row, std::uint64_t value);

// The ISS in ESR for a trapped MSR, MRS or system instruction (EC 0x18), which depends on the instruction
// word only.
constexpr std::uint32_t trapped_iss(std::uint32_t word) {
  const auto field = [&](unsigned low, unsigned bits) { return word >> low & ((1u << bits) - 1); };
  return field(19, 2) << 20 | field(5, 3) << 17 | field(16, 3) << 14 | field(12, 4) << 10 | field(0, 5) << 5 |
         field(8, 4) << 1 | field(21, 1);
}

constexpr SystemRegister system_register_of(std::uint32_t word) {
  const auto field = [&](unsigned low, unsigned bits) {
    return static_cast<std::uint8_t>(word >> low & ((1u << bits) - 1));
  };
  return {field(19, 2), field(16, 3), field(12, 4), field(8, 4), field(5, 3)};
}

// IC, DC, AT and TLBI.
bool decode_system_instruction(Decoding& decoding);

// Raises the exception of an MSR, MRS or system instruction that is not allowed; op.imm is its word.
const Operation* refuse(Cpu& cpu, const Operation& op, Permission permission);
// Raises the exception of one that EL1 traps.
const Operation* trap(Cpu& cpu, const Operation& op);

// At EL0, if bits of SCTLR_EL1 decide whether EL0 may execute it.
template <std::uint64_t allowing, auto work, auto otherwise = trap>
const Operation* if_allowed(Cpu& cpu, const Operation& op) {
  return cpu.system.sctlr & allowing ? work(cpu, op) : otherwise(cpu, op);
}

}  // namespace asterism::a64
