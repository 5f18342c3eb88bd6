#include "platform/firmware/kallsyms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "platform/firmware/elf_image.h"
#include "platform/firmware/test_kallsyms.h"

namespace asterism {
namespace {

using Symbols = std::vector<KernelSymbol>;

const Symbols some = {{0x1000, 'T', "_stext"},        {0x1000, 't', "first"},
                      {0x1800, 'T', "vectors"},       {0x2000, 'W', "sys_read"},
                      {0x2040, 'T', "__arm64_sys_x"}, {0x3000, 'T', std::string(300, 'n')},
                      {0x4000, 'D', "_etext"},        {0x5000, 'T', "primary_entry"}};

// More than two markers.
Symbols many() {
  Symbols symbols;
  for (unsigned i = 0; i < 600; ++i)
    symbols.push_back({0x1000 + 8 * i, 't', "function_" + std::to_string(i)});
  return symbols;
}

TEST(KallsymsTest, DecodesEveryLayout) {
  for (const bool are_addresses_last : {false, true})
    for (const bool has_sequence : {false, true})
      for (const Symbols& symbols : {some, many(), Symbols{{0, 'T', "alone"}}}) {
        const TestKallsyms kernel{.are_addresses_last = are_addresses_last, .has_sequence = has_sequence};
        EXPECT_EQ(find_kallsyms(kernel.image(symbols, 0x5000)), symbols);
      }
}

TEST(KallsymsTest, DecodesWholeAddresses) {
  for (const bool are_addresses_last : {false, true}) {
    const TestKallsyms kernel{.are_addresses_last = are_addresses_last, .is_relative = false};
    Symbols expected = many();
    for (KernelSymbol& each : expected) each.address += kernel.base;
    EXPECT_EQ(find_kallsyms(kernel.image(many(), 0x5000)), expected);
  }
}

TEST(KallsymsTest, AnImageWithoutATableHasNoSymbols) {
  EXPECT_TRUE(find_kallsyms({}).empty());
  EXPECT_TRUE(find_kallsyms(std::vector<std::byte>(100'000)).empty());
  EXPECT_TRUE(find_kallsyms(std::vector<std::byte>(100'000, std::byte(0x41))).empty());
}

// A table with any byte changed is refused, or gives as many symbols; a shorter one is refused.
TEST(KallsymsTest, ADamagedTableHasNoEffect) {
  const std::vector<std::byte> whole = TestKallsyms{.image_size = 0x6000}.image(some, 0x5000);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(find_kallsyms(std::span(whole).first(size)).empty());
  std::size_t refused = 0;
  for (std::size_t at = 64; at < whole.size(); ++at) {
    std::vector<std::byte> damaged = whole;
    damaged[at] ^= std::byte(0x81);
    const std::size_t found = find_kallsyms(damaged).size();
    EXPECT_TRUE(found == 0 || found == some.size());
    refused += found == 0;
  }
  EXPECT_GT(refused, whole.size() / 2);
}

TEST(KallsymsTest, DecodesDebiansKernel) {
  const std::string file = "/usr/lib/debian-installer/images/12/arm64/text/debian-installer/arm64/linux";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "needs debian-installer-12-netboot-arm64";
  const Symbols symbols = find_kallsyms(ElfImage::read_file(file));
  EXPECT_GT(symbols.size(), 50'000u);
  EXPECT_TRUE(std::ranges::is_sorted(symbols, {}, &KernelSymbol::address));
  for (const char* name : {"_stext", "vectors", "start_kernel", "primary_entry", "cpu_do_idle"})
    EXPECT_EQ(std::ranges::count(symbols, name, &KernelSymbol::name), 1) << name;
}

}  // namespace
}  // namespace asterism
