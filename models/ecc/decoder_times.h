// What the decoder takes: abeyratne2017 Table 4.3.
#pragma once

#include "base/units.h"
#include "ecc/dual_mode_codec.h"

namespace asterism {

// Beyond the syndromes, where they are not zero.
constexpr Picoseconds correction_time = 470_ps;

// Of a block, whether or not it has an error: of RS(36,32), or of RS(18,16).
constexpr Picoseconds syndromes_time(EccMode mode) {
  if (mode == EccMode::none) return 0_ps;
  return mode == EccMode::normal ? 480_ps : 410_ps;
}

}  // namespace asterism
