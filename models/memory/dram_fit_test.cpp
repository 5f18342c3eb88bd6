#include "memory/dram_fit.h"

#include <gtest/gtest.h>

#include <functional>

#include "memory/dram_test_parts.h"

namespace asterism {
namespace {

constexpr DramFitSettings coarse{.rounds = 1, .requests = 4000, .coarse = true};

TEST(DramFitTest, AFitLowersTheErrors) {
  DramCurves poor;
  poor.bank_residual = 0.1, poor.burst_overhead = 2;
  const CurveErrors before = dram_curve_errors(ddr3_2gb_x8(), poor, false, coarse);
  double last = 0;
  const DramCurves fitted =
      fit_dram_curves("part", ddr3_2gb_x8(), poor, coarse, [&](double done) { last = done; });
  EXPECT_EQ(fitted.part, "part");
  EXPECT_EQ(last, 1);
  EXPECT_LT(fitted.fitted.latency_mean + fitted.fitted.throughput_mean,
            before.latency_mean + before.throughput_mean);
  EXPECT_LT(fitted.burst_overhead, 2);
  EXPECT_GT(fitted.held_out.latency_mean, 0);
}

TEST(DramFitTest, CurvesHaveTheDigestOfWhatWaitsOfTheirPartDependOn) {
  const DramPart part = ddr3_2gb_x8();
  const std::string digest = fit_dram_curves("part", part, {}, coarse).digest;
  EXPECT_EQ(digest, curves_digest(part));
  const auto changed = [&](const std::function<void(DramPart&)>& change) {
    DramPart other = part;
    change(other);
    return curves_digest(other) != digest;
  };
  EXPECT_TRUE(changed([](DramPart& p) { p.timing.cl = 14_cycles; }));
  EXPECT_TRUE(changed([](DramPart& p) { p.timing.tck = 1_ns; }));
  EXPECT_TRUE(changed([](DramPart& p) { p.banks = 16; }));
  EXPECT_TRUE(changed([](DramPart& p) { p.bank_groups = 2; }));
  EXPECT_TRUE(changed([](DramPart& p) { p.page = 2_KiB; }));
  EXPECT_TRUE(changed([](DramPart& p) { p.timing.tccd_l_wr = 8_cycles; }));
  EXPECT_TRUE(changed([](DramPart& p) { p.pseudo_channels = 2; }));
  EXPECT_TRUE(changed([](DramPart& p) { p.bus = 32, p.page = 2_KiB; }));  // the same columns
  EXPECT_FALSE(changed([](DramPart& p) { p.capacity = 1_GiB; }));
  EXPECT_FALSE(changed([](DramPart& p) { p.currents.idd0 = 1; }));
}

TEST(DramFitTest, TheSameFitGivesTheSameCurves) {
  const auto fit = [] { return fit_dram_curves("part", ddr3_2gb_x8(), {}, coarse); };
  const DramCurves one = fit(), other = fit();
  EXPECT_EQ(one.bank_residual, other.bank_residual);
  EXPECT_EQ(one.fitted.latency_mean, other.fitted.latency_mean);
}

}  // namespace
}  // namespace asterism
