// The wrong bits of one block for a fault of one chip (abeyratne2017 sections 4.4 and 4.6.2). A chip's 32
// bits of a block are one word here: bit 4 * beat + pin, so that byte p is symbol p.
//
//   shape   covers                                            of a symbol
//   bit     one bit; all that a block has of a column fault   one bit
//   pin     one pin in all 8 beats                            2 bits of each of 4
//   word    the 4 bits of one beat                            half of one
//   chip    all 32 bits; the same as a row fault in a block   all of each
//
// The profile determines which of the covered bits are wrong: thesis gives every covered symbol a non-zero
// error, each equally likely; strict and chip flip each bit with probability 1/2, and at least one of them.
#pragma once

#include <cstdint>

#include "base/enum_names.h"
#include "base/random.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

enum class FaultShape { bit, pin, word, chip };
constexpr auto enum_names(FaultShape) {
  return std::to_array<EnumName<FaultShape>>({{FaultShape::bit, "bit", "one bit"},
                                              {FaultShape::pin, "pin", "one pin in every beat"},
                                              {FaultShape::word, "word", "four bits of one beat"},
                                              {FaultShape::chip, "chip", "all bits of the chip"}});
}

// The bits that a fault covers. Of `bit`, 0..31, the shape bit uses all, pin its pin, word its beat, and chip
// nothing.
constexpr std::uint32_t fault_mask(FaultShape shape, unsigned bit) {
  switch (shape) {
    case FaultShape::bit:
      return 1u << bit;
    case FaultShape::pin:
      return 0x1111'1111u << bit % 4;
    case FaultShape::word:
      return 0xFu << bit / 4 * 4;
    case FaultShape::chip:
      break;
  }
  return 0xFFFF'FFFF;
}

// Draws the wrong bits among the covered ones; `mask` is not 0. `symbol_bits` is the symbol size of the code
// for thesis, 8 or 4.
constexpr std::uint32_t draw_errors(EccProfile profile, std::uint32_t mask, Random& random,
                                    unsigned symbol_bits = 8) {
  std::uint32_t errors = 0;
  if (profile != EccProfile::thesis) {
    while (errors == 0) errors = static_cast<std::uint32_t>(random.next()) & mask;
    return errors;
  }
  for (std::uint32_t still_zero = mask; still_zero != 0;) {
    errors |= static_cast<std::uint32_t>(random.next()) & still_zero;
    for (unsigned first = 0; first < 32; first += symbol_bits)
      if (const std::uint32_t symbol = ((1u << symbol_bits) - 1) << first; errors & symbol)
        still_zero &= ~symbol;
  }
  return errors;
}

// The error pattern of a block with these errors of a chip, 0..17.
inline MemoryBlock chip_errors(unsigned chip, std::uint32_t errors) {
  MemoryBlock pattern;
  for (unsigned beat = 0; beat < block_beats; ++beat)
    pattern.flip_nibble(chip, beat, static_cast<std::uint8_t>(errors >> 4 * beat & 15));
  return pattern;
}

// The error pattern of a fault in a block, reproducible from the state of `random`.
inline MemoryBlock draw_fault(EccProfile profile, FaultShape shape, unsigned chip, unsigned bit,
                              Random& random) {
  return chip_errors(chip, draw_errors(profile, fault_mask(shape, bit), random));
}

}  // namespace asterism
