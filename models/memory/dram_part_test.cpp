#include "memory/dram_part.h"

#include <gtest/gtest.h>

#include "base/broken_rule.h"
#include "base/fields.h"
#include "memory/dram_config.h"
#include "memory/dram_test_parts.h"

namespace asterism {
namespace {

TEST(DramPartTest, DescriptionsAreComplete) {
  EXPECT_EQ(description_problem<DramPart>(), "");
  EXPECT_EQ(description_problem<DramTiming>(), "");
  EXPECT_EQ(description_problem<BankRefresh>(), "");
  EXPECT_EQ(description_problem<DramCurrents>(), "");
  EXPECT_EQ(description_problem<DramConfig>(), "");
}

TEST(DramPartTest, GeometryFollowsFromTheChips) {
  const DramPart x4;  // 1 Gb
  EXPECT_EQ(x4.rows(), 16384u);
  EXPECT_EQ(x4.columns(), 256u);
  EXPECT_EQ(x4.rank_size(), 2_GiB);
  EXPECT_EQ(x4.chips_per_rank(), 18u);
  EXPECT_TRUE(x4.suits_symbol_codes());
  const DramPart x8{.capacity = 256_MiB, .width = 8, .timing = {}, .currents = {}};
  EXPECT_EQ(x8.rows(), 32768u);
  EXPECT_EQ(x8.columns(), 128u);
  EXPECT_EQ(x8.rank_size(), 2_GiB);
  EXPECT_EQ(x8.chips_per_rank(), 9u);
  EXPECT_FALSE(x8.suits_symbol_codes());
}

TEST(DramPartTest, UnloadedLatenciesAreThoseOfDdr3At11_11_11) {
  const DramPart part;
  EXPECT_EQ(part.row_hit(), 18'750_ps);
  EXPECT_EQ(part.closed_bank(), 32'500_ps);
  EXPECT_EQ(part.row_conflict(), 46'250_ps);
  EXPECT_EQ(part.peak(), 12'800_MBps);
}

TEST(DramPartTest, ABurstMovesABlockOrHalfOfOne) {
  const DramPart subchannel = ddr5_16gb_x4();
  EXPECT_EQ(subchannel.atom(), 64_B);
  EXPECT_EQ(subchannel.chips_per_rank(), 10u);
  EXPECT_FALSE(subchannel.suits_symbol_codes());
  EXPECT_EQ(subchannel.row(), 8_KiB);
  EXPECT_EQ(subchannel.row_hit(), 416_ps * (1 + 40 + 8));
  EXPECT_EQ(subchannel.peak(), Bandwidth(64'000'000'000'000 / (416 * 8)));
  const DramPart pseudo_channel = hbm2e_16gb();
  EXPECT_EQ(pseudo_channel.atom(), 32_B);
  EXPECT_EQ(pseudo_channel.chips_per_rank(), 1u);
  EXPECT_EQ(pseudo_channel.columns(), 16u);
  EXPECT_EQ(pseudo_channel.columns(32_B), 32u);
  EXPECT_EQ(pseudo_channel.peak(), Bandwidth(64'000'000'000'000 / (556 * 2)));  // of both
}

TEST(DramPartTest, APartThatFitsNoBusSaysSo) {
  const auto rule_of = [](const auto& change) {
    DramPart part = ddr5_16gb_x4();
    change(part);
    return broken_rule(part);
  };
  EXPECT_EQ(rule_of([](DramPart&) {}), "");
  EXPECT_EQ(rule_of([](DramPart& p) { p.timing.burst = 8, p.bus = 16; }),
            "bus moves 64 or 32 bytes in a burst of timing.burst beats");
  EXPECT_EQ(rule_of([](DramPart& p) { p.width = 64; }), "width divides bus");
  EXPECT_EQ(rule_of([](DramPart& p) { p.check_bits = 6; }), "check_bits is a multiple of width");
  EXPECT_EQ(rule_of([](DramPart& p) { p.bank_groups = 1; }),
            "bank_groups is more than 1 where tccd, trrd or twtr have two values");
  EXPECT_EQ(rule_of([](DramPart& p) { p.banks = 8; }), "bank_refresh covers fewer than all banks");
  EXPECT_EQ(rule_of([](DramPart& p) { p.bank_refresh->banks = 4; }),
            "bank_refresh covers one bank, two, or one of each bank group");
  EXPECT_EQ(rule_of([](DramPart& p) { p.bank_refresh->trfc = 4 * 1171_cycles; }),
            "bank_refresh has a trfc that is less than the time from a refresh of a bank to its next one");
}

TEST(DramPartTest, CommandsAndRefreshesOfBanksFitBetweenOthers) {
  const auto rule_of_timing = [](const auto& change) {
    DramTiming timing = ddr5_16gb_x4().timing;
    change(timing);
    return broken_rule(timing);
  };
  EXPECT_EQ(rule_of_timing([](DramTiming& t) { t.activate_command = t.trp + 1_cycles; }),
            "activate_command is at most `trp`");
  EXPECT_EQ(rule_of_timing([](DramTiming& t) { t.column_command = t.trcd + 1_cycles; }),
            "column_command is at most `trcd`");
  EXPECT_EQ(rule_of_timing([](DramTiming& t) { t.tccd_l_wr = 7_cycles; }), "tccd_l_wr is at least `tccd_s`");
  EXPECT_EQ(rule_of_timing([](DramTiming& t) { t.trcd_wr = t.tras; }), "trcd_wr is less than `tras`");
  const auto rule_of_refresh = [](const auto& change) {
    BankRefresh refresh = ddr5_16gb_x4().bank_refresh.value();
    change(refresh);
    return broken_rule(refresh);
  };
  EXPECT_EQ(rule_of_refresh([](BankRefresh& r) { r.trrefd = r.trfc + 1_cycles; }),
            "trrefd is at most `trfc`");
  EXPECT_EQ(rule_of_refresh([](BankRefresh& r) { r.trefi = r.trefresh; }),
            "trefi is more than `trefresh`: otherwise refreshes are late without end");
}

TEST(DramPartTest, EveryRuleOfTimingHoldsExactlyFromItsBound) {
  const auto with = [](Cycles DramTiming::*member, std::uint64_t value) {
    DramTiming timing;  // DDR3-1600 11-11-11
    timing.*member = Cycles(value);
    return broken_rule(timing);
  };
  struct Bound {
    Cycles DramTiming::*member;
    std::uint64_t first_wrong, last_right;
    const char* rule;
  };
  using T = DramTiming;
  for (const Bound& bound : std::initializer_list<Bound>{
           {&T::cwl, 12, 11, "cwl is at most `cl`"},
           {&T::tras, 11, 12, "tras is more than `trcd`"},
           {&T::trc, 38, 39, "trc is at least `tras` + `trp`"},
           {&T::tccd_s, 3, 4, "tccd_s is at least a burst: burst / 2 clocks, or burst / beats_per_clock"},
           {&T::tccd_l, 3, 4, "tccd_l is at least `tccd_s`"},
           {&T::trrd_l, 4, 5, "trrd_l is at least `trrd_s`"},
           {&T::trrd_l, 25, 24, "tfaw is at least `trrd_l`"},
           {&T::tfaw, 19, 20, "tfaw is at least 4 * `trrd_s`: a shorter window has no effect"},
           {&T::twtr_l, 5, 6, "twtr_l is at least `twtr_s`"},
           {&T::trfc, 38, 39, "trfc is at least `trc`: a refresh opens and closes rows"},
           {&T::trefi, 99, 100,
            "trefi is more than `trfc` + `trp`: otherwise no time is left for accesses"}}) {
    EXPECT_EQ(with(bound.member, bound.first_wrong), bound.rule);
    EXPECT_EQ(with(bound.member, bound.last_right), "") << bound.rule;
  }
}

}  // namespace
}  // namespace asterism
