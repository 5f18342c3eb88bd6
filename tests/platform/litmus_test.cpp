// The orders in which cores observe each other's stores, under every quantum (sw/litmus).
#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// The pauses take about a quantum, so that quanta end inside the tests.
struct Quantum {
  std::string length, arguments;
};
const Quantum quanta[] = {{"10ns", "pause=10"},
                          {"20ns", "pause=20"},
                          {"100ns", "pause=50"},
                          {"1us", "pause=500 runs=100"},
                          {"10us", "pause=5000 runs=20"}};

struct LitmusTest : CommandTest {
  std::string console(unsigned cores, const Quantum& quantum) const {
    const Ended ended =
        asterism({"run", "litmus", "node.quantum=" + quantum.length,
                  "node.cores.count=" + std::to_string(cores), "args=" + quantum.arguments, "--out", "run"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return contents("run/console.log");
  }
  void expect_nothing_forbidden(unsigned cores, const std::string& tests) const {
    for (const Quantum& quantum : quanta) {
      const std::string text = console(cores, quantum);
      EXPECT_THAT(text, HasSubstr("litmus: " + std::to_string(cores) + " cores, ")) << quantum.length;
      EXPECT_THAT(text, EndsWith("litmus: " + tests + " tests, 0 forbidden outcomes\n")) << quantum.length;
    }
  }
};

// How often a test had each outcome.
std::map<std::string, unsigned> outcomes(const std::string& text, const std::string& test) {
  std::map<std::string, unsigned> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(test + "  ")) continue;
    std::istringstream words(line.substr(test.size(), line.find('|') - test.size()));
    for (std::string outcome, count; words >> outcome >> count;)
      all[outcome.substr(0, outcome.size() - 1)] = static_cast<unsigned>(std::stoul(count));
  }
  return all;
}

TEST_F(LitmusTest, TwoCoresNeverSeeWhatTheModelForbids) { expect_nothing_forbidden(2, "30"); }
TEST_F(LitmusTest, FourCoresNeverSeeWhatTheModelForbids) { expect_nothing_forbidden(4, "35"); }

// If the cores ran one after the other, no forbidden outcome could appear even in a wrong model.
TEST_F(LitmusTest, CoresAlternateInsideTheTests) {
  const std::string text = console(4, {"10ns", "pause=10"});
  const auto unprotected = outcomes(text, "add without atomics");
  EXPECT_EQ(unprotected.size(), 3);
  EXPECT_GT(unprotected.at("001"), 0);  // both read 0, so an update is lost
  EXPECT_GT(outcomes(text, "MP").at("01"), 0);
  EXPECT_GT(outcomes(text, "SB").at("11"), 0);
  EXPECT_GT(outcomes(text, "stxr against a store").at("011"), 0);  // the store exclusive noticed the store
  EXPECT_GE(outcomes(text, "IRIW+acqs").size(), 12);
  unsigned runs = 0;
  for (const auto& [outcome, count] : outcomes(text, "ldxr+stxr")) runs += count;
  EXPECT_EQ(runs, 400);  // two pairs of cores
}

// The check itself must detect a forbidden outcome.
TEST_F(LitmusTest, AForbiddenOutcomeEndsTheRunWithStatusOne) {
  const Ended ended = asterism(
      {"run", "litmus", "args=pause=10 control=on", "node.quantum=10ns", "expect.exit=1", "--out", "run"});
  EXPECT_EQ(ended.status, 1) << ended.err;
  const auto all = outcomes(contents("run/console.log"), "add without atomics");
  EXPECT_GT(all.at("001"), 0);
  EXPECT_THAT(contents("run/console.log"),
              EndsWith("litmus: 35 tests, " + std::to_string(all.at("001")) + " forbidden outcomes\n"));
}

}  // namespace
}  // namespace asterism
