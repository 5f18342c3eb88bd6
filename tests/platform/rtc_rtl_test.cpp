// The node's real-time clock in RTL, selected by its key: in the model's place and in lockstep with it.
#include <gmock/gmock.h>

#include <algorithm>

#include "testbenches/mutant.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct RtcRtlTest : CommandTest {
  RtcRtlTest() { node_of_firmware = untimed; }
  // Copies the clock and replaces one text in it.
  void make_mutant(const std::string& file, const std::string& old_text, const std::string& new_text) const {
    asterism::make_mutant(source_configs().parent_path() / "rtl/pl031", folder / "mine",
                          {{file, old_text, new_text}});
  }
  // Runs the alarm app for a second or two with a slow clock of the RTL, so that few cycles are simulated.
  Ended alarm(Arguments keys, const Arguments& more = {}) const {
    const bool own =
        std::ranges::any_of(keys, [](const auto& key) { return key.starts_with("node.rtc.variant"); });
    if (!own)
      keys.push_back("node.rtc.variant=" +
                     (source_configs().parent_path() / "rtl/pl031/block.json").string());
    if (std::ranges::count(keys, "node.rtc.impl=lockstep") > 0) keys.push_back("node.rtc.window=10us");
    keys.push_back("node.rtc.clock=1MHz");
    keys.insert(keys.end(), more.begin(), more.end());
    return firmware("alarm", keys);
  }
};

// A snapshot includes the state of a Verilated model.
TEST_F(RtcRtlTest, ASnapshotGoesOnAsIfTheRunHadNeverStopped) {
  for (const char* impl : {"node.rtc.impl=rtl", "node.rtc.impl=lockstep"}) {
    const Ended first = alarm({impl}, {"--snapshot-at", "100us", "--snapshot", "file"});
    if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
    ASSERT_EQ(first.status, 0) << first.err;
    const Ended second = program(
        "/usr/bin/timeout", {"60", asterism_program.string(), "run", "--restore", "file", "--out", "second"});
    EXPECT_EQ(second.status, 0) << second.err;
    for (const char* name : {"stats.json", "events.jsonl", "console.log"})
      EXPECT_EQ(contents(std::string("second/") + name), contents(std::string("run/") + name)) << impl;
    EXPECT_THAT(contents("second/stats.json"), HasSubstr("\"rtc\""));
  }
}

TEST_F(RtcRtlTest, InLockstepTheRunIsTheModels) {
  ASSERT_EQ(firmware("alarm").status, 0);
  const auto model = json("run/stats.json");
  const std::string console = contents("run/console.log");
  const Ended ended = alarm({"node.rtc.impl=lockstep"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("RTL          node.rtc: lockstep, 10 accesses, 0 mismatches\n"),
                               HasSubstr("reached interrupt edges 2/2\n"), HasSubstr("reached states 2/4 ")));
  auto lockstep = json("run/stats.json");
  EXPECT_EQ(lockstep["node"]["rtc"]["transactions"], 10);
  lockstep["node"].erase("rtc");
  EXPECT_EQ(lockstep, model);
  EXPECT_EQ(contents("run/console.log"), console);
}

