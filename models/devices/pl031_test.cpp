#include "devices/pl031.h"

#include "base/fields.h"
#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t dr = 0x00, mr = 0x04, lr = 0x08, cr = 0x0C, imsc = 0x10, ris = 0x14, mis = 0x18,
                        icr = 0x1C;
constexpr std::uint32_t start = 1'767'225'600;  // 2026-01-01T00:00:00Z

struct Pl031Test : SystemCTest {
  Pl031 rtc{"rtc", RtcConfig{}};
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  Pl031Test() {
    cpu.socket.bind(rtc.target);
    rtc.interrupt.bind(line);
  }
};

SYSTEMC_TEST_F(Pl031Test, ResetsToWhatTheListSays) { expect_reset_values(cpu, Pl031Registers()); }

SYSTEMC_TEST_F(Pl031Test, CountsWholeSecondsOfSimulatedTime) {
  EXPECT_EQ(cpu.read32(dr), start);
  expect_earliest(1_s, [&] { return cpu.read32(dr) == start + 1; });
  wait_until(3600_s);
  EXPECT_EQ(cpu.read32(dr), start + 3600);
}

SYSTEMC_TEST_F(Pl031Test, MatchInterruptsExactlyAtItsTick) {
  wait_until(500_ms);
  cpu.write32(imsc, 1);
  cpu.write32(mr, cpu.read32(dr) + 2);
  expect_earliest(2_s, [&] { return line.read(); });
  EXPECT_EQ(cpu.read32(mis), 1u);
  cpu.write32(icr, 1);
  settle();
  EXPECT_FALSE(line.read());
}

SYSTEMC_TEST_F(Pl031Test, AMatchWithThePresentSecondInterruptsAtOnce) {
  cpu.write32(mr, start);
  EXPECT_EQ(cpu.read32(ris), 1u);
  EXPECT_EQ(cpu.read32(mis), 0u);
  settle();
  EXPECT_FALSE(line.read());
  cpu.write32(imsc, 1);
  settle();
  EXPECT_TRUE(line.read());
}

SYSTEMC_TEST_F(Pl031Test, MovingTheMatchOrTheCounterMovesTheInterrupt) {
  cpu.write32(imsc, 1);
  cpu.write32(mr, start + 10);
  cpu.write32(mr, start + 20);
  cpu.write32(lr, start + 17);
  EXPECT_EQ(cpu.read32(dr), start + 17);
  expect_earliest(3_s, [&] { return line.read(); });
}

SYSTEMC_TEST_F(Pl031Test, AMatchInThePastIsYearsAwayAndArmsNothing) {
  cpu.write32(imsc, 1);
  cpu.write32(mr, start - 1);
  wait_for(10_s);
  EXPECT_EQ(cpu.read32(ris), 0u);
}

SYSTEMC_TEST_F(Pl031Test, TheCounterRunsThroughLossOfPowerTheAlarmDoesNot) {
  cpu.write32(imsc, 1);
  cpu.write32(lr, 1000);
  cpu.write32(mr, 1002);
  rtc.reset(Reset::power_loss);
  wait_for(5_s);
  EXPECT_EQ(cpu.read32(dr), 1005u);
  EXPECT_EQ(cpu.read32(mr), 0u);
  EXPECT_EQ(cpu.read32(ris), 0u);
  rtc.reset(Reset::cold);
  EXPECT_EQ(cpu.read32(dr), start);
}

SYSTEMC_TEST_F(Pl031Test, BehavesLikeQemu) {
  const std::uint32_t ids[] = {0x31, 0x10, 0x14, 0x00, 0x0D, 0xF0, 0x05, 0xB1};
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(cpu.read32(0xFE0 + 4 * i), ids[i]) << i;
  cpu.write32(cr, 0);
  EXPECT_EQ(cpu.read32(cr), 1u);
}

SYSTEMC_TEST_F(Pl031Test, AnyPayloadGetsAnAnswer) {
  set_log_levels({{"rtc", LogLevel::off}});
  expect_an_answer_to_any_payload(cpu, 4_KiB, 1);
  expect_an_answer_to_any_payload(cpu, 32_B, 2);
}

TEST(RtcConfig, IsDescribed) { EXPECT_EQ(description_problem<RtcConfig>(), ""); }

TEST(RtcConfig, ReadsDates) {
  EXPECT_EQ(RtcConfig{}.start_seconds(), start);
  EXPECT_EQ(RtcConfig{"1970-01-01T00:00:00Z"}.start_seconds(), 0u);
  EXPECT_EQ(RtcConfig{"2024-02-29T23:59:59Z"}.start_seconds(), 1'709'251'199u);
}

TEST(RtcConfig, RefusesWhatIsNoDate) {
  for (const char* text : {"", "2026", "2026-02-29T00:00:00Z", "2026-01-01 00:00:00", "2026-01-01T24:00:00Z",
                           "1969-12-31T23:59:59Z", "2026-01-01T00:00:00Zx", "2026- 1- 1T 0: 0: 0Z "})
    EXPECT_THROW(RtcConfig{text}.start_seconds(), std::invalid_argument) << text;
}

}  // namespace
}  // namespace asterism
