#include "gpu/device_memory.h"

#include <gtest/gtest.h>

#include <array>

namespace asterism {
namespace {

using Four = std::array<std::byte, 4>;
constexpr Four some{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, zeros{};

Four read(const DeviceMemory& memory, ChannelAddress at) {
  Four bytes{std::byte{9}, std::byte{9}, std::byte{9}, std::byte{9}};
  memory.read(at, bytes);
  return bytes;
}

TEST(DeviceMemory, TakesSpaceForThePagesThatAreWritten) {
  DeviceMemory memory(32, 1_GiB, MemoryContents::bytes);
  EXPECT_EQ(read(memory, {31, (1u << 30) - 4}), zeros);
  EXPECT_EQ(memory.touched(), 0_B);
  memory.write({31, (1u << 30) - 4}, some);
  memory.write({3, 65536 - 2}, some);  // in two pages
  EXPECT_EQ(read(memory, {31, (1u << 30) - 4}), some);
  EXPECT_EQ(read(memory, {3, 65536 - 2}), some);
  EXPECT_EQ(read(memory, {3, 65536}), (Four{std::byte{3}, std::byte{4}}));
  EXPECT_EQ(memory.touched(), 192_KiB);
}

TEST(DeviceMemory, ZerosInUnwrittenMemoryTakeNoSpace) {
  DeviceMemory memory(2, 256_KiB, MemoryContents::bytes);
  memory.write({1, 65536 - 2}, zeros);
  EXPECT_EQ(memory.touched(), 0_B);
  EXPECT_FALSE(memory.touched({1, 0}, 256_KiB));
  memory.write({1, 65536}, some);
  EXPECT_FALSE(memory.touched({1, 0}, 64_KiB));
  EXPECT_TRUE(memory.touched({1, 0}, 65537_B));
  EXPECT_FALSE(memory.touched({1, 128 << 10}, 128_KiB));
  EXPECT_FALSE(memory.touched({0, 0}, 256_KiB));
  memory.write({1, 65536}, zeros);
  EXPECT_EQ(read(memory, {1, 65536}), zeros);
  EXPECT_TRUE(memory.touched({1, 65536}, 4_B));
}

TEST(DeviceMemory, AChannelSmallerThanAPageHasItsOwn) {
  DeviceMemory memory(2, 4_KiB, MemoryContents::bytes);
  memory.write({0, 4092}, some);
  EXPECT_EQ(read(memory, {1, 0}), zeros);
}

TEST(DeviceMemory, AWarmResetKeepsIt) {
  DeviceMemory memory(1, 64_KiB, MemoryContents::bytes);
  memory.write({0, 0}, some);
  memory.reset(Reset::warm);
  EXPECT_EQ(read(memory, {0, 0}), some);
  memory.reset(Reset::power_loss);
  EXPECT_EQ(read(memory, {0, 0}), zeros);
  EXPECT_EQ(memory.touched(), 0_B);
}

TEST(DeviceMemory, WithoutContentsReadsZeros) {
  DeviceMemory memory(1, 64_KiB, MemoryContents::none);
  memory.write({0, 0}, some);
  EXPECT_EQ(read(memory, {0, 0}), zeros);
}

}  // namespace
}  // namespace asterism
