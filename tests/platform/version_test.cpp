// `asterism --version`.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct VersionTest : CommandTest {};

TEST_F(VersionTest, SaysVersionEnginesAndLibraries) {
  const Ended ended = asterism({"--version"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, StartsWith("asterism " ASTERISM_VERSION "\nLicence: BSD-3-Clause\n\nEngines:\n"));
  for (const char* line : {"\n  cores ", "\n  fabric ", "loose, contended, flit", "\n  memory ", "portable",
                           "\n  devices ", "dimm_ssd", "\n  SystemC        2.3."})
    EXPECT_THAT(ended.out, HasSubstr(line));
}

// Whoever passes the program on reads NOTICE.
TEST_F(VersionTest, NoticeHasEachLibrary) {
  std::ifstream in(source_configs().parent_path() / "NOTICE");
  const std::string notice{std::istreambuf_iterator<char>(in), {}};
  const std::string all = asterism({"--version"}).out;
  std::istringstream libraries(all.substr(all.find("Libraries:\n") + 11));
  std::size_t count = 0;
  for (std::string line; std::getline(libraries, line); ++count)
    EXPECT_THAT(notice, HasSubstr(line.substr(2, line.find("  ", 2) - 2))) << line;
  EXPECT_GE(count, 12u);
}

// Each library that the program names for the loader is in the list, or in the runtime of the compiler.
TEST_F(VersionTest, TheListHasWhatTheProgramLinks) {
  const Ended needed = program("sh", {"-c", "objdump -p '" + asterism_program.string() +
                                                "' | sed -n 's/ *NEEDED *lib\\([a-z]*\\).*/\\1/p'"});
  const std::map<std::string, std::string> names{
      {"capstone", "Capstone"}, {"z", "zlib"},        {"systemc", "SystemC"},  {"spdlog", "spdlog"},
      {"dw", "elfutils"},       {"elf", "elfutils"},  {"fdt", "libfdt"},       {"zstd", "zstd"},
      {"fmt", "fmt"},           {"yaml", "yaml-cpp"}, {"tinyxml", "TinyXML-2"}};
  const std::set<std::string> runtime{"stdc", "m", "gcc", "c", "dl", "pthread", "asan", "ubsan", "clang"};
  const std::string all = asterism({"--version"}).out;
  std::istringstream in(needed.out);
  std::size_t count = 0;
  for (std::string name; std::getline(in, name);) {
    if (runtime.contains(name) || name.empty()) continue;
    ++count;
    ASSERT_TRUE(names.contains(name)) << "libraries() of version.cpp lacks " << name;
    EXPECT_THAT(all, HasSubstr("\n  " + names.at(name) + " "));
  }
  EXPECT_GE(count, 9u);
}

}  // namespace
}  // namespace asterism
