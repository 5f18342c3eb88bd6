// Firmware built by others on the platform itself: ROM images in NOR flash, and a script at the console.
// tests/foreign compares everything else that Debian's U-Boot and EDK2 do. If they are not installed these
// tests fail: scripts/setup test.
#include <gmock/gmock.h>

#include <fstream>

#include "base/nightly.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ForeignFirmwareTest : public CommandTest {
 protected:
  // A ROM of a few instructions, and a scenario that runs it.
  Ended rom(const std::vector<std::uint32_t>& words, const Arguments& more = {}) const {
    std::ofstream(folder / "rom.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(4 * words.size()));
    write("rom.json", R"({"node": {"use": "virt_node"}, "firmware": "./rom.bin", "firmware_format": "raw",
                          "until": "1ms"})");
    Arguments arguments{"run", "rom.json", "--out", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return asterism(arguments);
  }
};

// With x1 = the UART, these print one character and switch the node off by PSCI.
constexpr std::uint32_t uart_in_x1 = 0xd2a12001;                              // mov x1, #0x9000000
constexpr std::uint32_t print_w0 = 0xb9000020;                                // str w0, [x1]
constexpr std::uint32_t system_off[] = {0xd2b08000, 0xf2800100, 0xd4000002};  // mov x0, #0x84000008; hvc #0

std::vector<std::uint32_t> then_off(std::vector<std::uint32_t> words) {
  words.insert(words.end(), std::begin(system_off), std::end(system_off));
  return words;
}

TEST_F(ForeignFirmwareTest, ARomStartsAtTheFirstByteOfFlash) {
  const Ended ended = rom(then_off({uart_in_x1,
                                    0x52800820,  // mov w0, #'A'
                                    print_w0}));
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(contents("run/uart0.log"), "A");
  EXPECT_EQ(json("run/stats.json")["node"]["core0"]["instructions"], 6);
}

TEST_F(ForeignFirmwareTest, EverySerialLineHasItsLogAndAllButTheFirstTheirNameOnTheTerminal) {
  const Ended ended = rom(then_off({uart_in_x1,
                                    0x52800820,  // mov w0, #'A'
                                    print_w0,
                                    0xd2a12081,  // mov x1, #0x9040000
                                    0x52800840,  // mov w0, #'B'
                                    print_w0}),
                          {R"(node.devices.uart1={"type": "pl011", "base": "0x0904_0000"})"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(contents("run/uart0.log"), "A");
  EXPECT_EQ(contents("run/uart1.log"), "B");
  EXPECT_THAT(ended.out, testing::StartsWith("Auart1: B\n"));
}

// If the first word of the second bank is erased, these instructions program it and continue with `then`;
// otherwise they print it.
std::vector<std::uint32_t> character_in_flash(const std::vector<std::uint32_t>& then) {
  std::vector<std::uint32_t> program = then_off({
      uart_in_x1,
      0xd2a08002,  // mov x2, #0x4000000
      0xb9400040,  // ldr w0, [x2]
      0x3100041f,  // cmn w0, #1
      0x540000a0,  // b.eq program
      print_w0,
  });
  program.insert(program.end(), {
                                    0x52800803,  // program: mov w3, #0x40
                                    0x72a00803,  // movk w3, #0x40, lsl #16
                                    0xb9000043,  // str w3, [x2]
                                    0x52800844,  // mov w4, #'B'
                                    0xb9000044,  // str w4, [x2]
                                });
  program.insert(program.end(), then.begin(), then.end());
  return program;
}

TEST_F(ForeignFirmwareTest, FlashKeepsWhatIsWrittenThroughAReset) {
  const Ended ended = rom(character_in_flash({
      0x52801fe3,  // mov w3, #0xff
      0x72a01fe3,  // movk w3, #0xff, lsl #16
      0xb9000043,  // str w3, [x2]
      0xd2b08000,  // mov x0, #0x84000000
      0xf2800120,  // movk x0, #9: SYSTEM_RESET
      0xd4000002,  // hvc #0
  }));
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(contents("run/uart0.log"), "B");
  const auto flash = json("run/stats.json")["node"]["flash1"];
  EXPECT_EQ(flash["words_programmed"], 2);  // one word in each chip
  EXPECT_EQ(flash["stores"], 3);
}

TEST_F(ForeignFirmwareTest, FlashKeepsWhatIsWrittenThroughALossOfPower) {
  for (const std::string caches : {"none", "tags"}) {
    const Ended ended = rom(character_in_flash({0x14000000}),  // b .
                            {R"(faults=[{"at":"100us","kind":"power_loss","restore_after":"100us"}])",
                             "node.cores.caches.model=" + caches});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_EQ(contents("run/uart0.log"), "B");
  }
}

// Stores a character in DRAM, waits, and prints it.
const std::vector<std::uint32_t> character_in_dram = then_off({
    uart_in_x1,
    0xd2a80802,  // mov x2, #0x40400000
    0x52800880,  // mov w0, #'D'
    0xb9000040,  // str w0, [x2]
    0xd29fffe3,  // mov x3, #0xffff
    0xf1000463,  // wait: subs x3, x3, #1
    0x54ffffe1,  // b.ne wait
    0xb9400040,  // ldr w0, [x2]
    print_w0,
});

TEST_F(ForeignFirmwareTest, ACampaignKnowsWhatFirmwareWithoutFilesPrints) {
  const Ended first =
      rom(character_in_dram, {"node.memory.ecc=none", "--snapshot-at", "1us", "--snapshot", "file"});
  if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
  ASSERT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_EQ(contents("run/uart0.log"), "D");
  write("faults.jsonl", R"({"at":"50us","kind":"chip","channel":0,"rank":0,"chip":0,"persistence":"stuck"}
{"at":"900us","kind":"chip","channel":0,"rank":0,"chip":0}
)");
  const Ended ended = asterism({"study", "campaign", "snapshot=file", "faults=faults.jsonl", "jobs=1"});
  EXPECT_EQ(ended.status, 67) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("silent           1"), HasSubstr("late             1")));
}

