#include "ecc/hbm_faults.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

constexpr std::uint64_t fault_trials = 300;

CoverageCounts left_by(const HbmProtection& protection, Ddr5Fault covers, FaultExtent extent) {
  return measure_hbm_coverage(protection, {.name = "", .covers = covers, .extent = extent}, fault_trials, 1);
}

TEST(HbmFaults, AFaultCoversTheChunksOfASpanThatAreInItsDie) {
  EXPECT_EQ(covered_chunks({.code = SectorCode::reach}, FaultExtent::row), 72u);
  EXPECT_EQ(covered_chunks({.code = SectorCode::reach}, FaultExtent::column), 1u);
  EXPECT_EQ(covered_chunks({.code = SectorCode::reach, .span_dies = 9}, FaultExtent::chip), 8u);
  EXPECT_EQ(covered_chunks({.code = SectorCode::reach, .span_dies = 8}, FaultExtent::chip), 9u);
  EXPECT_EQ(covered_chunks({.code = SectorCode::reach, .span_dies = 40}, FaultExtent::bank), 2u);
}

// Its eight chunks of parity fill in eight chunks and no more.
TEST(HbmFaults, TwoLevelsCorrectADieIfASpanIsOnNineOfThem) {
  const auto of = [](std::uint32_t dies) {
    return left_by({.code = SectorCode::reach, .span_dies = dies}, Ddr5Fault::chip, FaultExtent::chip);
  };
  EXPECT_EQ(of(1).uncorrectable, fault_trials);
  EXPECT_EQ(of(8).uncorrectable, fault_trials);
  EXPECT_EQ(of(9).corrected, fault_trials);
  EXPECT_EQ(of(40).corrected, fault_trials);
}

TEST(HbmFaults, TwoLevelsCorrectWhateverIsInOneChunk) {
  for (const Ddr5Fault fault : {Ddr5Fault::bit, Ddr5Fault::beat, Ddr5Fault::pin, Ddr5Fault::chip})
    EXPECT_EQ(left_by({.code = SectorCode::reach}, fault, FaultExtent::block).corrected, fault_trials);
}

TEST(HbmFaults, ModesAddWithTheirRates) {
  const FaultRates rates{.device = "",
                         .modes = {{.name = "bit", .covers = Ddr5Fault::bit, .permanent_fit = 10},
                                   {.name = "row", .covers = Ddr5Fault::chip, .transient_fit = 3}}};
  const auto none = hbm_faults_left(rates, {.code = SectorCode::none}, fault_trials, 1);
  ASSERT_TRUE(none);
  EXPECT_NEAR(none->silent_fit, 13, 1e-9);
  EXPECT_EQ(none->uncorrectable_fit, 0);
  const double none_of_all = confidence_interval(0, fault_trials).high;
  EXPECT_NEAR(none->uncorrectable_high_fit, 13 * none_of_all, 1e-9);
  const auto symbol = hbm_faults_left(rates, {.code = SectorCode::symbol}, fault_trials, 1);
  ASSERT_TRUE(symbol);
  EXPECT_NEAR(symbol->uncorrectable_fit + symbol->silent_fit, 3, 1e-9);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(hbm_faults_left(rates, {}, fault_trials, 1, stop.get_token()));
}

}  // namespace
}  // namespace asterism
