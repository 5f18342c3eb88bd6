// The shipped curves belong to the shipped parts, and to the engines as they are: after a change of one of
// these, `asterism fit PART --out configs/dram_curves/PART.json` makes them anew.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/nightly.h"
#include "memory/dram_fit.h"
#include "memory/dram_part.h"
#include "platform/config/config.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

DramCurves curves_of(const std::string& part) {
  return load_config<DramCurves>(library, "dram_curves", part);
}
DramPart part_of(const std::string& part) { return load_config<DramPart>(library, "dram", part); }

TEST(DramCurvesTest, EveryPartHasCurvesThatWereFittedToIt) {
  EXPECT_EQ(library.list("dram_curves"), library.list("dram"));
  for (const std::string& part : library.list("dram")) {
    EXPECT_EQ(curves_of(part).part, part);
    EXPECT_EQ(curves_of(part).digest, curves_digest(part_of(part))) << part;
  }
}

// Of two bursts for a block, and of writes that are much further apart than reads, the curves know less.
TEST(DramCurvesTest, TheMeanErrorsAreSmall) {
  for (const std::string& name : library.list("dram")) {
    const DramCurves curves = curves_of(name);
    const DramPart part = part_of(name);
    const DramTiming& t = part.timing;
    const bool is_simple = part.atom() == 64_B && !t.tccd_l_wr;
    const bool has_far_writes = t.tccd_l_wr.value_or(t.tccd_l) > t.tccd_l * 2;
    for (const CurveErrors& errors : {curves.fitted, curves.held_out}) {
      EXPECT_LT(errors.latency_mean, is_simple ? 0.07 : 0.08) << name;
      EXPECT_LT(errors.throughput_mean, is_simple ? 0.1 : has_far_writes ? 0.16 : 0.125) << name;
    }
  }
}

std::array<double, 4> values_of(const CurveErrors& errors) {
  return {errors.latency_mean, errors.latency_worst, errors.throughput_mean, errors.throughput_worst};
}

// Of one part and on the patterns that were fitted; of all, and on the others, in the nightly tests.
TEST(DramCurvesTest, TheErrorsAreThoseOfTheEngines) {
  const std::vector<std::string> parts =
      is_nightly() ? library.list("dram") : std::vector<std::string>{"ddr3_1600_1gb_x4"};
  for (const std::string& part : parts) {
    const DramCurves curves = curves_of(part);
    EXPECT_EQ(values_of(dram_curve_errors(part_of(part), curves, false)), values_of(curves.fitted)) << part;
    if (!is_nightly()) continue;
    EXPECT_EQ(values_of(dram_curve_errors(part_of(part), curves, true)), values_of(curves.held_out)) << part;
  }
}

// Of some parts; of all in the nightly tests. With fewer requests, the load is measured while it rises.
TEST(DramCurvesTest, ACoarseFitFindsNothingMuchBetter) {
  constexpr DramFitSettings coarse{.rounds = 1, .coarse = true};
  const std::vector<std::string> parts =
      is_nightly() ? library.list("dram") : std::vector<std::string>{"ddr3_1600_1gb_x4", "ddr5_5600_16gb_x8"};
  for (const std::string& part : parts) {
    const DramCurves shipped = curves_of(part);
    const CurveErrors before = dram_curve_errors(part_of(part), shipped, false, coarse);
    const DramCurves again = fit_dram_curves(part, part_of(part), shipped, coarse);
    EXPECT_GT(again.fitted.latency_mean, before.latency_mean - 0.03) << part;
    EXPECT_GT(again.fitted.throughput_mean, before.throughput_mean - 0.05) << part;
  }
}

}  // namespace
}  // namespace asterism
