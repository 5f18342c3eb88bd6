// Executes what docs/checkpoint_library.md shows, and measures the figures that it states, in a folder
// outside of the tree.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/platform/command.h"
#include "tests/platform/markdown_steps.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;
using testing::HasSubstr;
using testing::Not;

using Names = std::set<std::string>;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in.is_open()) << file;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> all_of(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}
Names names_in(const std::string& text, const std::regex& pattern) {
  const auto found = all_of(text, pattern);
  return {found.begin(), found.end()};
}
// The words in backquotes.
Names quoted(const std::string& text) {
  static const std::regex pattern("`([A-Za-z0-9_./]+)`");
  return names_in(text, pattern);
}

std::string joined(const Names& names, const std::string& before) {
  std::string text;
  for (const std::string& name : names) text += before + name;
  return text;
}

struct CheckpointLibraryTest : CommandTest {
  CheckpointLibraryTest() {
    environment["ASTERISM"] = tree.string();
    environment["BUILD"] = asterism_program.parent_path().string();
  }

  std::vector<std::vector<std::string>> table(const std::string& head) const { return table_of(page, head); }

  Ended type(const std::string& command) const {
    return program("/bin/sh", {"-c", fmt::format("asterism() {{ '{}' \"$@\"; }}\n{} 2>&1",
                                                 asterism_program.string(), command)});
  }
  // Executes the steps of the page from the first command that contains `from` up to, not including, the
  // first that contains `to`.
  void do_steps(const std::string& from, const std::string& to) const {
    const auto says = [](const std::string& what) {
      return [&](const Step& step) { return step.command.find(what) != std::string::npos; };
    };
    const std::vector<Step> steps = steps_of(page);
    const auto first = from.empty() ? steps.begin() : std::ranges::find_if(steps, says(from));
    const auto last = to.empty() ? steps.end() : std::ranges::find_if(steps, says(to));
    ASSERT_LT(first, last);
    for (auto step = first; step != last; ++step) {
      if (!step->file.empty()) {
        write(step->file, step->text);
        continue;
      }
      const Ended ended = type(step->command);
      ASSERT_EQ(ended.status, 0) << page << ":" << step->line << ": " << ended.out;
      ASSERT_TRUE(prints(step->expected, lines_of(ended.out)))
          << page << ":" << step->line << ": $ " << step->command << "\n"
          << ended.out;
    }
  }
  void copy_and_compile(const Names& sources) const {
    do_steps("", "gcc");
    if (!HasFatalFailure()) compile(sources);
  }
  void compile(const Names& sources) const {
    const Ended ended = type("aarch64-linux-gnu-gcc @flags -Wall -Wextra -I. -c" + joined(sources, " "));
    ASSERT_EQ(ended.status, 0) << ended.out;
    ASSERT_EQ(ended.out, "");
  }
  // Links a program that calls these functions with the given sources; returns the undefined symbols.
  Names link(const Names& functions, const Names& sources) const {
    std::string objects;
    for (const fs::path source : sources) objects += " " + source.stem().string() + ".o";
    const Ended ended = type("LC_ALL=C aarch64-linux-gnu-ld --gc-sections --warn-unresolved-symbols -e 0" +
                             joined(functions, " -u ") + objects + " -o library.elf");
    EXPECT_EQ(ended.status, 0) << ended.out;
    static const std::regex missing("undefined reference to `([A-Za-z0-9_]+)'");
    return names_in(ended.out, missing);
  }
  Names functions_of_the_header() const {
    static const std::regex declared("\n[A-Za-z][A-Za-z_0-9* ]* \\*?(checkpoint_[a-z_]+)\\(");
    Names names = names_in(text_of(tree / "sw/checkpoint/checkpoint.h"), declared);
    names.merge(names_in(text_of(tree / "sw/checkpoint/cxl_ssd_store.h"), declared));
    return names;
  }

  const fs::path tree = source_configs().parent_path();
  const fs::path page = tree / "docs/checkpoint_library.md";
};

TEST_F(CheckpointLibraryTest, AProjectOutsideOfTheTreeGoesOnAfterALossOfPower) {
  ASSERT_NO_FATAL_FAILURE(do_steps("", ""));
  constexpr std::uint64_t n = 65535;
  const std::string sum = fmt::format("squares: the sum is {}\n", n * (n + 1) * (2 * n + 1) / 6);
  EXPECT_THAT(contents("runs/power_loss/console.log"), HasSubstr(sum));
  EXPECT_LE(lines_of(contents("squares.c")).size(), 40u);
  const std::string symbols = type("aarch64-linux-gnu-nm squares.elf").out;
  EXPECT_THAT(symbols, HasSubstr(" checkpoint_write\n"));
  for (const char* unused : {"memory_level_open", "pcram_level_open", "controller_use", "location_decide"})
    EXPECT_THAT(symbols, Not(HasSubstr(unused)));
}

TEST_F(CheckpointLibraryTest, AProjectMayHaveAShorterListOfPages) {
  ASSERT_NO_FATAL_FAILURE(do_steps("", "gcc"));
  const fs::path header = "checkpoint/checkpoint.h";
  const std::string limit = "checkpoint_page_limit = 8192", text = contents(header);
  ASSERT_THAT(text, HasSubstr(limit));
  write(header, std::string(text).replace(text.find(limit), limit.size(), "checkpoint_page_limit = 130"));
  do_steps("gcc @flags", "cmake");
}

