#include "resilience/gpu_system.h"

#include <gtest/gtest.h>

#include "base/fields.h"

namespace asterism {
namespace {

struct Column {  // a column of lee2019 Table 1
  double exaflops;
  std::uint32_t gpus_per_cpu;
  std::uint64_t gpus, cpus, nodes, cabinets;
  double gpu_gbps, cpu_gbps, link_gbps, disk_gbps, file_system_gbps;
  double gpu_failures, cpu_failures, node_failures, failures;
};

const Column table1[] = {{0.45, 16, 57600, 3600, 1800, 100, 2.36e8, 6.13e5, 2.30e5, 3.87e3, 3.45e3, 6.56e-5,
                          1.14e-6, 2.60e-7, 6.72e-5},
                         {0.9, 16, 115200, 7200, 3600, 200, 4.72e8, 1.23e6, 4.61e5, 7.74e3, 4.49e3, 1.31e-4,
                          2.28e-6, 5.20e-7, 1.34e-4},
                         {1.8, 16, 230400, 14400, 7200, 400, 9.44e8, 2.45e6, 9.22e5, 1.55e4, 5.84e3, 2.62e-4,
                          4.56e-6, 1.04e-6, 2.68e-4},
                         {3.6, 2, 460800, 230400, 115200, 6400, 1.89e9, 3.92e7, 3.69e6, 2.48e5, 7.65e3,
                          5.25e-4, 6.36e-5, 1.66e-5, 6.05e-4},
                         {3.6, 4, 460800, 115200, 57600, 3200, 1.89e9, 1.96e7, 3.69e6, 1.24e5, 7.61e3,
                          5.25e-4, 3.31e-5, 8.31e-6, 5.67e-4},
                         {3.6, 8, 460800, 57600, 28800, 1600, 1.89e9, 9.81e6, 3.69e6, 6.19e4, 7.60e3, 5.25e-4,
                          1.73e-5, 4.16e-6, 5.47e-4},
                         {3.6, 16, 460800, 28800, 14400, 800, 1.89e9, 4.90e6, 1.84e6, 3.10e4, 7.59e3, 5.25e-4,
                          9.13e-6, 2.08e-6, 5.36e-4},
                         {3.6, 32, 460800, 14400, 7200, 400, 1.89e9, 2.45e6, 9.22e5, 1.55e4, 7.58e3, 5.25e-4,
                          4.84e-6, 1.04e-6, 5.31e-4},
                         {7.2, 16, 921600, 57600, 28800, 1600, 3.77e9, 9.81e6, 3.69e6, 6.19e4, 9.86e3,
                          1.05e-3, 1.83e-5, 4.16e-6, 1.07e-3}};

TEST(GpuSystemTest, IsTable1) {
  const auto near = [](double measured, double published) {
    EXPECT_NEAR(measured, published, 0.005 * published);
  };
  for (const Column& column : table1) {
    SCOPED_TRACE(testing::Message() << column.exaflops << " EFLOPS, " << column.gpus_per_cpu
                                    << " GPUs per CPU");
    const GpuSystem s = gpu_system(GpuSystemConfig{}, column.exaflops, column.gpus_per_cpu);
    EXPECT_EQ(s.gpus, column.gpus);
    EXPECT_EQ(s.cpus, column.cpus);
    EXPECT_EQ(s.nodes, column.nodes);
    EXPECT_EQ(s.cabinets, column.cabinets);
    near(s.gpu_gbps, column.gpu_gbps);
    near(s.cpu_gbps, column.cpu_gbps);
    near(s.link_gbps, column.link_gbps);
    near(s.disk_gbps, column.disk_gbps);
    near(s.file_system_gbps, column.file_system_gbps);
    near(s.gpu_failures.per_second(), column.gpu_failures);
    near(s.cpu_failures.per_second(), column.cpu_failures);
    near(s.node_failures.per_second(), column.node_failures);
    near(s.failures().per_second(), column.failures);
  }
}

TEST(GpuSystemTest, HasWholeNodes) {
  const GpuSystem s = gpu_system(GpuSystemConfig{}, 0.0001, 16);  // 12.8 GPUs
  EXPECT_EQ(s.nodes, 1u);
  EXPECT_EQ(s.gpus, 32u);
  EXPECT_EQ(s.cabinets, 1u);
}

TEST(GpuSystemTest, CheckpointsAtTheBandwidthOfEachLevel) {
  const GpuSystem s = gpu_system(GpuSystemConfig{}, 3.6, 16);
  const auto levels = levels_of(s, {});
  EXPECT_NEAR(levels[0].checkpoint.count(), 8, 1e-9);            // 16 GPUs of 32 GB over 64 GB/s
  EXPECT_NEAR(levels[1].checkpoint.count(), 1024 / 2.15, 1e-9);  // 32 GPUs over a disk
  EXPECT_NEAR(levels[2].checkpoint.count(), 1943, 1);
  EXPECT_EQ(levels[0].failures, s.gpu_failures + s.cpu_failures);
  EXPECT_EQ(levels[1].failures, s.node_failures);
  EXPECT_EQ(levels[2].failures, s.system_failures);
}

TEST(GpuSystemTest, SnapshotsAreCheaperToTakeThanToReadBack) {
  const GpuSystem s = gpu_system(GpuSystemConfig{}, 3.6, 16);
  const auto full = levels_of(s, {});
  const auto levels = levels_of(s, {.footprint = 0.5, .memory_speedup = 10, .volume = 0.25});
  EXPECT_DOUBLE_EQ(levels[0].checkpoint / full[0].checkpoint, 0.05);
  EXPECT_DOUBLE_EQ(levels[1].checkpoint / full[1].checkpoint, 0.125);
  EXPECT_DOUBLE_EQ(levels[2].checkpoint / full[2].checkpoint, 0.125);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(levels[i].restart / full[i].restart, 0.5);
  const auto ideal = levels_of(s, {.ideal_memory = true, .ideal_disk = true});
  EXPECT_EQ(ideal[0].checkpoint + ideal[0].restart + ideal[1].checkpoint + ideal[1].restart, Seconds());
  EXPECT_EQ(ideal[2].checkpoint, full[2].checkpoint);
}

// Only preservation is free: 16 GPUs of 32 GB are read back over 64 GB/s, and 32 of them from a disk.
TEST(GpuSystemTest, LevelsThatAreWrittenInNoTimeMayTakeTimeToRead) {
  const GpuSystem s = gpu_system(GpuSystemConfig{}, 3.6, 16);
  const auto levels = levels_of(s, {.ideal_memory = true, .ideal_disk = true, .ideal_reads = false});
  EXPECT_EQ(levels[0].checkpoint + levels[1].checkpoint, Seconds());
  EXPECT_NEAR(levels[0].restart.count(), 8, 1e-9);
  EXPECT_NEAR(levels[1].restart.count(), 1024 / 2.15, 1e-9);
  const auto half = levels_of(s, {.footprint = 0.5, .ideal_memory = true, .ideal_reads = false});
  EXPECT_NEAR(half[0].restart.count(), 4, 1e-9);
  EXPECT_NEAR(half[1].checkpoint.count(), 512 / 2.15, 1e-9);
}

// 16 GPUs of 32 GB behind 64 GB/s. All: 8 s. One, and a third of the 15 others: 6 * 32 / 64 = 3 s, but the
// link of the one that failed has 8 GB/s: 4 s. With all of the others it is 8 s again.
TEST(GpuSystemTest, ASelectiveRestartReadsTheGpuThatFailedAndWhatOthersWrote) {
  GpuSystemConfig config;
  config.cpu_failures = config.cpu_failures_density = 0;
  const auto restart = [&](SnapshotCost cost) {
    return levels_of(gpu_system(config, 3.6, 16), cost)[0].restart.count();
  };
  EXPECT_NEAR(restart({.volume = 1.0 / 3}), 8, 1e-9);
  EXPECT_NEAR(restart({.volume = 1.0 / 3, .selective_restore = true}), 4, 1e-9);
  EXPECT_NEAR(restart({.volume = 0.8, .selective_restore = true}), 13 * 32 / 64.0, 1e-9);
  EXPECT_NEAR(restart({.volume = 1, .selective_restore = true}), 8, 1e-9);
  EXPECT_EQ(restart({.volume = 0.5, .ideal_memory = true, .selective_restore = true}), 0);
  // CPUs take all their GPUs with them: with as many failures of either, half of the restarts read all.
  config.cpu_failures = 16 * config.gpu_failures;
  EXPECT_NEAR(restart({.volume = 1.0 / 3, .selective_restore = true}), 6, 1e-9);
  const auto levels = levels_of(gpu_system(config, 3.6, 16), {.volume = 0.5, .selective_restore = true});
  EXPECT_NEAR(levels[1].restart.count(), 1024 / 2.15, 1e-9);
}

TEST(GpuSystemTest, GpusMayFailMoreOften) {
  const GpuSystem once = gpu_system(GpuSystemConfig{}, 3.6, 16),
                  often = gpu_system(GpuSystemConfig{}, 3.6, 16, 50);
  EXPECT_DOUBLE_EQ(often.gpu_failures / once.gpu_failures, 50);
  EXPECT_EQ(often.cpu_failures, once.cpu_failures);
}

TEST(GpuSystemTest, DescriptionsAreWhole) {
  EXPECT_EQ(description_problem<GpuSystemConfig>(), "");
  EXPECT_EQ(description_problem<SnapshotCost>(), "");
}

}  // namespace
}  // namespace asterism
