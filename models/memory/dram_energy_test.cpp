#include "memory/dram_energy.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

// With 18 chips at 1.5 V and 1250 ps, 1 mA for a clock cycle is 33.75 pJ. The currents are those of
// dram_part.h.
TEST(DramEnergyTest, EachCommandCostsWhatItsCurrentIsAboveStandby) {
  const DramPart part;
  EXPECT_DOUBLE_EQ(dram_energy(part, {.activates = 1}).activate, 33.75 * (70 * 39 - 45 * 28 - 45 * 11));
  EXPECT_DOUBLE_EQ(dram_energy(part, {.reads = 2}).read, 33.75 * 2 * (140 - 45) * 4);
  EXPECT_DOUBLE_EQ(dram_energy(part, {.writes = 1}).write, 33.75 * (145 - 45) * 4);
  EXPECT_DOUBLE_EQ(dram_energy(part, {.refreshes = 1}).refresh, 33.75 * (170 - 45) * 88);
}

TEST(DramEnergyTest, ARefreshOfBanksTakesACurrentOfItsOwn) {
  DramPart part;
  part.bank_refresh = BankRefresh{.trfc = 50_cycles, .idd5 = 100};
  EXPECT_DOUBLE_EQ(dram_energy(part, {.refreshes = 2, .by_banks = true}).refresh,
                   33.75 * 2 * (100 - 45) * 50);
}

TEST(DramEnergyTest, StandbyCostsMoreWithARowOpen) {
  DramPart part;
  part.currents.idd3n = 60;
  const DramEnergy energy = dram_energy(part, {.open_clocks = 30, .all_clocks = 100});
  EXPECT_DOUBLE_EQ(energy.background, 33.75 * (60 * 30 + 45 * 70));
  EXPECT_DOUBLE_EQ(energy.total(), energy.background);
}

TEST(DramEnergyTest, RefreshingWithoutAPauseTakesIdd5b) {
  const DramPart part;
  const DramEnergy energy = dram_energy(part, {.refreshes = 10, .all_clocks = 880});
  EXPECT_DOUBLE_EQ(energy.total(), 33.75 * 170 * 880);
}

}  // namespace
}  // namespace asterism
