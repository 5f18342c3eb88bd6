// The memory's codec in RTL, in a node: a mutant, and the code of a DDR5 rank.
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

// This is a run of docs/memory.md.
TEST_F(CodecRtlTest, TheCodeOfADdr5RankCorrectsADeadChipInLockstep) {
  const Ended ended =
      asterism({"run", "chip_failure", "node.memory.part=ddr5_5600_16gb_x4",
                "node.memory.ecc_rank_code=rs_10_8", "node.memory.codec.impl=lockstep",
                "args=nx=10 interval=2", "faults.0.at=2.95ms", "expect.recoveries=0", "--quiet"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("1920 errors corrected, 0 uncorrectable"),
                               HasSubstr(" operations, 0 mismatches"), HasSubstr("reached operations 2/2")));
}

TEST_F(CodecRtlTest, ABlockOfTheOtherContractIsRefused) {
  const std::string ddr5 = "memory.part=ddr5_5600_16gb_x4", code = "memory.ecc_rank_code=rs_10_8",
                    lockstep = "memory.codec.impl=lockstep";
  const Ended dual_mode = asterism(
      {"check", "checkpoint_node", ddr5, code, lockstep, "memory.codec.variant=rtl/rs_codec/block.json"});
  EXPECT_EQ(dual_mode.status, 65);
  EXPECT_THAT(dual_mode.err, HasSubstr("memory.codec.variant: expected a block of the contract "
                                       "\"rank_codec\", got \"codec\""));
  const Ended rank =
      asterism({"check", "checkpoint_node", lockstep, "memory.codec.variant=rtl/ddr5_codec/block.json"});
  EXPECT_EQ(rank.status, 65);
  EXPECT_THAT(rank.err, HasSubstr("memory.codec.variant: expected a block of the contract \"codec\", got "
                                  "\"rank_codec\""));
}

TEST_F(CodecRtlTest, OfSomeCodesThereIsNoRtl) {
  const Ended ended = asterism({"check", "checkpoint_node", "memory.part=ddr5_5600_16gb_x4",
                                "memory.ecc_rank_code=chip_guard", "memory.codec.impl=rtl"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              HasSubstr("memory.codec: expected a value that is the model with this ecc_rank_code: there "
                        "is RTL of rs_10_8, rs_10_8_chip and rs_40_32"));
}

}  // namespace
}  // namespace asterism
