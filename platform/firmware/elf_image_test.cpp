#include "platform/firmware/elf_image.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/thrown.h"
#include "platform/config/diagnostics.h"
#include "platform/firmware/test_elf.h"

namespace asterism {
namespace {

constexpr AddressRange dram{Address(0x4000'0000), 64_MiB};

std::string refusal(std::vector<std::byte> bytes) {
  return thrown<ConfigError>([&] { ElfImage::parse(std::move(bytes), "f.elf", dram); });
}

TEST(ElfImage, GivesItsSegmentsAndEntry) {
  const ElfImage image = ElfImage::parse(TestElf().bytes(), "f.elf", dram);
  EXPECT_EQ(image.entry(), Address(0x4020'0000));
  ASSERT_EQ(image.segments().size(), 1u);
  EXPECT_EQ(image.segments()[0].contents.size(), 16u);
  EXPECT_EQ(image.segments()[0].contents[0], std::byte(0xAB));
  EXPECT_EQ(image.segments()[0].size, 32_B);
  EXPECT_TRUE(image.segments()[0].is_executable);
  EXPECT_FALSE(image.segments()[0].is_writable);
}

TEST(ElfImage, SaysWhatIsWrong) {
  TestElf elf;
  EXPECT_EQ(
      refusal({}),
      "f.elf: error: firmware is not an ELF file; the image of a ROM asks for firmware_format=raw, a kernel "
      "of Linux for firmware_format=linux");
  elf.header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(refusal(elf.bytes()), "f.elf: error: firmware is a 32-bit ELF file, expected 64-bit AArch64");
  elf = {};
  elf.header.e_machine = EM_X86_64;
  EXPECT_EQ(refusal(elf.bytes()),
            "f.elf: error: firmware is for another machine (ELF machine 62), expected AArch64 (183)");
  elf = {};
  elf.header.e_type = ET_REL;
  EXPECT_EQ(refusal(elf.bytes()), "f.elf: error: firmware is not an executable (ELF type 1), expected 2");
  elf = {};
  elf.segment.p_paddr = 0x3FFF'FFF0;
  EXPECT_EQ(refusal(elf.bytes()),
            "f.elf: error: firmware loads 0x20 bytes at 0x3ffffff0, outside DRAM (0x40000000-0x43ffffff)");
  elf = {};
  elf.segment.p_memsz = 8;
  EXPECT_EQ(refusal(elf.bytes()),
            "f.elf: error: firmware has in segment 0 more contents (0x10) than memory (0x8)");
  elf = {};
  elf.header.e_entry = 0x4020'0020;
  EXPECT_EQ(refusal(elf.bytes()),
            "f.elf: error: firmware has its entry point at 0x40200020, outside what it loads");
  elf = {};
  elf.header.e_phnum = 0;
  EXPECT_EQ(refusal(elf.bytes()), "f.elf: error: firmware has nothing to load");
}

TEST(ElfImage, IsRefusedTruncatedAtEveryLength) {
  const std::vector<std::byte> whole = TestElf().bytes();
  for (std::size_t length = 4; length < whole.size(); ++length)
    EXPECT_NE(
        refusal({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}).find("is truncated"),
        std::string::npos)
        << length;
}

TEST(ElfImage, DamageNeverDoesWorseThanARefusal) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bytes = TestElf().bytes();
    for (std::uint64_t n = random.below(8); n > 0; --n)
      bytes[4 + random.below(bytes.size() - 4)] = std::byte(random.next());
    refusal(std::move(bytes));
  }
}

TEST(ElfImage, AMissingFileIsAMissingInput) {
  EXPECT_THROW(ElfImage::load("/nonexistent.elf", dram), InputMissing);
  EXPECT_THROW(ElfImage::load("/tmp", dram), ConfigError);
}

}  // namespace
}  // namespace asterism
