// The shipped machines beside their published latencies; `asterism paper machines` compares more.
#include <gmock/gmock.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/nightly.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest timing(R"({"kind": "memory_timing", "node": "graviton2"})");

using Curve = std::vector<std::pair<double, double>>;  // GB/s, ns

// Between the points of a curve on the line through them.
double latency_at(const Curve& curve, double bandwidth) {
  std::size_t i = 1;
  while (i + 1 < curve.size() && curve[i].first < bandwidth) ++i;
  const auto [x, y] = curve[i - 1];
  return y + (curve[i].second - y) * (bandwidth - x) / (curve[i].first - x);
}

void expect_latencies(const std::string& node, const std::vector<std::pair<const char*, double>>& published) {
  for (const auto& [size, ns] : published) {
    const Row row = timing.run({"node=" + node, std::string("size=") + size});
    EXPECT_NEAR(row.number("latency_ns"), ns, 0.03 * ns) << node << ' ' << size;
    EXPECT_TRUE(row.is_empty("bandwidth_gbps"));
  }
}

// Memory in a size that is smaller than the published 544 MiB, but larger than the caches.
TEST(MemoryTimingStudyTest, TheGraviton2HasThePublishedLatencies) {
  expect_latencies("graviton2", {{"32832B", 1.6}, {"288KiB", 5.4}, {"16896KiB", 28.8}, {"48MiB", 95.0}});
}

TEST(MemoryTimingStudyTest, TheGraviton4HasThePublishedLatencies) {
  expect_latencies("graviton4", {{"32832B", 1.4}, {"640KiB", 4.0}, {"8MiB", 21.2}, {"48MiB", 110.0}});
}

// With fewer lines than usual, as the caches need not have been filled twice.
TEST(MemoryTimingStudyTest, TheGraviton2sLatencyRisesWithItsLoadAsPublished) {
  const Curve published{{46.4, 102.6}, {85.9, 112.1}, {108.8, 122.9}, {125.6, 134.2}};
  if (!is_nightly()) GTEST_SKIP() << "takes a minute; the nightly tests make it";
  for (const char* delay : {"delay=100", "delay=50"}) {
    const Row row = timing.run({"measure=loaded_latency", "loads=1024", delay});
    const double expected = latency_at(published, row.number("bandwidth_gbps"));
    EXPECT_NEAR(row.number("latency_ns"), expected, 0.1 * expected) << delay;
  }
  const Row full = timing.run({"measure=loaded_latency", "loads=1024", "delay=0"});
  EXPECT_NEAR(full.number("bandwidth_gbps"), 168.5, 0.1 * 168.5);
  EXPECT_GT(full.number("latency_ns"), 2 * 95);
}

TEST(MemoryTimingStudyTest, ALatencyNeedsASize) {
  EXPECT_THAT(timing.mistake({}), testing::HasSubstr("size: expected a size: measure=latency has"));
  EXPECT_THAT(StudyUnderTest(R"({"kind": "memory_timing", "node": "graviton2", "measure": "bandwidth"})")
                  .mistake({"measure=latency"}),
              testing::HasSubstr("command line: error: measure: expected a size"));
}

TEST(MemoryTimingStudyTest, SaysHowARunHasFailed) {
  ASSERT_EQ(setenv("ASTERISM_FIRMWARE", "/nowhere", 1), 0);
  const std::string said = thrown<StudyMistake>([] { timing.run({"size=4KiB"}); });
  unsetenv("ASTERISM_FIRMWARE");
  EXPECT_THAT(said, testing::HasSubstr("the run has ended with status 66: "));
}

}  // namespace
}  // namespace asterism
