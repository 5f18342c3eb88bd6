// Compares six million random instructions with Unicorn, by class, and two million with VIXL's simulator; ten
// and twenty times as many in a nightly run. The seeds are fixed. a64_streams runs more.
#include "core/a64/oracle/streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "base/nightly.h"
#include "core/a64/oracle/program.h"

namespace asterism::a64::oracle {
namespace {

class A64Streams : public testing::TestWithParam<std::string> {};
class A64StreamsOfVixl : public testing::TestWithParam<std::string> {};

void expect_agreement(StreamOptions options, std::uint64_t seeds) {
  options.instructions = 250'000;
  for (options.seed = 1; options.seed <= seeds; ++options.seed) {
    std::cout << options.of_class << ": seed " << options.seed << "\n";
    const StreamResult result = run_stream(options);
    ASSERT_EQ(result.mismatch, "");
    EXPECT_GE(result.instructions, options.instructions);
    EXPECT_GT(result.compared, 0u);
    EXPECT_LT(result.left_memory * 100, result.programs);
  }
}

TEST_P(A64Streams, AgreeWithUnicorn) {
  expect_agreement({.of_class = GetParam(), .row = {}}, repetitions(2, 20));
}

TEST_P(A64StreamsOfVixl, AgreeWithItsSimulator) {
  expect_agreement({.of_class = GetParam(), .row = {}, .is_vixl = true}, repetitions(1, 20));
}

// None where libvixl-dev is not installed.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(A64StreamsOfVixl);
INSTANTIATE_TEST_SUITE_P(Classes, A64StreamsOfVixl,
                         testing::ValuesIn(has_vixl() ? vixl_classes() : std::vector<std::string>()),
                         [](const auto& info) { return info.param; });

std::vector<std::string> all_classes() {
  std::vector<std::string> classes = Generator::classes();
  classes.emplace_back("all");
  return classes;
}

INSTANTIATE_TEST_SUITE_P(Classes, A64Streams, testing::ValuesIn(all_classes()),
                         [](const auto& info) { return info.param; });

TEST(A64StreamsThemselves, CompareNothingIfNoRowHasTheName) {
  const StreamResult result = run_stream({.of_class = "branches", .row = "no such row"});
  EXPECT_EQ(result.compared, 0u);
  EXPECT_EQ(result.programs, 0u);
}

TEST(A64StreamsThemselves, NameTheRowsOfAClass) {
  const auto has_ret = [](const std::string& of_class) {
    return std::ranges::count(stream_rows(of_class), "RET");
  };
  EXPECT_EQ(has_ret("branches"), 1);
  EXPECT_EQ(has_ret("all"), 1);
  EXPECT_EQ(has_ret("register"), 0);
}

TEST(A64StreamsThemselves, DrawEachRowOfAClass) {
  Generator generator("immediate", "", {}, 1);
  std::set<const Row*> drawn;
  for (int i = 0; i < 100; ++i)
    for (const std::uint32_t word : generator.program(48).words) drawn.insert(find_row(word, {}));
  EXPECT_EQ(drawn.size(), generator.rows().size());
  EXPECT_GE(drawn.size(), 5u);
}

}  // namespace
}  // namespace asterism::a64::oracle
