// Debian's unmodified U-Boot and EDK2 on both engines: they say what they should, and the engines do the
// same, instruction by instruction.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "engines.h"
#include "first_difference.h"
#include "machine.h"
#include "qemu_session.h"
#include "session.h"

namespace asterism::foreign {
namespace {

std::unique_ptr<Machine> make_machine(
    const Firmware& firmware, Engine engine, Time time = Time::looks,
    const std::vector<std::byte>& device_tree = Machine::default_device_tree()) {
  return std::make_unique<Machine>(
      firmware.file, [engine](IssHost& host) { return make_iss(engine, host); }, time, device_tree);
}

// A boot from reset to power off, as the firmware's script says.
struct Boot {
  Boot(const Firmware& firmware, Engine engine, Time time = Time::looks,
       const std::vector<std::byte>& device_tree = Machine::default_device_tree())
      : machine(make_machine(firmware, engine, time, device_tree)), session(*machine, firmware.script) {
    machine->warn = [](const std::string& line) { ADD_FAILURE() << line; };
    end = machine->run(max_instructions);
  }

  static constexpr std::uint64_t max_instructions = 5'000'000'000;
  std::unique_ptr<Machine> machine;
  Session session;
  Machine::End end;
};

void expect_in_order(const std::string& text, const std::vector<std::string>& landmarks) {
  std::size_t from = 0;
  for (const std::string& landmark : landmarks) {
    const std::size_t at = text.find(landmark, from);
    ASSERT_NE(at, std::string::npos) << "no '" << landmark << "' behind " << from << " in\n" << text;
    from = at + landmark.size();
  }
}

void expect_powered_off(const Boot& boot) {
  EXPECT_EQ(boot.end, Machine::End::powered_off) << boot.machine->iss().why();
  EXPECT_EQ(boot.session.waits_for(), nullptr) << boot.session.waits_for()->after;
}

void expect_same(const Boot& native, const Boot& unicorn) {
  EXPECT_EQ(native.session.transcript(), unicorn.session.transcript());
  EXPECT_EQ(native.machine->instructions(), unicorn.machine->instructions());
  EXPECT_EQ(native.machine->interrupts_taken(), unicorn.machine->interrupts_taken());
  EXPECT_TRUE(std::ranges::equal(native.machine->dram(), unicorn.machine->dram()));
  EXPECT_TRUE(std::ranges::equal(native.machine->flash().contents(), unicorn.machine->flash().contents()));
}

// clang-format off
std::vector<std::string> uboot_landmarks() {
  return {
      "U-Boot 20", "DRAM:  256 MiB", "Flash: 32 MiB", "stop autoboot",
      "=> bdinfo", "size     = 0x0000000010000000",
      "=> cmp.b", "Total of 1048576 byte(s) were the same",
      "=> crc32", "==> f933bb6d",  // zlib's crc32() agrees
      "=> md.q", "40400000: ed12345eed1234",
      "=> fdt print", "method = \"hvc\";",
      "=> setexpr", "sum=12341234",
      "=> reset", "resetting ...", "U-Boot 20", "stop autoboot",
      "=> printenv sum", "## Error: \"sum\" not defined",
      "=> poweroff", "poweroff ...",
  };
}

std::vector<std::string> edk2_landmarks() {
  return {
      "UEFI firmware", "BdsDxe: starting Boot0001", "UEFI Interactive Shell",
      "Shell> ", "UEFI v2.",
      "Shell> ", "No mapping found",
      "Shell> ", "256 MB (268,435,456 Bytes)",
      "Shell> ", "Shell> ", "colour ", "green",
      "Shell> ", "11/14/2023",
      "Shell> ",
  };
}

// clang-format on

class ForeignBoot : public testing::Test {
 protected:
  static void need(const Firmware& firmware, Engine engine = Engine::native) {
    if (!std::filesystem::exists(firmware.file))
      GTEST_SKIP() << "no " << firmware.file << ": install the package " << firmware.package
                   << " (scripts/setup test)";
    if (!has(engine)) GTEST_SKIP() << "this build has no Unicorn";
  }
};

TEST_F(ForeignBoot, UBootComesToItsPromptAndObeys) {
  need(uboot());
  if (IsSkipped()) return;
  const Boot boot(uboot(), Engine::native);
  expect_powered_off(boot);
  expect_in_order(boot.session.transcript(), uboot_landmarks());
}

TEST_F(ForeignBoot, UBootIsTheSameOnUnicorn) {
  need(uboot(), Engine::unicorn);
  if (IsSkipped()) return;
  expect_same(Boot(uboot(), Engine::native), Boot(uboot(), Engine::unicorn));
}

// But for the countdown, which depends on when the key comes.
TEST_F(ForeignBoot, UBootSaysTheSameOnQemu) {
  need(uboot());
  if (IsSkipped()) return;
  ASSERT_TRUE(has_qemu()) << "qemu-system-aarch64 is not installed: scripts/setup test";
  const auto without_countdown = [](const std::string& transcript) {
    return std::regex_replace(transcript, std::regex("autoboot: [ 0-9\b]*"), "autoboot:");
  };
  const Boot boot(uboot(), Engine::native, Time::looks, qemu_device_tree());
  EXPECT_EQ(without_countdown(boot.session.transcript()),
            without_countdown(qemu_transcript(uboot(), std::chrono::minutes(1))));
}

TEST_F(ForeignBoot, Edk2ComesToItsShellAndObeys) {
  need(edk2());
  if (IsSkipped()) return;
  const Boot boot(edk2(), Engine::native);
  expect_powered_off(boot);
  expect_in_order(boot.session.transcript(), edk2_landmarks());
  EXPECT_GT(boot.machine->interrupts_taken(), 100u);
  // The shell's variable has gone to flash.
  static constexpr char name[] = "c\0o\0l\0o\0u\0r\0\0";
  const std::span<const std::uint8_t> flash = boot.machine->flash().contents();
  EXPECT_NE(std::search(flash.begin(), flash.end(), std::begin(name), std::end(name)), flash.end());
}

TEST_F(ForeignBoot, Edk2IsTheSameOnUnicorn) {
  need(edk2(), Engine::unicorn);
  if (IsSkipped()) return;
  expect_same(Boot(edk2(), Engine::native), Boot(edk2(), Engine::unicorn));
}

// With time that follows instructions the timer interrupts anywhere.
TEST_F(ForeignBoot, Edk2TakesInterruptsAtAnyInstruction) {
  need(edk2());
  if (IsSkipped()) return;
  const Boot boot(edk2(), Engine::native, Time::instructions);
  expect_powered_off(boot);
  expect_in_order(boot.session.transcript(), edk2_landmarks());
  EXPECT_GT(boot.machine->interrupts_taken(), 100u);
}

// Machines whose counters show different times part where the first of them is read.
TEST_F(ForeignBoot, TheFirstDifferenceIsFound) {
  need(uboot(), Engine::unicorn);
  if (IsSkipped()) return;
  const auto difference = first_difference(
      [] { return make_machine(uboot(), Engine::unicorn, Time::looks); },
      [] { return make_machine(uboot(), Engine::native, Time::instructions); }, {}, 1'000'000);
  ASSERT_TRUE(difference);
  constexpr std::uint32_t mrs_cntpct = 0xd53be020, any_register = 0x1f;
  EXPECT_TRUE(std::ranges::any_of(difference->code, [](std::uint32_t word) {
    return (word & ~any_register) == mrs_cntpct;
  })) << difference->text;
}

TEST_F(ForeignBoot, NoDifferenceIsFoundWhereThereIsNone) {
  need(uboot(), Engine::unicorn);
  if (IsSkipped()) return;
  const auto none =
      first_difference([] { return make_machine(uboot(), Engine::unicorn); },
                       [] { return make_machine(uboot(), Engine::native); }, {}, 100'000, 5'000'000);
  EXPECT_FALSE(none) << none->text;
}

}  // namespace
}  // namespace asterism::foreign
