#include "ecc/fault_pairs.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace asterism {
namespace {

constexpr ChipArray jaguar_array{.banks = 8, .rows = 16'384, .blocks_of_row = 128};

constexpr std::array extents = {FaultExtent::block, FaultExtent::column, FaultExtent::row, FaultExtent::bank,
                                FaultExtent::chip};

// Whether a fault at a place of an array of 2 banks, 3 rows and 5 blocks of a row has a block.
bool has(FaultExtent extent, unsigned place, unsigned at) {
  const bool any_bank = extent == FaultExtent::chip, any_place = any_bank || extent == FaultExtent::bank;
  return (any_bank || place / 15 == at / 15) &&
         (any_place || extent == FaultExtent::column || place / 5 % 3 == at / 5 % 3) &&
         (any_place || extent == FaultExtent::row || place % 5 == at % 5);
}

TEST(FaultPairsTest, TheShareThatMeetsIsThatOfAllPairsOfPlaces) {
  constexpr ChipArray array{.banks = 2, .rows = 3, .blocks_of_row = 5};
  for (const FaultExtent a : extents)
    for (const FaultExtent b : extents) {
      unsigned met = 0;
      for (unsigned pair = 0; pair < 30 * 30; ++pair) {
        bool meets = false;
        for (unsigned at = 0; at < 30; ++at)
          meets = meets || (has(a, pair / 30, at) && has(b, pair % 30, at));
        met += meets ? 1 : 0;
      }
      EXPECT_NEAR(meeting_share(array, a, b), met / 900.0, 1e-12) << to_text(a) << ", " << to_text(b);
    }
}

FaultRates one_mode(double transient_fit, double permanent_fit, FaultExtent extent) {
  return {.device = "a chip",
          .modes = {{.name = "mode",
                     .covers = Ddr5Fault::chip,
                     .transient_fit = transient_fit,
                     .permanent_fit = permanent_fit,
                     .extent = extent}},
          .errors = {},
          .device_hours = 0,
          .array = jaguar_array};
}

double due(const FaultRates& rates, const FaultLife& life, double corrected = 1) {
  const std::vector<double> alone(rates.modes.size(), corrected);
  const auto all_refused = [](Ddr5Fault, Ddr5Fault) { return CoverageShares{0, 1, 0}; };
  return fault_pairs(rates, 10, life, alone, all_refused).due_fit;
}

// There are 90 ordered pairs of chips, and a fault is there for half of the time.
TEST(FaultPairsTest, ASecondFaultComesWhileTheFirstOneIsThere) {
  EXPECT_NEAR(due(one_mode(0, 50, FaultExtent::chip), {.scrub_hours = 24, .service_hours = 4000}),
              90 * 50 * (50e-9 * 2000), 1e-9);
  EXPECT_NEAR(due(one_mode(50, 0, FaultExtent::chip), {.scrub_hours = 24, .service_hours = 4000}),
              90 * 50 * (50e-9 * 12), 1e-9);
  EXPECT_NEAR(due(one_mode(0, 50, FaultExtent::bank), {.scrub_hours = 24, .service_hours = 4000}),
              90 * 50 * (50e-9 * 2000) / 8, 1e-9);
}

TEST(FaultPairsTest, FaultsThatAreLeftAloneAreNotCountedAgain) {
  EXPECT_EQ(due(one_mode(0, 50, FaultExtent::chip), {.scrub_hours = 24, .service_hours = 4000}, 0), 0);
}

}  // namespace
}  // namespace asterism
