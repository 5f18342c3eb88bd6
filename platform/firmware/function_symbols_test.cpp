#include "platform/firmware/function_symbols.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "base/thrown.h"
#include "platform/config/diagnostics.h"
#include "platform/firmware/test_symbols.h"

namespace asterism {
namespace {

FunctionSymbols of(const std::vector<TestSymbol>& all) {
  return FunctionSymbols::parse(TestSymbolFile(all).bytes(), "f.elf");
}
std::vector<std::string> names(const FunctionSymbols& symbols) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i <= symbols.boundaries().size(); ++i) all.push_back(symbols.name_of(i));
  return all;
}

TEST(FunctionSymbols, DivideCodeIntoFunctionsAndTheGapsBetweenThem) {
  const FunctionSymbols symbols = of({{"b", 0x1100, 0x40}, {"a", 0x1000, 0x100}, {"c", 0x1200, 0x10}});
  EXPECT_EQ(symbols.boundaries(), (std::vector<std::uint64_t>{0x1000, 0x1100, 0x1140, 0x1200, 0x1210}));
  EXPECT_EQ(names(symbols),
            (std::vector<std::string>{"[no symbol]", "a", "b", "[no symbol]", "c", "[no symbol]"}));
  EXPECT_EQ(symbols.place_of(0x1100), "b");
  EXPECT_EQ(symbols.place_of(0x113c), "b+0x3c");
  EXPECT_EQ(symbols.place_of(0x1140), "");
  EXPECT_EQ(symbols.place_of(0xffc), "");
}

TEST(FunctionSymbols, DescribeAnAddress) {
  const std::vector<std::byte> file = TestSymbolFile({{"a", 0x1000, 0x100}}).bytes();
  const FunctionSymbols symbols = FunctionSymbols::parse(file, "f.elf");
  EXPECT_EQ(symbols.describe(0x1014), "a+0x14 (0x1014)");
  EXPECT_EQ(symbols.describe(0x1000), "a (0x1000)");
  EXPECT_EQ(symbols.describe(0x1100), "0x1100");
  EXPECT_EQ(FunctionSymbols().describe(0x1000), "0x1000");
  const CodePlace place = symbols.locate(0x1014);
  EXPECT_EQ(place.function, "a");
  EXPECT_EQ(place.offset, 0x14u);
  EXPECT_EQ(place.source.line, 0u) << "the file has no DWARF";
}

TEST(FunctionSymbols, LabelsOfAssemblyCountWhereNoFunctionCoversThem) {
  const FunctionSymbols symbols = of({{"entry", 0x1000, 0, STT_NOTYPE},
                                      {"handler", 0x1010, 0, STT_NOTYPE, STB_LOCAL},
                                      {"$x", 0x1014, 0, STT_NOTYPE, STB_LOCAL},
                                      {".L4", 0x1018, 0, STT_NOTYPE, STB_LOCAL},
                                      {"f", 0x1020, 0x20},
                                      {"again", 0x1028, 0, STT_NOTYPE, STB_LOCAL}});
  EXPECT_EQ(symbols.boundaries(), (std::vector<std::uint64_t>{0x1000, 0x1010, 0x1020, 0x1040}));
  EXPECT_EQ(symbols.place_of(0x1018), "handler+0x8");
  EXPECT_EQ(symbols.place_of(0x102c), "f+0xc");
}

TEST(FunctionSymbols, OfSeveralNamesTheGlobalOneThenTheFirst) {
  EXPECT_EQ(of({{"a", 0x1000, 4, STT_FUNC, STB_LOCAL}, {"y", 0x1000, 4}, {"x", 0x1000, 4}}).name_of(1), "x");
}

TEST(FunctionSymbols, NamesOfCppAreThoseOfTheSource) {
  EXPECT_EQ(of({{"_ZN3foo3barEi", 0x1000, 4}}).name_of(1), "foo::bar(int)");
}

TEST(FunctionSymbols, DataAndWhatIsUndefinedAreNoFunctions) {
  EXPECT_TRUE(of({{"object", 0x1000, 4, STT_OBJECT},
                  {"word", 0x1004, 0, STT_NOTYPE, STB_GLOBAL, 2},
                  {"elsewhere", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF},
                  {"absolute", 4, 0, STT_NOTYPE, STB_GLOBAL, SHN_ABS}})
                  .empty());
}

TEST(FunctionSymbols, AStrippedFileHasNone) {
  TestSymbolFile file({{"a", 0x1000, 4}});
  file.sections[3].sh_type = SHT_PROGBITS;
  EXPECT_TRUE(FunctionSymbols::parse(file.bytes(), "f.elf").empty());
  file.header.e_shnum = 0;
  EXPECT_TRUE(FunctionSymbols::parse(file.bytes(), "f.elf").empty());
}

TEST(FunctionSymbols, SayWhatIsDamaged) {
  const auto refusal = [](const TestSymbolFile& file) {
    return thrown<ConfigError>([&] { FunctionSymbols::parse(file.bytes(), "f.elf"); });
  };
  TestSymbolFile file({{"a", 0x1000, 4}});
  const std::size_t size = file.bytes().size();
  file.sections[3].sh_size = 0x1000;
  EXPECT_EQ(refusal(file),
            "f.elf: error: firmware has its symbol table (0x1000 bytes at 0x180) outside the file of " +
                std::to_string(size) + " bytes");
  file = TestSymbolFile({{"a", 0x1000, 4}});
  file.symbols[1].st_name = 77;
  EXPECT_EQ(refusal(file),
            "f.elf: error: firmware has symbol 1 with its name at 0x4d, outside the table of 0x3 bytes");
  file = TestSymbolFile({{"a", 0x1000, 4}});
  file.sections[3].sh_link = 9;
  EXPECT_EQ(refusal(file), "f.elf: error: firmware has a symbol table whose names are in section 9 of 5");
}

TEST(FunctionSymbols, NoDamageDoesWorse) {
  const std::vector<std::byte> good = TestSymbolFile({{"a", 0x1000, 4}, {"b", 0x1008, 0}}).bytes();
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bad = good;
    for (int flips = 0; flips < 3; ++flips) bad[random.below(bad.size())] ^= std::byte(1u << random.below(8));
    try {
      const FunctionSymbols symbols = FunctionSymbols::parse(bad, "f.elf");
      EXPECT_TRUE(std::ranges::is_sorted(symbols.boundaries(), std::ranges::less_equal())) << i;
    } catch (const ConfigError&) {
    }
  }
}

}  // namespace
}  // namespace asterism
