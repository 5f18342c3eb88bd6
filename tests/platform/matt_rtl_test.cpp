// The DIMM-SSD's tracking table in RTL, in a node that takes checkpoints by every method.
#include <gmock/gmock.h>

#include "testbenches/mutant.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct MattRtlTest : CommandTest {
  MattRtlTest() { node_of_firmware = untimed; }
  Ended methods(const std::vector<std::string>& more) {
    std::vector<std::string> keys{"args=nx=6 iterations=6 columns=48 rows=32 sweeps=10 interval=3",
                                  "node.memory.size=256MiB"};
    keys.insert(keys.end(), more.begin(), more.end());
    return firmware("methods", keys);
  }
};

TEST_F(MattRtlTest, InLockstepAndAloneItGivesTheModelsRun) {
  const Ended lockstep = methods({"node.dimm_ssd.matt.impl=lockstep"});
  EXPECT_EQ(lockstep.status, 0) << lockstep.out << lockstep.err;
  EXPECT_THAT(lockstep.out, AllOf(HasSubstr("node.dimm_ssd.matt: lockstep"), HasSubstr("0 mismatches"),
                                  HasSubstr("reached operations 8/8")));
  const Ended alone = methods({"node.dimm_ssd.matt.impl=rtl"}), model = methods({});
  const auto table = [](const Ended& ended) { return ended.out.substr(0, ended.out.find("scenario ")); };
  EXPECT_THAT(table(model), HasSubstr("early_late+consolidate"));
  EXPECT_EQ(table(lockstep), table(model));
  EXPECT_EQ(table(alone), table(model));
}

// The mutant does not report the cores that wait for a page.
TEST_F(MattRtlTest, ABugInTheTableEndsTheRunWithItsReport) {
  make_mutant(source_configs().parent_path() / "rtl/matt", folder / "mine",
              {{"matt.sv", "answer_d          = bits.waiting;", "answer_d          = 1'b0;"}});
  const Ended ended =
      methods({"node.dimm_ssd.matt.impl=lockstep", "node.dimm_ssd.matt.variant=mine/block.json"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("lockstep mismatch in node.dimm_ssd.matt at "),
                               HasSubstr("RTL       nothing has waited")));
}

TEST_F(MattRtlTest, ABufferThatTheRtlCannotHaveIsRefused) {
  const Ended ended = methods({"node.dimm_ssd.matt.impl=lockstep", "node.dimm_ssd.matt.buffer_entries=129"});
  EXPECT_EQ(ended.status, 65) << ended.out << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("is at most 128 where RTL keeps the table"));
}

}  // namespace
}  // namespace asterism
