#include "ecc/sector_coverage.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

constexpr std::uint64_t sector_trials = 20'000;

CoverageCounts sectors(SectorCode code, SectorFaultShape shape) {
  return measure_sector_coverage(code, shape, sector_trials, 1);
}

TEST(SectorCoverage, TheSymbolCodeCorrectsBitsAndWords) {
  for (const SectorFaultShape shape : {SectorFaultShape::bit, SectorFaultShape::word})
    EXPECT_EQ(sectors(SectorCode::symbol, shape).corrected, sector_trials);
}

// Of random errors in all 19 symbols, one in 3,450 looks like one wrong symbol.
TEST(SectorCoverage, TheSymbolCodeDetectsNearlyAllErrorsOfASector) {
  constexpr std::uint64_t trials = 400'000;
  const CoverageCounts counts =
      measure_sector_coverage(SectorCode::symbol, SectorFaultShape::sector, trials, 1);
  EXPECT_EQ(counts.trials(), trials);
  EXPECT_EQ(counts.corrected, 0u);
  EXPECT_NEAR(static_cast<double>(counts.silent), trials / 3450., 40);  // 116, 3.7 standard deviations
}

// Four wrong bits of a pin are in four beats, each with a code of its own.
TEST(SectorCoverage, SecdedCorrectsPinsAndMissesSectors) {
  EXPECT_EQ(sectors(SectorCode::secded, SectorFaultShape::pin).corrected, sector_trials);
  EXPECT_GT(sectors(SectorCode::secded, SectorFaultShape::sector).uncorrectable, sector_trials / 2);
}

TEST(SectorCoverage, WithoutACodeAllErrorsAreSilent) {
  EXPECT_EQ(sectors(SectorCode::none, SectorFaultShape::bit).silent, sector_trials);
}

TEST(SectorCoverage, FaultsThatReachAllOfAChipReachAllOfASector) {
  EXPECT_EQ(sector_shape(Ddr5Fault::bit), SectorFaultShape::bit);
  EXPECT_EQ(sector_shape(Ddr5Fault::beat), SectorFaultShape::word);
  EXPECT_EQ(sector_shape(Ddr5Fault::pin), SectorFaultShape::pin);
  EXPECT_EQ(sector_shape(Ddr5Fault::two_pins), SectorFaultShape::sector);
  EXPECT_EQ(sector_shape(Ddr5Fault::chip), SectorFaultShape::sector);
}

}  // namespace
}  // namespace asterism
