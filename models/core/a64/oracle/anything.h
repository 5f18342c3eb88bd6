// Arbitrary bytes as a guest: they give the words of a program, its registers, which pages of the data are
// missing, devices or refused, and whether the MMU is on. Whatever such a guest does must not depend on the
// quantum, and the worst that it may do is to lock up.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/a64/oracle/guest.h"

namespace asterism::a64::oracle {

// The format of the bytes:
//
//   byte 0        bit 0: EL1 (otherwise EL0); bit 1: MMU; bit 2: SIMD and floating point are trapped; bit 3:
//                 there are handlers, which skip what faults (otherwise there are none); bit 4: for
//                 translate_anything(), instructions have no times; bit 5: FPCR rounds up; bit 6: accesses
//                 have to be aligned; bit 7: for translate_anything(), blocks are translated when they are
//                 executed often, with those around them
//   byte 1        the seed of registers and data
//   bytes 2 to 9  two bits for each page of data: direct, read-only or device, absent or refused, accessed or
//                 not
//   the rest      the program
inline constexpr std::size_t head_of_anything = 10;
GuestResult anything(std::span<const std::uint8_t> bytes);

// Runs the guest to an instruction count at two quanta. Returns what differs; "" if nothing does.
std::string run_anything(std::span<const std::uint8_t> bytes, std::uint64_t instructions);
// The same for an interpreter and a translator.
std::string translate_anything(std::span<const std::uint8_t> bytes, std::uint64_t instructions);

}  // namespace asterism::a64::oracle
