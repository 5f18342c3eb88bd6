// What a user sees of a mistake in firmware: warnings, summary, cores.txt, last_instructions.txt.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct DiagnosisTest : CommandTest {
  DiagnosisTest() { node_of_firmware = untimed; }
  Ended mistake(const std::string& what, const Arguments& more = {}) const {
    Arguments all{"args=what=" + what};
    all.insert(all.end(), more.begin(), more.end());
    return firmware("mistakes", all);
  }
  static void expect_to_fit(const std::string& summary) {
    std::istringstream lines(summary);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("core ") || line.starts_with("     ")) {
        EXPECT_LE(line.size(), 80u) << line;
      }
  }
};

TEST_F(DiagnosisTest, ANullStoreIsReportedOnceWithItsPlace) {
  const Ended ended = mistake("null");
  EXPECT_EQ(ended.status, 60);
  EXPECT_THAT(ended.err,
              ContainsRegex("warning node.core0: store of 4 bytes at 0x0: there is no device or memory "
                            "\\(a null pointer\\?\\), an SError \\[leaf\\+?[0-9a-fx]* \\(0x402[0-9a-f]+\\) "
                            "at mistakes.c:[0-9]+\\]\n"));
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("core 0       SError: bus error, address 0x0, pc "));
  EXPECT_THAT(ended.out, ContainsRegex("called by [a-z_+0-9x, ]*main\\+0x"));
  EXPECT_THAT(ended.out, HasSubstr("details      cores.txt (registers, callers)\n"));
  expect_to_fit(ended.out);
  const std::string cores = contents("run/cores.txt");
  EXPECT_THAT(cores, ContainsRegex("#[12]  main\\+0x[0-9a-f]+ \\(0x402[0-9a-f]+\\) at mistakes.c:"));
  EXPECT_THAT(cores, ContainsRegex(" x30 0x000000004020[0-9a-f]{4}"));
  EXPECT_THAT(cores, HasSubstr("ESR_EL1 0xbe000011"));
  EXPECT_THAT(cores, HasSubstr("==== core 1: off: was never started"));
}

TEST_F(DiagnosisTest, ANullCallShowsItsCaller) {
  const Ended ended = mistake("call");
  EXPECT_EQ(ended.status, 60);
  EXPECT_THAT(ended.out, HasSubstr("core 0       instruction abort: external abort, address 0x0, pc 0x0\n"
                                   "             called by main+0x"));
}

TEST_F(DiagnosisTest, RepeatedWarningsAreCounted) {
  const Ended ended = mistake("repeat");
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, HasSubstr("warning node.core0: repeated 999 times: load of 4 bytes at 0x0: "));
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 2) << ended.err;
  EXPECT_FALSE(exists("run/cores.txt"));
}

TEST_F(DiagnosisTest, AnAccessToADeviceThatTheNodeLacksSaysSo) {
  EXPECT_THAT(mistake("device").err,
              HasSubstr("load of 4 bytes at 0xb030000: there is no device or memory; other nodes "
                        "have gpu here, an SError [main+0x"));
}

TEST_F(DiagnosisTest, AWarningOfADeviceNamesTheCoreThatCausedIt) {
  const Ended ended = mistake("register");
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.err,
              ContainsRegex("warning node.dimm_ssd: guest wrote the read-only register ID .*: ignored "
                            "\\[core2, write_register\\+0x[0-9a-f]+ \\(0x402[0-9a-f]+\\) at "));
}

TEST_F(DiagnosisTest, CodeThatIsOverwrittenShowsWhereItIsExecuted) {
  const Ended ended = mistake("code");
  EXPECT_EQ(ended.status, 60);
  EXPECT_THAT(ended.err,
              ContainsRegex("undefined instruction 0x00000000 \\(logged once for each instruction word\\) "
                            "\\[leaf \\(0x"));
  EXPECT_THAT(ended.out,
              ContainsRegex("core 0       undefined instruction, pc leaf \\(0x402[0-9a-f]+\\) at "
                            "mistakes.c:[0-9]+\n             called by middle\\+0x[0-9a-f]+, main\\+0x"));
}

