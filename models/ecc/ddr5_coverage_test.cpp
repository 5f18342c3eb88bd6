#include "ecc/ddr5_coverage.h"

#include <gtest/gtest.h>

#include <cmath>

namespace asterism {
namespace {

CoverageShares exact(Ddr5Code code, Ddr5Fault first, std::optional<Ddr5Fault> second = {}) {
  return exact_coverage(Ddr5Codec(code), {first, second});
}

TEST(BinarySpaceTest, IntersectsSpaces) {
  BinarySpace a, b;
  for (const unsigned bit : {0u, 1u, 2u}) a.add({std::uint64_t{1} << bit, 0});
  b.add({0b011, 0});
  b.add({0b100, 1});
  const BinarySpace both = intersection(a, b);
  EXPECT_EQ(both.dimension(), 1u);
  EXPECT_TRUE(both.reduced({0b011, 0}).is_zero());
}

TEST(Ddr5CoverageTest, CorrectsOneChipOfTen) {
  for (const Ddr5Code code : {Ddr5Code::rs_10_8, Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32})
    EXPECT_EQ(exact(code, Ddr5Fault::chip).corrected, 1);
}

// An error of a chip is ambiguous if it is in one of nine spaces of 2^20 errors, which have only 0 in common.
TEST(Ddr5CoverageTest, CountsWhatChipGuardCannotTellApart) {
  const CoverageShares shares = exact(Ddr5Code::chip_guard, Ddr5Fault::chip);
  EXPECT_DOUBLE_EQ(shares.uncorrectable, 9 * (0x1p20 - 1) / 0x1p64);
  EXPECT_EQ(shares.silent, 0);
  for (const Ddr5Fault bounded : {Ddr5Fault::two_pins, Ddr5Fault::half_burst})
    EXPECT_EQ(exact(Ddr5Code::chip_guard, bounded).corrected, 1);
}

TEST(Ddr5CoverageTest, CountsWhatChipGuardMisses) {
  const double chips = exact(Ddr5Code::chip_guard, Ddr5Fault::chip, Ddr5Fault::chip).silent;
  EXPECT_NEAR(chips, 10 * 0x1p-44, 1e-18);
  EXPECT_LT(chips, 1e-12);
  // 43 bits would be too few, and 64 leave no room for metadata.
  EXPECT_GT(exact_coverage(Ddr5Codec(Ddr5Code::chip_guard, 43), {Ddr5Fault::chip, {}}).uncorrectable, 1e-12);
  EXPECT_EQ(exact_coverage(Ddr5Codec(Ddr5Code::chip_guard, 64), {Ddr5Fault::chip, {}}).uncorrectable, 0);
}

// 36 symbols, 630 pairs of them, out of 2^32 syndromes.
TEST(Ddr5CoverageTest, CountsWhatNineChipsMiss) {
  const double syndromes = 36 * 255. + 630 * 255. * 255.;
  EXPECT_NEAR(exact(Ddr5Code::rs_36_32, Ddr5Fault::half_burst).silent, syndromes / 0x1p32, 1e-4);
}

TEST(Ddr5CoverageTest, ConvergesToTheExactShares) {
  constexpr std::uint64_t trials = 4000;
  struct Case {
    Ddr5Code code;
    Ddr5Failure failure;
  };
  for (const Case& c : {Case{Ddr5Code::rs_10_8, {Ddr5Fault::bit, Ddr5Fault::bit}},
                        Case{Ddr5Code::rs_10_8, {Ddr5Fault::chip, Ddr5Fault::bit}},
                        Case{Ddr5Code::rs_10_8_chip, {Ddr5Fault::bit, Ddr5Fault::bit}},
                        Case{Ddr5Code::rs_36_32, {Ddr5Fault::half_burst, {}}},
                        Case{Ddr5Code::rs_36_32_bounded, {Ddr5Fault::half_burst, {}}},
                        Case{Ddr5Code::rs_36_32_bounded, {Ddr5Fault::pin, Ddr5Fault::pin}}}) {
    const Ddr5Codec codec(c.code);
    const CoverageShares shares = exact_coverage(codec, c.failure);
    const CoverageCounts counts = measure_coverage(codec, c.failure, false, trials, 1);
    const auto near = [&](double share, std::uint64_t count) {
      const double expected = share * trials;
      EXPECT_NEAR(static_cast<double>(count), expected, 4 * std::sqrt(expected) + 3);
    };
    near(shares.corrected, counts.corrected);
    near(shares.silent, counts.silent);
  }
}

// Both halves of a word of a chip may be reached by what its own code takes for a third bit.
TEST(Ddr5CoverageTest, LosesBoundsToTheChipsOwnCode) {
  const Ddr5Codec codec(Ddr5Code::rs_36_32_bounded);
  EXPECT_EQ(exact_coverage(codec, {Ddr5Fault::two_pins, {}}).corrected, 1);
  const CoverageCounts counts = measure_coverage(codec, {Ddr5Fault::two_pins, {}}, true, 4000, 1);
  EXPECT_NEAR(static_cast<double>(counts.uncorrectable) / 4000, 0.12, 0.02);
  const CoverageCounts bits = measure_coverage(codec, {Ddr5Fault::bit, Ddr5Fault::bit}, true, 100, 1);
  EXPECT_EQ(bits.corrected, 100u) << "each in its own chip";
}

}  // namespace
}  // namespace asterism
