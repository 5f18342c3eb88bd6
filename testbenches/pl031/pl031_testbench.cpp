// Compares rtl/pl031 with Pl031 in lockstep under random accesses, uses it in place of the model, and tests
// mutants.
//
// The clock of the RTL is slow, so that its seconds have few cycles and every access is near the end of one.
#include <gtest/gtest.h>

#include "base/random.h"
#include "cosim/device_swap.h"
#include "devices/pl031.h"
#include "testbenches/pl031/mutants.h"
#include "testbenches/testbench.h"
#include "tlm/log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t dr = 0x00, mr = 0x04, lr = 0x08, cr = 0x0C, imsc = 0x10, ris = 0x14, mis = 0x18,
                        icr = 0x1C;
constexpr std::uint32_t start = 1'767'225'600;  // 2026-01-01T00:00:00Z
constexpr Frequency clock_rate = 100_Hz;
constexpr Picoseconds period = 10_ms, window = 60_ms;

DeviceLibrary built(const std::string& block, bool assertions) {
  const auto library = library_of(
      block, {"parameters.ClockHz=100", std::string("assertions=") + (assertions ? "true" : "false")});
  return {.file = library->file(), .states = {{"quiet", "armed", "raised", "raised_and_armed"}}};
}

SwapSettings in(Impl impl) { return {.impl = impl, .clock = clock_rate, .window = window}; }

// ---- in lockstep ----

struct Pl031LockstepTest : SystemCTest {
  Pl031 rtc{"rtc", RtcConfig{}};
  DeviceSwap swap;
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  std::optional<Lockstep::Mismatch> mismatch;

  explicit Pl031LockstepTest(const std::string& block = "rtl/pl031/block.json", bool assertions = true,
                             const RtlOptions& options = {})
      : swap("rtc", in(Impl::lockstep), built(block, assertions), 4_KiB, 1_us, options,
             DeviceSwap::Model{rtc.registers, rtc.target}) {
    set_log_levels({{"rtc", LogLevel::off}});
    cpu.socket.bind(swap.target());
    rtc.interrupt.bind(line);
    swap.interrupt(line);
    swap.on_mismatch = [this](const Lockstep::Mismatch& found) { mismatch = found; };
  }
  std::string found() const { return mismatch ? mismatch->text() : ""; }

  // Resets both in the same instant.
  void reset(Reset kind) {
    rtc.reset(kind);
    swap.reset(kind);
  }
  void read_some(Random& random);
  void write_some(Random& random);
  void write_clear();
  void any_work(std::uint64_t seed, int steps);
};

void Pl031LockstepTest::read_some(Random& random) {
  constexpr std::array registers{dr, mr, lr, cr, imsc, ris, mis, icr, 0x20ul, 0xFE0ul, 0xFFCul};
  const std::uint64_t reg = registers[random.below(registers.size())];
  for (auto times = random.below(4); times < 4; ++times) {
    cpu.read32(reg);
    if (random.below(4) == 0) cpu.read<std::uint16_t>(reg + 2 * random.below(2));
  }
}

// Waits if a match follows directly while the line is high, since the line of the model would be low for less
// than a cycle, and that of the RTL not at all.
void Pl031LockstepTest::write_clear() {
  if (line.read() && 1_s - now() % 1_s <= 2 * period) wait_for(2 * period);
  cpu.write32(icr, 1);
}

// Most values are near the present second, as a distant match would never be observed.
void Pl031LockstepTest::write_some(Random& random) {
  std::uint32_t second = 0;
  cpu.debug(tlm::TLM_READ_COMMAND, dr, &second, 4);
  const auto soon = static_cast<std::uint32_t>(second + random.below(4));
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return cpu.write32(mr, soon);
    case 3:
      return cpu.write32(lr, random.below(4) ? soon - 2 : static_cast<std::uint32_t>(random.next()));
    case 4:
      return cpu.write32(imsc, random.below(4) ? 1 : 0);
    case 5:
      return write_clear();
    case 6:
      return cpu.write<std::uint8_t>(mr + random.below(12), static_cast<std::uint8_t>(second));
    default: {
      const std::uint64_t reg = random.below(2) ? cr : 4 * random.below(12);
      return reg == icr ? write_clear() : cpu.write32(reg, static_cast<std::uint32_t>(random.next()));
    }
  }
}

