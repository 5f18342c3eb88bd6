#include "cosim/lockstep.h"

#include <gmock/gmock.h>

#include <deque>

#include "cosim/rtl_library.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// RTL that follows a script, which gives answers and interrupt edges in their order.
struct ScriptedPeer : LockstepPeer {
  std::deque<Answer> answers;
  std::deque<std::pair<Picoseconds, std::uint32_t>> levels;
  std::vector<std::string> calls;
  std::string failure, trace_failure;  // thrown by answer() and by write_window()
  TraceNotes written;

  void reset(Reset, Picoseconds at) override { calls.push_back("reset at " + std::to_string(at.count())); }
  void catch_up(Picoseconds now) override {
    while (!levels.empty() && levels.front().first <= now) {
      const auto [at, value] = levels.front();
      levels.pop_front();
      on_interrupts(at, value);
    }
  }
  Answer answer(const Transaction& transaction) override {
    catch_up(transaction.at);
    if (!failure.empty()) throw RtlError(failure);
    const Answer answer = answers.front();
    answers.pop_front();
    return answer;
  }
  void write_window(Picoseconds window, TraceNotes notes) override {
    if (!trace_failure.empty()) throw RtlError(trace_failure);
    calls.push_back("window of " + std::to_string(window.count()));
    written = std::move(notes);
  }
};

struct LockstepTest : testing::Test {
  ScriptedPeer rtl;
  Lockstep lockstep{"node.rtc", rtl, {.latency = 10_ns, .interrupt = 100_ns}};

  static Transaction read(Picoseconds at, std::uint64_t address = 0x18) {
    return {at, Transaction::Kind::read, 4, address, {}};
  }
  static Answer word(std::uint64_t data, Picoseconds latency = 0_ps) {
    return {{data, 0}, AnswerStatus::ok, latency};
  }
  static Answer error() { return {{}, AnswerStatus::error, 0_ps}; }
  const Lockstep::Mismatch& mismatch() const { return *lockstep.mismatch(); }
};

// ---- answers ----

TEST_F(LockstepTest, EqualAnswersAreNoMismatch) {
  rtl.answers = {word(1), word(2)};
  lockstep.compare(read(1_us), word(1));
  lockstep.compare(read(2_us), word(2));
  EXPECT_EQ(lockstep.transactions(), 2u);
  EXPECT_FALSE(lockstep.mismatch());
}

TEST_F(LockstepTest, OtherDataIsAMismatch) {
  rtl.answers = {word(1), word(0x80)};
  lockstep.compare(read(1_us), word(1));
  lockstep.compare(read(12'400'345_ps), word(2));
  EXPECT_EQ(mismatch().text(),
            "lockstep mismatch in node.rtc at 12.400345 us: data\n"
            "  read      0x018\n"
            "  model     0x00000002\n"
            "  RTL       0x00000080\n"
            "  before it, newest last:\n"
            "    1.000000 us  read  0x018 -> 0x00000001\n");
  EXPECT_EQ(mismatch().at, 12'400'345_ps);
}

TEST_F(LockstepTest, AnotherStatusIsAMismatch) {
  rtl.answers = {error(), error()};
  lockstep.compare(read(1_us), error());
  EXPECT_FALSE(lockstep.mismatch());
  lockstep.compare({2_us, Transaction::Kind::write, 4, 0x20, {5, 0}}, word(0));
  EXPECT_EQ(mismatch().what, "status");
  EXPECT_EQ(mismatch().asked, "write 0x020 <- 0x00000005");
  EXPECT_EQ(mismatch().model, "ok");
  EXPECT_EQ(mismatch().rtl, "error");
}

