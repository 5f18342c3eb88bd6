#include "cxl/cxl_traffic.h"

#include <gtest/gtest.h>

#include "memory/dram_traffic.h"

namespace asterism {
namespace {

DramConfig one_rank() {
  DramConfig config;
  config.ranks = 1;
  config.refresh = RefreshMode::none;
  return config;
}

struct CxlTrafficTest : testing::Test {
  const DramPart part{};
  DramSystem memory{one_rank(), part, part.rank_size()};
};

TEST_F(CxlTrafficTest, AChaseTakesTheUnloadedTimeOfTheLinkLonger) {
  const CxlLoad load{.requests = 2000};
  const CxlLoadResult local = run(load, memory, nullptr, 20_ns);
  DramSystem behind(one_rank(), part, part.rank_size());
  CxlLink link({.port_latency = 62_ns, .controller_latency = 15_ns});
  const CxlLoadResult far = run(load, behind, &link, 20_ns);
  EXPECT_EQ(local.reads, 2000u);
  // Rows are closed and opened with more time between, which is seldom of use.
  EXPECT_NEAR(static_cast<double>((far.latency - local.latency).count()),
              static_cast<double>(link.unloaded().count()), 3000);
}

TEST_F(CxlTrafficTest, CountsAsStreamDoes) {
  const CxlLoadResult copy =
      run({.program = CxlProgram::copy, .threads = 2, .outstanding = 8, .array = 1_MiB, .requests = 3000},
          memory, nullptr, 0_ps);
  EXPECT_EQ(copy.reads, 2000u);
  EXPECT_EQ(copy.writes, 1000u);
  EXPECT_EQ(copy.counted, 2000u);
  const CxlLoadResult add =
      run({.program = CxlProgram::add, .outstanding = 8, .array = 1_MiB, .requests = 4000}, memory, nullptr,
          0_ps);
  EXPECT_EQ(add.reads, 3000u);
  EXPECT_EQ(add.counted, 3000u);
}

// A write that overtook the read of its line would answer it from the write queue.
TEST_F(CxlTrafficTest, WritesLinesWhenTheyHaveBeenRead) {
  const CxlLoad load{
      .program = CxlProgram::copy, .threads = 8, .outstanding = 256, .array = 8_MiB, .requests = 30'000};
  const CxlLoadResult copy = run(load, memory, nullptr, 0_ps);
  EXPECT_EQ(memory.summary().forwarded, 0u);
  const double peak = 64 / static_cast<double>(part.timing.tck.count() * part.timing.burst_clocks());
  EXPECT_LT(static_cast<double>(copy.reads + copy.writes) * 64 / static_cast<double>(copy.elapsed.count()),
            peak);
}

TEST_F(CxlTrafficTest, ACheckpointOnlyWritesAndARestartOnlyReads) {
  const CxlLoadResult write =
      run({.program = CxlProgram::write, .threads = 2, .outstanding = 8, .array = 1_MiB, .requests = 3000},
          memory, nullptr, 0_ps);
  EXPECT_EQ(write.writes, 3000u);
  EXPECT_EQ(write.counted, 3000u);
  DramSystem other(one_rank(), part, part.rank_size());
  EXPECT_EQ(run({.program = CxlProgram::read, .outstanding = 8, .array = 1_MiB, .requests = 3000}, other,
                nullptr, 0_ps)
                .reads,
            3000u);
}

TEST_F(CxlTrafficTest, TheQueueOfTheDeviceBoundsTheBandwidth) {
  CxlLink link({.port_latency = 62_ns, .controller_latency = 200_ns, .queue = 8});
  const CxlLoadResult result =
      run({.program = CxlProgram::add, .threads = 4, .outstanding = 64, .array = 1_MiB, .requests = 8000},
          memory, &link, 0_ps);
  const double rate =
      static_cast<double>(result.reads + result.writes) * 64 / static_cast<double>(result.elapsed.count());
  EXPECT_LT(rate, 8 * 64 / 400e3) << "bytes in a picosecond";
  EXPECT_GT(rate, 0.8 * 8 * 64 / 440e3);
}

TEST_F(CxlTrafficTest, IsADramTrafficWithoutALink) {
  const CxlLoadResult own = run({.requests = 3000}, memory, nullptr, 0_ps);
  DramSystem exact(one_rank(), part, part.rank_size());
  DramTraffic traffic(exact, 1, 0_ps);
  DramPatternSource source({.blocks = exact.mapping().geometry().blocks(), .requests = 3000});
  const DramTrafficResult result = traffic.run(source);
  EXPECT_NEAR(static_cast<double>(own.elapsed.count()) / static_cast<double>(result.elapsed.count()), 1,
              0.02);
}

}  // namespace
}  // namespace asterism
