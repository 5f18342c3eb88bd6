// Registers that are repeated for each of several devices, in consecutive windows: all registers of such a
// bank are arrays with one element in each window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm/register.h"

namespace asterism {

struct RegisterWindows {
  unsigned count = 1;
  std::uint32_t size = 0;  // 0 if the bank has no windows
};

inline RegisterWindows windows_of(const RegisterBank& bank) {
  const auto registers = bank.registers();
  if (registers.empty() || registers.front()->stride() == 4) return {};
  const RegisterWindows windows{registers.front()->count(), registers.front()->stride()};
  const bool are_alike = std::ranges::all_of(registers, [&](const Register* reg) {
    return reg->stride() == windows.size && reg->count() == windows.count;
  });
  return are_alike ? windows : RegisterWindows();
}

}  // namespace asterism
