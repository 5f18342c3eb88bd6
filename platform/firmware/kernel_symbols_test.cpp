#include "platform/firmware/kernel_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "base/thrown.h"
#include "platform/config/diagnostics.h"
#include "platform/firmware/elf_image.h"
#include "platform/firmware/elf_symbols.h"
#include "platform/firmware/function_symbols.h"
#include "platform/firmware/test_kallsyms.h"
#include "platform/firmware/test_symbols.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t placed = 0x4020'0000;

struct KernelSymbolsTest : testing::Test {
  // Offsets from the symbol _stext, which is at 0x1000.
  const std::vector<std::byte> image = TestKallsyms{}.image({{0, 'T', "_stext"},
                                                             {0x800, 'T', "vectors"},
                                                             {0x1000, 't', "one"},
                                                             {0x1100, 'W', "memcpy"},
                                                             {0x1100, 'T', "__memcpy"},
                                                             {0x2000, 'D', "_etext"},
                                                             {0x3000, 'T', "start_kernel"},
                                                             {0x4000, 'T', "primary_entry"}},
                                                            0x5000);
  const Segment kernel{Address(placed), image, 64_KiB, true, true};
  const std::vector<std::byte> empty = TestKallsyms{}.image({}, 0x5000);
  const Segment without{Address(placed), empty, 64_KiB, true, true};

  static std::span<const std::byte> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
  }
  std::string problem_with(std::span<const std::byte> bytes) const {
    return thrown<ConfigError>([&] { KernelSymbols::parse(bytes, "f", kernel); });
  }
};

TEST_F(KernelSymbolsTest, PlacesTheKernelsOwnTableByItsFirstInstruction) {
  const KernelSymbols symbols(kernel);
  EXPECT_EQ(symbols.find("_stext"), Address(placed + 0x1000));
  EXPECT_EQ(symbols.find("primary_entry"), Address(placed + 0x5000));
  EXPECT_EQ(symbols.find("no such"), std::nullopt);
  EXPECT_TRUE(KernelSymbols(without).empty());
}

TEST_F(KernelSymbolsTest, PlacesListsOfAnyAddresses) {
  for (const std::string_view list :
       {"ffff800008001800 T vectors\nffff800008004000 T start_kernel\nffff800008005000 T primary_entry\n",
        "ffffa3e100001800 T vectors\nffffa3e100004000 T start_kernel\nffffa3e100005000 T primary_entry\n"
        "ffffa3e0f0000000 t module_init\t[virtio_blk]\nffffa3e0f0000000 t far_away"}) {
    const KernelSymbols symbols = KernelSymbols::parse(bytes_of(list), "f", kernel);
    EXPECT_EQ(symbols.find("vectors"), Address(placed + 0x1800));
    EXPECT_EQ(symbols.all().size(), 3u);
    EXPECT_EQ(KernelSymbols::parse(bytes_of(list), "f", without).all(), symbols.all());
  }
}

TEST_F(KernelSymbolsTest, ReadsAnElfFile) {
  TestSymbolFile elf({{"vectors", 0x1'1800, 0, STT_NOTYPE},
                      {"primary_entry", 0x1'5000},
                      {"jiffies", 0x1'6000, 8, STT_OBJECT, STB_GLOBAL, 2},
                      {"$x", 0x1'1800, 0, STT_NOTYPE}});
  std::memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
  elf.header.e_ident[EI_CLASS] = ELFCLASS64;
  elf.header.e_machine = EM_AARCH64;
  const KernelSymbols symbols = KernelSymbols::parse(elf.bytes(), "vmlinux", kernel);
  EXPECT_THAT(symbols.all(), ElementsAre(KernelSymbol{placed + 0x1800, 'T', "vectors"},
                                         KernelSymbol{placed + 0x5000, 'T', "primary_entry"},
                                         KernelSymbol{placed + 0x6000, 'D', "jiffies"}));
  elf.header.e_machine = EM_X86_64;
  EXPECT_THAT(problem_with(elf.bytes()), HasSubstr("for another architecture"));
}

TEST_F(KernelSymbolsTest, RefusesOtherFiles) {
  EXPECT_THAT(problem_with(bytes_of("ffff800008001800 T vectors\nno\n")),
              HasSubstr("line 2 is not ADDRESS TYPE"));
  EXPECT_THAT(problem_with(bytes_of("0000000000000000 T vectors\n")), HasSubstr("only root can read"));
  EXPECT_THAT(problem_with(bytes_of("ffff800008001800 T vectors\n")), HasSubstr("expected primary_entry"));
  EXPECT_THAT(problem_with(bytes_of("1000 T start_kernel\n3000 T primary_entry\n")),
              HasSubstr("is of another kernel: start_kernel is at offset 0x3000, expected 0x4000"));
}

TEST_F(KernelSymbolsTest, FunctionsEndAtTheNextSymbol) {
  const FunctionSymbols functions = FunctionSymbols::of_kernel(KernelSymbols(kernel));
  EXPECT_EQ(functions.place_of(placed + 0x1810), "vectors+0x10");
  EXPECT_EQ(functions.place_of(placed + 0x2100), "__memcpy");
  EXPECT_EQ(functions.place_of(placed + 0x2fff), "__memcpy+0xeff");
  EXPECT_EQ(functions.place_of(placed + 0x3000), "");  // data
  EXPECT_EQ(functions.place_of(placed + 0xffff), "primary_entry+0xafff");
  EXPECT_EQ(functions.place_of(placed + 0x10000), "");
  EXPECT_EQ(functions.place_of(placed), "");
}

TEST_F(KernelSymbolsTest, AnAddressIsTheKernelsWhereTheKernelMapsIt) {
  const FunctionSymbols functions = FunctionSymbols::of_kernel(KernelSymbols(kernel));
  EXPECT_TRUE(functions.is_in_kernel(placed + 8, placed + 8));
  EXPECT_TRUE(functions.is_in_kernel(0xffff'a3e1'0000'0008, placed + 8));
  EXPECT_FALSE(
      functions.is_in_kernel(0xffff'a3e1'0000'1008, placed + 8));      // a module, in memory of the kernel
  EXPECT_FALSE(functions.is_in_kernel(0xaaaa'0000'0008, placed + 8));  // a program
  EXPECT_FALSE(functions.is_in_kernel(0xffff'a3e1'0001'0008, placed + 0x10008));
}

TEST_F(KernelSymbolsTest, WritesAnElfFile) {
  const KernelSymbols symbols(kernel);
  const std::vector<std::byte> file = symbols.elf_file(0xffff'8000'0000'0000);
  const auto read = elf_symbols(file, "f");
  ASSERT_EQ(read.size(), symbols.all().size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, symbols.all()[i].name);
    EXPECT_EQ(read[i].value, 0xffff'8000'0000'0000 + symbols.all()[i].address - placed);
    EXPECT_TRUE(read[i].is_in_code);
  }
}

}  // namespace
}  // namespace asterism
