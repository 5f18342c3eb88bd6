#include "memory/dram_timing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "memory/dram_test_parts.h"

namespace asterism {
namespace {

constexpr auto ACT = DramCommand::activate, PRE = DramCommand::precharge, PREA = DramCommand::precharge_all,
               RD = DramCommand::read, WR = DramCommand::write, REF = DramCommand::refresh;

bool has(const DramPart& part, const TimingRule& rule) {
  const auto rules = timing_rules(part);
  return std::ranges::find(rules, rule) != rules.end();
}

TEST(DramTimingTest, RowsAreThoseOfDdr3) {
  const DramPart part = ddr3_2gb_x8();
  EXPECT_TRUE(has(part, {TimingScope::bank, ACT, RD, 11}));
  EXPECT_TRUE(has(part, {TimingScope::rank, ACT, ACT, 24, 4}));
  EXPECT_TRUE(has(part, {TimingScope::rank, RD, WR, 9}));   // CL 11 + 4 + 2 - CWL 8
  EXPECT_TRUE(has(part, {TimingScope::rank, WR, RD, 18}));  // CWL 8 + 4 + tWTR 6
  EXPECT_TRUE(has(part, {TimingScope::other_rank, RD, RD, 6}));
  EXPECT_TRUE(has(part, {TimingScope::rank, REF, ACT, 128}));
  for (const TimingRule& rule : timing_rules(part)) EXPECT_NE(rule.scope, TimingScope::bank_group);
}

TEST(DramTimingTest, ABankGroupKeepsTheLongerDistance) {
  DramTimingState state(ddr4_8gb_x8(), 1);  // banks 0, 4, 8, 12 are group 0
  state.issue(ACT, 0, 0, 0);
  EXPECT_EQ(state.earliest(ACT, 0, 8), 6u);
  EXPECT_EQ(state.earliest(ACT, 0, 1), 4u);
  state.issue(RD, 0, 0, 100);
  EXPECT_EQ(state.earliest(RD, 0, 4), 106u);
  EXPECT_EQ(state.earliest(RD, 0, 1), 104u);
  state.issue(WR, 0, 0, 200);
  EXPECT_EQ(state.earliest(RD, 0, 12), 225u);
  EXPECT_EQ(state.earliest(RD, 0, 15), 219u);
}

TEST(DramTimingTest, TheFifthActivateWaitsForTheWindow) {
  DramTimingState state(ddr3_2gb_x8(), 2);
  for (std::uint32_t bank = 0; bank < 4; ++bank) state.issue(ACT, 0, bank, 100 + 5 * bank);
  EXPECT_EQ(state.earliest(ACT, 0, 4), 124u);  // the window of four delays it from 120
  EXPECT_EQ(state.earliest(ACT, 1, 4), 0u);
  state.issue(ACT, 0, 4, 124);
  EXPECT_EQ(state.earliest(ACT, 0, 5), 129u);
}

TEST(DramTimingTest, AnotherRankWaitsForTheBus) {
  DramTimingState state(ddr3_2gb_x8(), 2);
  state.issue(RD, 0, 0, 100);
  EXPECT_EQ(state.earliest(RD, 0, 1), 104u);
  EXPECT_EQ(state.earliest(RD, 1, 1), 106u);
  EXPECT_EQ(state.earliest(WR, 1, 1), 109u);
  EXPECT_EQ(state.earliest(PRE, 1, 0), 0u);
}

TEST(DramTimingTest, RowsOfDdr5AreBetweenTheEndsOfCommandsOfOneAndTwoClocks) {
  const DramPart part = ddr5_16gb_x4();
  EXPECT_TRUE(has(part, {TimingScope::bank, ACT, RD, 39}));
  EXPECT_TRUE(has(part, {TimingScope::bank, ACT, PRE, 77 + 1}));
  EXPECT_TRUE(has(part, {TimingScope::bank, PRE, ACT, 39 - 1}));
  EXPECT_TRUE(has(part, {TimingScope::rank, RD, WR, 14}));
  EXPECT_TRUE(has(part, {TimingScope::rank, WR, RD, 38 + 8 + 6}));
  EXPECT_TRUE(has(part, {TimingScope::rank, PRE, PREA, 2}));
  EXPECT_TRUE(has(part, {TimingScope::bank_group, RD, RD, 12}));
  EXPECT_TRUE(has(part, {TimingScope::bank_group, WR, WR, 48}));  // it reads before it writes
  EXPECT_TRUE(has(part, {TimingScope::rank, REF, ACT, 710 - 1}));
}

TEST(DramTimingTest, AWriteOfHbmFollowsItsActivateSooner) {
  const DramPart part = hbm2e_16gb();
  EXPECT_TRUE(has(part, {TimingScope::bank, ACT, RD, 26 + 1}));
  EXPECT_TRUE(has(part, {TimingScope::bank, ACT, WR, 21 + 1}));
}

TEST(DramTimingTest, ARefreshOfBanksKeepsOnlyTheseForItsLength) {
  DramTimingState state(ddr5_16gb_x4(), 1, true);
  state.issue(REF, 0, 8, 1000);  // banks 8 to 15, one of each group
  for (const std::uint32_t bank : {8u, 12u, 15u}) EXPECT_EQ(state.earliest(ACT, 0, bank), 1000u + 313 - 1);
  for (const std::uint32_t bank : {7u, 16u}) EXPECT_EQ(state.earliest(ACT, 0, bank), 1000u + 73 - 1);
  EXPECT_EQ(state.earliest(RD, 0, 16), 0u);
  EXPECT_EQ(state.earliest_of_refresh(REF, 0, 16), 1000u + 313);
}

TEST(DramTimingTest, ARefreshOfBanksWaitsForAllOfThem) {
  DramTimingState state(ddr5_16gb_x4(), 1, true);
  state.issue(ACT, 0, 11, 1000);
  EXPECT_EQ(state.earliest_of_refresh(PREA, 0, 8), 1000u + 77 + 1);
  EXPECT_EQ(state.earliest_of_refresh(REF, 0, 8), 1000u + 116 + 1);
  EXPECT_EQ(state.earliest_of_refresh(PREA, 0, 16), 0u);
  EXPECT_EQ(state.earliest_of_refresh(REF, 0, 16), 1000u + 8 + 1);  // tRRD
}

TEST(DramTimingTest, PseudoChannelsHaveADataBusEach) {
  DramTimingState state(hbm2e_16gb(), 4);  // ranks 0 and 2 are of one pseudo-channel
  state.issue(RD, 0, 0, 100);
  EXPECT_EQ(state.earliest(RD, 1, 0), 0u);
  EXPECT_EQ(state.earliest(RD, 2, 0), 104u);  // a burst of 2 clocks and tRTRS
  EXPECT_EQ(state.earliest(RD, 0, 1), 102u);
  EXPECT_EQ(state.earliest(RD, 0, 8), 104u);
}

TEST(DramTimingTest, ResetForgetsEverything) {
  DramTimingState state(ddr3_2gb_x8(), 1);
  for (std::uint32_t bank = 0; bank < 4; ++bank) state.issue(ACT, 0, bank, 100);
  state.reset();
  EXPECT_EQ(state.earliest(ACT, 0, 0), 0u);
  state.issue(ACT, 0, 0, 200);
  EXPECT_EQ(state.earliest(ACT, 0, 1), 205u);
}

}  // namespace
}  // namespace asterism