TEST_F(DiagnosisTest, AnOverflowOfTheStackShowsTheRecursion) {
  const Ended ended = mistake("stack", {"--until", "20ms"});
  EXPECT_EQ(ended.status == 0 || ended.status == 1, false);
  EXPECT_THAT(ended.out, ContainsRegex("called by recurse\\+0x[0-9a-f]+, recurse\\+0x"));
  EXPECT_LE(std::ranges::count(ended.err, '\n'), 8) << ended.err;
  EXPECT_THAT(contents("run/cores.txt"), HasSubstr("  #32 recurse+0x"));
}

TEST_F(DiagnosisTest, ADeadlockShowsWhereEachCoreWaits) {
  const Ended ended = mistake("barrier");
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.out,
              ContainsRegex("core 0       waits for an interrupt, pc wait_while_equal\\+0x[0-9a-f]+ "
                            "\\(0x402[0-9a-f]+\\) at\n             interrupts.h:[0-9]+\n"
                            "             called by cores_run\\+0x[0-9a-f]+, main\\+0x"));
  EXPECT_THAT(ended.out, ContainsRegex("called by secondary_main\\+0x[0-9a-f]+, secondary_entry\\+0x"));
  expect_to_fit(ended.out);
}

TEST_F(DiagnosisTest, AnEndlessLoopOfResetsIsRecognised) {
  const Ended ended = mistake("reset", {"--until", "300us", "--quiet"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(
      ended.out,
      ContainsRegex("resets       [0-9]+ warm resets, one every [0-9.]+ us until the end: an endless loop\n"
                    "             of resets\n"));
}

TEST_F(DiagnosisTest, FirmwareWithoutSymbolsShowsAddresses) {
  ASSERT_EQ(program("/usr/bin/aarch64-linux-gnu-strip", {"-o", "stripped.elf", elf("mistakes")}).status, 0);
  const Ended ended = firmware("stripped.elf", {"args=what=null"});
  EXPECT_EQ(ended.status, 60);
  EXPECT_THAT(ended.err, ContainsRegex("an SError \\[0x402[0-9a-f]+\\]\n"));
  EXPECT_THAT(
      ended.out,
      ContainsRegex(
          "core 0       SError: bus error, address 0x0, pc 0x402[0-9a-f]+\n             called by 0x402"));
}

// ---- firmware without a scenario ----

TEST_F(DiagnosisTest, AnElfFileRunsOnTheStandardNode) {
  std::filesystem::copy_file(elf("exit_status"), folder / "own");
  const Ended ended = asterism({"run", "own", "args=status=7"});
  EXPECT_EQ(ended.status, 7) << ended.err;
  EXPECT_TRUE(exists("runs/own/stats.json"));
  EXPECT_THAT(ended.out, HasSubstr("scenario     own (./own)\n"));
  const Ended twice = asterism({"run", "./own", "--firmware", "cg"});
  EXPECT_EQ(twice.status, 65);
  EXPECT_EQ(twice.err,
            "command line: error: --firmware: ./own is firmware already; name a scenario to run it there\n");
}

TEST_F(DiagnosisTest, WhatIsNeitherAScenarioNorFirmwareIsRefused) {
  write("notes.txt", "\n  Dear diary,\n");
  const Ended ended = asterism({"run", "notes.txt"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_EQ(
      ended.err,
      "notes.txt: error: is neither a scenario (JSON, which begins with \"{\") nor firmware (an ELF file)\n");
}

// ---- --last-instructions ----

TEST_F(DiagnosisTest, TheLastInstructionsAreThoseOfTheTrace) {
  const Ended ended = mistake("null", {"--last-instructions", "30", "--log", "core0=trace"});
  EXPECT_EQ(ended.status, 60);
  EXPECT_THAT(ended.out, HasSubstr("details      cores.txt (registers, callers), last_instructions.txt\n"));
  EXPECT_FALSE(exists("run/copies"));
  std::istringstream text(contents("run/last_instructions.txt"));
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "==== core0: 30 instructions");
  std::vector<std::string> last;
  while (std::getline(text, line) && !line.empty()) last.push_back(line);
  ASSERT_EQ(last.size(), 30u);
  for (const std::string& each : last) EXPECT_THAT(ended.err, HasSubstr("node.core0: " + each + "\n"));
  const auto store = std::ranges::find_if(last, [](const std::string& each) {
    return each.find(" leaf") != std::string::npos && each.find(" str w") != std::string::npos;
  });
  ASSERT_NE(store, last.end());
  EXPECT_THAT(*store, ContainsRegex(" x0=0x0 \\[0x0\\]$"));
}

TEST_F(DiagnosisTest, LastInstructionsChangeNoResult) {
  const Arguments base{"run", "power_loss", "--quiet", "expect.result_equals=null", "--out"};
  Arguments plain = base, armed = base;
  plain.push_back("plain");
  armed.insert(armed.end(), {"run", "--last-instructions", "100"});
  EXPECT_EQ(asterism(plain).status, 0);
  EXPECT_EQ(asterism(armed).status, 0);
  EXPECT_EQ(left_by("run"), left_by("plain"));
}

TEST_F(DiagnosisTest, LastInstructionsOfALongRunComeFromACopyInItsMiddle) {
  const Ended ended = firmware("spin", {"--until", "600ms", "args=cores=3", "--last-instructions", "1000"});
  EXPECT_EQ(ended.status, 69);
  const std::string last = contents("run/last_instructions.txt");
  for (const char* core : {"core0", "core1", "core2"})
    EXPECT_THAT(last, HasSubstr("==== " + std::string(core) + ": 1000 instructions\n"));
  const auto instructions = json("run/stats.json")["node"]["core0"]["instructions"].get<std::uint64_t>();
  EXPECT_THAT(
      last,
      HasSubstr("\n" +
                std::string(10 - std::min<std::size_t>(10, std::to_string(instructions - 1).size()), ' ') +
                std::to_string(instructions - 1) + " 0x"));
}

TEST_F(DiagnosisTest, ARingOfNoInstructionsIsRefused) {
  const Ended ended = mistake("null", {"--last-instructions", "0"});
  EXPECT_EQ(ended.status, 64);
  EXPECT_THAT(ended.err, HasSubstr("--last-instructions: Value 0 not in range"));
  EXPECT_FALSE(left_a_run());
}

TEST_F(DiagnosisTest, CtrlCShowsCoresAndLastInstructions) {
  Running run = start({"run", "hello", "firmware=spin", "expect={}", "until=1000s", "--last-instructions",
                       "10", "--out", "run"});
  while (!exists("run.partial/copies/1")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  run.signal(SIGINT);
  const Ended ended = run.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_THAT(ended.out, ContainsRegex("core 0       running, pc [a-z_]+"));
  EXPECT_THAT(contents("run.partial/cores.txt"), HasSubstr("registers now:\n"));
  EXPECT_THAT(contents("run.partial/last_instructions.txt"), HasSubstr("==== core0: 10 instructions\n"));
}

// ---- the window of an instruction trace ----

TEST_F(DiagnosisTest, AnInstructionTraceHasAWindow) {
  const auto traced = [](const std::string& err) {
    std::vector<std::string> lines;
    std::istringstream in(err);
    for (std::string line; std::getline(in, line);) lines.push_back(line.substr(line.find("node.core0: ")));
    return lines;
  };
  const Ended whole = firmware("hello", {"--log", "core0=trace"});
  const Ended part =
      firmware("hello", {"--log", "core0=trace", "--trace-from", "10us", "--trace-to", "12us"});
  EXPECT_EQ(part.status, 0);
  const auto all = traced(whole.err), some = traced(part.err);
  ASSERT_GT(some.size(), 500u);
  EXPECT_LE(some.size(), 2010u);
  EXPECT_NE(std::search(all.begin(), all.end(), some.begin(), some.end()), all.end()) << some.front();
  EXPECT_EQ(
      firmware("hello", {"--trace-from", "10us"}).err,
      "command line: error: --trace-from: has no effect without --trace INSTANCE or --log CORE=trace\n");
}

TEST_F(DiagnosisTest, AWindowWithoutInstructionsIsReported) {
  const Ended late = firmware("hello", {"--log", "core0=trace", "--trace-from", "2s", "--trace-to", "3s"});
  EXPECT_EQ(late.status, 0);
  EXPECT_THAT(late.err, ContainsRegex("^asterism: there was nothing to trace of core0 from 2 s to 3 s; "
                                      "the run ended at [0-9.]+ [mu]s of simulated time\n$"));
}

}  // namespace
}  // namespace asterism
