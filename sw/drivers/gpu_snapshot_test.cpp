// The firmware's driver of GPU snapshots on the host, with the model of a GPU: it must make the same choices
// as the driver of runs without cores (models/gpu/snapshot_driver.h), and after any failure, its committed
// snapshot must equal the memory at that time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "drivers/gpu_test_machine.h"
#include "gpu/gpu_rig.h"
#include "gpu/preservation_buffer.h"
#include "gpu/snapshot_driver.h"

extern "C" {
#include "drivers/gpu_snapshot.h"
}

namespace asterism {
namespace {

std::uint32_t between(Random& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random.below(high - low + 1));
}
bool one_in(Random& random, std::uint32_t n) { return random.below(n) == 0; }

// A small GPU, in which writes soon wait.
GpuConfig any_gpu(Random& random) {
  GpuConfig c;
  c.channels = 1u << random.below(3);
  c.zone = Bytes(4096u << random.below(2));
  c.interleave = Bytes(128u << random.below(4));
  c.memory = c.zone * c.channels * between(random, 4, 16);
  c.channel = Bandwidth(std::uint64_t{1'000'000'000} * between(random, 1, 30));
  c.monitor.cache = 64_B;
  c.monitor.ways = 1;
  c.l2 = 128_B * c.channels;
  c.l2_ways = 1;
  c.pipelines = between(random, 1, 8);
  c.write_queue = between(random, 1, 12);
  c.buffer = c.zone * c.channels * between(random, 2, 6);
  c.transfer = c.zone * between(random, 1, 8);
  c.watchdog = 10_ms;
  return c;
}

GpuKernel any_kernel(const GpuConfig& gpu, Random& random, std::uint64_t number) {
  return {.first = 0,
          .bytes = gpu.memory.count(),
          .seed = random.next(),
          .number = number,
          .accesses = between(random, 5, 100),
          .pattern = between(random, 0, 1),
          .writes = between(random, 100, 1000),
          .gap_ns = between(random, 0, 400),
          .zero = {}};
}

std::size_t round_up(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

// The driver with its buffer, and a GPU.
struct Driver {
  GpuTestMachine machine;
  GpuChain chain{};
  GpuSnapshot snapshot{};
  std::vector<std::byte> buffer;

  Driver(const GpuConfig& gpu, const HostLinkConfig& link) : machine(gpu, link) {
    EXPECT_EQ(
        gpu_snapshot_prepare(&snapshot, 0, static_cast<std::uint32_t>(gpu.memory.count() >> 10), &chain),
        gpu_ok);
    buffer.resize(round_up(gpu_snapshot_bytes(&snapshot)));
    gpu_snapshot_use(&snapshot, buffer.data());
  }
  const Gpu& gpu() const { return machine.port.gpu(); }
  std::vector<std::byte> memory() const {
    std::vector<std::byte> bytes(machine.config.memory.count());
    gpu().peek(0, bytes);
    return bytes;
  }
};

// ---- the same choices ----

struct Reference : GpuRig, SnapshotDriver::Sink {
  Reference(const GpuConfig& config, const HostLinkConfig& link_config)
      : GpuRig(config, MemoryContents::bytes, link_config),
        buffer(Address(0), config.memory * 8, config.zone),
        driver(gpu, buffer, 0_ps, 0_ps, *this) {}

  std::optional<Picoseconds> next() const override { return earlier(GpuRig::next(), driver.next_event()); }
  void step(Picoseconds to) override {
    GpuRig::step(to);
    driver.advance_to(to);
  }
  void zone_waits(Picoseconds at, Zone zone) override { driver.zone_waits(at, zone); }
  void arrived(Picoseconds at, std::span<const Zone> zones) override {
    copies.emplace_back();
    for (const Zone zone : zones) copies.back().push_back(zone.index * gpu.config().channels + zone.channel);
    driver.arrived(at, zones);
  }
  void snapshot_taken(Picoseconds at) override { driver.snapshot_taken(at); }
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override { driver.snapshot_failed(at, why); }
  void taken(Picoseconds at) override { ended.push_back(at); }
  void failed(Picoseconds, Gpu::Failure) override { ADD_FAILURE(); }
  void restored(Picoseconds) override {}

  void launch(const GpuKernel& kernel) {
    source.emplace(RegionKernelArguments{.first = kernel.first,
                                         .bytes = kernel.bytes,
                                         .seed = kernel.seed,
                                         .accesses = kernel.accesses,
                                         .gap = kernel.gap_ns * 1_ns,
                                         .writes = kernel.writes,
                                         .pattern = RegionKernelArguments::Pattern(kernel.pattern)},
                   gpu.config().pipelines);
    gpu.launch(now, *source, kernel.number);
  }

  PreservationBuffer buffer;
  SnapshotDriver driver;
  std::optional<RegionKernel> source;
  std::vector<std::vector<std::uint32_t>> copies;
  std::vector<Picoseconds> ended;
};

// Over a link without latency both are notified of a write at once, and the list of a scan takes no time.
class GpuSnapshotChoice : public testing::Test {
 protected:
  struct Counts {
    std::uint64_t snapshots = 0, preferred = 0, gathered = 0;
  };

  void compare(std::uint64_t seed, Counts& counts) {
    Random random(seed);
    const GpuConfig config = any_gpu(random);
    const HostLinkConfig link{.overhead = Picoseconds(random.below(5'000'000)), .round_trip = 0_ps};
    Reference reference(config, link);
    Driver tried(config, link);
    for (std::uint64_t number = 1; number < 12; number += 2) {
      GpuKernel kernel = any_kernel(config, random, number);
      reference.launch(kernel);
      ASSERT_TRUE(reference.run_while_not([&] { return !reference.gpu.running(); }));
      ASSERT_EQ(gpu_launch(0, &kernel), gpu_ok);
      while (tried.gpu().running()) ASSERT_TRUE(tried.machine.step());
      ASSERT_EQ(tried.machine.now, reference.now);

      const bool increments = number % 4 == 3, hints = !one_in(random, 4);
      kernel = any_kernel(config, random, number + 1);
      take(reference, tried, kernel,
           {.increments = increments, .device_side = false, .hints = hints, .silent = false});
      if (HasFailure()) return;
      ++counts.snapshots;
    }
    counts.preferred += tried.snapshot.preferred;
    counts.gathered += tried.snapshot.preferred_together;
  }

  void take(Reference& reference, Driver& tried, GpuKernel& kernel, const GpuSnapshotHow& how) {
    const SnapshotConfig config{.kind = how.increments ? SnapshotKind::increment : SnapshotKind::full,
                                .non_blocking = true,
                                .hints = how.hints};
    Picoseconds begun{};
    reference.copies.clear();
    reference.ended.clear();
    ASSERT_EQ(reference.driver.snapshot(reference.now, config, begun), SnapshotDriver::Begun::yes);
    reference.launch(kernel);
    ASSERT_TRUE(
        reference.run_while_not([&] { return !reference.ended.empty() && !reference.gpu.running(); }));

    tried.machine.copies.clear();
    ASSERT_EQ(gpu_snapshot_begin(&tried.snapshot, how), gpu_ok);
    ASSERT_EQ(gpu_launch(0, &kernel), gpu_ok);
    std::optional<Picoseconds> wake = begun, ended;
    while (gpu_snapshot_is_open(&tried.snapshot) || tried.gpu().running()) {
      ASSERT_TRUE(tried.machine.step(wake));
      if (tried.machine.now < begun) continue;
      wake.reset();
      gpu_snapshot_progress(&tried.snapshot);
      if (!ended && !gpu_snapshot_is_open(&tried.snapshot)) ended = tried.machine.now;
    }
    ASSERT_EQ(tried.snapshot.state, gpu_snapshot_taken);
    gpu_snapshot_commit(&tried.snapshot);
    EXPECT_EQ(tried.machine.copies, reference.copies);
    EXPECT_EQ(ended, reference.ended.front());
    EXPECT_EQ(tried.machine.now, reference.now);
  }
};

TEST_F(GpuSnapshotChoice, EqualsThatOfTheDriverWithoutCores) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    compare(seed, counts);
  }
  EXPECT_EQ(counts.snapshots, 1800u);
  EXPECT_GT(counts.preferred, 5000u);
  EXPECT_GT(counts.gathered, 2000u);
}

// ---- contents from elsewhere ----

bool progress_to_end(Driver& tried) {
  while (gpu_snapshot_is_open(&tried.snapshot) || tried.gpu().running()) {
    gpu_snapshot_progress(&tried.snapshot);
    if ((gpu_snapshot_is_open(&tried.snapshot) || tried.gpu().running()) && !tried.machine.step())
      return false;
  }
  return true;
}

void run_kernel(Driver& tried, Random& random, std::uint64_t number) {
  GpuKernel kernel = any_kernel(tried.machine.config, random, number);
  ASSERT_EQ(gpu_launch(0, &kernel), gpu_ok);
  ASSERT_TRUE(progress_to_end(tried));
}

// The zones of a snapshot, put together as a program would that keeps them elsewhere, bring memory back.
TEST(GpuSnapshotFillTest, MemoryBecomesThatOfTheGivenZonesAndTheNextSnapshotIsFull) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Driver tried(any_gpu(random), HostLinkConfig{});
    GpuSnapshot& s = tried.snapshot;
    const GpuSnapshotHow how{.increments = true, .device_side = false, .hints = true, .silent = false};
    const std::vector<std::byte> empty = tried.memory();
    for (std::uint64_t number = 1; number <= 2; ++number) {  // a full snapshot, and an increment
      run_kernel(tried, random, number);
      ASSERT_EQ(gpu_snapshot_begin(&s, how), gpu_ok);
      ASSERT_TRUE(progress_to_end(tried));
      ASSERT_EQ(s.state, gpu_snapshot_taken);
      gpu_snapshot_commit(&s);
    }
    const std::vector<std::byte> wanted = tried.memory();
    std::vector<std::uint8_t> zones(std::size_t{s.zones} * s.zone_bytes);
    for (std::uint32_t zone = 0; zone < s.zones; ++zone)
      std::memcpy(zones.data() + std::size_t{zone} * s.zone_bytes, gpu_snapshot_zone(&s, zone), s.zone_bytes);
    run_kernel(tried, random, 3);

    gpu_snapshot_fill(&s, zones.data());
    ASSERT_EQ(gpu_snapshot_restore(&s), gpu_ok);
    ASSERT_TRUE(progress_to_end(tried));
    ASSERT_EQ(s.state, gpu_snapshot_restored);
    EXPECT_EQ(tried.memory() == wanted, true);
    ASSERT_EQ(gpu_snapshot_begin(&s, how), gpu_ok);
    EXPECT_TRUE(s.full);
    EXPECT_EQ(s.half, 1u) << "the given zones are kept until that one is committed";

    gpu_snapshot_fill(&s, nullptr);
    ASSERT_EQ(gpu_snapshot_restore(&s), gpu_ok);
    ASSERT_TRUE(progress_to_end(tried));
    EXPECT_EQ(tried.memory() == empty, true);
  }
}

}  // namespace
}  // namespace asterism
