#include "ecc/fault_coverage.h"

#include <gtest/gtest.h>

#include <bit>

#include "ecc/chipkill.h"
#include "ecc/placement.h"
#include "ecc/reed_solomon.h"

namespace asterism {
namespace {

using enum CoverageCode;
using enum EccProfile;

TEST(Chipkill, CorrectsOneSymbolAndDetectsTwo) {
  for (unsigned a = 0; a < Chipkill::chips; ++a)
    for (unsigned e = 1; e < 16; ++e) {
      const Chipkill::Fix fix = chipkill_code.decode(chipkill_code.syndrome(a, e));
      ASSERT_EQ(fix.outcome, Chipkill::Fix::Outcome::corrected);
      ASSERT_EQ(fix.chip, a);
      ASSERT_EQ(fix.error, e);
      for (unsigned b = 0; b < a; ++b)
        for (unsigned f = 1; f < 16; ++f)
          ASSERT_EQ(chipkill_code.decode(chipkill_code.syndrome(a, e) ^ chipkill_code.syndrome(b, f)).outcome,
                    Chipkill::Fix::Outcome::uncorrectable);
    }
}

// Distributes the lowest bits of `index` over the bits that are set in `mask`.
std::uint32_t deposit(std::uint32_t mask, std::uint32_t index) {
  std::uint32_t bits = 0;
  for (; mask != 0; mask &= mask - 1, index >>= 1)
    if (index & 1) bits |= mask & -mask;
  return bits;
}

// Decodes every error that these faults can cause with the real decoder. In the profile "thesis", every
// symbol that a fault touches is wrong.
CoverageCounts enumerate(EccProfile profile, EccMode mode, const PlacedFaults& faults) {
  CoverageCounts counts;
  for (std::uint32_t i = 1; i < 1u << std::popcount(faults.masks[0]); ++i)
    for (std::uint32_t k = 1; k < 1u << std::popcount(faults.masks[1]); ++k) {
      const std::uint32_t first = deposit(faults.masks[0], i), second = deposit(faults.masks[1], k);
      bool possible = true;
      for (std::uint32_t symbol = 0xFF; profile == thesis && symbol != 0; symbol <<= 8)
        possible &= !(faults.masks[0] & symbol && !(first & symbol)) &&
                    !(faults.masks[1] & symbol && !(second & symbol));
      if (!possible) continue;
      MemoryBlock block = chip_errors(faults.chips[0], first);
      block ^= chip_errors(faults.chips[1], second);
      const bool refused =
          DualModeCodec(profile).decode(mode, block).outcome == DecodeResult::Outcome::uncorrectable;
      ++(refused ? counts.uncorrectable : block == MemoryBlock{} ? counts.corrected : counts.silent);
    }
  return counts;
}
void expect_enumerated(EccProfile profile, CoverageCode code, const PlacedFaults& faults, bool any_silent) {
  const CoverageCounts counts =
      enumerate(profile, code == rs_36_32 ? EccMode::normal : EccMode::strong, faults);
  const CoverageShares shares = exact_coverage(profile, code, faults);
  const auto trials = static_cast<double>(counts.trials());
  EXPECT_NEAR(shares.corrected * trials, static_cast<double>(counts.corrected), 1e-3);
  EXPECT_NEAR(shares.uncorrectable * trials, static_cast<double>(counts.uncorrectable), 1e-3);
  EXPECT_NEAR(shares.silent * trials, static_cast<double>(counts.silent), 1e-3);
  EXPECT_EQ(counts.silent != 0, any_silent);
}

// The faults are in one codeword only, so that the profile "thesis" counts blocks as DualModeCodec does.
TEST(ExactCoverage, IsWhatEnumerationFindsInOneCodeword) {
  expect_enumerated(thesis, rs_36_32, {{3, 11}, {0x0000'1F1F, 0x0000'F879}}, true);
  expect_enumerated(strict, rs_36_32, {{3, 11}, {0x0000'1FF7, 0x0000'0F73}}, true);
  expect_enumerated(chip, rs_36_32, {{0, 17}, {0x0000'1F1F, 0x0000'3C0F}}, true);
}

TEST(ExactCoverage, IsWhatEnumerationFindsInTwoCodewords) {
  expect_enumerated(strict, rs_36_32, {{2, 5}, {0x0101'0301, 0x1000'0011}}, false);
  expect_enumerated(chip, rs_36_32, {{2, 5}, {0x0700'0307, 0x1000'0311}}, false);
  expect_enumerated(strict, rs_19_16, {{2, 5}, {0x0101'0301, 0x1000'0011}}, false);
  expect_enumerated(chip, rs_19_16, {{16, 17}, {0x1111'1111, 0x2000'0000}}, false);
}

TEST(ExactCoverage, OfTwoChipsIsAsAlgebraSays) {
  // Of 255^4 errors, the silent ones have the syndromes of 251 other locations with 255 values.
  const double one = 251 / (255.0 * 255 * 255);
  EXPECT_DOUBLE_EQ(exact_coverage(thesis, rs_36_32, FailureMode::chip_chip).silent,
                   1 - (1 - one) * (1 - one));
  const double all = 0x1p32, accepted = 36 * 255 + 1, right = 4 * 255 + 1;
  const double flips = 1 - 0x1p-32;  // at least one of a chip's bits flips
  EXPECT_NEAR(exact_coverage(strict, rs_36_32, FailureMode::chip_chip).silent /
                  ((accepted * accepted - right * right) / (all * all) / (flips * flips)),
              1, 1e-9);
  EXPECT_NEAR(exact_coverage(chip, rs_36_32, FailureMode::chip_chip).silent, 16 * 0x1p-32,
              0.01 * 16 * 0x1p-32);
}

TEST(ExactCoverage, SaysThatEverySingleFaultIsCorrectedWhereItShouldBe) {
  for (const FailureMode failure :
       {FailureMode::bit, FailureMode::pin, FailureMode::word, FailureMode::chip}) {
    EXPECT_EQ(exact_coverage(thesis, rs_18_16, failure).uncorrectable, 1);
    EXPECT_EQ(exact_coverage(thesis, rs_19_16, failure).corrected, 1);
    EXPECT_EQ(exact_coverage(thesis, CoverageCode::chipkill, failure).corrected, 1);
    EXPECT_DOUBLE_EQ(exact_coverage(chip, rs_36_32, failure).corrected, 1);
  }
  EXPECT_EQ(exact_coverage(thesis, rs_36_32, FailureMode::pin).uncorrectable, 1);
  EXPECT_EQ(exact_coverage(thesis, rs_36_32, FailureMode::word).corrected, 1);
}

TEST(FaultCoverage, MeasuresWhatIsExact) {
  constexpr std::uint64_t trials = 5'000;
  for (const EccProfile profile : {thesis, strict, chip})
    for (const CoverageCode code : {rs_36_32, rs_18_16, rs_19_16, CoverageCode::chipkill})
      for (const auto& [failure, name, meaning] : enum_names(FailureMode{})) {
        if (profile == chip && code != rs_36_32) continue;  // it is the same as strict
        const CoverageCounts counts = measure_coverage(profile, code, failure, trials, 1);
        const CoverageShares exact = exact_coverage(profile, code, failure);
        ASSERT_EQ(counts.trials(), trials);
        EXPECT_NEAR(static_cast<double>(counts.corrected) / trials, exact.corrected, 0.03)
            << to_text(profile) << ' ' << to_text(code) << ' ' << name;
        EXPECT_NEAR(static_cast<double>(counts.silent) / trials, exact.silent, 0.001)
            << to_text(profile) << ' ' << to_text(code) << ' ' << name;
      }
}

TEST(FaultCoverage, FindsTheSilentBlocksOfTwoChips) {
  const CoverageCounts counts = measure_coverage(thesis, rs_36_32, FailureMode::chip_chip, 1'000'000, 1);
  EXPECT_NEAR(static_cast<double>(counts.silent), 30.3, 3 * 5.5);
  EXPECT_EQ(counts.corrected, 0u);
  EXPECT_EQ(counts, measure_coverage(thesis, rs_36_32, FailureMode::chip_chip, 1'000'000, 1));
}

TEST(ConfidenceInterval, IsWilsons) {
  const Interval interval = confidence_interval(10, 100);
  EXPECT_NEAR(interval.low, 0.0552, 1e-4);
  EXPECT_NEAR(interval.high, 0.1744, 1e-4);
  EXPECT_EQ(confidence_interval(0, 1'000'000).low, 0);
  EXPECT_NEAR(confidence_interval(0, 1'000'000).high, 3.84e-6, 1e-8);
}

}  // namespace
}  // namespace asterism
