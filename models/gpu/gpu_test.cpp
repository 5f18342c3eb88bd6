#include "gpu/gpu.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <stdexcept>

#include "base/broken_rule.h"
#include "base/fields.h"
#include "base/random.h"
#include "gpu/gpu_rig.h"

namespace asterism {
namespace {

// A small GPU with an L2 of one set of two lines.
GpuConfig small() {
  GpuConfig config = small_gpu();
  config.l2 = 256_B;
  config.l2_ways = 2;
  return config;
}

std::uint64_t word(const GpuRig& rig, std::uint64_t address) {
  std::array<std::byte, 8> bytes;
  rig.gpu.peek(address, bytes);
  return std::bit_cast<std::uint64_t>(bytes);
}

TEST(Gpu, DescribesItsConfig) {
  EXPECT_EQ(description_problem<GpuConfig>(), "");
  EXPECT_EQ(description_problem<HostLinkConfig>(), "");
}

TEST(Gpu, AConfigObeysRules) {
  const auto with = [](auto GpuConfig::*member, auto value) {
    GpuConfig config;
    config.*member = value;
    return broken_rule(config);
  };
  using C = GpuConfig;
  EXPECT_EQ(broken_rule(C{}), "");
  EXPECT_EQ(broken_rule(small()), "");
  EXPECT_EQ(with(&C::channels, 24u), "channels is a power of two");
  EXPECT_EQ(with(&C::interleave, 384_B), "interleave is a power of two");
  EXPECT_EQ(with(&C::zone, 96_KiB), "zone is a power of two");
  EXPECT_EQ(with(&C::memory, 1_MiB), "zone is at most the memory of a channel");
  EXPECT_EQ(with(&C::interleave, 128_KiB), "interleave is at most a zone");
  EXPECT_EQ(with(&C::memory, 32_GiB + 64_KiB), "memory is a whole number of zones in each channel");
  EXPECT_EQ(with(&C::l2, 6_MiB + 128_B),
            "l2 is a whole number of sets of l2_ways lines of 128 bytes in each channel");
  C long_channel;
  long_channel.memory = 1_TiB;
  long_channel.channels = 2;
  long_channel.l2 = 1_GiB;
  EXPECT_EQ(broken_rule(long_channel), "memory is less than 512 GiB in a channel");
  EXPECT_EQ(with(&C::buffer, 4_MiB - 1_B), "buffer has space for two zones of each channel");
  EXPECT_EQ(with(&C::buffer, 4_MiB), "");
}

// What the sink receives must not depend on how often the GPU is advanced.
TEST(Gpu, MayBeAdvancedAsOftenAsOneLikes) {
  const auto received = [](Picoseconds step) {
    GpuConfig config = small();
    config.channels = 2;
    config.l2 = 512_B;
    GpuRig rig(config);
    Random random(3);
    std::vector<std::vector<DeviceAccess>> lists(2);
    for (auto& list : lists)
      for (unsigned i = 0; i < 200; ++i)
        list.push_back(
            {Picoseconds(random.below(100'000)), 512 * random.below(128), 256, random.below(2) == 0});
    ListedKernel kernel(lists);
    rig.gpu.begin_snapshot(rig.now, SnapshotKind::full, Offloader::device, Address(0));
    rig.gpu.launch(rig.now, kernel, 1);
    while (rig.now < 1_ms) rig.run_until(rig.now + step);
    EXPECT_EQ(rig.kernels_ended.size(), 1u);
    return std::tuple(rig.kernels_ended, rig.taken, rig.zones_arrived, rig.host.zones);
  };
  EXPECT_EQ(received(1_ms), received(37'003_ps));
}

TEST(Gpu, TheSinkMayLaunchTheNextKernelAndBeginASnapshot) {
  struct Chain final : GpuRig {
    using GpuRig::GpuRig;
    ListedKernel kernel{{{store(0, 10_ns)}}};
    void kernel_ended(Picoseconds at) override {
      GpuRig::kernel_ended(at);
      if (kernels_ended.size() == 1)
        gpu.launch(at, kernel, 2);
      else
        gpu.begin_snapshot(at, SnapshotKind::full, Offloader::device, Address(0));
    }
  } rig(small());
  rig.gpu.launch(0_ns, rig.kernel, 1);
  rig.run_until(1_ms);
  EXPECT_EQ(rig.kernels_ended, (std::vector{10_ns, 20_ns}));
  EXPECT_EQ(rig.taken.size(), 1u);
  EXPECT_EQ(std::to_integer<std::uint64_t>(rig.host.zones.at(0)[0]),
            kernel_word(kernel_word(0, 1, 0), 2, 0) & 0xFF);
}

TEST(Gpu, AKernelEndsWhenItsBytesAreMoved) {
  GpuRig rig(small());
  ListedKernel kernel({{load(0, 10_ns), load(0, 5_ns), load(64, 5_ns, 64)}});
  rig.run(kernel, 0);
  // The first load moves 32 bytes from 10 ns on, the second hits in the L2, and the third moves 64 bytes
  // after the first.
  EXPECT_EQ(rig.kernels_ended, std::vector{10_ns + 32_ns + 64_ns});
}

TEST(Gpu, AWriteGoesToMemoryWhenItsLineIsDisplaced) {
  GpuRig rig(small());
  ListedKernel kernel({{store(0), store(128), store(256, 0_ns, 64)}});
  rig.run(kernel, 7);
  EXPECT_EQ(word(rig, 0), kernel_word(0, 7, 0));
  EXPECT_EQ(word(rig, 256 + 56), kernel_word(0, 7, 256 + 56));
  std::array<std::byte, 8> bytes;
  rig.gpu.memory().read({0, 0}, bytes);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bytes), kernel_word(0, 7, 0));
  rig.gpu.memory().read({0, 128}, bytes);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bytes), 0u);
  // A sector of the zone table is moved, then that of the line.
  EXPECT_EQ(rig.kernels_ended, std::vector{64_ns});
}

// ---- snapshots ----

using Failures = std::vector<std::pair<Picoseconds, Gpu::Failure>>;
using Times = std::vector<Picoseconds>;

// The link has 8 GB/s and 1 us of overhead, so that a transfer of 4 KiB takes 1.512 us.
constexpr HostLinkConfig short_overhead{.overhead = 1_us};

struct Snapshots : ::testing::Test {
  explicit Snapshots(const GpuConfig& config = small())
      : rig(config, MemoryContents::bytes, short_overhead) {}

  void begin(Offloader by, SnapshotKind kind = SnapshotKind::full) {
    begun = rig.now + rig.gpu.begin_snapshot(rig.now, kind, by, Address(0x1000'0000));
  }
  // Copies everything that is to be saved, as the driver does.
  void copy_all() {
    std::vector<Zone> zones;
    for (std::uint32_t zone = 0; zone < 16; ++zone)
      if (rig.gpu.awaits_copy({0, zone})) zones.push_back({0, zone});
    rig.gpu.copy_out(rig.now, zones);
    rig.run_while_not([&] { return !rig.gpu.copying(); });
  }
  void take(SnapshotKind kind) {
    begin(Offloader::driver, kind);
    if (!rig.gpu.may_finish()) copy_all();
    rig.gpu.finish_snapshot(rig.now);
  }
  void write(std::uint64_t address) {
    ListedKernel kernel({{store(address)}});
    rig.run(kernel, 1);
  }

  GpuRig rig;
  Picoseconds begun{};
};

TEST_F(Snapshots, BeginningOneWritesTheL2ToMemory) {
  ListedKernel kernel({{store(0), store(128, 0_ns, 64)}});
  rig.run(kernel, 1);
  const Picoseconds start = rig.now;
  begin(Offloader::driver);
  // Three sectors of data are moved, one of the zone table that was fetched to mark them as written, and one
  // with the zones in use.
  EXPECT_EQ(begun, start + 3 * 32_ns + 2 * 32_ns);
  std::array<std::byte, 8> bytes;
  rig.gpu.memory().read({0, 0}, bytes);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(bytes), kernel_word(0, 1, 0));
  EXPECT_EQ(rig.gpu.snapshot_zones(), 16u);
  EXPECT_EQ(rig.gpu.unpreserved(), 16u);
}

TEST_F(Snapshots, AKernelStartsWhenTheSnapshotIsBegun) {
  begin(Offloader::driver);
  EXPECT_EQ(begun, 32_ns);
  ListedKernel kernel({{load(0)}});
  rig.run(kernel, 1);
  EXPECT_EQ(rig.kernels_ended, Times{64_ns});
}

TEST_F(Snapshots, AWriteWaitsUntilTheDriverHasSaidThatItsZoneIsPreserved) {
  begin(Offloader::driver);
  // The third access evicts the line of the first; the fourth finds no queue entry for the line of the
  // second.
  ListedKernel kernel({{store(0), store(4096), load(8192), load(8192 + 128)}});
  rig.gpu.launch(rig.now, kernel, 1);
  rig.run_until(50_us);
  ASSERT_EQ(rig.waits.size(), 2u);
  EXPECT_EQ(rig.waits[0], std::pair(begun, Zone{0, 0}));
  EXPECT_EQ(rig.waits[1], std::pair(begun, Zone{0, 1}));
  EXPECT_EQ(rig.gpu.stopped_pipelines(), 1u);
  EXPECT_EQ(word(rig, 0), kernel_word(0, 1, 0));
  EXPECT_FALSE(rig.gpu.may_preserve({0, 0}));

  rig.gpu.copy_out(rig.now, std::vector{Zone{0, 0}});
  EXPECT_TRUE(rig.gpu.copying());
  EXPECT_FALSE(rig.gpu.awaits_copy({0, 0}));
  rig.run_until(51'511'999_ps);
  EXPECT_TRUE(rig.zones_arrived.empty());
  rig.run_until(51'512_ns);
  EXPECT_EQ(rig.zones_arrived, (std::vector{Zone{0, 0}}));
  EXPECT_EQ(rig.gpu.stopped_pipelines(), 1u);
  rig.run_until(60_us);

  rig.gpu.preserve(rig.now, std::vector{Zone{0, 0}});
  EXPECT_EQ(rig.gpu.stopped_pipelines(), 0u);
  rig.run_until(70_us);
  // The sector that waited, a sector of the zone table, and the load are moved.
  EXPECT_EQ(rig.kernels_ended, Times{60_us + 3 * 32_ns});
  EXPECT_EQ(rig.gpu.next_unpreserved(0), (Zone{0, 1}));
  copy_all();
  EXPECT_TRUE(rig.gpu.may_finish());
  rig.gpu.finish_snapshot(rig.now);
  EXPECT_EQ(rig.taken, Times{rig.now});
  // What arrived is the memory before the kernel.
  for (const auto& [address, bytes] : rig.host.zones) EXPECT_EQ(bytes, std::vector<std::byte>(4096));
  rig.gpu.memory().read({0, 4096}, std::span(rig.host.zones.begin()->second).first(8));
  EXPECT_EQ(std::to_integer<int>(rig.host.zones.begin()->second[0]),
            static_cast<int>(kernel_word(0, 1, 4096) & 0xFF));
}

TEST_F(Snapshots, TheDeviceDuplicatesWhatIsWrittenTo) {
  begin(Offloader::device);
  ListedKernel kernel({{store(12 * 4096), load(0), load(8192)}});
  rig.gpu.launch(rig.now, kernel, 1);
  rig.run_while_not([&] { return !rig.taken.empty(); });
  EXPECT_EQ(rig.zones_arrived.size(), 16u);
  EXPECT_EQ(rig.zones_arrived[0], (Zone{0, 0}));  // its copy began before the write came
  EXPECT_EQ(rig.zones_arrived[1], (Zone{0, 12}));
  EXPECT_TRUE(rig.waits.empty());
  EXPECT_EQ(rig.gpu.unpreserved(), 0u);
  EXPECT_FALSE(rig.gpu.snapshot_open());
  Statistics statistics;
  rig.gpu.report(statistics);
  const auto value = [&](std::string_view name) {
    for (const auto& [key, entry] : statistics.entries())
      if (key == name) return std::get<std::uint64_t>(entry);
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(value("duplicates_on_write"), 1u);
  EXPECT_EQ(value("zones_buffered"), 16u);
  EXPECT_EQ(value("to_host_bytes"), 65536u);
  EXPECT_EQ(value("waiting_writes"), 1u);
}

TEST_F(Snapshots, ATransferOfTheDeviceGathersZones) {
  begin(Offloader::device);
  rig.run_while_not([&] { return rig.zones_arrived.size() >= 2; });
  EXPECT_EQ(rig.zones_arrived.size(), 2u);
  // Two copies of 8.192 us begin at 32 ns; then 8 KiB are moved over the link.
  EXPECT_EQ(rig.now, 32_ns + 2 * 8'192_ns + 1_us + 1'024_ns);
}

TEST_F(Snapshots, AnIncrementTakesWhatWasWrittenSinceTheOneBefore) {
  take(SnapshotKind::full);
  write(5 * 4096);
  take(SnapshotKind::increment);
  EXPECT_EQ(rig.gpu.snapshot_zones(), 1u);
  EXPECT_EQ(rig.zones_arrived.back(), (Zone{0, 5}));
  take(SnapshotKind::increment);
  EXPECT_EQ(rig.gpu.snapshot_zones(), 0u);
  const std::array one{std::byte{1}};
  rig.gpu.poke(3 * 4096 + 9, one);
  take(SnapshotKind::increment);
  EXPECT_EQ(rig.zones_arrived.back(), (Zone{0, 3}));
  EXPECT_EQ(rig.host.zones.at(0x1000'0000)[9], std::byte{1});
  begin(Offloader::device, SnapshotKind::increment);
  rig.run_until(begun);
  EXPECT_EQ(rig.taken.back(), begun);  // there was nothing to save
}

TEST_F(Snapshots, AWriteThatWaitsTooLongGivesTheSnapshotUp) {
  GpuConfig config = small();
  config.watchdog = 100_us;
  GpuRig guarded(config);
  guarded.gpu.begin_snapshot(0_ns, SnapshotKind::full, Offloader::driver, Address(0));
  ListedKernel kernel({{store(0, 1_us), store(4096), load(8192), load(8192 + 128)}});
  guarded.gpu.launch(0_ns, kernel, 1);
  guarded.run_until(101'031'999_ps);
  EXPECT_TRUE(guarded.failed.empty());
  guarded.run_until(200_us);
  EXPECT_EQ(guarded.failed, (Failures{{101'032_ns, Gpu::Failure::watchdog}}));
  EXPECT_EQ(guarded.kernels_ended.size(), 1u);
  EXPECT_EQ(guarded.gpu.stopped_pipelines(), 0u);
  EXPECT_EQ(word(guarded, 0), kernel_word(0, 1, 0));
  EXPECT_FALSE(guarded.gpu.snapshot_open());
  EXPECT_EQ(guarded.gpu.refusal(SnapshotKind::increment), Gpu::Refusal::needs_full);
}

// The second zone is recorded as waiting when its write finds no queue entry; when there is an entry, another
// line is evicted. The zone's line must be evicted only after the first watchdog has found no waiting write.
TEST_F(Snapshots, TheWatchdogIsThereForWritesThatAreNotTheFirstOfTheirZone) {
  GpuConfig config = small();
  config.pipelines = 3;
  config.watchdog = 100_us;
  GpuRig guarded(config);
  Gpu& gpu = guarded.gpu;
  gpu.begin_snapshot(0_ns, SnapshotKind::full, Offloader::driver, Address(0));
  gpu.copy_out(0_ns, std::vector{Zone{0, 0}});
  ListedKernel kernel({{store(0, 1_us), store(4096), load(8192, 1_us), load(8192 + 128, 1_us)},
                       {load(4096, 10_us), load(8192, 200_us), load(8192 + 256), load(8192 + 512)}});
  gpu.launch(0_ns, kernel, 1);
  guarded.run_until(20_us);
  ASSERT_EQ(gpu.stopped_pipelines(), 1u);
  gpu.preserve(guarded.now, std::vector{Zone{0, 0}});
  ASSERT_EQ(gpu.stopped_pipelines(), 0u);
  guarded.run_until(150_us);
  EXPECT_TRUE(guarded.failed.empty());
  guarded.run_until(1_ms);
  ASSERT_EQ(guarded.failed.size(), 1u);
  EXPECT_EQ(guarded.failed[0].second, Gpu::Failure::watchdog);
  EXPECT_LT(guarded.failed[0].first, 320_us);
}

TEST_F(Snapshots, NoIncrementFollowsOneDuringWhichTrackingChanged) {
  rig.gpu.track(false);
  begin(Offloader::driver);
  rig.gpu.track(true);
  copy_all();
  rig.gpu.finish_snapshot(rig.now);
  EXPECT_EQ(rig.gpu.refusal(SnapshotKind::increment), Gpu::Refusal::needs_full);
  take(SnapshotKind::full);
  EXPECT_EQ(rig.gpu.refusal(SnapshotKind::increment), Gpu::Refusal::none);
}

TEST_F(Snapshots, AHostThatRefusesEndsASnapshot) {
  for (const Offloader by : {Offloader::driver, Offloader::device}) {
    GpuRig refused(small());
    refused.host.refuses = true;
    refused.gpu.begin_snapshot(0_ns, SnapshotKind::full, by, Address(0));
    ListedKernel kernel({{store(0), store(4096), load(8192), load(8192 + 128)}});
    refused.gpu.launch(0_ns, kernel, 1);
    if (by == Offloader::driver) refused.gpu.copy_out(0_ns, std::vector{Zone{0, 0}});
    refused.run_until(1_ms);
    ASSERT_EQ(refused.failed.size(), 1u);
    EXPECT_EQ(refused.failed[0].second, Gpu::Failure::host_memory);
    EXPECT_EQ(refused.kernels_ended.size(), 1u);
    EXPECT_FALSE(refused.gpu.copying());
    EXPECT_EQ(refused.next(), std::nullopt);
  }
}

TEST_F(Snapshots, OneThatIsAbortedLeavesNothing) {
  for (const Offloader by : {Offloader::driver, Offloader::device}) {
    GpuRig aborted(small());
    aborted.gpu.begin_snapshot(0_ns, SnapshotKind::full, by, Address(0));
    ListedKernel kernel({{store(0), store(4096), load(8192), load(8192 + 128)}});
    aborted.gpu.launch(0_ns, kernel, 1);
    if (by == Offloader::driver) aborted.gpu.copy_out(0_ns, std::vector{Zone{0, 7}});
    // At this time the first piece of a copy has been moved, and a pipeline is at most 1 us ahead of it.
    const Picoseconds then = by == Offloader::driver ? 5_us : 8_us;
    aborted.run_until(then);
    EXPECT_EQ(aborted.gpu.stopped_pipelines(), 1u);
    aborted.gpu.abort_snapshot(aborted.now);
    EXPECT_EQ(aborted.failed, (Failures{{then, Gpu::Failure::aborted}}));
    EXPECT_EQ(aborted.gpu.stopped_pipelines(), 0u);
    aborted.run_until(1_ms);
    EXPECT_EQ(aborted.kernels_ended.size(), 1u);
    EXPECT_TRUE(aborted.zones_arrived.empty());
    EXPECT_EQ(aborted.next(), std::nullopt);
    EXPECT_EQ(aborted.gpu.refusal(SnapshotKind::full), Gpu::Refusal::none);
    EXPECT_EQ(aborted.gpu.refusal(SnapshotKind::increment), Gpu::Refusal::needs_full);
  }
}

TEST_F(Snapshots, SaysWhyItRefusesOne) {
  Gpu& gpu = rig.gpu;
  EXPECT_EQ(gpu.refusal(SnapshotKind::increment), Gpu::Refusal::needs_full);
  gpu.track(false);
  EXPECT_EQ(gpu.refusal(SnapshotKind::increment), Gpu::Refusal::not_tracking);
  EXPECT_EQ(gpu.refusal(SnapshotKind::full), Gpu::Refusal::none);
  gpu.track(true);
  take(SnapshotKind::full);
  EXPECT_EQ(gpu.refusal(SnapshotKind::increment), Gpu::Refusal::none);
  ListedKernel kernel({{load(0)}});
  gpu.launch(rig.now, kernel, 1);
  EXPECT_EQ(gpu.refusal(SnapshotKind::full), Gpu::Refusal::running);
  EXPECT_THROW(gpu.launch(rig.now, kernel, 2), std::logic_error);
  rig.run_until(rig.now + 10_us);
  begin(Offloader::driver);
  EXPECT_EQ(gpu.refusal(SnapshotKind::full), Gpu::Refusal::open);
  EXPECT_THROW(begin(Offloader::driver), std::logic_error);
  EXPECT_THROW(gpu.finish_snapshot(rig.now), std::logic_error);
  EXPECT_THROW(gpu.preserve(rig.now, std::vector{Zone{0, 0}}), std::logic_error);
  EXPECT_THROW(gpu.copy_out(rig.now, std::vector{Zone{0, 16}}), std::logic_error);
  EXPECT_THROW(gpu.allocate(4_KiB), std::logic_error);
  gpu.abort_snapshot(rig.now);
  EXPECT_THROW(gpu.abort_snapshot(rig.now), std::logic_error);
  gpu.copy_in(rig.now, std::vector{Zone{0, 0}}, Address(0x1000'0000));
  EXPECT_EQ(gpu.refusal(SnapshotKind::full), Gpu::Refusal::copying);
  gpu.reset(Reset::cold);
  EXPECT_EQ(gpu.refusal(SnapshotKind::full), Gpu::Refusal::nothing_allocated);
}

TEST_F(Snapshots, AFullOneTakesWhatIsInUseAlone) {
  write(9 * 4096);
  rig.gpu.allocate(8192 * 1_B);
  EXPECT_EQ(rig.gpu.refusal(SnapshotKind::increment), Gpu::Refusal::needs_full);
  take(SnapshotKind::full);
  EXPECT_EQ(rig.zones_arrived, (std::vector{Zone{0, 0}, Zone{0, 1}}));
}

TEST_F(Snapshots, AWarmResetDropsAllButMemory) {
  write(0);
  take(SnapshotKind::full);  // this writes the L2 to memory
  begin(Offloader::device);
  ListedKernel kernel({{store(0), store(4096), load(8192), load(8192 + 128)}});
  rig.gpu.launch(rig.now, kernel, 2);
  rig.run_until(rig.now + 500_ns);
  rig.gpu.reset(Reset::warm);
  EXPECT_EQ(rig.next(), std::nullopt);
  EXPECT_FALSE(rig.gpu.running());
  EXPECT_FALSE(rig.gpu.snapshot_open());
  EXPECT_EQ(rig.gpu.allocated(), 64_KiB);
  EXPECT_EQ(word(rig, 0), kernel_word(0, 1, 0));
  rig.gpu.reset(Reset::power_loss);
  EXPECT_EQ(word(rig, 0), 0u);
}

TEST_F(Snapshots, ACopyInIsNoWrite) {
  write(0);
  take(SnapshotKind::full);
  write(0);
  rig.gpu.copy_in(rig.now, std::vector{Zone{0, 0}}, Address(0x1000'0000));
  EXPECT_TRUE(rig.gpu.copying());
  const Picoseconds start = rig.now;
  rig.run_until(rig.now + 1_ms);
  EXPECT_EQ(rig.copied_in_at, Times{start + 1'512_ns});
  EXPECT_EQ(word(rig, 0), kernel_word(0, 1, 0));  // the L2 does not hold the line of the second write either
  EXPECT_EQ(rig.gpu.refusal(SnapshotKind::increment), Gpu::Refusal::needs_full);
  rig.host.refuses = true;
  rig.gpu.copy_in(rig.now, std::vector{Zone{0, 0}}, Address(0x1000'0000));
  rig.run_until(rig.now + 1_ms);
  ASSERT_EQ(rig.failed.size(), 1u);
  EXPECT_EQ(rig.failed[0].second, Gpu::Failure::host_memory);
}

// Both use the channel: 128 sectors of the zone are 4.096 us.
TEST(Gpu, ACopyInBesideAKernelTakesItsShareOfTheChannel) {
  std::vector<DeviceAccess> loads;
  for (std::uint64_t sector = 0; sector < 256; ++sector) loads.push_back(load(8192 + sector * 32));
  const auto run = [&loads](bool beside, bool copies) {
    GpuConfig config = small();
    config.copy_in_beside_kernels = beside;
    GpuRig rig(config);
    rig.host.zones[0x1000'0000].assign(4096, std::byte{7});
    ListedKernel kernel({loads});
    rig.gpu.launch(rig.now, kernel, 1);
    if (copies) rig.gpu.copy_in(rig.now, std::vector{Zone{0, 0}}, Address(0x1000'0000));
    rig.run_until(1_ms);
    EXPECT_EQ(word(rig, 0), copies ? 0x0707'0707'0707'0707u : 0u);
    EXPECT_EQ(rig.copied_in_at.size(), copies ? 1u : 0u);
    return rig.kernels_ended.at(0);
  };
  const Picoseconds alone = run(false, false);
  EXPECT_EQ(run(true, false), alone);
  EXPECT_EQ(run(true, true), alone + 4'096_ns);
  EXPECT_THROW(run(false, true), std::logic_error);
}

// The link has moved the zone after 5.512 us.
TEST(Gpu, ACopyInUsesTheChannelWhenTheHostsMemoryHasBeenRead) {
  const auto run = [](std::size_t accesses, bool copies, Picoseconds read_time) {
    std::vector<DeviceAccess> loads;
    for (std::uint64_t i = 0; i < accesses; ++i) loads.push_back(load(8192 + i % 256 * 32, 100_ns));
    GpuConfig config = small();
    config.copy_in_beside_kernels = true;
    GpuRig rig(config);
    rig.host.read_time = read_time;
    ListedKernel kernel({loads});
    rig.gpu.launch(rig.now, kernel, 1);
    if (copies) rig.gpu.copy_in(rig.now, std::vector{Zone{0, 0}}, Address(0x1000'0000));
    rig.run_until(1_ms);
    return rig.kernels_ended.at(0);
  };
  EXPECT_GT(run(100, true, 0_us), run(100, false, 0_us) + 1_us);
  EXPECT_EQ(run(100, true, 50_us), run(100, false, 50_us));
  EXPECT_GT(run(600, true, 50_us), run(600, false, 50_us) + 1_us);
}

TEST(Gpu, AKernelBeginsBesideACopyInIfThatIsAllowed) {
  for (const bool beside : {false, true}) {
    GpuConfig config = small();
    config.copy_in_beside_kernels = beside;
    GpuRig rig(config);
    ListedKernel kernel({{load(8192)}});
    rig.gpu.copy_in(rig.now, std::vector{Zone{0, 0}}, Address(0x1000'0000));
    EXPECT_EQ(rig.gpu.may_run_beside_copies(), beside);
    if (beside) {
      rig.gpu.launch(rig.now, kernel, 1);
    } else {
      EXPECT_THROW(rig.gpu.launch(rig.now, kernel, 1), std::logic_error);
    }
    EXPECT_EQ(rig.gpu.running(), beside);
  }
}

TEST(Gpu, ASlowerClockStretchesTheGapsOfAKernel) {
  GpuRig rig(small());
  ListedKernel kernel({{load(0, 1_us), load(128, 2_us), load(256, 1_us)}});
  rig.run(kernel, 1);
  EXPECT_EQ(rig.kernels_ended.back(), 4'032_ns);
  rig.gpu.reset(Reset::cold);
  rig.gpu.allocate(64_KiB);
  rig.gpu.set_clock(40);
  rig.gpu.reset(Reset::warm);
  const Picoseconds start = rig.now;
  rig.run(kernel, 2);
  EXPECT_EQ(rig.kernels_ended.back() - start, 10'032_ns);
}

TEST_F(Snapshots, AnOperationStartedWhenACopyInEndsTakesItsTime) {
  take(SnapshotKind::full);
  struct Starts final : GpuRig {
    using GpuRig::GpuRig;
    void copied_in(Picoseconds at) override {
      gpu.begin_snapshot(at, SnapshotKind::full, Offloader::driver, Address(0x1000'0000));
      gpu.copy_out(at, std::vector{Zone{0, 0}});
    }
  } starts(small(), MemoryContents::bytes, short_overhead);
  starts.host.zones = rig.host.zones;
  starts.gpu.copy_in(0_ns, std::vector{Zone{0, 0}}, Address(0x1000'0000));
  starts.run_until(1'512_ns);
  EXPECT_TRUE(starts.gpu.copying());
  EXPECT_TRUE(starts.zones_arrived.empty());
  starts.run_until(1_ms);
  EXPECT_EQ(starts.zones_arrived, std::vector{(Zone{0, 0})});
}

TEST_F(Snapshots, TheHostTouchesWhatThereIsAlone) {
  const std::array one{std::byte{1}};
  rig.gpu.allocate(8_KiB);
  EXPECT_THROW(rig.gpu.poke(8192, one), std::logic_error);
  EXPECT_THROW(rig.gpu.copy_in(rig.now, std::vector{Zone{0, 16}}, Address(0)), std::logic_error);
  EXPECT_FALSE(rig.gpu.copying());
}

}  // namespace
}  // namespace asterism
