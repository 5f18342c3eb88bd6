#include "gpu/gpu_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace asterism {
namespace {

using Command = GpuPort::Command;
using Error = GpuPort::Error;

struct FlatMemory final : Gpu::HostMemory {
  std::vector<std::byte> bytes = std::vector<std::byte>(1 << 20);
  bool has(Address at, Bytes size) const {
    return at.value() <= bytes.size() && size.count() <= bytes.size() - at.value();
  }
  bool write(Picoseconds, Address to, Bytes size, std::span<const std::byte> data) override {
    if (!has(to, size)) return false;
    std::ranges::copy(data, bytes.begin() + static_cast<std::ptrdiff_t>(to.value()));
    return true;
  }
  bool read(Picoseconds, Address from, Bytes size, std::span<std::byte> data) override {
    if (!has(from, size)) return false;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from.value()), data.size(), data.begin());
    return true;
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
  NoEventLog events;
  HostLink link{HostLinkConfig{}, 1};
  GpuPort port{config, 0, link, 25_us, memory, "gpu.0", events};
  Picoseconds now{};

  void run_until(Picoseconds end) {
    for (auto next = earlier(port.next_event(), link.next_event()); next && *next <= end;
         next = earlier(port.next_event(), link.next_event())) {
      now = *next;
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
  EXPECT_EQ(give(static_cast<Command>(11)), Error::no_command);
  launch(1024, 100);
  EXPECT_EQ(launch(1024, 1), Error::running);
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
