#include "devices/gic.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace asterism {
namespace {

constexpr unsigned spi5 = 37, timer = 27;

// Four cores accept everything: every interrupt is enabled with priority 0x80, and every SPI goes to core 0.
struct GicTest : testing::Test {
  Gic gic{4};
  GicTest() {
    gic.set_control(1);
    for (unsigned core = 0; core < 4; ++core) {
      gic.set_cpu_control(Gic::enable_group0, core);
      gic.set_priority_mask(0xF0, core);
      gic.set_enabled(0, ~0u, core);
      for (unsigned word = 0; word < 8; ++word) gic.set_priorities(word, 0x80808080, core);
    }
    gic.set_enabled(1, ~0u, 0);
    for (unsigned word = 8; word < 16; ++word) {
      gic.set_priorities(word, 0x80808080, 0);
      gic.set_targets(word, 0x01010101, 0);
    }
  }
  void set_priority(unsigned id, std::uint8_t value, unsigned core = 0) {
    const unsigned shift = 8 * (id % 4);
    gic.set_priorities(id / 4, (gic.priorities(id / 4, core) & ~(0xFFu << shift)) | value << shift, core);
  }
  void set_edge(unsigned id) { gic.set_config(id / 16, gic.config(id / 16, 0) | 2u << 2 * (id % 16), 0); }
};

TEST_F(GicTest, ALevelIsPendingWhileTheLineIsHigh) {
  gic.set_line(spi5, true);
  EXPECT_TRUE(gic.irq(0));
  gic.set_line(spi5, false);
  EXPECT_FALSE(gic.irq(0));
  EXPECT_EQ(gic.acknowledge(0), Gic::spurious);
}

TEST_F(GicTest, AnAcknowledgedLevelComesBackAfterItsEnd) {
  gic.set_line(spi5, true);
  EXPECT_EQ(gic.acknowledge(0), spi5);
  EXPECT_FALSE(gic.irq(0));
  gic.end_of_interrupt(spi5, 0);
  EXPECT_TRUE(gic.irq(0));
}

TEST_F(GicTest, AnEdgeIsRememberedUntilAcknowledged) {
  set_edge(spi5);
  gic.set_line(spi5, true);
  gic.set_line(spi5, false);
  EXPECT_EQ(gic.acknowledge(0), spi5);
  gic.end_of_interrupt(spi5, 0);
  EXPECT_FALSE(gic.irq(0));
}

TEST_F(GicTest, AnEdgeWhileActiveIsTakenAfterwards) {
  set_edge(spi5);
  gic.set_line(spi5, true);
  EXPECT_EQ(gic.acknowledge(0), spi5);
  gic.set_line(spi5, false);
  gic.set_line(spi5, true);
  EXPECT_EQ(gic.acknowledge(0), Gic::spurious);
  gic.end_of_interrupt(spi5, 0);
  EXPECT_EQ(gic.acknowledge(0), spi5);
}

TEST_F(GicTest, TheLowestPriorityValueWinsThenTheLowestId) {
  for (unsigned id : {40u, 41u, 42u}) gic.set_line(id, true);
  set_priority(42, 0x40);
  for (unsigned expected : {42u, 40u, 41u}) {
    EXPECT_EQ(gic.acknowledge(0), expected);
    gic.end_of_interrupt(expected, 0);
    gic.set_line(expected, false);
  }
}

TEST_F(GicTest, TheMaskHidesItsOwnPriority) {
  gic.set_line(spi5, true);
  gic.set_priority_mask(0x80, 0);
  EXPECT_FALSE(gic.irq(0));
  gic.set_priority_mask(0x81, 0);
  EXPECT_TRUE(gic.irq(0));
}

TEST_F(GicTest, OnlyAHigherGroupPriorityPreempts) {
  gic.set_binary_point(3, 0);  // group priority in bits 7:4
  gic.set_line(spi5, true);
  EXPECT_EQ(gic.acknowledge(0), spi5);
  EXPECT_EQ(gic.running_priority(0), 0x80u);
  set_priority(40, 0x84);
  gic.set_line(40, true);
  EXPECT_FALSE(gic.irq(0));
  EXPECT_EQ(gic.acknowledge(0), Gic::spurious);
  set_priority(40, 0x7F);
  EXPECT_TRUE(gic.irq(0));
  EXPECT_EQ(gic.acknowledge(0), 40u);
  EXPECT_EQ(gic.running_priority(0), 0x70u);
}

TEST_F(GicTest, EndsRestoreTheRunningPriorityBelow) {
  gic.set_line(spi5, true);
  gic.acknowledge(0);
  set_priority(40, 0x20);
  gic.set_line(40, true);
  gic.acknowledge(0);
  EXPECT_EQ(gic.cpu(0).active_priorities[0], (std::array<std::uint32_t, 4>{1u << 16, 0, 1u << 0, 0}));
  gic.end_of_interrupt(40, 0);
  EXPECT_EQ(gic.running_priority(0), 0x80u);
  gic.end_of_interrupt(spi5, 0);
  EXPECT_EQ(gic.running_priority(0), 0x100u);
}

TEST_F(GicTest, OneOfItsTargetsTakesAnSpi) {
  gic.set_targets(spi5 / 4, 0x06 << 8 * (spi5 % 4), 0);
  gic.set_line(spi5, true);
  EXPECT_FALSE(gic.irq(0));
  EXPECT_TRUE(gic.irq(1));
  EXPECT_TRUE(gic.irq(2));
  EXPECT_EQ(gic.acknowledge(2), spi5);
  EXPECT_FALSE(gic.irq(1));
  EXPECT_EQ(gic.acknowledge(1), Gic::spurious);
}

TEST_F(GicTest, TargetsReadBackAndPrivateOnesNameTheReader) {
  gic.set_targets(9, 0x0F010204, 0);
  EXPECT_EQ(gic.targets(9, 3), 0x0F010204u);
  EXPECT_EQ(gic.targets(0, 2), 0x04040404u);
  EXPECT_EQ(Gic(1).targets(9, 0), 0u);
}

TEST_F(GicTest, AnSgiNamesItsSourceAndEachSourceIsTakenApart) {
  gic.send_sgi(1u << 16 | 7, 3);
  gic.send_sgi(1u << 16 | 7, 1);
  EXPECT_EQ(gic.sgi_sources(1, 0), 0x0A000000u);
  EXPECT_EQ(gic.acknowledge(0), 7u | 1u << 10);
  gic.end_of_interrupt(7 | 1 << 10, 0);
  EXPECT_EQ(gic.acknowledge(0), 7u | 3u << 10);
  gic.end_of_interrupt(7 | 3 << 10, 0);
  EXPECT_EQ(gic.acknowledge(0), Gic::spurious);
}

TEST_F(GicTest, SgiFiltersReachAllOthersOrSelf) {
  gic.send_sgi(1u << 24 | 2, 1);
  EXPECT_TRUE(gic.irq(0) && gic.irq(2) && gic.irq(3));
  EXPECT_FALSE(gic.irq(1));
  gic.send_sgi(2u << 24 | 3, 1);
  EXPECT_EQ(gic.acknowledge(1), 3u | 1u << 10);
}

TEST_F(GicTest, SgiSourcesCanBeSetAndCleared) {
  gic.set_sgi_sources(0, 0x0000'0500, 2);
  EXPECT_EQ(gic.pending(0, 2), 1u << 1);
  gic.clear_sgi_sources(0, 0x0000'0400, 2);
  EXPECT_EQ(gic.highest_pending(2), 1u);
  gic.clear_sgi_sources(0, 0x0000'0100, 2);
  EXPECT_EQ(gic.pending(0, 2), 0u);
}

TEST_F(GicTest, PpisBelongToTheirCore) {
  gic.set_line(timer, true, 2);
  EXPECT_FALSE(gic.irq(0));
  EXPECT_EQ(gic.acknowledge(2), timer);
  EXPECT_EQ(gic.active(0, 2), 1u << timer);
  EXPECT_EQ(gic.active(0, 0), 0u);
}

TEST_F(GicTest, SgisCannotBeDisabledNorPendedByTheSharedRegisters) {
  gic.clear_enabled(0, ~0u, 0);
  EXPECT_EQ(gic.enabled(0, 0), 0xFFFFu);
  gic.set_pending(0, 0xFFFF, 0);
  EXPECT_EQ(gic.pending(0, 0), 0u);
}

TEST_F(GicTest, SoftwareSetsAndClearsPending) {
  gic.set_pending(1, 1 << 5, 0);
  EXPECT_TRUE(gic.irq(0));
  gic.clear_pending(1, 1 << 5, 0);
  EXPECT_FALSE(gic.irq(0));
  gic.set_line(spi5, true);
  gic.clear_pending(1, 1 << 5, 0);
  EXPECT_EQ(gic.pending(1, 0), 1u << 5);  // the line is still high
}

TEST_F(GicTest, SplitEndOfInterruptNeedsDeactivation) {
  gic.set_cpu_control(Gic::enable_group0 | Gic::split_eoi, 0);
  gic.set_line(spi5, true);
  gic.acknowledge(0);
  gic.end_of_interrupt(spi5, 0);
  EXPECT_EQ(gic.running_priority(0), 0x100u);
  EXPECT_FALSE(gic.irq(0));
  gic.deactivate(spi5, 0);
  EXPECT_TRUE(gic.irq(0));
}

TEST_F(GicTest, DeactivationWithoutTheSplitIsIgnored) {
  gic.set_line(spi5, true);
  gic.acknowledge(0);
  gic.deactivate(spi5, 0);
  EXPECT_EQ(gic.active(1, 0), 1u << 5);
}

TEST_F(GicTest, Group1IsAcknowledgedByAckCtlOrTheAlias) {
  gic.set_control(3);
  gic.set_cpu_control(Gic::enable_group0 | Gic::enable_group1, 0);
  gic.set_group(1, 1 << 5, 0);
  gic.set_line(spi5, true);
  EXPECT_TRUE(gic.irq(0));
  EXPECT_EQ(gic.acknowledge(0), Gic::other_group);
  EXPECT_EQ(gic.highest_pending(0, Gic::Alias::yes), spi5);
  EXPECT_EQ(gic.acknowledge(0, Gic::Alias::yes), spi5);
  EXPECT_EQ(gic.cpu(0).active_priorities[1][2], 1u);
  gic.end_of_interrupt(spi5, 0, Gic::Alias::yes);
  gic.set_cpu_control(Gic::enable_group0 | Gic::enable_group1 | Gic::acknowledge_control, 0);
  EXPECT_EQ(gic.acknowledge(0), spi5);
}

TEST_F(GicTest, FiqEnableSendsGroup0AsFiq) {
  gic.set_cpu_control(Gic::enable_group0 | Gic::fiq_enable, 0);
  gic.set_line(spi5, true);
  EXPECT_TRUE(gic.fiq(0));
  EXPECT_FALSE(gic.irq(0));
}

TEST_F(GicTest, ADisabledGroupHidesNoOther) {
  gic.set_group(1, 1 << 5, 0);  // group 1 is not forwarded
  set_priority(spi5, 0x10);
  gic.set_line(spi5, true);
  gic.set_line(40, true);
  EXPECT_EQ(gic.acknowledge(0), 40u);
}

TEST_F(GicTest, EndOfASpuriousIdOrWithNothingActiveIsIgnored) {
  gic.end_of_interrupt(spi5, 0);
  gic.set_line(spi5, true);
  gic.acknowledge(0);
  gic.end_of_interrupt(Gic::spurious, 0);
  EXPECT_EQ(gic.running_priority(0), 0x80u);
}

TEST_F(GicTest, ResetClearsAllButTheWires) {
  gic.set_line(spi5, true);
  gic.send_sgi(1u << 16, 1);
  gic.reset(Reset::power_loss);
  EXPECT_FALSE(gic.irq(0));
  EXPECT_EQ(gic.enabled(0, 0), 0xFFFFu);
  EXPECT_EQ(gic.pending(0, 0), 0u);
  EXPECT_EQ(gic.pending(1, 0), 1u << 5);
  EXPECT_EQ(gic.config(0, 0), 0xAAAAAAAAu);
  EXPECT_EQ(gic.cpu(0).aliased_binary_point, 1u);
}

TEST(Gic, TypeReportsInterruptsAndCores) {
  EXPECT_EQ(Gic(4).type(), 0x61u);
  EXPECT_THROW(Gic(0), std::invalid_argument);
  EXPECT_THROW(Gic(9), std::invalid_argument);
}

// The last SPI has a line, a priority, targets, a trigger and all states of its own.
TEST(Gic, HasUpTo480Spis) {
  constexpr unsigned last = 511, word = last / 32;
  constexpr std::uint32_t bit = 1u << 31;
  Gic gic(4, 480);
  EXPECT_EQ(gic.type(), 0x6fu);
  gic.set_control(1);
  gic.set_cpu_control(Gic::enable_group0, 3);
  gic.set_priority_mask(0xF0, 3);
  gic.set_enabled(word, bit, 0);
  gic.set_priorities(last / 4, 0x40000000, 0);
  EXPECT_EQ(gic.priorities(last / 4, 0), 0x40000000u);
  gic.set_line(last, true);
  EXPECT_FALSE(gic.irq(3));
  gic.set_targets(last / 4, 0x08000000, 0);
  EXPECT_EQ(gic.targets(last / 4, 0), 0x08000000u);
  EXPECT_TRUE(gic.irq(3));
  EXPECT_EQ(gic.acknowledge(3), last);
  EXPECT_EQ(gic.active(word, 0), bit);
  gic.end_of_interrupt(last, 3);
  EXPECT_EQ(gic.active(word, 0), 0u);
  gic.set_config(last / 16, 2u << 30, 0);
  EXPECT_FALSE(gic.irq(3));
  gic.set_line(512, true);  // there is none
  EXPECT_THROW(Gic(4, 512), std::invalid_argument);
  EXPECT_THROW(Gic(4, 40), std::invalid_argument);
}

TEST(Gic, TheLowerIdWinsBeyondTheFirstWord) {
  Gic gic(1, 96);
  gic.set_control(1);
  gic.set_cpu_control(Gic::enable_group0, 0);
  gic.set_priority_mask(0xF0, 0);
  for (const unsigned id : {40u, 70u, 127u}) {
    gic.set_enabled(id / 32, 1u << id % 32, 0);
    gic.set_line(id, true);
  }
  EXPECT_EQ(gic.acknowledge(0), 40u);
  gic.set_line(40, false);
  gic.end_of_interrupt(40, 0);
  EXPECT_EQ(gic.acknowledge(0), 70u);
  gic.end_of_interrupt(70, 0);
  gic.set_priorities(70 / 4, 0x00100000, 0);
  EXPECT_EQ(gic.acknowledge(0), 127u);
}

// Whatever software accesses, an acknowledged interrupt was enabled, is active, and has a higher priority
// than the interrupt that it preempts.
TEST(Gic, RandomUseKeepsTheRulesOfAcknowledgement) {
  Gic gic(8);
  Random random(7);
  gic.set_control(3);
  unsigned taken = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto core = static_cast<unsigned>(random.below(8)), word = static_cast<unsigned>(random.below(2));
    const auto value = static_cast<std::uint32_t>(random.next());
    switch (random.below(12)) {
      case 0:
        gic.set_enabled(word, value, core);
        break;
      case 1:
        gic.set_priorities(static_cast<unsigned>(random.below(16)), value, core);
        break;
      case 2:
        gic.set_targets(static_cast<unsigned>(random.below(16)), value, core);
        break;
      case 3:
        gic.set_line(static_cast<unsigned>(random.below(70)), value & 1, core);
        break;
      case 4:
        gic.send_sgi(value, core);
        break;
      case 5:
        gic.set_cpu_control(value | 7, core);
        break;
      case 6:
        gic.set_priority_mask(value | 0x80, core);
        break;
      case 7:
        gic.set_config(static_cast<unsigned>(random.below(4)), value, core);
        break;
      case 8:
        gic.set_binary_point(value, core);
        break;
      case 9:
        gic.end_of_interrupt(static_cast<std::uint32_t>(random.below(70)), core);
        break;
      case 10:
        gic.clear_active(word, value, core);
        break;
      default: {
        const std::uint32_t before = gic.running_priority(core);
        const std::uint32_t id = gic.acknowledge(core) & 0x3FF;
        if (id >= Gic::other_group) break;
        ++taken;
        ASSERT_LT(id, gic.interrupts());
        EXPECT_TRUE(gic.enabled(id / 32, core) >> id % 32 & 1);
        EXPECT_TRUE(gic.active(id / 32, core) >> id % 32 & 1);
        EXPECT_LT(gic.priorities(id / 4, core) >> 8 * (id % 4) & 0xFF, before);
        EXPECT_LT(gic.running_priority(core), 0x100u);
      }
    }
  }
  EXPECT_GT(taken, 1000u);
}

// Each reason is found alone, whatever is pending.
TEST_F(GicTest, SaysWhyNoInterruptReachesACore) {
  EXPECT_EQ(gic.why_no_irq(1), "");
  gic.set_priority_mask(0, 1);
  EXPECT_EQ(gic.why_no_irq(1), "the core's priority mask excludes all (GICC_PMR)");
  EXPECT_EQ(gic.why_no_irq(0), "");
  gic.set_cpu_control(Gic::enable_group0 | Gic::fiq_enable, 1);
  EXPECT_EQ(gic.why_no_irq(1), "its only group is signalled as FIQ (GICC_CTLR)");
  gic.set_cpu_control(Gic::enable_group1, 1);
  EXPECT_EQ(gic.why_no_irq(1),
            "distributor and CPU interface enable different groups (GICD_CTLR, GICC_CTLR)");
  gic.set_cpu_control(0, 1);
  EXPECT_EQ(gic.why_no_irq(1), "the core's CPU interface signals no group (GICC_CTLR)");
  gic.set_control(0);
  EXPECT_EQ(gic.why_no_irq(1), "its distributor forwards no group (GICD_CTLR)");
}

}  // namespace
}  // namespace asterism
