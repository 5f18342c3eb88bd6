// The times of the decoder: abeyratne2017 Table 4.3.
#pragma once

#include "base/units.h"
#include "ecc/dual_mode_codec.h"
#include "ecc/sector_code.h"

namespace asterism {

// The time after the syndromes, if they are not zero.
constexpr Picoseconds correction_time = 470_ps;

// The time of the syndromes of a block, with or without an error: of RS(36,32) or of RS(18,16).
constexpr Picoseconds syndromes_time(EccMode mode) {
  if (mode == EccMode::none) return 0_ps;
  return mode == EccMode::normal ? 480_ps : 410_ps;
}

// The same of a sector of HBM: the inner code of REACH is RS(36,32) over GF(2^8), as the normal one is. No
// times have been published for the others.
constexpr Picoseconds syndromes_time(SectorCode code) {
  return code == SectorCode::reach ? syndromes_time(EccMode::normal) : 0_ps;
}

}  // namespace asterism
