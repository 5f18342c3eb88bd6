#include "gpu/gpu_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace asterism {
namespace {

using Command = GpuPort::Command;
using Error = GpuPort::Error;

// A memory of 1 MiB.
struct FlatMemory final : Gpu::HostMemory {
  std::vector<std::byte> bytes = std::vector<std::byte>(1 << 20);
  bool has(Address at, Bytes size) const {
    return at.value() <= bytes.size() && size.count() <= bytes.size() - at.value();
  }
  void write(Picoseconds now, Address to, std::span<const std::byte> data, OnAccessEnd ended) override {
    if (!has(to, Bytes(data.size()))) return ended({now, false});
    std::ranges::copy(data, bytes.begin() + static_cast<std::ptrdiff_t>(to.value()));
    ended({now});
  }
  void read(Picoseconds now, Address from, Bytes size, OnAccessEnd ended) override {
    if (!has(from, size)) return ended({now, false});
    ended({now, true, std::span(bytes).subspan(from.value(), size.count())});
  }
  template <class Word>
  void put(std::uint64_t at, Word word) {
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
  std::uint32_t word(std::uint64_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
};

// The same memory for lists. Accesses end at once or, with `takes`, later, which is reported then.
struct ListPort final : MemoryPort {
  explicit ListPort(FlatMemory& of) : memory(of) {}
  FlatMemory& memory;
  Picoseconds takes{};
  struct Access {
    Picoseconds at;
    std::function<void(Picoseconds)> end;
  };
  std::vector<Access> under_way;

  void write(Picoseconds now, Address to, std::span<const std::byte> data, OnAccessEnd ended) override {
    begin(now, [this, to, bytes = std::vector(data.begin(), data.end()), ended](Picoseconds at) {
      memory.write(at, to, bytes, ended);
    });
  }
  void read(Picoseconds now, Address from, Bytes size, OnAccessEnd ended) override {
    begin(now, [this, from, size, ended](Picoseconds at) { memory.read(at, from, size, ended); });
  }
  void begin(Picoseconds now, std::function<void(Picoseconds)> end) {
    if (takes == 0_ps) return end(now);
    under_way.push_back({now + takes, std::move(end)});
  }
  std::optional<Picoseconds> next_event() const {
    return under_way.empty() ? std::nullopt : std::optional(under_way.front().at);
  }
  void advance_to(Picoseconds now) {
    while (!under_way.empty() && under_way.front().at <= now) {
      const Access access = std::move(under_way.front());
      under_way.erase(under_way.begin());
      access.end(access.at);
    }
  }
  void abandon() override { under_way.clear(); }
};

// The GPU has zones of 4 KiB in two channels, of which 16 are in use.
struct GpuPortTest : testing::Test {
  static constexpr std::uint64_t kernel = 0x100, list = 0x1000, arrivals = 0x2000, extent = 0x1'0000;
  GpuConfig config{.memory = 128_KiB,
                   .channels = 2,
                   .interleave = 512_B,
                   .zone = 4_KiB,
                   .l2 = 4_KiB,
                   .l2_ways = 2,
                   .pipelines = 2,
                   .write_queue = 2,
                   .buffer = 32_KiB,
                   .transfer = 8_KiB,
                   .watchdog = 1_ms};
  FlatMemory memory;
  ListPort lists{memory};
  NoEventLog events;
  HostLink link{HostLinkConfig{}, 1};
  GpuPort port{config, 0, link, 25_us, memory, lists, "gpu.0", events};
  Picoseconds now{};

  void run_until(Picoseconds end) {
    const auto due = [this] {
      return earlier(earlier(port.next_event(), link.next_event()), lists.next_event());
    };
    for (auto next = due(); next && *next <= end; next = due()) {
      now = *next;
      lists.advance_to(now);
      if (!link.advance_to(now).empty()) port.transferred(now);
      port.advance_to(now);
    }
    now = end;
  }
  Error give(Command command, GpuPort::Arguments arguments = {}) {
    port.command(now, static_cast<std::uint32_t>(command), arguments);
    return port.error();
  }
  Error allocate(Bytes size) { return give(Command::allocate, {.size = size}); }
  Error launch(std::uint64_t bytes, std::uint64_t accesses, std::uint32_t writes = 1000) {
    memory.put<std::uint64_t>(kernel, 0);
    memory.put(kernel + 8, bytes);
    memory.put<std::uint64_t>(kernel + 16, 1);
    memory.put<std::uint64_t>(kernel + 24, ++number);
    memory.put(kernel + 32, accesses);
    memory.put<std::uint32_t>(kernel + 40, 0);
    memory.put(kernel + 44, writes);
    memory.put<std::uint32_t>(kernel + 48, 100);
    return give(Command::launch, {.list = Address(kernel)});
  }
  Error begin(Offloader by, SnapshotKind kind = SnapshotKind::full, Address to = Address(extent)) {
    return give(Command::begin, {.extent = to, .arrivals = Address(arrivals), .kind = kind, .by = by});
  }
  Error with_list(Command command, std::vector<std::uint32_t> zones) {
    for (std::size_t i = 0; i < zones.size(); ++i) memory.put(list + 4 * i, zones[i]);
    return give(command, {.list = Address(list),
                          .extent = Address(extent),
                          .count = static_cast<std::uint32_t>(zones.size())});
  }
  std::uint64_t number = 0;
};

TEST_F(GpuPortTest, TheDeviceReportsWhichZonesAreInTheExtent) {
  EXPECT_EQ(allocate(64_KiB), Error::none);
  EXPECT_EQ(port.zones_in_use(), 16u);
  EXPECT_EQ(launch(64 << 10, 300), Error::none);
  run_until(100_us);
  EXPECT_EQ(port.take_happened(), GpuPort::kernel_end);
  std::vector<std::byte> image(4096);
  EXPECT_EQ(begin(Offloader::device), Error::none);
  run_until(1_ms);
  EXPECT_EQ(port.take_happened(), GpuPort::arrival | GpuPort::taken);
  EXPECT_EQ(port.arrived(), 16u);
  for (std::uint64_t at = 0; at < 16; ++at) {
    const std::uint32_t zone = memory.word(arrivals + 4 * at);
    port.gpu().memory().read({zone % 2, std::uint64_t{4096} * (zone / 2)}, image);
    EXPECT_EQ(std::memcmp(image.data(), memory.bytes.data() + extent + at * 4096, 4096), 0) << zone;
  }
}

TEST_F(GpuPortTest, ADriverScansCopiesHintsAndFinishesOverTheLink) {
  allocate(8_KiB);
  launch(8 << 10, 10);
  run_until(10_us);
  EXPECT_EQ(begin(Offloader::driver), Error::none);
  EXPECT_EQ(with_list(Command::copy_out, {}), Error::bad_descriptor);
  EXPECT_EQ(give(Command::scan, {.list = Address(list), .count = 9}), Error::none);
  const Picoseconds asked = now;
  run_until(asked + 25_us - 1_ps);
  EXPECT_EQ(port.scanned(), 0u);
  run_until(asked + 25_us);
  EXPECT_EQ(port.scanned(), 2u);
  EXPECT_EQ(give(Command::finish), Error::incomplete);
  EXPECT_EQ(with_list(Command::preserve, {0}), Error::bad_zone);
  EXPECT_EQ(with_list(Command::copy_out, {1, 1}), Error::bad_zone);
  EXPECT_EQ(with_list(Command::copy_out, {1, 0}), Error::none);
  EXPECT_EQ(with_list(Command::copy_out, {0}), Error::copying);
  run_until(now + 20_us);
  EXPECT_EQ(memory.word(arrivals), 1u);
  EXPECT_EQ(with_list(Command::copy_out, {1}), Error::bad_zone);
  EXPECT_EQ(with_list(Command::preserve, {1}), Error::none);
  EXPECT_EQ(port.gpu().unpreserved(), 2u);
  run_until(now + 12500_ns);
  EXPECT_EQ(port.gpu().unpreserved(), 1u);
  EXPECT_EQ(give(Command::finish), Error::none);
  EXPECT_TRUE(port.gpu().snapshot_open());
  run_until(now + 12500_ns);
  EXPECT_FALSE(port.gpu().snapshot_open());
  EXPECT_EQ(give(Command::finish), Error::no_snapshot);
}

TEST_F(GpuPortTest, ACommandIsBusyUntilItsListIsRead) {
  allocate(8_KiB);
  begin(Offloader::driver);
  lists.takes = 1_us;
  EXPECT_EQ(with_list(Command::copy_out, {7, 0}), Error::none);
  EXPECT_TRUE(port.busy());
  run_until(now + 1_us - 1_ps);
  EXPECT_TRUE(port.busy());
  EXPECT_FALSE(port.gpu().copying());
  run_until(now + 1_ps);
  EXPECT_FALSE(port.busy());
  EXPECT_EQ(port.error(), Error::bad_zone);  // there are only two zones
  with_list(Command::copy_out, {1, 0});
  run_until(now + 1_us);
  EXPECT_EQ(port.error(), Error::none);
  EXPECT_TRUE(port.gpu().copying());
  with_list(Command::preserve, {0});
  port.reset(Reset::warm);
  EXPECT_FALSE(port.busy());
  EXPECT_TRUE(lists.under_way.empty());
}

// Software reads the list of zones once they are reported to have arrived.
TEST_F(GpuPortTest, ZonesHaveArrivedWhenTheirListIsWritten) {
  allocate(8_KiB);
  lists.takes = 50_us;
  begin(Offloader::device);
  while (port.gpu().snapshot_open()) run_until(now + 1_us);
  EXPECT_EQ(port.take_happened(), 0u);
  EXPECT_EQ(port.arrived(), 0u);
  EXPECT_TRUE(port.snapshot_open());
  EXPECT_EQ(begin(Offloader::device), Error::open);
  run_until(now + 50_us);
  EXPECT_EQ(port.take_happened(), GpuPort::arrival | GpuPort::taken);
  EXPECT_EQ(port.arrived(), 2u);
  EXPECT_FALSE(port.snapshot_open());
  EXPECT_EQ(memory.word(arrivals) + memory.word(arrivals + 4), 1u);
}

TEST_F(GpuPortTest, ASnapshotWhoseLastListIsRefusedHasFailed) {
  allocate(8_KiB);
  lists.takes = 50_us;
  give(Command::begin, {.extent = Address(extent),
                        .arrivals = Address(1 << 20),
                        .kind = SnapshotKind::full,
                        .by = Offloader::device});
  run_until(1_ms);
  EXPECT_EQ(port.take_happened(), GpuPort::failure);
  EXPECT_EQ(port.failed(), Gpu::Failure::host_memory);
  EXPECT_EQ(begin(Offloader::device, SnapshotKind::increment), Error::needs_full);
}

TEST_F(GpuPortTest, AWaitingWriteIsReportedHalfARoundTripLater) {
  allocate(64_KiB);
  begin(Offloader::driver);
  launch(64 << 10, 2000);
  run_until(12_us);
  EXPECT_FALSE(port.waiting_zone());
  run_until(100_us);
  EXPECT_TRUE(port.waiting_zone());
  EXPECT_NE(port.take_happened() & GpuPort::waiting, 0u);
  while (port.waiting_zone()) port.drop_waiting_zone();
}

// According to lee2019 section 4, a driver may never respond.
TEST_F(GpuPortTest, ADriverThatNeverReportsIsEndedByTheWatchdog) {
  allocate(64_KiB);
  begin(Offloader::driver);
  launch(64 << 10, 2000);
  run_until(900_us);
  EXPECT_TRUE(port.gpu().running());
  run_until(3_ms);
  EXPECT_FALSE(port.gpu().running());
  EXPECT_EQ(port.failed(), Gpu::Failure::watchdog);
  EXPECT_NE(port.take_happened() & GpuPort::failure, 0u);
  EXPECT_EQ(begin(Offloader::device, SnapshotKind::increment), Error::needs_full);
}

TEST_F(GpuPortTest, ALostGpuIsEmptyAndTakesNothingButARestart) {
  allocate(8_KiB);
  launch(8 << 10, 10);
  run_until(10_us);
  begin(Offloader::device);
  port.lose(now);
  EXPECT_EQ(port.take_happened(), GpuPort::loss);
  EXPECT_EQ(allocate(8_KiB), Error::lost);
  run_until(1_ms);
  EXPECT_EQ(port.take_happened(), 0u);
  EXPECT_EQ(give(Command::restart), Error::none);
  EXPECT_EQ(begin(Offloader::device), Error::nothing_allocated);
  allocate(8_KiB);
  std::vector<std::byte> bytes(16);
  port.gpu().peek(0, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(16));
}

TEST_F(GpuPortTest, ASnapshotComesBack) {
  allocate(64_KiB);
  launch(64 << 10, 300);
  run_until(100_us);
  std::vector<std::byte> before(64 << 10), after(64 << 10);
  port.gpu().peek(0, before);
  begin(Offloader::device);
  run_until(1_ms);
  port.lose(now);
  give(Command::restart);
  allocate(64_KiB);
  EXPECT_EQ(give(Command::copy_in, {.list = Address(arrivals), .extent = Address(extent), .count = 16}),
            Error::none);
  EXPECT_EQ(launch(64 << 10, 1), Error::copying);
  run_until(2_ms);
  EXPECT_EQ(port.take_happened(), GpuPort::copied);
  port.gpu().peek(0, after);
  EXPECT_EQ(before, after);
}

TEST_F(GpuPortTest, InvalidRequestsAreRefused) {
  EXPECT_EQ(launch(64 << 10, 1), Error::bad_descriptor);  // nothing is allocated
  EXPECT_EQ(allocate(0_B), Error::bad_descriptor);
  EXPECT_EQ(allocate(129_KiB), Error::bad_descriptor);
  EXPECT_EQ(begin(Offloader::driver), Error::nothing_allocated);
  allocate(64_KiB);
  EXPECT_EQ(launch((64 << 10) + 128, 1), Error::bad_descriptor);
  EXPECT_EQ(launch(100, 1), Error::bad_descriptor);
  EXPECT_EQ(launch(1024, 1, 1001), Error::bad_descriptor);
  EXPECT_EQ(give(Command::launch, {.list = Address(1 << 20)}), Error::bus_error);
  EXPECT_EQ(begin(Offloader::driver, SnapshotKind::increment), Error::needs_full);
  EXPECT_EQ(give(Command::abort), Error::no_snapshot);
  EXPECT_EQ(with_list(Command::copy_out, {0}), Error::no_snapshot);
  EXPECT_EQ(with_list(Command::copy_in, {32}), Error::bad_zone);
  EXPECT_EQ(give(static_cast<Command>(12)), Error::no_command);
  launch(1024, 100);
  EXPECT_EQ(launch(1024, 1), Error::running);
  EXPECT_EQ(with_list(Command::copy_in, {0}), Error::running);
  EXPECT_EQ(allocate(8_KiB), Error::running);
  EXPECT_EQ(begin(Offloader::driver), Error::running);
  run_until(1_ms);
  begin(Offloader::driver);
  EXPECT_EQ(begin(Offloader::driver), Error::open);
  EXPECT_EQ(allocate(8_KiB), Error::open);
  EXPECT_EQ(with_list(Command::copy_in, {0}), Error::open);
}

TEST_F(GpuPortTest, AnExtentOutsideOfMemoryGivesTheSnapshotUp) {
  allocate(64_KiB);
  begin(Offloader::device, SnapshotKind::full, Address(1 << 20));
  run_until(1_ms);
  EXPECT_EQ(port.failed(), Gpu::Failure::host_memory);
}

}  // namespace
}  // namespace asterism
