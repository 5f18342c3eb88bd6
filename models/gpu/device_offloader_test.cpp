#include "gpu/device_offloader.h"

#include <gtest/gtest.h>

#include <array>

#include "gpu/gpu_rig.h"

namespace asterism {
namespace {

// All zones belong to a full snapshot, and the channel's part of the buffer has four zones. A copy of a
// single zone takes 8.192 us.
struct Offloading : ::testing::Test {
  Offloading() {
    for (std::uint32_t zone = 0; zone < 16; ++zone) channel.monitor().expose(zone);
    channel.monitor().begin();
    memory.write({0, 0}, std::array{std::byte{1}});
  }
  // Starts a copy of a zone and waits for its end.
  std::optional<std::uint32_t> copy() {
    std::optional<std::uint32_t> copied;
    auto next = offloader.start(now);
    while (next) {
      now = *next;
      next = offloader.resume(now, copied);
    }
    if (copied) channel.monitor().preserve(*copied);
    return copied;
  }
  std::vector<std::uint32_t> take(Bytes most) {
    std::vector<std::uint32_t> zones;
    offloader.buffer().take(most, [&](std::uint32_t zone, std::span<const std::byte> contents) {
      zones.push_back(zone);
      EXPECT_EQ(contents.size(), 4096u);
    });
    return zones;
  }

  const GpuConfig config = small_gpu();
  DeviceMemory memory{1, 64_KiB, MemoryContents::bytes};
  std::vector<Stall> stalls;
  std::vector<MemoryError> errors;
  DeviceChannel channel{config, 0, memory, stalls, errors};
  DeviceOffloader offloader{config, channel};
  Picoseconds now{};
};
using Zones = std::vector<std::uint32_t>;

TEST_F(Offloading, CopiesZonesInOrderWhileHalfOfThePartIsFree) {
  EXPECT_FALSE(offloader.ready());
  EXPECT_EQ(copy(), 0u);
  EXPECT_EQ(now, 8'192_ns);  // 4 KiB are read and written at 1 GB/s
  EXPECT_EQ(copy(), 1u);
  EXPECT_EQ(copy(), std::nullopt);
  EXPECT_TRUE(offloader.ready());
  EXPECT_FALSE(offloader.lacks_space());
}

TEST(OffloadingWithLatency, EachCopyBeginsALatencyLater) {
  GpuConfig config = small_gpu();
  config.latency = 400_ns;
  DeviceMemory memory{1, 64_KiB, MemoryContents::none};
  std::vector<Stall> stalls;
  std::vector<MemoryError> errors;
  DeviceChannel channel{config, 0, memory, stalls, errors};
  channel.monitor().expose(0);
  channel.monitor().begin();
  DeviceOffloader offloader{config, channel};
  std::optional<std::uint32_t> copied;
  EXPECT_EQ(offloader.start(0_ns), 400_ns);
  EXPECT_TRUE(offloader.busy());
  channel.move(100_ns, 1);  // of a kernel, which does not wait for the copy
  EXPECT_EQ(channel.busy_until(), 132_ns);
  EXPECT_EQ(offloader.resume(400_ns, copied), 400_ns + 8'192_ns);
  EXPECT_EQ(copied, std::nullopt);
  EXPECT_EQ(offloader.resume(8'592_ns, copied), std::nullopt);
  EXPECT_EQ(copied, 0u);
}

TEST_F(Offloading, WaitingWritesAreFirstAndMayFillThePart) {
  copy();
  copy();
  offloader.want(9);
  offloader.want(4);
  EXPECT_EQ(copy(), 9u);
  EXPECT_EQ(copy(), 4u);
  offloader.want(3);
  EXPECT_EQ(copy(), std::nullopt);
  EXPECT_TRUE(offloader.lacks_space());
  EXPECT_EQ(offloader.counts().zones, 4u);
  EXPECT_EQ(offloader.counts().duplicates, 2u);
}

TEST_F(Offloading, SpaceIsFreeWhenATransferIsSent) {
  for (const std::uint32_t zone : {0u, 1u, 2u, 3u}) {
    offloader.want(zone);
    copy();
  }
  EXPECT_EQ(take(8_KiB), (Zones{0, 1}));
  offloader.want(5);
  EXPECT_EQ(copy(), std::nullopt);
  offloader.buffer().sent(8_KiB);
  EXPECT_EQ(copy(), 5u);
  EXPECT_EQ(take(1_B), Zones{2});  // it takes at least one
}

TEST_F(Offloading, ZonesThatWerePreservedMeanwhileAreLeftOut) {
  offloader.want(1);
  channel.monitor().preserve(0);
  channel.monitor().preserve(1);
  EXPECT_EQ(copy(), 2u);
}

TEST_F(Offloading, IsReadyWithoutAWholeTransferWhenNothingIsLeft) {
  for (std::uint32_t zone = 1; zone < 16; ++zone) channel.monitor().preserve(zone);
  EXPECT_EQ(copy(), 0u);
  EXPECT_EQ(copy(), std::nullopt);
  EXPECT_TRUE(offloader.ready());
}

TEST_F(Offloading, TheCopyIsOfTheBytesAsTheyAre) {
  const std::array bytes{std::byte{1}, std::byte{2}};
  memory.write({0, 8192 + 5}, bytes);
  offloader.want(2);
  copy();
  offloader.buffer().take(4_KiB, [&](std::uint32_t zone, std::span<const std::byte> contents) {
    EXPECT_EQ(zone, 2u);
    EXPECT_EQ(contents[5], std::byte{1});
    EXPECT_EQ(contents[6], std::byte{2});
    EXPECT_EQ(contents[7], std::byte{0});
  });
}

TEST_F(Offloading, AccessesGoBetweenThePiecesOfACopy) {
  PacedMove move;
  Picoseconds at = move.start(channel, 0_ns, 10_KiB, 1);
  EXPECT_EQ(at, 4'096_ns);
  channel.move(1_ns, 1);  // this comes after the first piece
  EXPECT_EQ(move.resume(channel, at), 4'096_ns + 32_ns + 4'096_ns);
  EXPECT_EQ(move.resume(channel, 8'224_ns), 8'224_ns + 2'048_ns);
  EXPECT_TRUE(move.busy());
  EXPECT_EQ(move.resume(channel, 10'272_ns), std::nullopt);
  EXPECT_FALSE(move.busy());
}

}  // namespace
}  // namespace asterism
