#include "ecc/sector_coverage.h"

#include <algorithm>

namespace asterism {

SectorFaultShape sector_shape(Ddr5Fault fault) {
  switch (fault) {
    case Ddr5Fault::bit:
      return SectorFaultShape::bit;
    case Ddr5Fault::beat:
      return SectorFaultShape::word;
    case Ddr5Fault::pin:
      return SectorFaultShape::pin;
    case Ddr5Fault::two_pins:
    case Ddr5Fault::half_burst:
    case Ddr5Fault::chip:
      break;
  }
  return SectorFaultShape::sector;
}

CoverageCounts measure_sector_coverage(SectorCode code, SectorFaultShape shape, std::uint64_t trials,
                                       std::uint64_t seed, const std::stop_token& stop) {
  Random random(seed);
  CoverageCounts counts;
  const std::uint64_t bits = std::uint64_t{8} * sector_bytes(code);
  for (std::uint64_t trial = 0; trial < trials && !stop.stop_requested(); ++trial) {
    const auto place = static_cast<unsigned>(random.below(bits));
    SectorBits sector = draw_sector_errors(fault_bits(code, shape, place), random);
    const SectorOutcome outcome = decode_sector(code, sector);
    const bool right = std::all_of(sector.begin(), sector.begin() + sector_data,
                                   [](std::uint8_t byte) { return byte == 0; });
    if (outcome == SectorOutcome::uncorrectable)
      ++counts.uncorrectable;
    else
      ++(right ? counts.corrected : counts.silent);
  }
  return counts;
}

}  // namespace asterism
