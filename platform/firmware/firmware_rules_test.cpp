#include "platform/firmware/firmware_rules.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <cstring>

#include "base/thrown.h"
#include "platform/config/diagnostics.h"
#include "platform/firmware/test_symbols.h"

namespace asterism {
namespace {

using testing::HasSubstr;

constexpr AddressRange dram{Address(0x4000'0000), 64_MiB};

// An executable with symbols and a segment of each kind: code, data, constants, and one that is all of these.
ElfImage image(const std::vector<TestSymbol>& symbols = {}) {
  TestSymbolFile file(symbols);
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_type = ET_EXEC;
  file.header.e_machine = EM_AARCH64;
  file.header.e_entry = 0x4020'0000;
  file.header.e_phentsize = sizeof(Elf64_Phdr);
  file.header.e_phnum = 4;
  file.header.e_phoff = file.bytes().size();
  std::vector<std::byte> bytes = file.bytes();
  const unsigned flags[] = {PF_R | PF_X, PF_R | PF_W, PF_R, PF_R | PF_W | PF_X};
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint64_t address = 0x4020'0000 + i * 0x1000ull;
    const Elf64_Phdr segment{PT_LOAD, flags[i], 0, address, address, 0, 0x1000, 4};
    const auto* first = reinterpret_cast<const std::byte*>(&segment);
    bytes.insert(bytes.end(), first, first + sizeof segment);
  }
  return ElfImage::parse(std::move(bytes), "f.elf", dram);
}

const ConfigDocument document = ConfigDocument::parse("{}", "s.json");

std::vector<std::pair<std::uint64_t, std::uint64_t>> stacks(const ElfImage& elf,
                                                            std::vector<StackConfig> config = {}) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const AddressRange& each : find_stacks({.stacks = std::move(config)}, elf, "f.elf", document))
    all.emplace_back(each.first.value(), each.size.count());
  return all;
}
using Stacks = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TestSymbol value(const char* name, std::uint64_t value, std::uint64_t size = 0) {
  return {name, value, size, STT_NOTYPE, STB_GLOBAL, SHN_ABS};
}

TEST(FirmwareRules, AreThoseOfTheSegments) {
  const GuestRules rules = firmware_rules({}, image(), {});
  ASSERT_EQ(rules.read_only.size(), 2u);
  EXPECT_EQ(rules.read_only[0].first, Address(0x4020'0000));
  EXPECT_EQ(rules.read_only[1].first, Address(0x4020'2000));
  ASSERT_EQ(rules.not_executable.size(), 2u);
  EXPECT_EQ(rules.not_executable[0].first, Address(0x4020'1000));
  EXPECT_EQ(rules.not_executable[1].first, Address(0x4020'2000));
  EXPECT_EQ(rules.alignment, GuestRules::Alignment::reported);
}

TEST(FirmwareRules, AreNoneIfTheChecksAreOff) {
  using enum CheckAction;
  const ChecksConfig none{
      .read_only = off, .no_execute = off, .stack = off, .alignment = AlignmentAction::off};
  const ElfImage elf = image({value("__StackLimit", 0x5000), value("__StackTop", 0x6000)});
  const GuestRules rules = firmware_rules(none, elf, find_stacks(none, elf, "f.elf", document));
  EXPECT_TRUE(rules.read_only.empty());
  EXPECT_TRUE(rules.not_executable.empty());
  EXPECT_TRUE(rules.stacks.empty());
  EXPECT_EQ(rules.alignment, GuestRules::Alignment::ignored);
  EXPECT_EQ(firmware_rules({.alignment = AlignmentAction::fault}, elf, {}).alignment,
            GuestRules::Alignment::faults);
}

TEST(FirmwareRules, FindTheStacksOfTheUsualSymbols) {
  EXPECT_EQ(stacks(image()), Stacks{});
  EXPECT_EQ(stacks(image({value("__stacks_start", 0x4000), value("__stacks_end", 0x6000),
                          value("__stack_bytes", 0x1000)})),
            (Stacks{{0x4000, 0x1000}, {0x5000, 0x1000}}));
  EXPECT_EQ(stacks(image({value("__StackLimit", 0x5000), value("__StackTop", 0x6800)})),
            (Stacks{{0x5000, 0x1800}}));
  EXPECT_EQ(stacks(image({value("__stack", 0x6000), value("__stack_size", 0x800)})),
            (Stacks{{0x5800, 0x800}}));
  EXPECT_EQ(stacks(image({value("__stack", 0x6000), value("__heap_end", 0x5000)})),
            (Stacks{{0x5000, 0x1000}}));
}

TEST(FirmwareRules, TakeStacksFromTheConfiguration) {
  const ElfImage elf = image({value("task_stack", 0x5000, 0x400), value("__StackLimit", 0x7000),
                              value("__StackTop", 0x8000), value("end_of_tasks", 0x6000)});
  EXPECT_EQ(stacks(elf, {{.low = "task_stack", .high = "", .each = 0_B}}), (Stacks{{0x5000, 0x400}}));
  EXPECT_EQ(stacks(elf, {{.low = "task_stack", .high = "end_of_tasks", .each = Bytes(0x800)}}),
            (Stacks{{0x5000, 0x800}, {0x5800, 0x800}}));
  EXPECT_EQ(stacks(elf, {{.low = "0x1000", .high = "0x2000", .each = 0_B}}), (Stacks{{0x1000, 0x1000}}));
}

TEST(FirmwareRules, SayWhatIsWrongWithAStack) {
  const ElfImage elf = image({value("task_stack", 0x5000, 0x400), value("top", 0x6000)});
  const auto refusal = [&](const StackConfig& stack) {
    return thrown<ConfigError>([&] { stacks(elf, {stack}); });
  };
  EXPECT_THAT(
      refusal({.low = "task_stak", .high = "", .each = 0_B}),
      HasSubstr("node.checks.stacks.0.low: \"task_stak\" is neither an address nor a symbol of f.elf; "
                "did you mean \"task_stack\"?"));
  EXPECT_THAT(refusal({.low = "top", .high = "", .each = 0_B}),
              HasSubstr("needs \"high\", because top has no size in f.elf"));
  EXPECT_THAT(refusal({.low = "top", .high = "0x5fff", .each = 0_B}),
              HasSubstr("ends at 0x5fff, expected an address above its beginning, 0x6000"));
  EXPECT_THAT(
      refusal({.low = "task_stack", .high = "", .each = Bytes(0x300)}),
      HasSubstr("node.checks.stacks.0.each: 768 bytes do not divide the 1024 bytes from low to high"));
}

}  // namespace
}  // namespace asterism
