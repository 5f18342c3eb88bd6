#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest host_link(R"({"kind": "host_link"})");

// 65536 bytes at 8 GB/s take 8.192 us, after an overhead of 5 us.
TEST(HostLinkStudyTest, SmallTransferWaitsForItsOverhead) {
  const Row row = host_link.run({});
  EXPECT_EQ(row.number("transfer_kib"), 64);
  EXPECT_EQ(row.number("share_gbps"), 8);
  EXPECT_NEAR(row.number("bandwidth_gbps"), 65.536 / 13.192, 1e-6);
  EXPECT_NEAR(row.number("efficiency_percent"), 819.2 / 13.192, 1e-6);
}

TEST(HostLinkStudyTest, ManyGpusShareTheProcessorsLanes) {
  EXPECT_EQ(host_link.run({"active=8"}).number("share_gbps"), 8);
  EXPECT_EQ(host_link.run({"active=32"}).number("share_gbps"), 2);
  EXPECT_EQ(host_link.mistake({"active=33"}),
            "command line: error: active: expected a value that is at most `lanes`, got 33; lanes is 32 "
            "(the default)");
}

}  // namespace
}  // namespace asterism
