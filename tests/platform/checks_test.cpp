// Mistakes of firmware that have no effect of their own (node.checks).
#include <gmock/gmock.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct ChecksTest : CommandTest {
  ChecksTest() { node_of_firmware = untimed; }
  Ended mistake(const std::string& what, const Arguments& more = {}) const {
    Arguments arguments{"args=what=" + what, "node.cores.count=4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return firmware("silent_mistakes", arguments);
  }
  std::uint64_t found(const std::string& check) const {
    return json("run/stats.json")["node"]["checks"][check];
  }
  static std::size_t warnings(const Ended& ended) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = ended.err.find("warning", at)) != std::string::npos; ++at) ++count;
    return count;
  }
};

TEST_F(ChecksTest, FirmwareWithoutAMistakeIsSilent) {
  const Ended ended = mistake("none", {"expect.exit=0", "expect.checks=0"});
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, Not(HasSubstr("checks ")));
}

TEST_F(ChecksTest, AStoreToConstantsOrCodeIsFound) {
  const Ended ended = mistake("read_only");
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.err,
              ContainsRegex("warning node.core0: store of 4 bytes at 0x4020[0-9a-f]{4}, in a segment "
                            "that the ELF file makes read-only \\(0x40200000 to 0x4020[0-9a-f]{4}\\) "
                            "\\[store_to[a-z0-9.+]* \\(0x4020[0-9a-f]{4}\\) at silent_mistakes.c:"));
  EXPECT_EQ(warnings(ended), 2u) << ended.err;
  EXPECT_EQ(found("read_only"), 2u);
  EXPECT_THAT(ended.out, HasSubstr("checks       2 pages of read-only segments stored to\n"));
}

TEST_F(ChecksTest, AJumpIntoDataIsFound) {
  const Ended ended = mistake("no_execute");
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(
      ended.err,
      ContainsRegex("warning node.core0: execution at 0x4020[0-9a-f]{4}, in a segment that the "
                    "ELF file does not make executable \\(.*\\), x30 is main\\+0x[0-9a-f]+ \\(0x4020"));
  EXPECT_EQ(warnings(ended), 1u) << ended.err;
  EXPECT_EQ(found("no_execute"), 1u);
}

// The first warning is that of the overflow; all that the program does later has another cause.
TEST_F(ChecksTest, AStackOverflowIsFoundBeforeItHarmsTheProgram) {
  const Ended ended = mistake("stack", {"until=50ms"});
  EXPECT_THAT(ended.err, testing::MatchesRegex("\\[[^]]*\\] warning node.core0: stack overflow: SP becomes "
                                               "0x4020[0-9a-f]+, [0-9]+ bytes below the stack .* \\[recurse"
                                               "(.|\n)*"));
  EXPECT_GE(found("stack"), 1u);
  const Ended stopped = mistake("stack", {"node.checks.stack=stop"});
  EXPECT_EQ(stopped.status, 67);
  EXPECT_EQ(warnings(stopped), 1u) << stopped.err;
  EXPECT_THAT(
      stopped.out,
      ContainsRegex("ended        stopped by node.checks: node.core0: stack overflow: SP becomes(.|\n)*"
                    "pc recurse\\+?[0-9a-fx]*\\s+\\(0x4020[0-9a-f]+\\)\\s+at\\s+silent_mistakes.c:"));
  EXPECT_EQ(found("stack"), 1u);
  EXPECT_EQ(json("run/stats.json")["ended"], "check");
}

TEST_F(ChecksTest, UnalignedAccessesToDeviceMemoryAreFoundOrFault) {
  EXPECT_THAT(mistake("alignment").err, HasSubstr("unaligned load of 8 bytes at"));
  EXPECT_EQ(found("alignment"), 6u);  // three loads, three stores
  EXPECT_THAT(mistake("zero_line").err, HasSubstr("DC ZVA at"));
  const Ended fault = mistake("alignment", {"node.checks.alignment=fault"});
  EXPECT_EQ(fault.status, 60);
  EXPECT_THAT(fault.out, HasSubstr("data abort; syndrome 0x0000021"));
  EXPECT_EQ(mistake("zero_line", {"node.checks.alignment=fault"}).status, 60);
  EXPECT_EQ(mistake("alignment", {"node.checks.alignment=off"}).err, "");
}

TEST_F(ChecksTest, ARegisterAccessedByAnotherWidthIsFoundOnce) {
  const Ended byte = mistake("register_byte");
  EXPECT_THAT(byte.err, ContainsRegex("warning node.core0: store of 1 byte at 0xb020010, the register "
                                      "DIMM_SSD.INTERRUPT_ENABLE, which has 32 bits \\[main\\+0x"));
  EXPECT_EQ(warnings(byte), 1u) << byte.err;
  EXPECT_EQ(found("register_width"), 3u);
  EXPECT_THAT(mistake("register_pair").err, HasSubstr("load of 8 bytes at 0xb020010, the register"));
}

TEST_F(ChecksTest, EveryCheckCanBeOffOrStopTheRun) {
  for (const auto& [what, check] :
       std::vector<std::pair<std::string, std::string>>{{"read_only", "read_only"},
                                                        {"no_execute", "no_execute"},
                                                        {"alignment", "alignment"},
                                                        {"zero_line", "alignment"},
                                                        {"register_byte", "register_width"}}) {
    const Ended off = mistake(what, {"node.checks." + check + "=off"});
    EXPECT_EQ(off.status, 0) << what;
    EXPECT_EQ(off.err, "") << what;
    EXPECT_EQ(found(check), 0u) << what;
    const Ended stopped = mistake(what, {"node.checks." + check + "=stop"});
    EXPECT_EQ(stopped.status, 67) << what;
    EXPECT_THAT(stopped.out, Not(HasSubstr("silent_mistakes: done"))) << what;
    EXPECT_EQ(found(check), 1u) << what;
  }
}

TEST_F(ChecksTest, AScenarioMayDemandThatNothingIsFound) {
  const Ended ended = mistake("alignment", {"expect.checks=0"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out,
              HasSubstr("NOT MET      checks: expected 0, but there were 6: 6 unaligned accesses to"));
}

TEST_F(ChecksTest, FindingsDoNotDependOnHostThreads) {
  for (const char* what : {"read_only", "no_execute", "alignment", "register_byte"}) {
    const Ended alone = mistake(what);
    const auto files = left_by("run");
    const Ended threads = mistake(what, {"--threads", "3"});
    EXPECT_EQ(left_by("run"), files) << what;
    EXPECT_EQ(threads.err, alone.err) << what;
  }
}

TEST_F(ChecksTest, TheKeysAreChecked) {
  EXPECT_THAT(mistake("none", {"node.checks.stack=wran"}).err, HasSubstr("did you mean \"warn\"?"));
  EXPECT_THAT(
      mistake("none", {"node.checks.stacks=[{\"low\":\"__stacks_strat\",\"high\":\"__stacks_end\"}]"}).err,
      HasSubstr("did you mean \"__stacks_start\"?"));
}

TEST_F(ChecksTest, TheShippedFirmwareMakesNone) {
  for (const char* app :
       {"hello", "cg", "stencil", "memtest", "litmus", "single_core", "timer", "echo", "alarm"}) {
    write("line.txt", "a\n");
    const Ended ended = firmware(app, {"node.uart0.input=file", "node.uart0.input_file=line.txt",
                                       "node.checks.alignment=stop", "expect.checks=0"});
    EXPECT_EQ(ended.status, 0) << app << ended.out << ended.err;
  }
}

}  // namespace
}  // namespace asterism
