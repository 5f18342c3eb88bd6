// The coverage of the codes of HBM (sector_code.h) for a fault in a sector, by Monte Carlo with the real
// decoder: the shares of sectors that are corrected, uncorrectable or silent. The place of the fault is
// uniform, each bit that it covers is wrong with probability 1/2, and at least one is.
//
// All bits of a sector come from one bank of one die. Faults that cover all bits that a chip of a DDR5 rank
// delivers, such as those of rows and banks, therefore cover the whole sector; those of a beat are taken as
// 16 bits of a sub-wordline.
#pragma once

#include <cstdint>
#include <stop_token>

#include "ecc/ddr5_coverage.h"
#include "ecc/sector_code.h"

namespace asterism {

SectorFaultShape sector_shape(Ddr5Fault fault);

// Draws `trials` sectors, or fewer if it is stopped. The same arguments give the same counts.
CoverageCounts measure_sector_coverage(SectorCode code, SectorFaultShape shape, std::uint64_t trials,
                                       std::uint64_t seed, const std::stop_token& stop = {});

}  // namespace asterism
