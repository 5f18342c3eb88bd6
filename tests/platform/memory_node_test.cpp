// What a node's memory may be made of, and its codec in RTL: the program's results stay the same.
#include <gmock/gmock.h>

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

}  // namespace
}  // namespace asterism
