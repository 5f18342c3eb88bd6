// What a node's memory may be made of, and its codec in RTL: the program's results stay the same.
#include <gmock/gmock.h>

#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct MemoryNodeTest : CommandTest {
  // A small job; what it leaves.
  std::string result(const Arguments& node) const {
    Arguments all{"args=nx=5 checkpoint=off"};
    all.insert(all.end(), node.begin(), node.end());
    const Ended ended = firmware("cg", all);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return contents("run/files/result.txt");
  }
};

TEST_F(MemoryNodeTest, AnyMemoryGivesTheSameResult) {
  const std::string expected = result({});
  EXPECT_EQ(result({"node.memory.ecc=none", "node.memory.ranks=1"}), expected);
  EXPECT_EQ(result({"node.memory.ecc=strong", "node.memory.ecc_profile=chip"}), expected);
  EXPECT_EQ(result({"node.memory.part=ddr4_2400_8gb_x4", "node.memory.mapping=RaRoBaCoCh"}), expected);
  EXPECT_EQ(result({"node.memory.fidelity=exact"}), expected);
}

// abeyratne2017 Table 3.1.
TEST_F(MemoryNodeTest, TwentyFourControllersOfFourChannels) {
  EXPECT_EQ(result({"node.memory.controllers=24", "node.memory.channels=4", "node.memory.size=3GiB"}),
            result({}));
}

TEST_F(MemoryNodeTest, TheCodecInLockstepMeetsEveryOutcome) {
  const Ended ended =
      firmware("bad_memory", {"node.memory.mapping=RaRoBaCoCh", "node.memory.codec.impl=lockstep"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(" operations, 0 mismatches\n"));
  EXPECT_THAT(ended.out, HasSubstr("reached operations 4/4\n"));
  EXPECT_THAT(ended.out, HasSubstr("reached outcomes 6/6\n"));
}

TEST_F(MemoryNodeTest, TheCodecInRtlCorrectsTheSame) {
  const Ended ended =
      firmware("bad_memory", {"node.memory.mapping=RaRoBaCoCh", "node.memory.codec.impl=rtl"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("bad_memory: 0 wrong"));
}

// 66 FIT of a device are too few for a run of milliseconds, however they are accelerated.
TEST_F(MemoryNodeTest, RandomFaultsStrikeBySeedAlone) {
  const auto strikes = [&](const std::string& seed) {
    firmware("spin", {"--until", "2ms", "node.memory.fit_per_device=5000", "seed=" + seed,
                      "node.memory.fit_acceleration=1000000000000"});
    std::vector<std::string> lines;
    std::istringstream events(contents("run/events.jsonl"));
    for (std::string line; std::getline(events, line);)
      if (line.find("\"memory_fault\"") != std::string::npos) lines.push_back(line);
    return lines;
  };
  const std::vector<std::string> first = strikes("1");  // 100 are expected: 36 devices, 2 ms
  EXPECT_GT(first.size(), 60u);
  EXPECT_LT(first.size(), 140u);
  EXPECT_EQ(json("run/stats.json")["node"]["memory"]["ecc"]["faults_injected"], first.size());
  EXPECT_EQ(strikes("1"), first);
  EXPECT_NE(strikes("2"), first);
}

}  // namespace
}  // namespace asterism
