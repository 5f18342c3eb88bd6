#include "devices/gicv3.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/affinity.h"

namespace asterism {
namespace {

using enum GicV3::CpuRegister;
using Signal = GicV3::Signal;

constexpr unsigned spi5 = 37, timer = 27;
constexpr std::uint64_t everything_below = 0xFF, all_others = std::uint64_t{1} << 40;

// Forty cores accept all of group 1: every interrupt is enabled with priority 0x80, and every SPI goes to
// core 0.
struct GicV3Test : testing::Test {
  GicV3 gic{40};
  GicV3::Reached reached;
  GicV3Test() {
    gic.set_control(3);
    enable(*gic.shared(1));
    for (unsigned core = 0; core < gic.cores(); ++core) {
      enable(gic.redistributor(core));
      gic.set_asleep(core, false);
      write(core, pmr, everything_below);
      write(core, igrpen1, 1);
    }
  }
  static void enable(GicV3::Bank& bank) {
    bank.group = bank.enabled = ~0u;
    for (unsigned word = 0; word < 8; ++word) bank.set_priorities(word, 0x80808080);
  }
  void write(unsigned core, GicV3::CpuRegister which, std::uint64_t value) {
    EXPECT_TRUE(gic.write(core, which, value, reached));
  }
  std::uint64_t read(unsigned core, GicV3::CpuRegister which) { return gic.read(core, which).value(); }
  void set_priority(GicV3::Bank& bank, unsigned bit, std::uint8_t value) { bank.priority[bit] = value; }
  static std::uint64_t sgi(unsigned id, unsigned cluster, std::uint32_t targets) {
    return std::uint64_t{id} << 24 | std::uint64_t{cluster} << 16 | targets;
  }
};

TEST_F(GicV3Test, ALevelIsPendingWhileTheLineIsHighAndComesBackAfterItsEnd) {
  gic.set_spi(spi5, true);
  EXPECT_EQ(gic.signal(0), Signal::irq);
  EXPECT_EQ(read(0, iar1), spi5);
  EXPECT_EQ(gic.signal(0), Signal::none);
  write(0, eoir1, spi5);
  EXPECT_EQ(gic.signal(0), Signal::irq);
  gic.set_spi(spi5, false);
  EXPECT_EQ(gic.signal(0), Signal::none);
  EXPECT_EQ(read(0, iar1), GicV3::spurious);
}

TEST_F(GicV3Test, AnEdgeIsRememberedUntilAcknowledged) {
  gic.shared(1)->set_config(0, 2u << 2 * 5);
  gic.set_spi(spi5, true);
  gic.set_spi(spi5, false);
  EXPECT_EQ(read(0, iar1), spi5);
  write(0, eoir1, spi5);
  EXPECT_EQ(gic.signal(0), Signal::none);
}

TEST_F(GicV3Test, AnSpiGoesToTheCoreOfItsAffinityAlone) {
  gic.set_route(spi5, 0x0203);  // cluster 2, core 3
  gic.set_spi(spi5, true);
  for (unsigned core = 0; core < gic.cores(); ++core)
    EXPECT_EQ(gic.signal(core), core == 35 ? Signal::irq : Signal::none) << core;
  gic.set_route(spi5, 0x0230);  // no core
  for (unsigned core = 0; core < gic.cores(); ++core) EXPECT_EQ(gic.signal(core), Signal::none) << core;
}

TEST_F(GicV3Test, APpiIsOfItsCoreAlone) {
  gic.set_ppi(17, timer, true);
  EXPECT_EQ(gic.signal(17), Signal::irq);
  EXPECT_EQ(gic.signal(16), Signal::none);
  EXPECT_EQ(read(17, iar1), timer);
}

TEST_F(GicV3Test, AnSgiReachesTheListedCoresOfItsCluster) {
  write(3, sgi1r, sgi(7, 1, 0x8001));
  EXPECT_EQ(reached.cores, (std::vector<unsigned>{16, 31}));
  for (unsigned core = 0; core < gic.cores(); ++core)
    EXPECT_EQ(gic.signal(core), core == 16 || core == 31 ? Signal::irq : Signal::none) << core;
  EXPECT_EQ(read(31, iar1), 7u);
  EXPECT_EQ(read(31, iar1), GicV3::spurious);
}

TEST_F(GicV3Test, AnSgiToAllOthersSparesItsSender) {
  write(20, sgi1r, all_others | sgi(3, 0, 0));
  EXPECT_TRUE(reached.all);
  for (unsigned core = 0; core < gic.cores(); ++core)
    EXPECT_EQ(gic.signal(core), core == 20 ? Signal::none : Signal::irq) << core;
}

TEST_F(GicV3Test, AnSgiToCoresThatAreNotThereDoesNothing) {
  write(0, sgi1r, sgi(3, 2, 0xff00));  // cluster 2 has cores 0 to 7
  write(0, sgi1r, sgi(3, 9, 0xffff));
  write(0, sgi1r, std::uint64_t{1} << 44 | sgi(3, 0, 0xffff));  // cores beyond the 16th of a cluster
  write(0, sgi1r, std::uint64_t{1} << 48 | sgi(3, 0, 0xffff));  // another Aff3
  EXPECT_TRUE(reached.cores.empty());
  for (unsigned core = 0; core < gic.cores(); ++core) EXPECT_EQ(gic.signal(core), Signal::none) << core;
}

TEST_F(GicV3Test, AnSgiIsSentToCoresThatHaveItInTheSameGroup) {
  gic.redistributor(1).group &= ~(1u << 4);
  write(1, igrpen0, 1);
  write(0, sgi1r, sgi(4, 0, 0b111));
  EXPECT_EQ(gic.signal(1), Signal::none);
  EXPECT_EQ(gic.signal(2), Signal::irq);
  write(0, sgi0r, sgi(4, 0, 0b010));
  EXPECT_EQ(gic.signal(1), Signal::fiq);
  EXPECT_EQ(read(1, iar1), GicV3::spurious);
  EXPECT_EQ(read(1, iar0), 4u);
}

TEST_F(GicV3Test, TheLowestPriorityValueWinsThenTheLowestId) {
  for (unsigned id : {40u, 41u, 42u}) gic.set_spi(id, true);
  set_priority(*gic.shared(1), 42 - 32, 0x40);
  for (unsigned expected : {42u, 40u, 41u}) {
    EXPECT_EQ(read(0, hppir1), expected);
    EXPECT_EQ(read(0, iar1), expected);
    write(0, eoir1, expected);
    gic.set_spi(expected, false);
  }
}

TEST_F(GicV3Test, OnlyAMoreUrgentGroupPriorityPreempts) {
  set_priority(*gic.shared(1), 1, 0x90);
  set_priority(*gic.shared(1), 2, 0x88);
  set_priority(*gic.shared(1), 3, 0x70);
  write(0, bpr1, 5);  // group priority: bits 7 to 5
  gic.set_spi(33, true);
  EXPECT_EQ(read(0, iar1), 33u);
  EXPECT_EQ(read(0, rpr), 0x80u);
  gic.set_spi(34, true);
  EXPECT_EQ(gic.signal(0), Signal::none);  // the same group priority
  gic.set_spi(35, true);
  EXPECT_EQ(gic.signal(0), Signal::irq);
  EXPECT_EQ(read(0, iar1), 35u);
  EXPECT_EQ(read(0, rpr), 0x60u);
  write(0, eoir1, 35);
  EXPECT_EQ(read(0, rpr), 0x80u);
}

TEST_F(GicV3Test, TheMaskHidesPrioritiesNotBelowIt) {
  gic.set_spi(spi5, true);
  write(0, pmr, 0x80);
  EXPECT_EQ(gic.signal(0), Signal::none);
  EXPECT_EQ(read(0, hppir1), spi5);
  write(0, pmr, 0x88);
  EXPECT_EQ(gic.signal(0), Signal::irq);
}

TEST_F(GicV3Test, FiveBitsOfAPriorityAreThere) {
  write(0, pmr, 0xFF);
  EXPECT_EQ(read(0, pmr), 0xF8u);
  gic.shared(1)->set_priorities(0, 0xFFFFFFFF);
  EXPECT_EQ(gic.shared(1)->priorities(0), 0xF8F8F8F8u);
  EXPECT_EQ(read(0, ctlr) >> 8 & 7, 4u);
  write(0, bpr0, 0);
  write(0, bpr1, 0);
  EXPECT_EQ(read(0, bpr0), 2u);
  EXPECT_EQ(read(0, bpr1), 3u);
}

TEST_F(GicV3Test, WithSplitEndsDirDeactivates) {
  write(0, ctlr, 2);
  gic.set_spi(spi5, true);
  EXPECT_EQ(read(0, iar1), spi5);
  write(0, eoir1, spi5);
  EXPECT_EQ(read(0, rpr), 0xFFu);
  EXPECT_EQ(gic.signal(0), Signal::none);  // it is still active
  write(0, dir, spi5);
  EXPECT_EQ(gic.signal(0), Signal::irq);
}

TEST_F(GicV3Test, AnSpiThatMovedWhileItWasActiveReachesItsNewCoreAfterItsEnd) {
  gic.set_spi(spi5, true);
  EXPECT_EQ(read(0, iar1), spi5);
  gic.set_route(spi5, 0x0100);
  EXPECT_EQ(gic.signal(16), Signal::none);
  write(0, eoir1, spi5);
  EXPECT_EQ(reached.cores, std::vector<unsigned>{16});
  EXPECT_EQ(gic.signal(16), Signal::irq);
}

TEST_F(GicV3Test, ASleepingRedistributorSignalsAsOnQemu) {
  gic.set_asleep(5, true);
  gic.set_ppi(5, timer, true);
  EXPECT_EQ(gic.signal(5), Signal::irq);
}

TEST_F(GicV3Test, GroupsAreEnabledInDistributorAndCore) {
  gic.set_ppi(0, timer, true);
  gic.set_control(1);
  EXPECT_EQ(gic.signal(0), Signal::none);
  gic.set_control(2);
  EXPECT_EQ(gic.signal(0), Signal::irq);
  write(0, igrpen1, 0);
  EXPECT_EQ(gic.signal(0), Signal::none);
}

TEST_F(GicV3Test, RegistersThatCannotBeReadOrWrittenSaySo) {
  for (const auto which : {eoir0, eoir1, dir, sgi0r, sgi1r, asgi1r}) EXPECT_FALSE(gic.read(0, which));
  for (const auto which : {iar0, iar1, hppir0, hppir1, rpr}) EXPECT_FALSE(gic.write(0, which, 0, reached));
  EXPECT_EQ(read(0, sre), 7u);
}

TEST_F(GicV3Test, ResetClearsAllButLines) {
  gic.set_ppi(2, timer, true);
  write(0, sgi1r, sgi(1, 0, 4));
  gic.set_route(spi5, 0x0100);
  gic.reset(Reset::warm);
  EXPECT_EQ(gic.signal(2), Signal::none);
  EXPECT_EQ(gic.redistributor(2).pending(), 1u << timer);
  EXPECT_EQ(gic.redistributor(2).enabled, 0u);
  EXPECT_TRUE(gic.asleep(2));
  EXPECT_EQ(gic.route(spi5), 0u);
  EXPECT_EQ(read(0, pmr), 0u);
}

TEST(GicV3CoresTest, HasOneTo576) {
  EXPECT_THROW(GicV3(0), std::invalid_argument);
  EXPECT_THROW(GicV3(577), std::invalid_argument);
  EXPECT_EQ(GicV3(576).cores(), 576u);
}

// The last SPI has a line, a route, a priority and all states of its own.
TEST(GicV3SpisTest, ThereAreUpTo988) {
  constexpr unsigned last = 1019;
  GicV3 gic(20, 988);
  GicV3::Reached reached;
  EXPECT_EQ(gic.interrupts(), 1020u);
  gic.set_control(3);
  GicV3::Bank& bank = *gic.shared(last / 32);
  bank.group = bank.enabled = 1u << last % 32;
  bank.set_priorities(last % 32 / 4, 0x40000000);
  for (const unsigned core : {0u, 17u}) {
    gic.write(core, pmr, everything_below, reached);
    gic.write(core, igrpen1, 1, reached);
  }
  gic.set_spi(last, true);
  EXPECT_EQ(gic.signal(0), Signal::irq);
  gic.set_route(last, 0x0101);
  EXPECT_EQ(gic.route(last), 0x0101u);
  EXPECT_EQ(gic.signal(0), Signal::none);
  EXPECT_EQ(gic.signal(17), Signal::irq);
  EXPECT_EQ(gic.read(17, iar1), last);
  EXPECT_EQ(bank.active, 1u << last % 32);
  gic.write(17, eoir1, last, reached);
  EXPECT_EQ(bank.active, 0u);
  EXPECT_EQ(gic.shared(0), nullptr);
  EXPECT_EQ(gic.shared(32), nullptr);
  EXPECT_THROW(GicV3(1, 989), std::invalid_argument);
}

TEST(AffinityTest, ClustersHaveSixteenCores) {
  EXPECT_EQ(affinity_of(15), 0x000fu);
  EXPECT_EQ(affinity_of(16), 0x0100u);
  EXPECT_EQ(affinity_of(575), 0x230fu);
  EXPECT_EQ(core_of_affinity(0x230f, 576), 575u);
  EXPECT_EQ(core_of_affinity(0x230f, 575), std::nullopt);
  EXPECT_EQ(core_of_affinity(0x0010, 576), std::nullopt);
  EXPECT_EQ(core_of_affinity(0x1'0000, 576), std::nullopt);
  EXPECT_EQ(core_of_affinity(std::uint64_t{1} << 32, 576), std::nullopt);
}

// Each reason is found alone, whatever is pending. Group 0 does not count, since it is signalled as FIQ.
TEST_F(GicV3Test, SaysWhyNoInterruptReachesACore) {
  EXPECT_EQ(gic.why_no_irq(1), "");
  write(1, pmr, 0);
  EXPECT_EQ(gic.why_no_irq(1), "the core's priority mask excludes all (ICC_PMR_EL1)");
  EXPECT_EQ(gic.why_no_irq(0), "");
  write(1, igrpen0, 1);
  write(1, igrpen1, 0);
  EXPECT_EQ(gic.why_no_irq(1), "the core has not enabled group 1 (ICC_IGRPEN1_EL1)");
  gic.set_control(1);
  EXPECT_EQ(gic.why_no_irq(1), "its distributor does not forward group 1 (GICD_CTLR)");
}

}  // namespace
}  // namespace asterism