// A write takes two periods of the RTL, and the next access waits for their end; reads come at any time.
void Pl031LockstepTest::any_work(std::uint64_t seed, int steps) {
  Random random(seed);
  for (int i = 0; i < steps && !mismatch; ++i) {
    switch (random.below(4)) {
      case 0:
        wait_for(Picoseconds(random.below((3_s).count())));
        break;
      case 1:  // shortly before or after the end of a second
        wait_until(std::max(
            now(), (now() / 1_s + 1) * 1_s - 3 * period + Picoseconds(random.below((6 * period).count()))));
        break;
      default:
        wait_for(Picoseconds(random.below((5 * period).count())));
        break;
    }
    if (random.below(3) != 0) {
      read_some(random);
    } else if (random.below(40) == 0) {
      reset(random.below(2) ? Reset::warm : Reset::power_loss);
      wait_for(5 * period);
    } else {
      write_some(random);
      wait_for(3 * period);
    }
  }
}

SYSTEMC_TEST_F(Pl031LockstepTest, RandomAccessesAreEqual) {
  any_work(1, 40'000);
  swap.finish();
  EXPECT_EQ(found(), "");
  const std::vector<std::string> summary = swap.summary();
  ASSERT_EQ(summary.size(), 5u);
  EXPECT_EQ(summary[1], "reached registers read 8/8");
  EXPECT_EQ(summary[2], "reached registers written 5/5");
  EXPECT_EQ(summary[3], "reached interrupt edges 2/2");
  EXPECT_EQ(summary[4], "reached states 4/4");
}

SYSTEMC_TEST_F(Pl031LockstepTest, TheSecondIsTheSameToThePicosecond) {
  for (const Picoseconds at : {1_s - 1_ps, 1_s, 2_s - period, 2_s, 2_s + period, 3600_s - 1_ps, 3600_s}) {
    wait_until(at);
    EXPECT_EQ(cpu.read32(dr), start + static_cast<std::uint32_t>(at / 1_s));
    EXPECT_EQ(found(), "");
  }
}

SYSTEMC_TEST_F(Pl031LockstepTest, TheCounterRunsThroughLossOfPowerInBoth) {
  cpu.write32(lr, 1000);
  cpu.write32(mr, 1002);
  wait_for(500_ms);
  reset(Reset::power_loss);
  wait_for(5_s);
  EXPECT_EQ(cpu.read32(dr), 1005u);
  EXPECT_EQ(cpu.read32(ris), 0u);
  EXPECT_EQ(found(), "");
}

struct Pl031CheckedTest : Pl031LockstepTest {
  Pl031CheckedTest()
      : Pl031LockstepTest("rtl/pl031/block.json", false, {.skip = false, .check_idle = true}) {}
};
SYSTEMC_TEST_F(Pl031CheckedTest, EveryCycleSteppedIsEqualToo) {
  any_work(2, 3'000);
  swap.finish();
  EXPECT_EQ(found(), "");
}

// ---- in place of the model ----

struct Pl031RtlTest : SystemCTest {
  DeviceSwap rtc{"rtc", in(Impl::rtl), built("rtl/pl031/block.json", true), 4_KiB, 1_us, {}, std::nullopt};
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  Pl031RtlTest() {
    cpu.socket.bind(rtc.target());
    rtc.interrupt(line);
  }
  // Reads at the present time, without a delay of the caller.
  std::uint32_t read(std::uint64_t reg) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    return cpu.read32(reg);
  }
};

SYSTEMC_TEST_F(Pl031RtlTest, CountsWholeSecondsOfSimulatedTime) {
  EXPECT_EQ(read(dr), start);
  expect_earliest(1_s, [&] { return read(dr) == start + 1; });
  wait_until(3600_s);
  EXPECT_EQ(read(dr), start + 3600);
}

SYSTEMC_TEST_F(Pl031RtlTest, MatchInterruptsAPeriodAfterItsTick) {
  wait_until(500_ms);
  cpu.write32(imsc, 1);
  cpu.write32(mr, read(dr) + 2);
  expect_earliest(2_s + period, [&] { return line.read(); });
  EXPECT_EQ(read(mis), 1u);
}

SYSTEMC_TEST_F(Pl031RtlTest, WithoutAnAlarmNothingIsWaitedFor) {
  cpu.write32(mr, start + 5);
  wait_until(1_s);
  EXPECT_EQ(sc_core::sc_time_to_pending_activity(), sc_core::sc_max_time() - sc_core::sc_time_stamp());
  cpu.write32(imsc, 1);
  wait_for(100_ms);
  EXPECT_NE(sc_core::sc_time_to_pending_activity(), sc_core::sc_max_time() - sc_core::sc_time_stamp());
}

// ---- mutants ----

struct RtlMutantTest : Pl031LockstepTest {
  explicit RtlMutantTest(const char* name, const RtlOptions& options = {})
      : Pl031LockstepTest(mutant_of("pl031", mutant_named(name, pl031_mutants)), false, options) {}
  std::string what() {
    any_work(3, 40'000);
    swap.finish();
    return mismatch ? mismatch->what : "";
  }
};

struct LoadLosesTheStep : RtlMutantTest {
  LoadLosesTheStep() : RtlMutantTest("load_loses_the_step") {}
};
SYSTEMC_TEST_F(LoadLosesTheStep, IsFound) { EXPECT_EQ(what(), "data"); }

struct MatchIsASecondLate : RtlMutantTest {
  MatchIsASecondLate() : RtlMutantTest("match_is_a_second_late") {}
};
SYSTEMC_TEST_F(MatchIsASecondLate, IsFound) { EXPECT_NE(what(), ""); }

struct ClearWinsOverAMatch : RtlMutantTest {
  ClearWinsOverAMatch() : RtlMutantTest("clear_wins_over_a_match") {}
};
SYSTEMC_TEST_F(ClearWinsOverAMatch, IsFound) { EXPECT_NE(what(), ""); }

struct MaskIsNotMasked : RtlMutantTest {
  MaskIsNotMasked() : RtlMutantTest("mask_is_not_masked") {}
};
SYSTEMC_TEST_F(MaskIsNotMasked, IsFound) { EXPECT_EQ(what(), "data"); }

struct BytesAreWords : RtlMutantTest {
  BytesAreWords() : RtlMutantTest("bytes_are_words") {}
};
SYSTEMC_TEST_F(BytesAreWords, IsFound) { EXPECT_EQ(what(), "data"); }

struct NoBattery : RtlMutantTest {
  NoBattery() : RtlMutantTest("no_battery") {}
};
SYSTEMC_TEST_F(NoBattery, IsFound) { EXPECT_EQ(what(), "data"); }

struct ControlRefusesWrites : RtlMutantTest {
  ControlRefusesWrites() : RtlMutantTest("control_refuses_writes") {}
};
SYSTEMC_TEST_F(ControlRefusesWrites, IsFound) { EXPECT_EQ(what(), "status"); }

struct AnswersLate : RtlMutantTest {
  AnswersLate() : RtlMutantTest("answers_late") {}
};
SYSTEMC_TEST_F(AnswersLate, IsFound) { EXPECT_EQ(what(), "latency"); }

struct NextEventLies : RtlMutantTest {
  NextEventLies() : RtlMutantTest("next_event_lies", {.check_idle = true}) {}
};
SYSTEMC_TEST_F(NextEventLies, IsFound) {
  EXPECT_EQ(what(), "RTL failed");
  EXPECT_NE(mismatch->rtl.find("next_event_o lies"), std::string::npos) << mismatch->rtl;
}

}  // namespace
}  // namespace asterism