TEST_F(LockstepTest, LatencyMayDifferByTheLimitBothWays) {
  rtl.answers = {word(1, 30_ns), word(1, 10_ns), word(1, 30'001_ps)};
  lockstep.compare(read(1_us), word(1, 20_ns));
  lockstep.compare(read(2_us), word(1, 20_ns));
  EXPECT_FALSE(lockstep.mismatch());
  lockstep.compare(read(3_us), word(1, 20_ns));
  EXPECT_EQ(mismatch().what, "latency");
  EXPECT_EQ(mismatch().model, "0x00000001 after 20ns");
  EXPECT_EQ(mismatch().rtl, "0x00000001 after 30001ps, more than 10ns apart");
}

TEST_F(LockstepTest, RtlThatFailsIsAMismatch) {
  rtl.failure =
      "node.rtc: pl031.sv:12: Assertion failed: fifo_never_overflows, which says more than fits one line";
  lockstep.compare(read(1_us), word(1));
  EXPECT_EQ(mismatch().text(),
            "lockstep mismatch in node.rtc at 1.000000 us: RTL failed\n"
            "  read      0x018\n"
            "  model     0x00000001\n"
            "  RTL       pl031.sv:12: Assertion failed: fifo_never_overflows, which says more\n"
            "            than fits one line\n");
}

TEST_F(LockstepTest, NothingIsComparedAfterTheFirstDifference) {
  int calls = 0;
  lockstep.on_mismatch = [&](const Lockstep::Mismatch&) { ++calls; };
  rtl.answers = {word(1)};
  lockstep.compare(read(1_us), word(2));
  lockstep.compare(read(2_us), word(2));
  lockstep.interrupts(3_us, 1);
  lockstep.reset(Reset::cold, 4_us);
  lockstep.catch_up(1_s);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(lockstep.transactions(), 1u);
  EXPECT_EQ(mismatch().at, 1_us);
  EXPECT_THAT(rtl.calls, IsEmpty());
}

TEST_F(LockstepTest, KeepsTheLastSixteenTransactions) {
  for (std::uint64_t i = 1; i <= 40; ++i) {
    rtl.answers.push_back(word(i));
    lockstep.compare(read(Picoseconds(i), 4 * i), word(i == 40 ? 0 : i));
  }
  EXPECT_THAT(mismatch().history, SizeIs(16));
  EXPECT_EQ(mismatch().history.front(), "0.000025 us  read  0x064 -> 0x00000019");
  EXPECT_EQ(mismatch().history.back(), "0.000040 us  read  0x0a0 -> 0x00000000");
}

TEST_F(LockstepTest, ADifferenceWritesItsWindow) {
  lockstep.trace_to("traces/node.rtc.fst", 2_us);
  rtl.answers = {word(1)};
  lockstep.compare(read(1_us), word(2));
  EXPECT_THAT(rtl.calls, ElementsAre("window of 2000000"));
  EXPECT_EQ(rtl.written.mismatch, 1_us);
  EXPECT_THAT(rtl.written.answers, ElementsAre(std::pair(1_us, "read 0x018: 0x00000002")));
  EXPECT_THAT(mismatch().text(), testing::EndsWith("  trace     traces/node.rtc.fst (2us before it)\n"));
}

TEST_F(LockstepTest, SaysWhyAWindowCouldNotBeWritten) {
  lockstep.trace_to("traces/node.rtc.fst", 2_us);
  rtl.trace_failure = "no space is left";
  rtl.answers = {word(1)};
  lockstep.compare(read(1_us), word(2));
  EXPECT_EQ(mismatch().trace, "");
  EXPECT_THAT(mismatch().text(), testing::EndsWith("  no trace  no space is left\n"));
}

// ---- a comparison that continues after a difference ----

struct ContinuedLockstepTest : LockstepTest {
  Lockstep continued{"node.rtc", rtl, {.latency = 10_ns, .interrupt = 100_ns}, OnMismatch::proceed};
  std::vector<Lockstep::Mismatch> reported;
  ContinuedLockstepTest() {
    continued.on_mismatch = [this](const Lockstep::Mismatch& mismatch) { reported.push_back(mismatch); };
  }
};

TEST_F(ContinuedLockstepTest, CountsAllDifferencesAndReportsTheFirst) {
  continued.trace_to("traces/node.rtc.fst", 2_us);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    rtl.answers.push_back(word(i));
    continued.compare(read(i * 1_us), word(i % 2 == 0 ? i : 0));
  }
  EXPECT_EQ(continued.transactions(), 10u);
  EXPECT_EQ(continued.mismatches(), 5u);
  ASSERT_EQ(reported.size(), Mismatches::max_kept);
  EXPECT_EQ(reported[1].at, 3_us);
  EXPECT_FALSE(reported[1].stops);
  EXPECT_EQ(continued.mismatch()->at, 1_us);
  EXPECT_THAT(rtl.calls, ElementsAre("window of 2000000")) << "only the first one has a trace";
  EXPECT_EQ(reported[0].trace, "traces/node.rtc.fst");
  EXPECT_EQ(reported[1].trace, "");
}

TEST_F(ContinuedLockstepTest, EndsWithAFailureOfTheRtl) {
  rtl.failure = "node.rtc: assertion failed";
  continued.compare(read(1_us), word(1));
  continued.compare(read(2_us), word(1));
  EXPECT_EQ(continued.mismatches(), 1u);
  EXPECT_TRUE(continued.is_over());
}

TEST_F(ContinuedLockstepTest, EdgesThatDifferAreDropped) {
  rtl.levels = {{1'500_ns, 1}, {2'010_ns, 0}};
  continued.interrupts(1'450_ns, 1);
  continued.interrupts(2'000_ns, 0);
  continued.interrupts(3'000_ns, 1);
  continued.catch_up(4_us);
  EXPECT_EQ(continued.mismatches(), 1u) << "only the last edge has no counterpart";
  EXPECT_EQ(reported.at(0).model, "rises at 3.000000 us");
  continued.catch_up(5_us);
  EXPECT_EQ(continued.mismatches(), 1u);
}

// ---- interrupts ----

TEST_F(LockstepTest, EdgesMayDifferByTheLimitBothWays) {
  rtl.levels = {{1'100_ns, 1}, {1'900_ns, 0}};
  lockstep.interrupts(1_us, 1);
  lockstep.interrupts(2_us, 0);
  lockstep.catch_up(1_s);
  EXPECT_FALSE(lockstep.mismatch());
}

TEST_F(LockstepTest, AnEdgeLaterThanTheLimitIsAMismatchThatReportsBothTimes) {
  rtl.levels = {{1'100'001_ps, 2}};
  lockstep.interrupts(1_us, 2);
  lockstep.catch_up(1'100'001_ps);
  EXPECT_EQ(mismatch().text(),
            "lockstep mismatch in node.rtc at 1.000000 us: interrupt 1\n"
            "  model     rises at 1.000000 us\n"
            "  RTL       rises at 1.100001 us, more than 100ns apart\n");
}

TEST_F(LockstepTest, AnEdgeThatTheRtlLacksIsFoundAtTheLimit) {
  lockstep.interrupts(1_us, 1);
  EXPECT_EQ(lockstep.overdue_from(), 1'100'001_ps);
  lockstep.catch_up(1'100_ns);
  EXPECT_FALSE(lockstep.mismatch());
  lockstep.catch_up(1'100'001_ps);
  EXPECT_EQ(mismatch().what, "interrupt 0");
  EXPECT_EQ(mismatch().model, "rises at 1.000000 us");
  EXPECT_EQ(mismatch().rtl, "has not risen within 100ns of it, at 1.100001 us");
  EXPECT_EQ(lockstep.overdue_from(), std::nullopt);
}

TEST_F(LockstepTest, AnEdgeThatTheModelLacksIsFound) {
  rtl.levels = {{1_us, 1}};
  rtl.answers = {word(1), word(1)};
  lockstep.compare(read(1'050_ns), word(1));
  EXPECT_FALSE(lockstep.mismatch());
  lockstep.compare(read(2_us), word(1));
  EXPECT_EQ(mismatch().what, "interrupt 0");
  EXPECT_EQ(mismatch().model, "has not risen within 100ns of it, at 2.000000 us");
  EXPECT_EQ(mismatch().rtl, "rises at 1.000000 us");
}

TEST_F(LockstepTest, APulseThatIsOverWhenTheRtlIsLookedAtCounts) {
  rtl.levels = {{1'010_ns, 1}, {1'020_ns, 0}};
  lockstep.interrupts(1_us, 1);
  lockstep.interrupts(1'010_ns, 0);
  lockstep.catch_up(5_us);
  EXPECT_FALSE(lockstep.mismatch());
  rtl.levels = {{6_us, 1}, {6'010_ns, 0}};
  lockstep.catch_up(7_us);
  EXPECT_EQ(mismatch().what, "interrupt 0");
  EXPECT_EQ(mismatch().at, 6_us);
}

TEST_F(LockstepTest, LinesAreMatchedEachByItself) {
  rtl.levels = {{1'000_ns, 2}, {1'010_ns, 3}};
  lockstep.interrupts(1'005_ns, 1);
  lockstep.interrupts(1'006_ns, 3);
  lockstep.catch_up(1_s);
  EXPECT_FALSE(lockstep.mismatch());
}

TEST_F(LockstepTest, AResetDropsEdgesAndIsPassedToTheRtl) {
  rtl.levels = {{1'040_ns, 2}};
  lockstep.interrupts(1_us, 1);
  lockstep.reset(Reset::warm, 1'050_ns);
  EXPECT_THAT(rtl.calls, ElementsAre("reset at 1050000"));
  lockstep.catch_up(1_s);
  EXPECT_FALSE(lockstep.mismatch());
  rtl.levels = {{2_s, 1}};
  lockstep.interrupts(2_s, 1);
  lockstep.catch_up(3_s);
  EXPECT_FALSE(lockstep.mismatch());
}

// ---- text ----

TEST(LockstepTextTest, PrintsBusesByWidth) {
  const Transaction write{1_us, Transaction::Kind::write, 1, 0x1000, {0x41, 0}};
  const Transaction read{1_us, Transaction::Kind::read, 16, 0x8, {}};
  const Transaction part{1_us, Transaction::Kind::write, 4, 0x20, {0x4100, 0}, 0b10};
  EXPECT_EQ(to_text(write, {}), "1.000000 us  write 0x1000 <- 0x41");
  EXPECT_EQ(to_text(part, {}), "1.000000 us  write 0x020 bytes {1} <- 0x00004100");
  EXPECT_EQ(to_text(write, {{}, AnswerStatus::error, 0_ps}), "1.000000 us  write 0x1000 <- 0x41, error");
  EXPECT_EQ(to_text(read, {{0xabc, 1}, AnswerStatus::ok, 40_ns}),
            "1.000000 us  read  0x008 -> 0x00000000000000010000000000000abc after 40ns");
}

TEST(LockstepTextTest, PrintsArbitrationsByTheirSets) {
  const auto arbitration = [](const LockstepBits& requests, const LockstepBits& grants) {
    return to_text(Transaction{12'400'340_ps, Transaction::Kind::arbitrate, 0, 0, requests}, Answer{grants});
  };
  EXPECT_EQ(arbitration({0b101, 0}, {1, 0}), "12.400340 us  {0, 2} -> 0");
  EXPECT_EQ(arbitration({0b1, 0b10}, {0, 0b10}), "12.400340 us  {0, 65} -> 65");
  EXPECT_EQ(arbitration({0b1, 0}, {}), "12.400340 us  {0} -> nobody");
  EXPECT_EQ(arbitration({0b11, 0}, {0b11, 0}), "12.400340 us  {0, 1} -> {0, 1}");
  EXPECT_EQ(arbitration({~std::uint64_t{0}, 0}, {1, 0}), "12.400340 us  0xffffffffffffffff -> 0");
  EXPECT_EQ(arbitration({0xfff, ~std::uint64_t{0}}, {1, 0}),
            "12.400340 us  0xffffffffffffffff0000000000000fff -> 0");
}

}  // namespace
}  // namespace asterism