TEST_F(RtcRtlTest, InTheModelsPlaceTheSecondsAreTheSame) {
  const Ended ended = alarm({"node.rtc.impl=rtl"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("RTL          node.rtc: rtl, 10 accesses\n"));
  EXPECT_THAT(contents("run/console.log"), HasSubstr("alarm: 2 alarms, 1 s from each to the next\n"));
}

TEST_F(RtcRtlTest, WithoutSkippingAllIsTheSame) {
  for (const char* impl : {"node.rtc.impl=rtl", "node.rtc.impl=lockstep"}) {
    ASSERT_EQ(alarm({impl}).status, 0);
    const std::string stats = contents("run/stats.json");
    ASSERT_EQ(alarm({impl}, {"--no-skip", "--check-idle"}).status, 0);
    EXPECT_EQ(contents("run/stats.json"), stats);
  }
}

TEST_F(RtcRtlTest, TheQuantumChangesSpeedAndNoSecond) {
  for (const char* quantum : {"1ns", "1us", "1ms"})
    for (const char* impl : {"node.rtc.impl=rtl", "node.rtc.impl=lockstep"}) {
      const Ended ended = alarm({impl, std::string("node.quantum=") + quantum});
      EXPECT_EQ(ended.status, 0) << quantum << ended.out << ended.err;
      EXPECT_THAT(contents("run/console.log"), HasSubstr("alarm: 2 alarms, 1 s from each to the next\n"));
    }
}

TEST_F(RtcRtlTest, ADifferenceEndsTheRunWithATrace) {
  make_mutant("pl031.sv", "Dr:      prdata_o = seconds_q;",
              "Dr:      prdata_o = seconds_q + 32'(seconds_q[0]);");
  const Ended ended = alarm({"node.rtc.impl=lockstep", "node.rtc.variant=mine/block.json"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("lockstep mismatch in node.rtc at 1000000."), HasSubstr("  read      0x000\n"),
                    HasSubstr("  model     0x6955b901\n"), HasSubstr("  RTL       0x6955b902 after "),
                    HasSubstr("  trace     run/traces/node.rtc.fst (2us before it)\n")));
  EXPECT_TRUE(exists("run/traces/node.rtc.fst"));
}

TEST_F(RtcRtlTest, AFailureInTheModelsPlaceEndsTheRunToo) {
  make_mutant("pl031.sv", "assign pready_o    = 1'b1;", "assign pready_o    = word != Ris;");
  const Ended ended = alarm({"node.rtc.impl=rtl", "node.rtc.variant=mine/block.json"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("RTL failure in node.rtc at "),
                               HasSubstr("the read of 0x014 hangs: pready_o was low for 10000 cycles")));
}

TEST_F(RtcRtlTest, AnEndlessLoopEndsTheProcess) {
  make_mutant("pl031.sv", "  logic [9:0] word;\n",
              "  int unsigned loops;\n"
              "  always_comb begin\n"
              "    loops = 0;\n"
              "    while (mask_q[0] && loops < 2) loops = loops ^ 32'(mask_q[0]);\n"
              "  end\n"
              "  logic [9:0] word;\n");
  const Ended ended = alarm({"node.rtc.impl=rtl", "node.rtc.variant=mine/block.json"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.err,
              HasSubstr("node.rtc: one evaluation of the RTL has not returned for 10 s: it may be an endless "
                        "loop. The run is left in "));
  EXPECT_TRUE(exists("run.partial"));
  EXPECT_FALSE(exists("run"));
}

TEST_F(RtcRtlTest, ANextEventThatLiesIsFoundWhenAsked) {
  make_mutant("pl031.sv", "!raised_q ? 32'(cycles_q) : '1;", "!raised_q ? 32'(cycles_q) + 32'd9 : '1;");
  const Arguments keys{"node.rtc.impl=rtl", "node.rtc.variant=mine/block.json"};
  const Ended ended = alarm(keys, {"--check-idle"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("next_event_o lies at 1000001.000000 us: interrupt_o changed 9 cycles"));
}

TEST_F(RtcRtlTest, ItsSignalsAreTracedOnDemand) {
  const Ended ended = alarm({"node.rtc.impl=rtl"},
                            {"--trace", "node.rtc", "--trace-from", "999990us", "--trace-to", "1000010us"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(exists("run/traces/node.rtc.fst"));
}

TEST_F(RtcRtlTest, ErrorsAreReportedBeforeTheRun) {
  Ended ended =
      alarm({"node.rtc.impl=rtl",
             "node.rtc.variant=" + (source_configs().parent_path() / "rtl/lrg_arbiter/block.json").string()});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(
      ended.err,
      HasSubstr("node.rtc.variant: expected a block of the contract \"bus_device\", got \"arbiter\""));
  ended = firmware("alarm", {"node.rtc.clock=1MHz"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              HasSubstr("node.rtc.clock: this key is valid only if impl is \"rtl\" or \"lockstep\""));
}

}  // namespace
}  // namespace asterism
