#include "gpu/write_queue.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

WaitingWrite write(Picoseconds since, std::uint32_t zone, std::uint32_t line, std::uint8_t sectors = 1,
                   int value = 0) {
  WaitingWrite made{since, zone, line, sectors, {}};
  made.data.fill(static_cast<std::byte>(value));
  return made;
}

std::vector<std::uint32_t> lines_released(WriteQueue& queue, std::uint32_t zone) {
  std::vector<std::uint32_t> lines;
  queue.release(zone, [&](const WaitingWrite& released) { lines.push_back(released.line); });
  return lines;
}

TEST(WriteQueue, WritesOfAZoneLeaveInTheirOrder) {
  WriteQueue queue(4);
  queue.push(write(1_ns, 7, 70));
  queue.push(write(2_ns, 5, 50));
  queue.push(write(3_ns, 7, 71));
  queue.push(write(4_ns, 7, 70));
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.oldest(), 1_ns);
  EXPECT_EQ(lines_released(queue, 7), (std::vector<std::uint32_t>{70, 71, 70}));
  EXPECT_EQ(queue.oldest(), 2_ns);
  EXPECT_FALSE(queue.full());
  EXPECT_EQ(lines_released(queue, 5), std::vector<std::uint32_t>{50});
  EXPECT_EQ(queue.oldest(), std::nullopt);
}

TEST(WriteQueue, TheLaterWriteLiesOverTheEarlierOne) {
  WriteQueue queue(4);
  queue.push(write(1_ns, 0, 9, 0b0011, 1));
  queue.push(write(2_ns, 0, 9, 0b0110, 2));
  queue.push(write(3_ns, 0, 8, 0b1111, 3));
  std::array<std::byte, 128> bytes{};
  queue.overlay(9, bytes);
  const auto value = [&](unsigned sector) { return static_cast<int>(bytes[32 * sector + 31]); };
  EXPECT_EQ(value(0), 1);
  EXPECT_EQ(value(1), 2);
  EXPECT_EQ(value(2), 2);
  EXPECT_EQ(value(3), 0);
}

}  // namespace
}  // namespace asterism
