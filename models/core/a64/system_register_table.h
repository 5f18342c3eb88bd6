// What MRS and MSR may reach: a row for each system register, in system_registers.cpp.
#pragma once

#include <cstdint>

#include "core/a64/cpu.h"
#include "core/system_register.h"

namespace asterism::a64 {

enum class Permission : std::uint8_t { undefined, trapped, allowed };

struct SystemRegisterRow {
  using Read = std::uint64_t (*)(const Cpu&);
  using Write = Cpu::Written (*)(Cpu&, std::uint64_t value);
  using State = std::uint64_t SystemRegisters::*;

  SystemRegister which;
  const char* name;
  bool readable, writable;                          // at EL1
  Permission (*at_el0)(const Cpu&, bool is_write);  // asked at EL0 after these
  State state;                                      // where it is, when it is plain state
  std::uint64_t mask;                               // bits of the state that a write changes; or a constant
  Read read;                                        // otherwise
  Write write;                                      // the effect of a write
  enum class Owner : std::uint8_t { core, host } owner;  // host: IssHost::read_register()
};

// nullptr: there is none of this name.
const SystemRegisterRow* find_system_register(SystemRegister which);
// At the present exception level.
Permission permission(const Cpu& cpu, const SystemRegisterRow& row, bool is_write);

// ESR's ISS for a trapped MSR, MRS or system instruction (EC 0x18): all that matters of it is in the word.
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

}  // namespace asterism::a64