TEST_F(ForeignFirmwareTest, ACampaignKnowsWhatTheScriptWaitsFor) {
  write("faults.jsonl", R"({"at":"50us","kind":"chip","channel":0,"rank":0,"chip":0,"persistence":"stuck"}
)");
  const auto snapshot = [&](const std::string& words) {
    return rom(character_in_dram,
               {"node.memory.ecc=none", "--snapshot-at", "1us", "--snapshot", "file",
                R"(node.uart0={"input":"script","script":[{"after":")" + words + R"("}]})"});
  };
  const auto campaign = [&] {
    return asterism({"study", "campaign", "snapshot=file", "faults=faults.jsonl", "jobs=1"});
  };
  const Ended met = snapshot("D");
  if (is_refused_by_sanitizers(met)) GTEST_SKIP() << met.err;
  EXPECT_EQ(met.status, 0) << met.out << met.err;
  const Ended ended = campaign();
  EXPECT_EQ(ended.status, 67) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("silent           1"));

  EXPECT_EQ(snapshot("E").status, 67);  // the scenario waits for an 'E', which is never printed
  const Ended refused = campaign();
  EXPECT_EQ(refused.status, 65);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("the run without a fault fails"),
                                 HasSubstr("\"E\" at uart0 was never received")));
}

TEST_F(ForeignFirmwareTest, TheScriptWaitsAndTypes) {
  // Prints '?' and then the characters that it receives, until '.'.
  const std::vector<std::uint32_t> echo = {
      uart_in_x1,
      0x528007e0,  // mov w0, #'?'
      print_w0,
      0xb9401822,  // next: ldr w2, [x1, #0x18]
      0x3727ffe2,  // tbnz w2, #4, next
      0xb9400020,  // ldr w0, [x1]
      print_w0,
      0x7100b81f,  // cmp w0, #'.'
      0x54ffff61,  // b.ne next
  };
  const std::string typed =
      R"(node.uart0={"input":"script","script":[{"after":"?","type":"ab."},{"after":"b."}]})";
  const Ended ended = rom(then_off(echo), {typed});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(contents("run/uart0.log"), "?ab.");
  EXPECT_THAT(ended.out, HasSubstr("all expectations are met"));

  const Ended unmet =
      rom(then_off(echo),
          {R"(node.uart0={"input":"script","script":[{"after":"?","type":"."},{"after":"\n# "}]})"});
  EXPECT_EQ(unmet.status, 67);
  EXPECT_THAT(unmet.out, HasSubstr(R"(script: "\n# " at uart0 was never received)"));

  const Ended stuck =
      rom(then_off(echo), {R"(node.uart0={"input":"script","script":[{"after":"nothing","type":"."}]})"});
  EXPECT_EQ(stuck.status, 69);
  EXPECT_THAT(stuck.out, HasSubstr("script       still waits for \"nothing\" at uart0"));
}

TEST_F(ForeignFirmwareTest, ErrorsAreReported) {
  const auto refused = [&](const Arguments& more, int status, const std::string& words) {
    const Ended ended = rom(then_off({uart_in_x1}), more);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  refused({"node.devices={\"flash0\": null, \"flash1\": null}"}, 65,
          "firmware_format: is elf if the node has no ROM, such as a bank of NOR flash");
  refused({"firmware_format=elf"}, 65, "firmware_format=raw");
  refused({"--profile"}, 65, "firmware_format is raw");
  refused({"firmware=" + elf("hello")}, 65, "is an ELF file");
  refused({"firmware=hello"}, 66, "there is no file hello");
  refused({"firmware=/no/such/file.bin", "firmware_package=some-package"}, 66,
          "install the package some-package");
  refused({R"(node.uart0={"input":"script","script":[{"after":"","type":"x"}]})"}, 65, "script.0.after");
  refused({R"(node.uart0={"input":"script"})"}, 65, "node.devices.uart0.script: this key is required");
  refused({R"(node.uart0={"input":"script","script":[]})"}, 65, "has at least one line");
  std::filesystem::resize_file(folder / "rom.bin", 0);
  const Ended empty = asterism({"run", "rom.json"});
  EXPECT_EQ(empty.status, 65);
  EXPECT_THAT(empty.err, HasSubstr("expected 1 to 67108864"));
  EXPECT_FALSE(left_a_run());
}

TEST_F(ForeignFirmwareTest, UBootObeysAndItsResetWorks) {
  const Ended ended = asterism({"run", "u_boot", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string console = contents("run/uart0.log");
  EXPECT_THAT(console, AllOf(HasSubstr("Flash: 64 MiB"), HasSubstr("==> f933bb6d"),
                             HasSubstr("Total of 1048576 byte(s) were the same")));
}

// By then U-Boot has probed both banks with stores of 8 and 16 bits.
TEST_F(ForeignFirmwareTest, UBootReadsFlashAfterItsProbeAndItsEnvironmentAfterAReset) {
  const std::string script =
      R"({"input":"script","script":[{"after":"stop autoboot","type":" "},{"after":"=> ","type":"md.l 0 4\r"},)"
      R"({"after":"=> ","type":"cp.b 0 40400000 10000; cmp.b 0 40400000 10000; md.l 40400000 4\r"},)"
      R"({"after":"=> ","type":"setenv kept yes; saveenv\r"},{"after":"=> ","type":"reset\r"},)"
      R"({"after":"stop autoboot","type":" "},{"after":"=> ","type":"printenv kept\r"},{"after":"\nkept=yes"},)"
      R"({"after":"=> ","type":"poweroff\r"}]})";
  const Ended ended = asterism({"run", "u_boot", "node.uart0=" + script, "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string words = ": 1400000a d503201f 00000000 00000000";  // the first words of the file
  EXPECT_THAT(contents("run/uart0.log"), AllOf(HasSubstr("00000000" + words), HasSubstr("40400000" + words),
                                               HasSubstr("Total of 65536 byte(s) were the same"),
                                               HasSubstr("Loading Environment from Flash... OK")));
}

// Core 0 programs words of the second bank while core 1 sums what it reads there, so that the sum depends on
// the times of the accesses.
TEST_F(ForeignFirmwareTest, CoresThatShareFlashLeaveTheSameWithHostThreads) {
  const std::vector<std::uint32_t> program = {
      0xd2a8080a,  // mov x10, #0x40400000
      0xb900015f,  // str wzr, [x10]
      0xd2b88000,  // mov x0, #0xc4000000
      0xf2800060,  // movk x0, #3
      0xd2800021,  // mov x1, #1
      0x100002e2,  // adr x2, core1
      0xd4000002,  // hvc #0
      0xd2a08005,  // mov x5, #0x4000000
      0x52800406,  // mov w6, #32
      0x52800807,  // mov w7, #0x40
      0x72a00807,  // movk w7, #0x40, lsl #16
      0x52801fe8,  // mov w8, #0xff
      0x72a01fe8,  // movk w8, #0xff, lsl #16
      0xb90000a7,  // next: str w7, [x5]
      0xb80044a6,  // str w6, [x5], #4
      0xb90000a8,  // str w8, [x5]
      0xd2817709,  // mov x9, #3000
      0xf1000529,  // pause: subs x9, x9, #1
      0x54ffffe1,  // b.ne pause
      0x710004c6,  // subs w6, w6, #1
      0x54ffff21,  // b.ne next
      0xb9400140,  // wait: ldr w0, [x10]
      0x34ffffe0,  // cbz w0, wait
      0xd2a12001,  // mov x1, #0x9000000
      0xb9000020,  // str w0, [x1]
      0xd2b08000,  // mov x0, #0x84000000
      0xf2800100,  // movk x0, #8
      0xd4000002,  // hvc #0
      0xd2a8080a,  // core1: mov x10, #0x40400000
      0xd2a08005,  // mov x5, #0x4000000
      0x52800002,  // mov w2, #0
      0xd29fffe3,  // mov x3, #0xffff
      0xb94000a4,  // again: ldr w4, [x5]
      0x0b040042,  // add w2, w2, w4
      0xf1000463,  // subs x3, x3, #1
      0x54ffffa1,  // b.ne again
      0x12001042,  // and w2, w2, #0x1f
      0x11010042,  // add w2, w2, #64
      0xb9000142,  // str w2, [x10]
      0x14000000,  // b .
  };
  const auto run = [&](const std::string& threads) {
    Arguments keys{"node.cores.count=2", "--threads", threads};
    keys.insert(keys.end(), untimed.begin(), untimed.end());
    const Ended ended = rom(program, keys);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return left_by("run");
  };
  const auto expected = run("1");
  EXPECT_EQ(expected.at("uart0.log").size(), 1u);
  // Whether the other thread executes anything depends on the host, which may be busy.
  bool has_speculated = false;
  for (unsigned i = 0; i < 50 && !has_speculated; ++i) {
    EXPECT_EQ(run("2"), expected);
    EXPECT_EQ(json("run/stats.json")["node"]["flash1"]["words_programmed"], 64);
    has_speculated = json("run/host.json")["speculations"] > 0;
  }
  EXPECT_TRUE(has_speculated);
}

TEST_F(ForeignFirmwareTest, UBootGoesOnFromASnapshot) {
  const Ended first =
      asterism({"run", "u_boot", "--snapshot-at", "200ms", "--snapshot", "file", "--out", "first"});
  if (is_refused_by_sanitizers(first)) GTEST_SKIP() << first.err;
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  const Ended second = asterism({"run", "--restore", "file", "--out", "second"});
  EXPECT_EQ(second.status, 0) << second.out << second.err;
  EXPECT_EQ(left_by("first"), left_by("second"));
}

TEST_F(ForeignFirmwareTest, Edk2RunsOnAGicV3) {
  const std::string script =
      R"({"input":"script","script":[{"after":"other key","type":" "},{"after":"Shell> ","type":"reset -s\r"}]})";
  const Ended ended =
      asterism({"run", "edk2", R"(node.gic={"type": "gicv3", "base": ["0x0800_0000", "0x080a_0000"]})",
                "node.uart0=" + script, "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("(GICR_WAKER)"));
}

TEST_F(ForeignFirmwareTest, Edk2KeepsAVariableInFlashThroughAReset) {
  const Ended ended = asterism({"run", "edk2", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_GT(json("run/stats.json")["node"]["flash1"]["words_programmed"], 100);
}

// Without caches, for which most of the time would be spent between two comparisons; EDK2, which takes
// minutes, in a nightly run.
TEST_F(ForeignFirmwareTest, IsTheSameTranslatedAndInterpreted) {
  std::vector<std::string> all = {"u_boot"};
  if (is_nightly()) all.emplace_back("edk2");
  for (const std::string& firmware : all) {
    const Ended ended = asterism({"run", firmware, "node.cores.translator=lockstep", "node.cores.timing=null",
                                  "node.cores.caches.model=none", "--out", firmware});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_GT(json(firmware + "/host.json")["translator"]["compared"], 200'000'000) << firmware;
  }
}

}  // namespace
}  // namespace asterism
