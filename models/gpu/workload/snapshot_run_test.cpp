#include "gpu/workload/snapshot_run.h"

#include <gtest/gtest.h>

#include "gpu/workload/kernel_profile.h"

namespace asterism {
namespace {

GpuConfig small_gpu() {
  GpuConfig gpu;
  gpu.memory = 256_MiB;
  gpu.channels = 4;
  gpu.pipelines = 8;
  gpu.l2 = 128_KiB;
  gpu.buffer = 1_MiB;
  return gpu;
}
// Half of the zones are dirty, a quarter of each; an iteration takes much less time than a snapshot.
KernelProfile profile() {
  KernelProfile p;
  p.footprint = 16_MiB;
  p.dirty_zones = 0.5;
  p.dirty_pieces = 0.25;
  p.kernels = 2;
  p.reads = p.writes = 20_GBps;
  return p;
}
SnapshotRunResult run(const char* how, const KernelProfile& p = profile(), std::uint32_t gpus = 16) {
  SnapshotRunConfig config{.gpu = small_gpu(), .how = *snapshot_config(how), .gpus_per_cpu = gpus};
  if (config.how.fine) config.gpu.zone = 4_KiB;
  ProfileKernels program(p, config.gpu);
  return SnapshotRun(config, program).run();
}
double relative(const SnapshotRunResult& result) {
  return static_cast<double>(result.lost.all().count()) / static_cast<double>(result.full.count());
}

TEST(SnapshotRunTest, AFullBlockingSnapshotCostsWhatTheLinkTakes) {
  // One of 16 GPUs has 4 GB/s. Eight transfers of 2 MiB have an overhead of 5 us each, as has that of the
  // zone table's 32 bytes. The command takes a round trip of 25 us, and a message of 12.5 us ends the
  // snapshot.
  const SnapshotRunResult result = run("F");
  const double transfers = (16.0 * (1 << 20) + 32) / 4e9 + 9 * 5e-6 + 37.5e-6;
  EXPECT_NEAR(static_cast<double>(result.full.count()) / 1e12, transfers, 1e-6);
  EXPECT_NEAR(relative(result), 1, 0.01);
  EXPECT_EQ(result.lost.waited + result.lost.bandwidth, 0_ps);
  EXPECT_EQ(result.to_host, 16_MiB);
}

TEST(SnapshotRunTest, AnIncrementTakesTheDirtyZones) {
  const SnapshotRunResult coarse = run("I"), fine = run("I-FG");
  EXPECT_EQ(coarse.zones, 128u);  // half of 256
  EXPECT_EQ(coarse.zones_in_use, 256u);
  EXPECT_EQ(fine.zones, 512u);               // an eighth of 4096
  EXPECT_NEAR(relative(coarse), 0.5, 0.05);  // each transfer is a row of 256 KiB
  EXPECT_EQ(fine.to_host, 2_MiB);
}

// Each of the two kernels writes to its half of the memory, and later ones to the same zones again.
TEST(SnapshotRunTest, ZonesBecomeDirtyUntilAllAre) {
  const auto zones_after = [](std::uint32_t kernels) {
    SnapshotRunConfig config{.gpu = small_gpu(), .how = *snapshot_config("I"), .interval_kernels = kernels};
    ProfileKernels program(profile(), config.gpu);
    return SnapshotRun(config, program).run().zones;
  };
  EXPECT_EQ(zones_after(0), 0u);
  EXPECT_EQ(zones_after(1), 64u);
  EXPECT_EQ(zones_after(2), 128u);
  EXPECT_EQ(zones_after(5), 128u);
}

TEST(SnapshotRunTest, WithoutHintsWritesWaitForTheWholeSnapshot) {
  const SnapshotRunResult result = run("NB+I");
  EXPECT_GT(result.waits, 0u);
  EXPECT_EQ(result.kernels, 1u);
  EXPECT_GT(result.lost.waited, result.taken - result.iteration);
  // Writing the L2 of 128 KiB to memory takes 20 us at most, and the command a round trip of 25 us.
  EXPECT_LT(result.lost.stopped, 45_us);
}

TEST(SnapshotRunTest, KernelsThatWriteNothingNewWaitForNothing) {
  KernelProfile p = profile();
  p.dirty_zones = 0.02;  // a row of a megabyte, of which the L2 holds the pieces
  p.dirty_pieces = 0.06;
  const SnapshotRunResult result = run("NB+F+H", p);
  EXPECT_EQ(result.waits, 0u);
  EXPECT_LT(relative(result), 0.01);
  EXPECT_EQ(result.kernels, 4u);  // two iterations of two kernels
}

TEST(SnapshotRunTest, ABufferThatHoldsTheWriteSetTakesAwayTheWaiting) {
  KernelProfile p = profile();
  p.dirty_zones = 0.05;
  const SnapshotRunResult by_driver = run("NB+F+H", p), by_device = run("NB+F+H+D", p);
  EXPECT_GT(by_device.duplicates, 0u);
  EXPECT_LT(10 * relative(by_device), relative(by_driver));
}

// All of it is fixed: the round trip of the command. No line of the L2 is dirty, since kernels write nothing.
TEST(SnapshotRunTest, ASnapshotOfNothingNewCostsACommand) {
  KernelProfile p = profile();
  p.dirty_zones = 0.02;
  p.dirty_pieces = 0.06;
  const SnapshotRunResult result = run("NB+I+H+D", p);
  EXPECT_GE(result.lost.all(), 25_us);
  EXPECT_LT(result.lost.all(), 25_us + 20_us);
}

TEST(SnapshotRunTest, ADriverThatCopiesZonesAloneTakesAnOverheadForEach) {
  SnapshotRunConfig config{.gpu = small_gpu(), .how = *snapshot_config("NB+I+H")};
  const auto run_with = [&](bool gather) {
    config.gather_waiting = gather;
    ProfileKernels program(profile(), config.gpu);
    return SnapshotRun(config, program).run();
  };
  const SnapshotRunResult together = run_with(true), alone = run_with(false);
  EXPECT_EQ(together.zones, alone.zones);
  EXPECT_GT(alone.transfers, 2 * together.transfers);
  EXPECT_GT(alone.lost.all(), together.lost.all());
  // An overhead of 5 us for each transfer more, less what is copied in order meanwhile.
  EXPECT_GE(alone.taken, together.taken + 4_us * (alone.transfers - together.transfers));
}

TEST(SnapshotRunTest, GpusWaitForTheLongestOfTheirKernels) {
  const auto milliseconds = [](std::vector<Picoseconds> kernels, std::uint32_t gpus) {
    return static_cast<double>(synchronisation(std::move(kernels), gpus).count()) / 1e9;
  };
  EXPECT_EQ(milliseconds({4_ms, 1_ms}, 1), 0);
  EXPECT_NEAR(milliseconds({6_ms}, 2), 1, 1e-6);                 // 2/3 - 1/2 of it
  EXPECT_NEAR(milliseconds({6_ms, 6_ms, 6_ms}, 11), 2.5, 1e-6);  // 11/12 - 1/2
  // Kernels of 1 and 3 ms: F is t/2 up to 1 ms, and t/4 + 1/4 from there. The integral of F - F^2 is
  // 1/4 - 1/12 up to 1 ms, and 4 (3/8 - 7/24) = 1/3 from there.
  EXPECT_NEAR(milliseconds({3_ms, 1_ms}, 2), 0.25 - 1.0 / 12 + 1.0 / 3, 1e-6);
}

TEST(SnapshotRunTest, SynchronisationIsCommonToAllWays) {
  const auto run_with = [](const char* how, std::uint32_t gpus) {
    const SnapshotRunConfig config{
        .gpu = small_gpu(), .how = *snapshot_config(how), .synchronised_gpus = gpus};
    ProfileKernels program(profile(), config.gpu);
    return SnapshotRun(config, program).run();
  };
  const SnapshotRunResult one = run_with("NB+I+H", 1), many = run_with("NB+I+H", 16);
  EXPECT_EQ(one.lost.synchronised, 0_ps);
  EXPECT_GT(many.lost.synchronised, 0_ps);
  EXPECT_EQ(many.full - one.full, many.lost.synchronised);
  EXPECT_EQ(many.lost.all() - one.lost.all(), many.lost.synchronised);
  EXPECT_NEAR(relative(run_with("F", 16)), 1, 0.01);
}

TEST(SnapshotRunTest, MoreGpusOnAProcessorMakeItLonger) {
  const auto moving = [](std::uint32_t gpus) {  // without the fixed times of the first test
    return static_cast<double>((run("F", profile(), gpus).full - 82'500_ns).count());
  };
  EXPECT_NEAR(moving(32) / moving(8), 4, 0.01);
}

TEST(SnapshotRunTest, AWriteThatWaitsTooLongFailsIt) {
  SnapshotRunConfig config{.gpu = small_gpu(), .how = *snapshot_config("NB+I")};
  config.gpu.watchdog = 100_us;
  ProfileKernels program(profile(), config.gpu);
  EXPECT_EQ(SnapshotRun(config, program).run().failure, Gpu::Failure::watchdog);
}

TEST(SnapshotRunTest, StopsWhenAsked) {
  SnapshotRunConfig config{.gpu = small_gpu(), .how = *snapshot_config("NB+I+H")};
  ProfileKernels program(profile(), config.gpu);
  EXPECT_TRUE(SnapshotRun(config, program).run([] { return true; }).stopped);
}

TEST(SnapshotRunTest, TheSameRunGivesTheSame) {
  EXPECT_EQ(run("NB+I-FG+H+D").lost.all(), run("NB+I-FG+H+D").lost.all());
  EXPECT_EQ(run("NB+I+H").lost.all(), run("NB+I+H").lost.all());
}

TEST(SnapshotRunTest, AScaledGpuHasASmallerL2AndBuffer) {
  const GpuConfig gpu = scaled(GpuConfig{}, 0.25);
  EXPECT_EQ(gpu.l2, 1536_KiB);
  EXPECT_EQ(gpu.buffer, 64_MiB);
  EXPECT_EQ(gpu.memory, 32_GiB);
  const GpuConfig least = scaled(GpuConfig{}, 1e-6);
  EXPECT_EQ(least.l2, 64_KiB);     // a set in each channel
  EXPECT_EQ(least.buffer, 4_MiB);  // two zones of each channel
}

}  // namespace
}  // namespace asterism
