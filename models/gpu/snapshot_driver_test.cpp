#include "gpu/snapshot_driver.h"

#include <gtest/gtest.h>

#include "gpu/gpu_rig.h"

namespace asterism {
namespace {

constexpr Picoseconds one_way = 12'500_ns;
// A single zone of 4 KiB takes 5 us of overhead, and 512 ns over four lanes of 2 GB/s; each further zone
// takes 512 ns more.
constexpr Picoseconds zone_time = 5'512_ns, one_more = 512_ns;
constexpr Address base{0x1000'0000};

// A transfer has one zone.
GpuConfig small() {
  GpuConfig config = small_gpu();
  config.write_queue = 4;
  config.transfer = 4_KiB;
  return config;
}

struct DriverRig : GpuRig, SnapshotDriver::Sink {
  explicit DriverRig(const GpuConfig& config = small(), std::uint32_t buffer_zones = 64,
                     Picoseconds interval = 20_us)
      : GpuRig(config),
        buffer(base, config.zone * buffer_zones, config.zone),
        driver(gpu, buffer, one_way, interval, *this) {}

  std::optional<Picoseconds> next() const override { return earlier(GpuRig::next(), driver.next_event()); }
  void step(Picoseconds to) override {
    GpuRig::step(to);
    driver.advance_to(to);
  }

  void zone_waits(Picoseconds at, Zone zone) override {
    GpuRig::zone_waits(at, zone);
    driver.zone_waits(at, zone);
  }
  void arrived(Picoseconds at, std::span<const Zone> zones) override {
    GpuRig::arrived(at, zones);
    transfers.push_back(zones.size());
    driver.arrived(at, zones);
  }
  void snapshot_taken(Picoseconds at) override { driver.snapshot_taken(at); }
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override { driver.snapshot_failed(at, why); }
  void copied_in(Picoseconds at) override {
    GpuRig::copied_in(at);
    driver.copied_in(at);
  }
  void failed(Picoseconds, Gpu::Failure why) override { failures.push_back(why); }
  void taken(Picoseconds at) override { ends.push_back(at); }
  void restored(Picoseconds at) override { restored_at.push_back(at); }

  // Begins a snapshot now and returns when kernels may run.
  Picoseconds begin(std::string_view name) {
    Picoseconds begun{};
    EXPECT_EQ(driver.snapshot(now, *snapshot_config(name), begun), SnapshotDriver::Begun::yes);
    return begun;
  }
  void take(std::string_view name) {
    const std::size_t before = ends.size();
    begin(name);
    EXPECT_TRUE(run_while_not([&] { return ends.size() > before; }));
  }
  SnapshotDriver::Begun refused(std::string_view name) {
    Picoseconds begun{};
    return driver.snapshot(now, *snapshot_config(name), begun);
  }
  // Writes to the first bytes of these zones; the last write stays in the L2.
  void write(const std::vector<std::uint32_t>& zones) {
    ListedKernel kernel({writes(zones)});
    run(kernel, kernels++);
  }
  static std::vector<DeviceAccess> writes(const std::vector<std::uint32_t>& zones) {
    std::vector<DeviceAccess> list;
    for (const std::uint32_t zone : zones) list.push_back({0_ns, zone * 4096u, 32, true});
    return list;
  }
  std::vector<std::byte> memory() const {
    std::vector<std::byte> bytes(gpu.allocated().count());
    gpu.peek(0, bytes);
    return bytes;
  }
  bool unpreserved(std::uint32_t zone) const { return gpu.monitor(0).is_unpreserved(zone); }
  std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> numbers;
    for (const Zone zone : zones_arrived) numbers.push_back(zone.index);
    return numbers;
  }

  PreservationBuffer buffer;
  SnapshotDriver driver;
  std::vector<std::size_t> transfers;
  std::vector<Picoseconds> ends, restored_at;
  std::vector<Gpu::Failure> failures;
  std::uint64_t kernels = 1;
};

TEST(SnapshotDriver, AHintArrivesOneWayAfterTheZone) {
  DriverRig rig;
  rig.gpu.allocate(32_KiB);
  const Picoseconds begun = rig.begin("NB+F+H");
  const Picoseconds first = begun + zone_time;
  rig.run_until(first + one_way - 1_ps);
  EXPECT_TRUE(rig.unpreserved(0));
  rig.run_until(first + one_way);
  EXPECT_FALSE(rig.unpreserved(0));
  EXPECT_TRUE(rig.unpreserved(1));
  // The next hint comes an interval later, for the three zones that have arrived since.
  rig.run_until(first + 20_us + one_way - 1_ps);
  EXPECT_TRUE(rig.unpreserved(1));
  rig.run_until(first + 20_us + one_way);
  EXPECT_FALSE(rig.unpreserved(3));
  EXPECT_TRUE(rig.unpreserved(4));
}

TEST(SnapshotDriver, ASnapshotEndsOneWayAfterItsLastZone) {
  for (const std::string_view name : {"F", "NB+F", "NB+F+H"}) {
    DriverRig rig;
    rig.gpu.allocate(16_KiB);
    const Picoseconds begun = rig.begin(name);
    rig.run_until(1_ms);
    EXPECT_EQ(rig.ends, std::vector{begun + 4 * zone_time + one_way}) << name;
  }
}

TEST(SnapshotDriver, WithoutHintsNothingIsPreservedBeforeTheEnd) {
  DriverRig rig;
  rig.gpu.allocate(16_KiB);
  const Picoseconds begun = rig.begin("NB+F");
  rig.run_until(begun + 4 * zone_time + one_way - 1_ps);
  EXPECT_EQ(rig.gpu.unpreserved(), 4u);
  rig.run_until(begun + 4 * zone_time + one_way);
  EXPECT_EQ(rig.gpu.unpreserved(), 0u);
}

TEST(SnapshotDriver, ZonesAreCopiedTogetherInOrderUpToATransfer) {
  GpuConfig config = small();
  config.transfer = 12_KiB;
  DriverRig rig(config);
  rig.gpu.allocate(32_KiB);
  rig.take("F");
  EXPECT_EQ(rig.transfers, (std::vector<std::size_t>{3, 3, 2}));
  rig.transfers.clear();
  rig.zones_arrived.clear();
  rig.write({1, 2, 4, 5, 6, 7});
  const Picoseconds begun = rig.begin("I");
  rig.run_until(begun + 1_ms);
  EXPECT_EQ(rig.transfers, (std::vector<std::size_t>{3, 3}));
  EXPECT_EQ(rig.order(), (std::vector<std::uint32_t>{1, 2, 4, 5, 6, 7}));
  EXPECT_EQ(rig.ends.back(), begun + 2 * (zone_time + 2 * one_more) + one_way);
}

// A write waits for zone 6 from 1 us on. The driver receives this report while it copies zone 2.
TEST(SnapshotDriver, AZoneWithAWaitingWriteIsCopiedNextAndReportedAtOnce) {
  DriverRig rig;
  rig.gpu.allocate(32_KiB);
  const Picoseconds begun = rig.begin("NB+F+H");
  ListedKernel kernel({{{1_us, 6 * 4096, 32, true}, {0_ns, 128, 32, false}}});
  rig.gpu.launch(rig.now, kernel, 1);
  rig.run_until(begun + 3 * zone_time);
  EXPECT_EQ(rig.waits, (std::vector{std::pair(begun + 1_us, Zone{0, 6})}));
  EXPECT_EQ(rig.order(), (std::vector<std::uint32_t>{0, 1, 2}));
  rig.run_until(begun + 4 * zone_time + one_way - 1_ps);
  EXPECT_EQ(rig.zones_arrived[3], (Zone{0, 6}));
  EXPECT_TRUE(rig.unpreserved(6));
  rig.run_until(begun + 4 * zone_time + one_way);
  EXPECT_FALSE(rig.unpreserved(6));
  rig.run_until(1_ms);
  EXPECT_EQ(rig.order(), (std::vector<std::uint32_t>{0, 1, 2, 6, 3, 4, 5, 7}));
}

// Four writes wait while the third transfer is in progress; three of their zones fit into the next one. The
// writes proceed when the device receives the hint that the zones have arrived, not before.
TEST(SnapshotDriver, ZonesWithWaitingWritesAreCopiedTogetherUpToATransfer) {
  GpuConfig config = small();
  config.transfer = 12_KiB;
  DriverRig rig(config);
  const Picoseconds begun = rig.begin("NB+F+H");
  std::vector<DeviceAccess> list = DriverRig::writes({10, 12, 14, 15});
  list.front().gap = 1_us;
  list.push_back({0_ns, 128, 32, false});
  ListedKernel kernel({list});
  rig.gpu.launch(rig.now, kernel, 1);
  const Picoseconds fourth = begun + 4 * (zone_time + 2 * one_more);
  rig.run_until(fourth + one_way - 1_ps);
  EXPECT_EQ(rig.waits.size(), 4u);
  for (const std::uint32_t zone : {10u, 12u, 14u, 15u}) EXPECT_TRUE(rig.unpreserved(zone)) << zone;
  rig.run_until(fourth + one_way);
  for (const std::uint32_t zone : {10u, 12u, 14u}) EXPECT_FALSE(rig.unpreserved(zone)) << zone;
  EXPECT_TRUE(rig.unpreserved(15));
  rig.run_until(1_ms);
  EXPECT_EQ(rig.transfers, (std::vector<std::size_t>{3, 3, 3, 3, 1, 3}));
  EXPECT_EQ(rig.order(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 9, 11, 13}));
  EXPECT_EQ(rig.ends.size(), 1u);
}

// When the report of the write reaches the driver, the zone has arrived, and its hint waits for the interval.
TEST(SnapshotDriver, AWaitingWriteHurriesAHint) {
  DriverRig rig(small(), 64, 1_s);
  rig.gpu.allocate(32_KiB);
  const Picoseconds begun = rig.begin("NB+F+H");
  ListedKernel kernel({{{1_us, 4096, 32, true}, {0_ns, 128, 32, false}}});
  rig.gpu.launch(rig.now, kernel, 1);
  rig.run_until(begun + 1_us + 2 * one_way - 1_ps);
  EXPECT_FALSE(rig.unpreserved(0));
  EXPECT_TRUE(rig.unpreserved(1));
  rig.run_until(begun + 1_us + 2 * one_way);
  EXPECT_FALSE(rig.unpreserved(1));
}

TEST(SnapshotDriver, AnIncrementOfNothingEndsByItself) {
  for (const std::string_view name : {"I", "NB+I+H", "NB+I+H+D"}) {
    DriverRig rig;
    rig.take("F");
    rig.take(name);
    EXPECT_EQ(rig.buffer.snapshots(), 2u) << name;
  }
}

struct DriverChain : testing::TestWithParam<std::string_view> {};

TEST_P(DriverChain, IsRestoredToItsNewestSnapshot) {
  DriverRig rig;
  rig.write({0, 1, 2, 3, 4, 5, 6, 7});
  rig.take(GetParam());
  for (std::uint32_t zone = 0; zone < 6; ++zone) {
    rig.write({zone, zone + 1, zone + 2});
    rig.take(GetParam());
  }
  const std::vector<std::byte> then = rig.memory();
  const bool full =
      GetParam().find('F') != std::string_view::npos && GetParam().find("I-FG") == std::string_view::npos;
  EXPECT_EQ(rig.buffer.snapshots(), full ? 1u : 7u);
  rig.write({3, 9, 15});
  ASSERT_NE(rig.memory(), then);

  rig.gpu.reset(Reset::power_loss);
  rig.driver.reset();
  rig.gpu.allocate(64_KiB);
  rig.gpu.track(true);
  rig.driver.restore(rig.now);
  EXPECT_TRUE(rig.driver.busy());
  EXPECT_TRUE(rig.run_while_not([&] { return !rig.restored_at.empty(); }));
  EXPECT_EQ(rig.memory(), then);
  EXPECT_FALSE(rig.driver.busy());

  // No increment has what was lost, so that the next snapshot is full.
  rig.take(GetParam());
  EXPECT_EQ(rig.gpu.snapshot_zones(), 16u);
}

INSTANTIATE_TEST_SUITE_P(Names, DriverChain, testing::ValuesIn(snapshot_config_names),
                         [](const testing::TestParamInfo<std::string_view>& info) {
                           std::string name(info.param);
                           std::erase_if(name, [](char c) { return c == '+' || c == '-'; });
                           return name;
                         });

TEST(SnapshotDriver, AChainWithoutSpaceMakesAFullOne) {
  // After a full snapshot of 16 zones and an increment of 3, 31 zones are left. A further increment would
  // need space for all 16 zones in use, and for a full snapshot after it.
  DriverRig rig(small(), 16 + 2 + 32);
  rig.take("I");
  rig.write({1, 2, 3});
  rig.take("I");
  EXPECT_EQ(rig.buffer.snapshots(), 2u);
  rig.write({1, 2, 3});
  rig.take("I");
  EXPECT_EQ(rig.buffer.snapshots(), 1u);
  EXPECT_EQ(rig.gpu.snapshot_zones(), 16u);
}

TEST(SnapshotDriver, WithoutSpaceThePreviousSnapshotIsKept) {
  DriverRig rig(small(), 20);
  rig.take("NB+F");
  const auto image = rig.buffer.image();
  EXPECT_EQ(rig.refused("NB+F"), SnapshotDriver::Begun::no_space);
  EXPECT_FALSE(rig.gpu.snapshot_open());
  EXPECT_EQ(rig.buffer.image(), image);
}

TEST(SnapshotDriver, ARefusedBeginningChangesNothing) {
  DriverRig rig;
  ListedKernel kernel({DriverRig::writes({1, 2})});
  rig.gpu.launch(rig.now, kernel, 1);
  EXPECT_EQ(rig.refused("NB+F"), SnapshotDriver::Begun::refused);
  rig.run_until(1_ms);
  rig.begin("NB+F");
  EXPECT_EQ(rig.refused("NB+F"), SnapshotDriver::Begun::refused);
  rig.run_until(2_ms);
  EXPECT_EQ(rig.ends.size(), 1u);
}

TEST(SnapshotDriver, AfterAFailureTheNextIsFull) {
  DriverRig rig;
  rig.take("NB+I+H");
  rig.write({1, 2, 3});
  rig.take("NB+I+H");
  EXPECT_EQ(rig.gpu.snapshot_zones(), 3u);
  const auto image = rig.buffer.image();

  rig.begin("NB+I+H");
  rig.gpu.abort_snapshot(rig.now);
  rig.write({1, 2, 3});
  rig.begin("NB+I+H");
  EXPECT_EQ(rig.gpu.snapshot_zones(), 16u);
  rig.host.refuses = true;
  rig.run_until(rig.now + 1_ms);
  using Failed = std::vector<Gpu::Failure>;
  EXPECT_EQ(rig.failures, (Failed{Gpu::Failure::aborted, Gpu::Failure::host_memory}));
  EXPECT_EQ(rig.buffer.image(), image);
  EXPECT_FALSE(rig.driver.busy());
  rig.host.refuses = false;
  rig.take("NB+I+H");
  EXPECT_EQ(rig.buffer.snapshots(), 1u);
}

TEST(SnapshotDriver, ARestartedDriverLeavesASnapshotToTheDevice) {
  DriverRig rig;
  rig.take("NB+I+H+D");
  rig.write({1, 2, 3});
  rig.begin("NB+I+H+D");
  rig.driver.reset();
  EXPECT_EQ(rig.refused("NB+I+H+D"), SnapshotDriver::Begun::refused);
  rig.run_until(rig.now + 1_ms);
  EXPECT_FALSE(rig.gpu.snapshot_open());
  EXPECT_EQ(rig.buffer.snapshots(), 1u);
  rig.take("NB+I+H+D");
  EXPECT_EQ(rig.gpu.snapshot_zones(), 16u);
}

TEST(SnapshotDriver, ARestoreThatTheHostRefusesFails) {
  DriverRig rig;
  EXPECT_THROW(rig.driver.restore(rig.now), std::logic_error);
  rig.take("F");
  rig.host.refuses = true;
  rig.driver.restore(rig.now);
  rig.run_until(rig.now + 1_ms);
  ASSERT_EQ(rig.failures.size(), 1u);
  EXPECT_TRUE(rig.restored_at.empty());
  EXPECT_FALSE(rig.driver.busy());
}

}  // namespace
}  // namespace asterism
