// Debian's unmodified U-Boot and EDK2 boot on the engine of models/core and print the expected text.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "machine.h"
#include "qemu_session.h"
#include "session.h"

namespace asterism::foreign {
namespace {

// A boot from reset to power off, as the firmware's script says.
struct Boot {
  explicit Boot(const Firmware& firmware, Time time = Time::looks,
                const std::vector<std::byte>& device_tree = Machine::default_device_tree())
      : machine(firmware.file, time, device_tree), session(machine, firmware.script) {
    machine.warn = [](const std::string& line) { ADD_FAILURE() << line; };
    end = machine.run(max_instructions);
  }

  static constexpr std::uint64_t max_instructions = 5'000'000'000;
  Machine machine;
  Session session;
  Machine::End end;
};

void expect_in_order(const std::string& text, const std::vector<std::string>& landmarks) {
  std::size_t from = 0;
  for (const std::string& landmark : landmarks) {
    const std::size_t at = text.find(landmark, from);
    ASSERT_NE(at, std::string::npos) << "no '" << landmark << "' after position " << from << " in\n" << text;
    from = at + landmark.size();
  }
}

void expect_powered_off(const Boot& boot) {
  EXPECT_EQ(boot.end, Machine::End::powered_off) << boot.machine.iss().why();
  EXPECT_EQ(boot.session.waits_for(), nullptr) << boot.session.waits_for()->after;
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
  static void need(const Firmware& firmware) {
    if (!std::filesystem::exists(firmware.file))
      GTEST_SKIP() << "no " << firmware.file << ": install the package " << firmware.package
                   << " (scripts/setup test)";
  }
};

TEST_F(ForeignBoot, UBootComesToItsPromptAndObeys) {
  need(uboot());
  if (IsSkipped()) return;
  const Boot boot(uboot());
  expect_powered_off(boot);
  expect_in_order(boot.session.transcript(), uboot_landmarks());
}

// The countdown is left out of the comparison, because it depends on the time at which the key arrives.
TEST_F(ForeignBoot, UBootSaysTheSameOnQemu) {
  need(uboot());
  if (IsSkipped()) return;
  ASSERT_TRUE(has_qemu()) << "qemu-system-aarch64 is not installed: scripts/setup test";
  const auto without_countdown = [](const std::string& transcript) {
    return std::regex_replace(transcript, std::regex("autoboot: [ 0-9\b]*"), "autoboot:");
  };
  const Boot boot(uboot(), Time::looks, qemu_device_tree());
  EXPECT_EQ(without_countdown(boot.session.transcript()),
            without_countdown(qemu_transcript(uboot(), std::chrono::minutes(1))));
}

TEST_F(ForeignBoot, Edk2ComesToItsShellAndObeys) {
  need(edk2());
  if (IsSkipped()) return;
  const Boot boot(edk2());
  expect_powered_off(boot);
  expect_in_order(boot.session.transcript(), edk2_landmarks());
  EXPECT_GT(boot.machine.interrupts_taken(), 100u);
  // The variable that the shell set was written to flash.
  static constexpr char name[] = "c\0o\0l\0o\0u\0r\0\0";
  const std::span<const std::uint8_t> flash = boot.machine.flash().contents();
  EXPECT_NE(std::search(flash.begin(), flash.end(), std::begin(name), std::end(name)), flash.end());
}

// When time follows the instructions, the timer may interrupt any of them.
TEST_F(ForeignBoot, Edk2TakesInterruptsAtAnyInstruction) {
  need(edk2());
  if (IsSkipped()) return;
  const Boot boot(edk2(), Time::instructions);
  expect_powered_off(boot);
  expect_in_order(boot.session.transcript(), edk2_landmarks());
  EXPECT_GT(boot.machine.interrupts_taken(), 100u);
}

}  // namespace
}  // namespace asterism::foreign
