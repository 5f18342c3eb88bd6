// A disk behind NVMe, with firmware: what it was promised survives power failures.
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct NvmeScenarioTest : CommandTest {};

TEST_F(NvmeScenarioTest, AProgramContinuesFromTheRoundThatItWasPromised) {
  const Ended ended = asterism({"run", "nvme"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("nvme_disk: rounds 11 to 24 took"));
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
}

// The last block of a round does not fill its flash page, and stays in the cache without a flush.
TEST_F(NvmeScenarioTest, WithoutAFlushAPromiseIsBroken) {
  const Ended ended =
      asterism({"run", "nvme", "args=rounds=24 blocks=49 flush=off", "expect={}", "node.nvme.linger=1s"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("or later\n"));
}

}  // namespace
}  // namespace asterism
