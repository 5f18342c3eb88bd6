// Time between the cores of a node (sw/litmus/causality.c): under any quantum, a core that has received a
// message never reads a counter value from before the message was sent, and work that waits for other work
// takes the time of both.
#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct CausalityTest : CommandTest {
  std::string console(const std::string& to, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {
        "run", "hello", "--firmware", "causality", "node.memory.size=64MiB", "--out", to};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = asterism(arguments);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return contents(to + "/console.log");
  }
  void expect_causality(const std::vector<std::string>& more, const std::string& cores = "4") const {
    const std::string text = console("run", more);
    EXPECT_THAT(text, EndsWith("causality: " + cores + " cores, holds\n"));
    EXPECT_THAT(text, HasSubstr("\nstr, ldr "));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("messages") != std::string::npos) {
        EXPECT_THAT(line, HasSubstr(" 0 early;"));
      }
    }
  }
};

TEST_F(CausalityTest, HoldsAtEveryQuantum) {
  expect_causality({"node.quantum=50ns", "args=rounds=40"});
  expect_causality({"node.quantum=1us"});
  expect_causality({"node.quantum=10us", "args=rounds=20"});
}

TEST_F(CausalityTest, HoldsForAnyNumberOfCores) {
  for (const std::string cores : {"2", "3", "8"})
    expect_causality({"node.cores.count=" + cores, "args=rounds=40"}, cores);
}

TEST_F(CausalityTest, HoldsWithCachesAndTimedMemory) {
  expect_causality({"node.cores.caches.model=tags", "args=rounds=20"});
  expect_causality({"node.cores.caches.model=tags", "node.memory.fidelity=exact", "args=rounds=20"});
}

TEST_F(CausalityTest, HoldsForSlowCoresAndOtherCounters) {
  expect_causality({"node.cores.cpi=1.7", "node.cores.counter=24MHz", "args=rounds=40"});
  expect_causality({"node.cores.clock=3GHz", "node.cores.counter=1GHz", "args=rounds=40"});
}

TEST_F(CausalityTest, IsTheSameWithMoreThreadsOfTheHost) {
  const std::string one = console("one", {}), two = console("two", {"--threads", "2"});
  EXPECT_EQ(one, two);
  EXPECT_EQ(contents("one/stats.json"), contents("two/stats.json"));
}

}  // namespace
}  // namespace asterism
