// The places of a chip's bits of a block in the codewords of a code; only for fault_coverage.h.
#pragma once

#include <cstdint>

#include "ecc/chipkill.h"
#include "ecc/fault_coverage.h"

namespace asterism {

struct CodeLayout {
  unsigned chips;          // chips among which faults are drawn
  unsigned codeword_bits;  // of the 32 bits of a chip
  unsigned symbol_bits;
  unsigned distance;
  unsigned corrects;  // number of symbols

  unsigned codewords() const { return 32 / codeword_bits; }
  unsigned chip_symbols_of_codeword() const { return codeword_bits / symbol_bits; }
};
constexpr CodeLayout layout_of(CoverageCode code) {
  switch (code) {
    case CoverageCode::rs_36_32:
      return {block_chips, 16, 8, 5, 1};
    case CoverageCode::rs_18_16:
      return {block_chips, 8, 8, 3, 0};
    case CoverageCode::rs_19_16:
      return {block_chips, 8, 8, 4, 1};
    case CoverageCode::chipkill:
      break;
  }
  return {Chipkill::chips, 4, 4, 4, 1};
}

// The bits of a chip that are in codeword w.
constexpr std::uint32_t codeword_mask(unsigned codewords, unsigned w) {
  const unsigned bits = 32 / codewords;
  return static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << bits * w);
}

// Whether a fault of this shape may reach one codeword and not another.
constexpr bool is_local(FaultShape shape) { return shape == FaultShape::bit || shape == FaultShape::word; }

}  // namespace asterism
