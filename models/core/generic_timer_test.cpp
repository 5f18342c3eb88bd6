#include "core/generic_timer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace asterism {
namespace {

using namespace system_register;

struct GenericTimerTest : testing::Test, GenericTimer::Sink {
  GenericTimer timer{62'500_kHz};  // a count is 16 ns
  std::vector<std::pair<Picoseconds, GenericTimer::Outputs>> changes;
  void timer_outputs(Picoseconds at, GenericTimer::Outputs outputs) override {
    changes.push_back({at, outputs});
  }
};
static_assert(Engine<GenericTimer, GenericTimer::Sink>);

TEST_F(GenericTimerTest, CounterFollowsSimulatedTime) {
  EXPECT_EQ(timer.read(cntvct_el0, 15'999_ps), 0u);
  EXPECT_EQ(timer.read(cntvct_el0, 16_ns), 1u);
  EXPECT_EQ(timer.read(cntpct_el0, 1_s), 62'500'000u);
  EXPECT_EQ(timer.read(cntfrq_el0, 0_ns), 62'500'000u);
}

TEST_F(GenericTimerTest, OutputRisesExactlyWhenTheCounterReachesTheCompareValue) {
  timer.write(cntv_cval_el0, 1000, 0_ns);
  EXPECT_EQ(timer.next_event(), std::nullopt);
  timer.write(cntv_ctl_el0, 1, 0_ns);
  EXPECT_EQ(timer.next_event(), 16_us);
  timer.advance_to(16_us - 1_ps, *this);
  EXPECT_TRUE(changes.empty());
  timer.advance_to(20_us, *this);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].first, 16_us);
  EXPECT_EQ(changes[0].second, (GenericTimer::Outputs{true, false}));
  EXPECT_EQ(timer.next_event(), std::nullopt);
}

TEST_F(GenericTimerTest, TimerValueIsASignedDistance) {
  timer.write(cntp_tval_el0, 100, 160_ns);
  EXPECT_EQ(timer.read(cntp_cval_el0, 160_ns), 110u);
  EXPECT_EQ(timer.read(cntp_tval_el0, 320_ns), 90u);
  timer.write(cntp_tval_el0, 0xffff'fff6, 320_ns);
  EXPECT_EQ(timer.read(cntp_cval_el0, 320_ns), 10u);
  EXPECT_EQ(timer.read(cntp_tval_el0, 336_ns), 0xffff'fff5u);
}

TEST_F(GenericTimerTest, MaskLowersTheOutputButNotTheStatus) {
  timer.write(cntp_ctl_el0, 1, 0_ns);
  timer.advance_to(0_ns, *this);
  EXPECT_EQ(timer.read(cntp_ctl_el0, 0_ns), 5u);
  timer.write(cntp_ctl_el0, 3, 0_ns);
  timer.advance_to(0_ns, *this);
  EXPECT_EQ(timer.read(cntp_ctl_el0, 0_ns), 7u);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_TRUE(changes[0].second.physical_timer);
  EXPECT_FALSE(changes[1].second.physical_timer);
}

TEST_F(GenericTimerTest, ALaterCompareValueLowersTheOutputAndRaisesItAgain) {
  timer.write(cntv_ctl_el0, 1, 0_ns);
  timer.advance_to(1_us, *this);
  timer.write(cntv_cval_el0, 1000, 1_us);
  timer.advance_to(1_us, *this);
  EXPECT_FALSE(changes.back().second.virtual_timer);
  timer.advance_to(1_ms, *this);
  EXPECT_EQ(changes.back().first, 16_us);
}

TEST_F(GenericTimerTest, BothTimersAreDeliveredInOrderOfTime) {
  timer.write(cntv_cval_el0, 200, 0_ns);
  timer.write(cntp_cval_el0, 100, 0_ns);
  timer.write(cntv_ctl_el0, 1, 0_ns);
  timer.write(cntp_ctl_el0, 1, 0_ns);
  timer.advance_to(1_ms, *this);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0], (std::pair{1600_ns, GenericTimer::Outputs{false, true}}));
  EXPECT_EQ(changes[1], (std::pair{3200_ns, GenericTimer::Outputs{true, true}}));
}

TEST_F(GenericTimerTest, ACompareValueBeyondTheEndOfTimeIsNeverReached) {
  timer.write(cntv_cval_el0, ~0ull, 0_ns);
  timer.write(cntv_ctl_el0, 1, 0_ns);
  EXPECT_EQ(timer.next_event(), std::nullopt);
  EXPECT_EQ(timer.read(cntv_ctl_el0, 1_s), 1u);
}

TEST_F(GenericTimerTest, RegistersThatDependOnTimeReadTheSameFromTheirTickOn) {
  EXPECT_EQ(timer.ticked(cntvct_el0, 0_ns), 0_ns);
  EXPECT_EQ(timer.ticked(cntvct_el0, 15_ns), 0_ns);
  EXPECT_EQ(timer.ticked(cntpct_el0, 16_ns), 16_ns);
  EXPECT_EQ(timer.ticked(cntvct_el0, 1'000'015_ns), 1_ms);
  for (const SystemRegister each : {cntv_ctl_el0, cntp_ctl_el0}) EXPECT_EQ(timer.ticked(each, 31_ns), 16_ns);
  for (const SystemRegister each : {cntv_cval_el0, cntp_cval_el0, cntfrq_el0, mpidr_el1})
    EXPECT_EQ(timer.ticked(each, 31_ns), 0_ns);
  EXPECT_EQ(GenericTimer(24_MHz).ticked(cntvct_el0, 100_ns), Picoseconds(83'334));  // never before the tick
}

TEST_F(GenericTimerTest, OtherRegistersAreNotTheTimers) {
  EXPECT_EQ(timer.read(mpidr_el1, 0_ns), std::nullopt);
  EXPECT_FALSE(timer.write(spsr_el1, 1, 0_ns));
  EXPECT_TRUE(timer.write(cntvct_el0, 99, 0_ns));
  EXPECT_EQ(timer.read(cntvct_el0, 0_ns), 0u);
}

TEST_F(GenericTimerTest, ResetDisablesTheTimersAndKeepsTheCounter) {
  timer.write(cntv_ctl_el0, 1, 0_ns);
  timer.advance_to(1_us, *this);
  for (Reset kind : {Reset::cold, Reset::warm, Reset::power_loss}) {
    timer.reset(kind);
    timer.advance_to(1_us, *this);
    EXPECT_EQ(changes.back().second, GenericTimer::Outputs{});
    EXPECT_EQ(timer.read(cntv_ctl_el0, 1_us), 0u);
    EXPECT_EQ(timer.read(cntvct_el0, 1_us), 62u);
  }
}

}  // namespace
}  // namespace asterism
