// sw/conformance: programs print what they observe of Arm's architecture, line by line, on QEMU's virt
// machine and here.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

enum class Time { of_the_host, of_instructions };

struct ConformanceTest : CommandTest {
  ConformanceTest() { node_of_firmware = untimed; }  // MMU off, as there
  std::string on_qemu(const std::string& app, const std::string& cpu, const std::string& argument = {},
                      Time time = Time::of_the_host) const {
    std::string semihosting = "enable=on,target=native,arg=" + app;
    if (!argument.empty()) semihosting += ",arg=" + argument;
    Arguments words{"-M",         "virt",    "-cpu",  cpu,    "-smp", "4",
                    "-nographic", "-net",    "none",  "-vga", "none", "-semihosting-config",
                    semihosting,  "-kernel", elf(app)};
    if (time == Time::of_instructions) words.insert(words.end(), {"-icount", "shift=5,sleep=off"});
    const Ended ended = program("qemu-system-aarch64", words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.err;
  }
  std::string here(const std::string& app, const std::string& argument = {},
                   const std::string& features = {}) const {
    Arguments overrides{"args=" + argument, "node.cores.translator=lockstep"};
    if (!features.empty()) overrides.push_back("node.cores.features=" + features);
    const Ended ended = firmware(app, overrides);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return contents("run/console.log");
  }
};

constexpr auto all_features = R"(["crc32","lse","aes","pmull","sha1","sha2","rdm","rcpc","dotprod","fp16"])";

unsigned lines(const std::string& text) {
  return static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
}

// A few lines are compared with the manual itself, because agreement with QEMU alone would not detect a
// common mistake.
TEST_F(ConformanceTest, ExceptionsSayWhatQemusDo) {
  const std::string theirs = on_qemu("conformance_exceptions", "cortex-a57");
  EXPECT_EQ(lines(theirs), 124);
  EXPECT_THAT(theirs, HasSubstr("\nudf: vector 0x200, ESR 0x02000000 (unknown), ELR +4, SPSR 0x000003c5\n"));
  EXPECT_THAT(theirs, HasSubstr("\nEL0: svc: vector 0x400, ESR 0x56000055 (SVC), ELR +8, SPSR 0x000003c0\n"));
  EXPECT_THAT(theirs,
              HasSubstr("\nstore, permission, level 3: vector 0x200, ESR 0x9600004f (data abort), ELR +4, "
                        "FAR 0x80001008, SPSR 0x000003c5\n"));
  EXPECT_THAT(theirs, HasSubstr("\ngoing on: x0 was 42 behind the first svc: yes, SPSR 0x600003c5\n"));
  EXPECT_EQ(here("conformance_exceptions"), theirs);
}

TEST_F(ConformanceTest, TimersExpireAsQemusDo) {
  const std::string theirs = on_qemu("conformance_timers", "cortex-a57", {}, Time::of_instructions);
  EXPECT_THAT(theirs, HasSubstr("\nof 4 cores, the last one first: 3 2 1 0\n"));
  EXPECT_THAT(theirs, Not(HasSubstr(": NO\n")));
  EXPECT_EQ(here("conformance_timers"), theirs);
}

TEST_F(ConformanceTest, InterruptsHaveThePrioritiesOfQemus) {
  const std::string theirs = on_qemu("conformance_interrupts", "cortex-a57", {}, Time::of_instructions);
  EXPECT_THAT(theirs, HasSubstr("in 2, running 0x80\n"
                                "asked for 3 and 5, still masked in 2, running 0x80\n"
                                "in 3, running 0x60\n"
                                "in 4, running 0x40\n"
                                "still in 3, running 0x60\n"
                                "unmasked, still in 2, running 0x80\n"
                                "in 5, running 0xa0\n"));
  EXPECT_EQ(here("conformance_interrupts"), theirs);
}

TEST_F(ConformanceTest, DebugExceptionsSayWhatQemusDo) {
  const std::string theirs = on_qemu("conformance_debug", "cortex-a57");
  EXPECT_EQ(lines(theirs), 65);
  EXPECT_THAT(
      theirs,
      HasSubstr("\nbreakpoint: vector 0x200, ESR 0xc6000022 (breakpoint), ELR +8, SPSR 0x000001c5\n"));
  EXPECT_EQ(here("conformance_debug"), theirs);
}

TEST_F(ConformanceTest, PerformanceMonitorsCountAsQemusDo) {
  const std::string theirs = on_qemu("conformance_performance", "cortex-a57", {}, Time::of_instructions);
  EXPECT_EQ(lines(theirs), 61);
  EXPECT_THAT(theirs, HasSubstr("\n100 nops: 100 more\n"));
  EXPECT_THAT(theirs, HasSubstr("\na loop of 1000: 2001 more\n"));
  EXPECT_THAT(theirs, Not(HasSubstr(": NO\n")));
  EXPECT_EQ(here("conformance_performance"), theirs);
}

TEST_F(ConformanceTest, FloatingPointHasTheBitsAndFlagsOfQemus) {
  const std::string theirs = on_qemu("conformance_floating_point", "cortex-a57");
  EXPECT_THAT(theirs, HasSubstr("\n0 / 0: 7ff8000000000000, invalid\n"));
  EXPECT_THAT(theirs, HasSubstr("\nsmallest normal / 2, flushed: 0000000000000000, underflow\n"));
  EXPECT_THAT(theirs, HasSubstr("\nhalf precision: left out, this core does not announce it\n"));
  EXPECT_EQ(here("conformance_floating_point"), theirs);
}

TEST_F(ConformanceTest, HalfPrecisionAndLaterMultiplicationsHaveTheBitsAndFlagsOfQemus) {
  const std::string theirs = on_qemu("conformance_floating_point", "max");
  EXPECT_THAT(theirs, HasSubstr("\nhalf: smallest normal / 2: 0000000000000200\n"));
  EXPECT_THAT(theirs, HasSubstr("\nhalf: smallest normal / 2, flushed: 0000000000000000, underflow\n"));
  EXPECT_THAT(theirs, HasSubstr("\nhalf: smallest + 1, flushed: 0000000000003c00\n"));
  EXPECT_THAT(theirs, HasSubstr("\nhalf: 65520 from an integer: 0000000000007c00, overflow, inexact\n"));
  EXPECT_THAT(theirs, Not(HasSubstr("left out")));
  EXPECT_EQ(here("conformance_floating_point", {}, all_features), theirs);
}

TEST_F(ConformanceTest, AFloatingPointInstructionsCasesAreShownOnRequest) {
  const std::string cases = here("conformance_floating_point", "detail=fsqrt_d");
  EXPECT_EQ(lines(cases), 28 * 16 + 1);
  EXPECT_THAT(cases, HasSubstr("fsqrt_d FPCR 00000000: 00000000000000018000000000000000 "));
  EXPECT_EQ(firmware("conformance_floating_point", {"args=detail=no_such"}).status, 2);
}

TEST_F(ConformanceTest, AtomicsDoWhatQemusDo) {
  const std::string theirs = on_qemu("conformance_atomics", "max");
  EXPECT_THAT(theirs, HasSubstr("\n-- LSE\n"));
  EXPECT_THAT(theirs, HasSubstr("\nclrex between: status 1, left 5\n"));
  EXPECT_THAT(theirs, HasSubstr("\nswpal: exact\n"));
  EXPECT_THAT(theirs, Not(HasSubstr("NOT EXACT")));
  EXPECT_THAT(theirs, HasSubstr("\nldaprh: read 0000000000009788\n"));
  EXPECT_EQ(here("conformance_atomics", {}, all_features), theirs);
}

TEST_F(ConformanceTest, CryptographyGivesThePublishedAnswers) {
  const std::string theirs = on_qemu("conformance_cryptography", "cortex-a57");
  EXPECT_EQ(lines(theirs), 11);
  EXPECT_THAT(theirs, HasSubstr("\nAES-256: 8ea2b7ca516745bfeafc49904b496089\n"));
  EXPECT_THAT(theirs, HasSubstr("\nSHA-1 of one block: a9993e364706816aba3e25717850c26c9cd0d89d\n"));
  EXPECT_THAT(theirs, HasSubstr("\nGHASH of GCM's test case 2: f38cbb1ad69223dcc3457ae5b6b0f885\n"));
  EXPECT_THAT(theirs, Not(HasSubstr("NOT as published")));
  EXPECT_EQ(here("conformance_cryptography"), theirs);
}

TEST_F(ConformanceTest, CryptographyThatIsNotAnnouncedIsLeftOut) {
  const std::string text = here("conformance_cryptography", {}, R"(["crc32","lse","aes"])");
  EXPECT_THAT(text, HasSubstr("AES-128: 69c4e0d86a7b0430d8cdb78070b4c55a\n"));
  EXPECT_THAT(text, HasSubstr("\nSHA-1 is left out: this core has no instructions for it\n"));
  EXPECT_THAT(text, HasSubstr("\nSHA-256 is left out: this core has no instructions for it\n"));
  EXPECT_THAT(text, HasSubstr("\nPMULL is left out: this core has no instructions for it\n"));
}

}  // namespace
}  // namespace asterism
