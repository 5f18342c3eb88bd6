#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest nvme(R"({"kind": "nvme", "blocks": 8, "duration": "20ms"})");

// A read waits for the controller, a sensing of 45 us, a flash page on a channel at 400 MB/s, and 4 KiB on
// the link at 4 GB/s; memory answers three times after 100 ns: for the command, the data and its completion.
TEST(NvmeStudyTest, OneReadAtATimeTakesTheTimesOfItsParts) {
  const Row row = nvme.run({"depth=1"});
  const double latency = 2 + 45 + 16384 / 400.0 + 4096 / 4000.0 + 3 * 0.1;
  EXPECT_NEAR(row.number("p50_us"), latency, 1e-3);
  EXPECT_NEAR(row.number("p99_us"), latency, 1e-3);
  EXPECT_EQ(row.count("errors"), 0u);
}

TEST(NvmeStudyTest, MoreReadsUnderWayKeepMoreDiesBusy) {
  const double one = nvme.run({"depth=1"}).number("iops"), many = nvme.run({"depth=64"}).number("iops");
  EXPECT_GT(many, 5 * one);
  EXPECT_LT(many, 4 * 400e6 / 16384);  // what the channels transfer
}

// Random writes over a full disk have to move pages; sequential ones find blocks that are all invalid.
TEST(NvmeStudyTest, GarbageCollectionAmplifiesRandomWrites) {
  const auto amplification = [](const std::string& pattern, const std::string& overwrites) {
    return nvme
        .run({"reads=0", "size=16KiB", "channels=2", "packages=1", "blocks=32", "duration=500ms",
              "pattern=" + pattern, "overwrites=" + overwrites})
        .number("write_amplification");
  };
  EXPECT_GT(amplification("random", "100"), 2);
  EXPECT_LT(amplification("sequential", "0"), 1.1);
}

TEST(NvmeStudyTest, ATraceHasToBeThere) {
  EXPECT_NE(nvme.mistake({"trace=missing.trace"}).find("missing.trace: cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace asterism
