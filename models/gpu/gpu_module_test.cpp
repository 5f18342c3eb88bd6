#include "gpu/gpu_module.h"

#include "base/random.h"
#include "memory/memory_controller.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_writes.h"

namespace asterism {
namespace {

// When clocks change, to how many percent of their speed.
struct ClockChanges final : EventLog {
  std::vector<std::pair<Picoseconds, std::uint64_t>> changes;
  void record(Picoseconds at, std::string_view, std::string_view kind,
              std::initializer_list<Detail> details) override {
    if (kind == "gpu_clock") changes.emplace_back(at, std::get<std::uint64_t>(details.begin()->second));
  }
  using EventLog::record;
};

struct GpuModuleTest : SystemCTest {
  static constexpr std::uint64_t dram = 0x4000'0000, kernel = dram + 0x100, arrivals = dram + 0x2000,
                                 extent = dram + 0x1'0000, second = GpuRegisters::window;
  enum : std::uint32_t { allocate = 1, launch = 2, begin = 3, abort_snapshot = 8, copy_in = 9, restart = 10 };
  const HostLinkConfig link;
  ClockChanges events;
  MemoryController memory{
      "memory",
      {.config = {.size = 4_MiB, .dram = {.refresh = RefreshMode::none}}, .part = {}, .base = Address(dram)},
      2,
      events};
  TestInitiator guest{"guest"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq;
  GpuModule gpus{"gpu",
                 {.count = 2,
                  .device = {.memory = 128_KiB,
                             .channels = 2,
                             .interleave = 512_B,
                             .zone = 4_KiB,
                             .l2 = 4_KiB,
                             .l2_ways = 2,
                             .pipelines = 2,
                             .buffer = 32_KiB,
                             .transfer = 8_KiB,
                             .ecc = SectorCode::symbol},
                  .link = link},
                 {Address(dram), 4_MiB},
                 events};
  TestInitiator cpu{"cpu"}, memory_cpu{"memory_cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq;
  GpuRegisters map{1};

  explicit GpuModuleTest(const HostLinkConfig& link_config = {}) : link(link_config) {
    gpus.memory.bind(memory.ports[0]);
    memory_cpu.socket.bind(memory.ports[1]);
    cpu.socket.bind(gpus.target);
    gpus.interrupt.bind(irq);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
  }
  template <class Word>
  void poke(std::uint64_t address, Word value) {
    memory_cpu.write(address - dram, value);
  }
  void set(std::uint64_t gpu, const Register& of, std::uint32_t value) {
    cpu.write32(gpu + of.offset(), value);
  }
  std::uint32_t get(std::uint64_t gpu, const Register& of) { return cpu.read32(gpu + of.offset()); }
  // Executes a command and returns STATUS.error.
  std::uint32_t give(std::uint64_t gpu, std::uint32_t command) {
    set(gpu, map.command, command);
    while ((get(gpu, map.status) & 16) != 0) wait_for(10_ns);
    return get(gpu, map.status) >> 8 & 0xff;
  }
  void fill(std::uint64_t gpu, std::uint32_t kib) {
    set(gpu, map.count, kib);
    EXPECT_EQ(give(gpu, allocate), 0u);
    poke<std::uint64_t>(kernel, 0);
    poke(kernel + 8, std::uint64_t{kib} << 10);
    poke<std::uint64_t>(kernel + 16, gpu);
    poke<std::uint64_t>(kernel + 24, 1);
    poke(kernel + 32, std::uint64_t{kib} * 4);
    poke<std::uint64_t>(kernel + 40, std::uint64_t{1000} << 32);
    poke<std::uint64_t>(kernel + 48, 50);
    poke<std::uint64_t>(kernel + 56, 0);
    set(gpu, map.list_low, kernel);
    EXPECT_EQ(give(gpu, launch), 0u);
    while ((get(gpu, map.status) & 1) != 0) wait_for(1_us);
  }
  void take(std::uint64_t gpu) {
    set(gpu, map.extent_low, extent);
    set(gpu, map.arrivals_low, arrivals);
    set(gpu, map.snapshot, 2);
    EXPECT_EQ(give(gpu, begin), 0u);
    while ((get(gpu, map.status) & 2) != 0) wait_for(1_us);
  }
  std::vector<std::byte> contents(std::size_t gpu) {
    std::vector<std::byte> bytes(8 << 10);
    gpus.gpu(gpu).peek(0, bytes);
    return bytes;
  }
};

SYSTEMC_TEST_F(GpuModuleTest, ResetsToWhatTheListSays) { expect_reset_values(cpu, GpuRegisters(2)); }

SYSTEMC_TEST_F(GpuModuleTest, ASnapshotGoesThroughTheMemoryControllerAndBack) {
  EXPECT_EQ(get(second, map.devices), 2u);
  EXPECT_EQ(get(second, map.zone_size), 4096u);
  fill(second, 8);
  const auto before = contents(1);
  EXPECT_NE(before, contents(0));
  take(second);
  EXPECT_EQ(get(second, map.arrived), 2u);
  EXPECT_EQ(
      memory_cpu.read<std::uint32_t>(arrivals - dram) + memory_cpu.read<std::uint32_t>(arrivals + 4 - dram),
      1u);
  EXPECT_EQ(give(second, restart), 0u);
  set(second, map.count, 8);
  EXPECT_EQ(give(second, allocate), 0u);
  EXPECT_NE(contents(1), before);
  set(second, map.list_low, arrivals);
  set(second, map.count, 2);
  EXPECT_EQ(give(second, copy_in), 0u);
  wait_for(100_us);
  EXPECT_EQ(contents(1), before);
}

SYSTEMC_TEST_F(GpuModuleTest, AnUncorrectableErrorIsReportedUntilItsZoneIsRetired) {
  const std::uint32_t retire = 11, none = ~0u;
  fill(second, 8);
  set(second, map.interrupt_enable, 0x100);
  EXPECT_EQ(get(second, map.contained), none);
  gpus.inject(
      {{now(), GpuMemoryFault{.gpu = 1, .shape = GpuMemoryShape::row, .address = 512, .stuck = true}}});
  fill(second, 8);
  settle();
  EXPECT_TRUE(irq.read());
  EXPECT_NE(get(second, map.status) & 32, 0u);
  EXPECT_EQ(get(second, map.contained), 1u);
  EXPECT_EQ(get(second, map.error_place), 0u);
  EXPECT_EQ(get(second, map.uncorrectable), 1u);
  set(second, map.from, 1000);
  EXPECT_EQ(give(second, retire), 4u);
  set(second, map.from, 1);
  EXPECT_EQ(give(second, retire), 0u);
  EXPECT_EQ(get(second, map.contained), none);
  EXPECT_EQ(get(second, map.spare_zones), 31u);
  fill(second, 8);
  EXPECT_EQ(get(second, map.status) & 32, 0u);
}

// ---- the memory is shared ----

// A link without overhead, which moves a page in 512 ns.
struct SharedMemoryTest : GpuModuleTest {
  SharedMemoryTest() : GpuModuleTest({.overhead = 0_ns}) {
    for (std::uint64_t page = 0; page < 64; ++page) poke<std::uint64_t>(extent + page * 4096, 0);
  }
  void begin_all(std::uint64_t gpu) {
    set(gpu, map.extent_low, extent);
    set(gpu, map.snapshot, 2);
    EXPECT_EQ(give(gpu, begin), 0u);
  }
  std::uint64_t debug(std::uint64_t address) {
    std::uint64_t word = 0;
    memory_cpu.debug(tlm::TLM_READ_COMMAND, address - dram, &word, sizeof word);
    return word;
  }
  void wait_until(auto holds) {
    while (!holds()) wait_for(1_ns);
  }
  // Reads a page, as a core's caches do, and waits for it.
  void read_page() {
    std::array<std::byte, 4096> data;
    memory_cpu.delay = {};
    memory_cpu.access(tlm::TLM_READ_COMMAND, 0x20'0000, data.data(), data.size());
    sc_core::wait(memory_cpu.delay);
  }
  Picoseconds time_of_reads() {
    const Picoseconds start = now();
    for (unsigned i = 0; i < 8; ++i) read_page();
    return now() - start;
  }
  // The time of a snapshot of the first GPU during which `meanwhile` is called repeatedly.
  Picoseconds time_of_snapshot(auto meanwhile) {
    const Picoseconds start = now();
    begin_all(0);
    while (gpus.gpu(0).snapshot_open()) meanwhile();
    return now() - start;
  }
};

SYSTEMC_TEST_F(SharedMemoryTest, APageReachesMemoryWhenTheLinkHasMovedIt) {
  fill(0, 128);
  begin_all(0);
  const auto is_there = [&](std::uint64_t page) { return debug(extent + page * 4096) != 0; };
  wait_until([&] { return is_there(0); });
  for (std::uint64_t page = 0; page < 31; ++page) {
    EXPECT_FALSE(is_there(page + 1)) << page;
    const Picoseconds before = now();
    wait_until([&] { return is_there(page + 1); });
    EXPECT_GE(now() - before, 511_ns) << page;
    // A transfer has two pages; the next one begins when memory has completed the second.
    EXPECT_EQ(now() - before <= 514_ns, page % 2 == 0) << page;
  }
  EXPECT_NE(get(0, map.status) & 2, 0u);  // memory has not completed the last page yet
}

SYSTEMC_TEST_F(SharedMemoryTest, ACoreWaitsLongerForMemoryWhileASnapshotGoesThere) {
  fill(0, 128);
  const Picoseconds alone = time_of_reads();
  begin_all(0);
  wait_until([&] { return debug(extent) != 0; });
  const Picoseconds beside = time_of_reads();
  EXPECT_NE(get(0, map.status) & 2, 0u) << "the snapshot ended before the reads";
  while ((get(0, map.status) & 2) != 0) wait_for(1_us);
  EXPECT_GT(beside, alone + alone / 10);
  read_page();  // this also makes up for time that the last reads did not wait
  EXPECT_LE(time_of_reads(), alone);
}

SYSTEMC_TEST_F(SharedMemoryTest, ASnapshotTakesLongerWhileCoresKeepMemoryBusy) {
  fill(0, 128);
  const Picoseconds alone = time_of_snapshot([&] { wait_for(100_ns); });
  const Picoseconds beside = time_of_snapshot([&] { read_page(); });
  EXPECT_GT(beside, alone + alone / 10);
  EXPECT_EQ(gpus.gpu(0).snapshot_zones(), 32u);
}

SYSTEMC_TEST_F(SharedMemoryTest, GpusShareTheMemory) {
  fill(0, 64);
  fill(second, 64);
  const Picoseconds alone = time_of_snapshot([&] { wait_for(100_ns); });
  set(second, map.extent_low, extent + 0x1'0000);
  set(second, map.snapshot, 2);
  EXPECT_EQ(give(second, begin), 0u);
  const Picoseconds beside = time_of_snapshot([&] { wait_for(100_ns); });
  EXPECT_GT(beside, alone);
}

SYSTEMC_TEST_F(GpuModuleTest, TheLineIsTheLevelOfAllWindows) {
  fill(second, 8);
  EXPECT_FALSE(irq.read());
  set(second, map.interrupt_enable, 1);
  settle();
  EXPECT_TRUE(irq.read());
  EXPECT_EQ(get(0, map.interrupt_status), 0u);
  set(second, map.interrupt_status, 1);
  settle();
  EXPECT_FALSE(irq.read());
}

SYSTEMC_TEST_F(GpuModuleTest, ALossComesAtItsTimeAndInterrupts) {
  set(0, map.interrupt_enable, 0xff);
  set(second, map.interrupt_enable, 0xff);
  gpus.inject(std::vector<TimedGpuLoss>{{now() + 50_us, 1}});
  expect_earliest(now() + 50_us, [&] { return irq.read(); });
  EXPECT_EQ(get(second, map.interrupt_status), 128u);
  EXPECT_EQ(get(second, map.status) & 8, 8u);
  EXPECT_EQ(get(0, map.status), 0u);
  EXPECT_EQ(give(second, begin), 12u);
  EXPECT_EQ(give(second, restart), 0u);
}

SYSTEMC_TEST_F(GpuModuleTest, ItsWritesAreReported) {
  fill(0, 8);
  TestTracker tracker(memory.writes(), {Address(arrivals), Bytes(extent + 8192 - arrivals)});
  take(0);
  const PageLines list{Address(arrivals), 1}, first{Address(extent), ~std::uint64_t{0}},
      second_zone{Address(extent + 4096), ~std::uint64_t{0}};
  EXPECT_EQ(tracker.reported, (std::vector{first, list, second_zone, list}));
}

SYSTEMC_TEST_F(GpuModuleTest, ASnapshotWaitsForAPageThatIsYetToBeCopied) {
  fill(0, 8);
  poke<std::uint64_t>(extent + 4096, 0xFEED);
  TestTracker tracker(memory.writes(), {Address(extent + 4096), 4_KiB});
  tracker.closed = true;
  set(0, map.extent_low, extent);
  set(0, map.arrivals_low, arrivals);
  set(0, map.snapshot, 2);
  EXPECT_EQ(give(0, begin), 0u);
  wait_for(100_us);
  EXPECT_EQ(get(0, map.status), 6u);  // the snapshot is open, and a zone is being copied
  EXPECT_EQ(memory_cpu.read<std::uint64_t>(extent + 4096 - dram), 0xFEEDu);
  tracker.open();
  wait_for(10_us);
  EXPECT_EQ(get(0, map.status), 0u);
  EXPECT_NE(memory_cpu.read<std::uint64_t>(extent + 4096 - dram), 0xFEEDu);
  EXPECT_EQ(get(0, map.arrived), 2u);
}

SYSTEMC_TEST_F(GpuModuleTest, OfOverlappingSlowdownsTheSlowestCounts) {
  using Slowdowns = std::vector<Timed<GpuSlowdown>>;
  using Changes = decltype(events.changes);
  const auto changes_with = [&](const Slowdowns& slowdowns) {
    const Picoseconds start = now();
    events.changes.clear();
    Slowdowns later = slowdowns;
    for (auto& slowdown : later) slowdown.at += start;
    gpus.inject(later);
    wait_for(100_us);
    for (auto& [at, percent] : events.changes) at -= start;
    return events.changes;
  };
  // One within another; one that begins before another ends; one that begins as another ends.
  const Timed<GpuSlowdown> of_12_us{8_us, {0, 50, 12_us}};
  EXPECT_EQ(changes_with({of_12_us, {10_us, {0, 25, 2_us}}}),
            (Changes{{8_us, 50}, {10_us, 25}, {12_us, 50}, {20_us, 100}}));
  EXPECT_EQ(changes_with({of_12_us, {10_us, {0, 75, 20_us}}}),
            (Changes{{8_us, 50}, {20_us, 75}, {30_us, 100}}));
  EXPECT_EQ(changes_with({{20_us, {0, 25, 4_us}}, of_12_us}),
            (Changes{{8_us, 50}, {20_us, 25}, {24_us, 100}}));
  EXPECT_EQ(changes_with({of_12_us, {10_us, {1, 50, 2_us}}}),
            (Changes{{8_us, 50}, {10_us, 50}, {12_us, 100}, {20_us, 100}}));
}

SYSTEMC_TEST_F(GpuModuleTest, AnAbortedSnapshotDoesNotWriteAnyMore) {
  fill(0, 8);
  poke<std::uint64_t>(extent, 0xFEED);
  TestTracker tracker(memory.writes(), {Address(extent), 8_KiB});
  tracker.closed = true;
  set(0, map.extent_low, extent);
  set(0, map.arrivals_low, arrivals);
  set(0, map.snapshot, 2);
  EXPECT_EQ(give(0, begin), 0u);
  wait_for(100_us);
  EXPECT_EQ(give(0, abort_snapshot), 0u);
  tracker.open();
  wait_for(100_us);
  EXPECT_EQ(memory_cpu.read<std::uint64_t>(extent - dram), 0xFEEDu);
  EXPECT_EQ(get(0, map.status) >> 16, 3u);  // aborted
}

SYSTEMC_TEST_F(GpuModuleTest, PowerLossEmptiesItAndLowersTheLine) {
  fill(0, 8);
  set(0, map.interrupt_enable, 1);
  gpus.reset(Reset::power_loss);
  settle();
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(contents(0), std::vector<std::byte>(8 << 10));
  gpus.inject(std::vector<TimedGpuLoss>{{now() + 1_us, 0}});
  wait_for(2_us);
  gpus.power_up();
  EXPECT_EQ(get(0, map.status), 0u);
}

SYSTEMC_TEST_F(GpuModuleTest, AWarmResetKeepsWhatIsAllocated) {
  fill(0, 8);
  const std::uint32_t zones = get(0, map.zones_in_use);
  EXPECT_NE(zones, 0u);
  gpus.reset(Reset::warm);
  EXPECT_EQ(get(0, map.zones_in_use), zones);
  EXPECT_FALSE(map.zones_in_use.has_fixed_reset_value());
}

SYSTEMC_TEST_F(GpuModuleTest, AnyAccessToItGetsAnAnswer) {
  set_log_levels({{"gpu", LogLevel::off}});
  Random random(5);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t offset = random.below(0x60) + second * random.below(3);
    if (random.below(2))
      cpu.write32(offset, static_cast<std::uint32_t>(random.below(2) ? random.next() : random.below(64)));
    else
      cpu.read<std::uint64_t>(offset);
    EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
    wait_for(Picoseconds(random.below(1'000'000)));
  }
}

}  // namespace
}  // namespace asterism
