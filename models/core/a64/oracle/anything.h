// Any bytes as a guest: the words of a program, its registers, which pages of the data are missing, devices
// or refused, and whether the MMU is on. Whatever it does, it does the same at any quantum, and nothing worse
// than lock up.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/a64/oracle/guest.h"

namespace asterism::a64::oracle {

// Byte 0: bit 0 EL1 (otherwise EL0), bit 1 MMU, bit 2 SIMD and floating point trapped, bit 3 handlers that
// skip what faults (otherwise none). Byte 1: seed of registers and data. Bytes 2 to 9: two bits for each page
// of data: direct, read-only or device, absent or refused, accessed or not. Then the program.
inline constexpr std::size_t head_of_anything = 10;
GuestResult anything(std::span<const std::uint8_t> bytes);

// Runs it to a count at two quanta; what differs, or nothing.
std::string run_anything(std::span<const std::uint8_t> bytes, std::uint64_t instructions);

}  // namespace asterism::a64::oracle