TEST_F(CheckpointLibraryTest, EveryFunctionAndStatusIsExplained) {
  const Names functions = functions_of_the_header();
  EXPECT_GE(functions.size(), 19u);
  Names explained;
  static const std::regex call("`(checkpoint_[a-z_]+)\\(");
  for (const auto& row : table("| function |")) explained.merge(names_in(row[0], call));
  EXPECT_THAT(explained, ContainerEq(functions));

  const std::string header = text_of(tree / "sw/checkpoint/checkpoint.h");
  const auto end = header.find("} CheckpointStatus;");
  ASSERT_NE(end, std::string::npos);
  static const std::regex enumerator("\n  (checkpoint_[a-z_]+)[ ,]");
  const Names statuses = names_in(header.substr(0, end), enumerator);
  Names documented;
  for (const auto& row : table("| `CheckpointStatus` |")) documented.merge(quoted(row[0]));
  EXPECT_GE(statuses.size(), 20u);
  EXPECT_THAT(documented, ContainerEq(statuses));
  for (const auto& row : table("| function |"))  // the table names statuses without checkpoint_
    for (const std::string& status : quoted(row[2]))
      EXPECT_TRUE(functions.contains(status) || statuses.contains("checkpoint_" + status))
          << row[0] << status;
}

TEST_F(CheckpointLibraryTest, ALevelThatIsNotUsedNeedsNeitherSourcesNorHooks) {
  const auto rows = table("| calls | sources |");
  Names everything, named_elsewhere;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    everything.merge(quoted(rows[i][1]));
    if (i > 0) named_elsewhere.merge(quoted(rows[i][0]));
  }
  ASSERT_NO_FATAL_FAILURE(copy_and_compile(everything));
  Names base = functions_of_the_header();
  for (const std::string& name : named_elsewhere) EXPECT_EQ(base.erase(name), 1u) << name;
  for (const auto& row : rows) {
    Names functions = base, sources = quoted(rows[0][1]), hooks = quoted(rows[0][2]);
    if (&row != &rows[0]) functions.merge(quoted(row[0]));
    sources.merge(quoted(row[1]));
    hooks.merge(quoted(row[2]));
    EXPECT_THAT(link(functions, sources), ContainerEq(hooks)) << row[0];
  }
  Names explained{"memcmp", "memmove", "memset", "strlen"};  // the page documents them with memcpy
  static const std::regex first("`([a-z_]+)[(`]");
  for (const auto& row : table("| hook |")) explained.merge(names_in(row[0], first));
  Names hooks;
  for (const auto& row : rows) hooks.merge(quoted(row[2]));
  EXPECT_THAT(explained, ContainerEq(hooks));
}

// Whether the table's number, which has commas, is within 2% of the measured one: another compiler of the
// same series may emit a few instructions more or less.
bool is_near(std::string cell, double measured) {
  std::erase(cell, ',');
  return std::abs(std::stod(cell) - measured) <= 0.02 * measured;
}

TEST_F(CheckpointLibraryTest, TheFootprintIsWhatIsMeasured) {
  Names sources;
  for (const auto& row : table("| calls | sources |")) sources.merge(quoted(row[1]));
  ASSERT_NO_FATAL_FAILURE(copy_and_compile(sources));
  const std::string cxl =
      R"(node.devices.cxl={"type":"cxl_memory","base":["0x20_0000_0000","0x0b21_0000"],"interrupt":13,)"
      R"("expander":"asic","supply":"own","size":"256MiB","part":"ddr4_2400_8gb_x4","ranks":1})";
  const std::string ssd =
      R"(node.devices.cxl_ssd={"type":"cxl_ssd","base":["0x21_0000_0000","0x0b21_1000"],"interrupt":12,)"
      R"("expander":"asic","size":"256MiB","cache":"1MiB","part":"ddr4_2400_8gb_x4","ranks":1})";
  const Ended run = asterism({"run", "pcram", cxl, ssd, "firmware=checkpoint_stack", "args=", "faults=[]",
                              "expect={}", "--out", "run"});
  ASSERT_EQ(run.status, 0) << run.out;

  const auto rows = table("| | calls | code |");
  const Names first = quoted(rows[0][1]);
  for (const auto& row : rows) {
    Names functions = quoted(row[1]);
    functions.insert(first.begin(), first.end());
    link(functions, sources);
    const std::string sizes = type("aarch64-linux-gnu-size library.elf").out;
    std::smatch size, stack;
    static const std::regex columns("\n *(\\d+)\\s+(\\d+)\\s+(\\d+)\\s");
    ASSERT_TRUE(std::regex_search(sizes, size, columns)) << sizes;
    const std::string name = *quoted(row[0]).begin();
    const std::regex deepest("checkpoint_stack: " + name + " (\\d+)\n");
    ASSERT_TRUE(std::regex_search(run.out, stack, deepest)) << run.out;
    const double code = std::stod(size[1]), variables = std::stod(size[2]) + std::stod(size[3]),
                 deep = std::stod(stack[1]);
    EXPECT_TRUE(is_near(row[2], code) && is_near(row[3], variables) && is_near(row[4], deep))
        << fmt::format("{} has {:.0f} | {:.0f} | {:.0f} |", name, code, variables, deep);
  }
}

}  // namespace
}  // namespace asterism
