// Transfers must reach the host's memory in pieces, and no faster than it accepts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/engine.h"
#include "gpu/gpu.h"

namespace asterism {
namespace {

// A host memory that accepts pieces of about 2 KiB, each of which takes a given time. It does not store zeros
// that it receives as such.
struct PacedHost final : Gpu::HostMemory {
  enum Kind { bytes, zeros, loaded };
  struct Seen {
    Picoseconds at;
    Kind kind;
    std::uint64_t address, size;
    bool operator==(const Seen&) const = default;
  };
  Bytes size = 2_KiB;
  Picoseconds takes{}, done_at{};
  std::optional<std::size_t> refuses;  // refuses accesses from this number on
  std::vector<Seen> seen;
  bool reports_late = false;  // whether the end of a write is reported only then
  std::vector<std::pair<OnAccessEnd, Picoseconds>> under_way;
  std::map<std::uint64_t, std::byte> kept;

  bool accepts(Seen access) {
    if (refuses && seen.size() >= *refuses) return false;
    EXPECT_GE(access.at, done_at) << "an access must not come before the previous one is done";
    seen.push_back(access);
    done_at = access.at + takes;
    return true;
  }
  void end(const AccessEnd& end, const OnAccessEnd& ended) {
    if (!reports_late) return ended(end);
    under_way.emplace_back(ended, end.at);
  }
  void write(Picoseconds now, Address to, std::span<const std::byte> data, OnAccessEnd ended) override {
    if (!accepts({now, bytes, to.value(), data.size()})) return ended({now, false});
    for (std::size_t i = 0; i < data.size(); ++i) kept[to.value() + i] = data[i];
    end({done_at}, ended);
  }
  void write_zeros(Picoseconds now, Address to, Bytes bytes_to_clear, OnAccessEnd ended) override {
    if (!accepts({now, zeros, to.value(), bytes_to_clear.count()})) return ended({now, false});
    end({done_at}, ended);
  }
  void read(Picoseconds now, Address from, Bytes bytes_to_load, OnAccessEnd ended) override {
    if (!accepts({now, loaded, from.value(), bytes_to_load.count()})) return ended({now, false});
    std::vector<std::byte> data(bytes_to_load.count());
    const auto last = kept.lower_bound(from.value() + data.size());
    for (auto byte = kept.lower_bound(from.value()); byte != last; ++byte)
      data[byte->first - from.value()] = byte->second;
    ended({done_at, true, data});
  }
  void abandon() override { under_way.clear(); }
  Bytes piece() const override { return size; }
};

// One channel with 64 zones of 4 KiB; the link moves a piece in 512 ns, and has an overhead of 1 us.
struct GpuTransfer : ::testing::Test, Gpu::Sink {
  static constexpr std::uint64_t extent = 0x1'0000;
  static GpuConfig config() {
    GpuConfig config;
    config.memory = 256_KiB;
    config.channels = 1;
    config.zone = 4_KiB;
    config.l2 = 2_KiB;
    config.l2_ways = 1;
    config.buffer = 64_KiB;
    config.transfer = 8_KiB;
    return config;
  }

  PacedHost host;
  HostLink link{{.lanes = 4, .gpu_lanes = 4, .lane = 1_GBps, .overhead = 1_us}, 1};
  Gpu gpu{config(), MemoryContents::bytes, 0, link, host, *this};
  Picoseconds now{};
  std::vector<Picoseconds> arrived_at, taken_at, failed_at, copied_in_at;

