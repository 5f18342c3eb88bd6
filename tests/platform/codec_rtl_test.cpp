// A mutant of the memory's codec in RTL, in a node.
#include <gmock/gmock.h>

#include "testbenches/mutant.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using CodecRtlTest = CommandTest;

// The mutant already differs for the first block of the boot ROM, before the first instruction.
TEST_F(CodecRtlTest, ABugInTheFirstBlockEndsTheRunWithItsReport) {
  make_mutant(source_configs().parent_path() / "rtl/rs_codec", folder / "mine",
              {{"rs_syndrome.sv", "power(row)", "power(row == 1 ? 2 : row)"}});
  const Ended ended =
      firmware("hello", {"node.memory.codec.impl=lockstep", "node.memory.codec.variant=mine/block.json"});
  EXPECT_EQ(ended.status, 68) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("node.memory.codec"), HasSubstr("simulated    0 ps in ")));
  EXPECT_TRUE(exists("run/stats.json"));
}

}  // namespace
}  // namespace asterism