  GpuTransfer() { gpu.allocate(256_KiB); }
  void fill(std::uint64_t from, std::uint64_t size) {
    std::vector<std::byte> data(size);
    for (std::uint64_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>((from + i) * 7 / 5 + 1);
    gpu.poke(from, data);
  }
  std::vector<std::byte> memory(std::uint64_t from, std::uint64_t size) const {
    std::vector<std::byte> data(size);
    gpu.peek(from, data);
    return data;
  }
  void run() {
    while (const auto next = earlier(gpu.next_event(), link.next_event())) {
      now = *next;
      for ([[maybe_unused]] const std::uint32_t moved : link.advance_to(now)) gpu.transferred(now);
      gpu.advance_to(now);
    }
  }
  // Copies two zones as the driver does, and returns when the copy began.
  Picoseconds copy_two() {
    now += gpu.begin_snapshot(now, SnapshotKind::full, Offloader::driver, Address(extent));
    const Picoseconds begun = now;
    gpu.copy_out(now, std::vector<Zone>{{0, 0}, {0, 1}});
    run();
    return begun;
  }
  void kernel_ended(Picoseconds) override {}
  void zone_waits(Picoseconds, Zone) override {}
  void arrived(Picoseconds at, std::span<const Zone>) override { arrived_at.push_back(at); }
  void snapshot_taken(Picoseconds at) override { taken_at.push_back(at); }
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override {
    EXPECT_EQ(why, Gpu::Failure::host_memory);
    failed_at.push_back(at);
  }
  void copied_in(Picoseconds at) override { copied_in_at.push_back(at); }
};

using Times = std::vector<Picoseconds>;
using Seen = std::vector<PacedHost::Seen>;

TEST_F(GpuTransfer, APieceReachesTheMemoryWhenTheLinkHasMovedIt) {
  fill(0, 8192);
  const Picoseconds begun = copy_two();
  EXPECT_EQ(host.seen, (Seen{{begun + 1'512_ns, PacedHost::bytes, extent, 2048},
                             {begun + 2'024_ns, PacedHost::bytes, extent + 2048, 2048},
                             {begun + 2'536_ns, PacedHost::bytes, extent + 4096, 2048},
                             {begun + 3'048_ns, PacedHost::bytes, extent + 6144, 2048}}));
  EXPECT_EQ(arrived_at, Times{begun + 3'048_ns});
}

TEST_F(GpuTransfer, AMemoryThatIsFasterThanTheLinkDelaysTheLastPieceAlone) {
  fill(0, 8192);
  host.takes = 500_ns;
  const Picoseconds begun = copy_two();
  EXPECT_EQ(host.seen.back().at, begun + 3'048_ns);
  EXPECT_EQ(arrived_at, Times{begun + 3'548_ns});
}

TEST_F(GpuTransfer, AMemoryThatIsSlowerThanTheLinkSetsThePace) {
  fill(0, 8192);
  host.takes = 2_us;
  const Picoseconds begun = copy_two();
  for (unsigned piece = 0; piece < 4; ++piece)
    EXPECT_EQ(host.seen.at(piece).at, begun + 1'512_ns + piece * 2_us);
  EXPECT_EQ(arrived_at, Times{begun + 9'512_ns});
}

TEST_F(GpuTransfer, WhileAPieceWaitsTheLinkIsHeld) {
  fill(0, 8192);
  host.takes = 10_us;
  gpu.begin_snapshot(now, SnapshotKind::full, Offloader::driver, Address(extent));
  gpu.copy_out(now, std::vector<Zone>{{0, 0}, {0, 1}});
  const auto step_until = [&](Picoseconds end) {
    for (auto next = link.next_event(); next && *next <= end; next = link.next_event())
      for ([[maybe_unused]] const std::uint32_t moved : link.advance_to(*next)) gpu.transferred(*next);
  };
  step_until(5_us);
  EXPECT_EQ(host.seen.size(), 1u);
  EXPECT_EQ(link.next_event(), std::nullopt);
}

TEST_F(GpuTransfer, BufferedZonesAreTransferredInPiecesToo) {
  fill(0, 256 << 10);
  host.takes = 2_us;
  gpu.begin_snapshot(now, SnapshotKind::full, Offloader::device, Address(extent));
  run();
  EXPECT_EQ(host.seen.size(), 128u);
  EXPECT_EQ(taken_at, Times{host.seen.back().at + 2_us});
  ASSERT_EQ(host.kept.size(), 256u << 10);
  const auto there = memory(0, 256 << 10);
  for (std::uint64_t i = 0; i < there.size(); ++i) ASSERT_EQ(host.kept.at(extent + i), there[i]) << i;
}

TEST_F(GpuTransfer, UnwrittenMemoryIsTransferredAsZerosThatAreNotStored) {
  fill(64 << 10, 1);  // memory is stored in pages of 64 KiB
  gpu.begin_snapshot(now, SnapshotKind::full, Offloader::device, Address(extent));
  run();
  ASSERT_EQ(taken_at.size(), 1u);
  std::uint64_t kept = 0;
  for (const PacedHost::Seen& seen : host.seen) {
    const bool is_filled = seen.address >= extent + (64 << 10) && seen.address < extent + (128 << 10);
    EXPECT_EQ(seen.kind, is_filled ? PacedHost::bytes : PacedHost::zeros) << seen.address;
    kept += seen.kind == PacedHost::bytes ? seen.size : 0;
  }
  EXPECT_EQ(kept, 64u << 10);
}

TEST_F(GpuTransfer, APieceThatIsRefusedGivesTheSnapshotUpAtOnce) {
  fill(0, 8192);
  host.refuses = 2;
  const Picoseconds begun = copy_two();
  EXPECT_EQ(host.seen.size(), 2u);
  EXPECT_EQ(failed_at, Times{begun + 2'536_ns});
  EXPECT_TRUE(arrived_at.empty());
  EXPECT_FALSE(gpu.copying());
  EXPECT_FALSE(link.busy(0));
  host.refuses.reset();
  copy_two();
  EXPECT_EQ(arrived_at.size(), 1u);
}

TEST_F(GpuTransfer, AnAbortedSnapshotWritesNothingMore) {
  fill(0, 8192);
  host.takes = 2_us;
  gpu.begin_snapshot(now, SnapshotKind::full, Offloader::driver, Address(extent));
  gpu.copy_out(now, std::vector<Zone>{{0, 0}, {0, 1}});
  for (unsigned i = 0; i < 3; ++i) {
    now = *link.next_event();
    for ([[maybe_unused]] const std::uint32_t moved : link.advance_to(now)) gpu.transferred(now);
  }
  EXPECT_EQ(host.seen.size(), 1u);  // the second piece waits
  gpu.reset(Reset::warm);
  run();
  EXPECT_EQ(host.seen.size(), 1u);
  EXPECT_FALSE(link.busy(0));
}

TEST_F(GpuTransfer, MemoryComesBackInPieces) {
  fill(0, 8192);
  copy_two();
  const auto before = memory(0, 8192);
  gpu.reset(Reset::power_loss);
  gpu.allocate(256_KiB);
  host.seen.clear();
  host.takes = 2_us;
  const Picoseconds begun = now;
  gpu.copy_in(now, std::vector<Zone>{{0, 0}, {0, 1}}, Address(extent));
  run();
  EXPECT_EQ(host.seen, (Seen{{begun + 1'512_ns, PacedHost::loaded, extent, 2048},
                             {begun + 3'512_ns, PacedHost::loaded, extent + 2048, 2048},
                             {begun + 5'512_ns, PacedHost::loaded, extent + 4096, 2048},
                             {begun + 7'512_ns, PacedHost::loaded, extent + 6144, 2048}}));
  EXPECT_EQ(copied_in_at, Times{begun + 9'512_ns});
  EXPECT_EQ(memory(0, 8192), before);
}

TEST_F(GpuTransfer, ATransferWaitsUntilTheHostReportsTheEndOfAWrite) {
  fill(0, 8192);
  const std::vector<std::byte> before = memory(0, 8192);
  host.reports_late = true;
  copy_two();
  EXPECT_TRUE(arrived_at.empty());
  for (std::size_t pieces = 1; !host.under_way.empty(); ++pieces) {
    EXPECT_EQ(host.seen.size(), pieces);
    const OnAccessEnd ended = host.under_way.front().first;
    host.under_way.clear();
    now += 10_us;
    ended({now});
    run();
  }
  EXPECT_EQ(host.seen.size(), 4u);
  EXPECT_EQ(arrived_at, Times{now});
  for (std::uint64_t i = 0; i < before.size(); ++i) ASSERT_EQ(host.kept.at(extent + i), before[i]);
}

// Two pages of a GiB were written. Neither side may store more, before and after a restore.
TEST(SparseGpuTransfer, ALargeDeviceTakesSpaceOnlyForWhatWasWritten) {
  struct Whole final : Gpu::Sink {
    PacedHost host;
    HostLink link{{}, 1};
    Gpu gpu;
    Picoseconds now{};
    std::vector<Zone> zones;
    bool done = false;
    explicit Whole(const GpuConfig& config) : gpu(config, MemoryContents::bytes, 0, link, host, *this) {
      gpu.allocate(config.memory);
    }
    void run() {
      for (done = false; !done;) {
        now = *earlier(gpu.next_event(), link.next_event());
        for ([[maybe_unused]] const std::uint32_t moved : link.advance_to(now)) gpu.transferred(now);
        gpu.advance_to(now);
      }
    }
    void kernel_ended(Picoseconds) override {}
    void zone_waits(Picoseconds, Zone) override {}
    void arrived(Picoseconds, std::span<const Zone> more) override {
      zones.insert(zones.end(), more.begin(), more.end());
    }
    void snapshot_taken(Picoseconds) override { done = true; }
    void snapshot_failed(Picoseconds, Gpu::Failure) override { ADD_FAILURE(); }
    void copied_in(Picoseconds) override { done = true; }
  };
  GpuConfig config;
  config.memory = 1_GiB;
  Whole before(config), after(config);
  before.host.size = after.host.size = 2_MiB;
  const std::vector<std::byte> some(100, std::byte{7});
  before.gpu.poke(0x1234'0000, some);
  before.gpu.poke(0x3FFF'FF00, some);
  before.gpu.begin_snapshot(before.now, SnapshotKind::full, Offloader::device, Address(0x1'0000));
  before.run();
  EXPECT_EQ(before.zones.size(), 16384u);
  EXPECT_EQ(before.gpu.memory().touched(), 128_KiB);
  EXPECT_EQ(before.host.kept.size(), 128u << 10);
  after.host.kept = before.host.kept;
  after.gpu.copy_in(after.now, before.zones, Address(0x1'0000));
  after.run();
  EXPECT_EQ(after.gpu.memory().touched(), 128_KiB);
  for (const std::uint64_t at : {0x1234'0000u, 0x3FFF'FF00u}) {
    std::vector<std::byte> there(100);
    after.gpu.peek(at, there);
    EXPECT_EQ(there, some);
  }
}

TEST_F(GpuTransfer, ZerosThatComeBackTakeNoSpace) {
  gpu.copy_in(now, std::vector<Zone>{{0, 0}, {0, 1}}, Address(extent));
  run();
  EXPECT_EQ(copied_in_at.size(), 1u);
  EXPECT_EQ(gpu.memory().touched(), 0_B);
}

}  // namespace
}  // namespace asterism
