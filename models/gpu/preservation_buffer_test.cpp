#include "gpu/preservation_buffer.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

using Copies = std::vector<PreservationBuffer::Copy>;

constexpr Address base{0x10000};
constexpr Bytes zone = 4_KiB;

Address at(std::uint32_t place) { return base + zone * place; }

// Consecutive zones of one channel.
std::vector<Zone> zones(std::uint32_t first, std::uint32_t count) {
  std::vector<Zone> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({0, first + i});
  return all;
}

void take(PreservationBuffer& buffer, bool full, std::uint32_t most, const std::vector<Zone>& arrive) {
  ASSERT_TRUE(buffer.open(full, most));
  buffer.arrived(arrive);
  buffer.complete();
}

TEST(PreservationBuffer, FullSnapshotsGoRound) {
  PreservationBuffer buffer(base, zone * 10, zone);
  EXPECT_EQ(buffer.open(true, 4), at(0));
  EXPECT_EQ(buffer.free(), zone * 10);
  buffer.arrived(zones(0, 4));
  EXPECT_EQ(buffer.snapshots(), 0u);
  buffer.complete();
  EXPECT_EQ(buffer.snapshots(), 1u);
  EXPECT_EQ(buffer.free(), zone * 6);
  EXPECT_EQ(buffer.open(true, 4), at(4));
  buffer.arrived(zones(0, 4));
  buffer.complete();
  // Two zones at the end are too few, so that the first snapshot is dropped.
  EXPECT_EQ(buffer.open(true, 4), at(0));
  buffer.arrived(zones(0, 4));
  buffer.complete();
  EXPECT_EQ(buffer.snapshots(), 1u);
  EXPECT_EQ(buffer.image(), (Copies{{{0, 0}, at(0)}, {{0, 1}, at(1)}, {{0, 2}, at(2)}, {{0, 3}, at(3)}}));
}

TEST(PreservationBuffer, AnImageHasTheNewestCopyOfEveryZone) {
  PreservationBuffer buffer(base, zone * 20, zone);
  take(buffer, true, 4, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  take(buffer, false, 4, {{1, 1}, {0, 0}});
  take(buffer, false, 4, {});
  take(buffer, false, 4, {{1, 1}});
  EXPECT_EQ(buffer.snapshots(), 4u);
  EXPECT_EQ(buffer.image(), (Copies{{{1, 0}, at(1)}, {{0, 1}, at(2)}, {{0, 0}, at(5)}, {{1, 1}, at(6)}}));
  // An increment keeps the space that it used.
  EXPECT_EQ(buffer.open(false, 4), at(7));
}

TEST(PreservationBuffer, AnAbortedSnapshotChangesNothing) {
  PreservationBuffer buffer(base, zone * 12, zone);
  take(buffer, true, 4, zones(0, 4));
  const Copies image = buffer.image();
  EXPECT_EQ(buffer.open(true, 4), at(4));
  buffer.arrived(zones(0, 2));
  EXPECT_EQ(buffer.image(), image);
  buffer.give_up();
  EXPECT_FALSE(buffer.is_open());
  EXPECT_EQ(buffer.image(), image);
  EXPECT_EQ(buffer.open(false, 4), at(4));
}

TEST(PreservationBuffer, AnIncrementIsRefusedThatLeavesNoSpaceForAFullOne) {
  PreservationBuffer buffer(base, zone * 12, zone);
  take(buffer, true, 4, zones(0, 4));
  take(buffer, false, 4, {});
  take(buffer, false, 4, {{0, 1}});
  EXPECT_FALSE(buffer.open(false, 4));
  EXPECT_EQ(buffer.snapshots(), 3u);
  EXPECT_EQ(buffer.open(true, 4), at(5));
  buffer.arrived(zones(0, 4));
  buffer.complete();
  EXPECT_EQ(buffer.snapshots(), 1u);
  // Three zones are left at the end and five at the beginning. An increment of four would use those at the
  // beginning, and leave no space for a full snapshot.
  EXPECT_FALSE(buffer.open(false, 4));
  EXPECT_EQ(buffer.open(false, 2), at(9));
  buffer.arrived(zones(0, 2));
  buffer.complete();
  EXPECT_EQ(buffer.open(false, 2), at(0));
}

TEST(PreservationBuffer, ATooSmallRunKeepsItsChain) {
  PreservationBuffer buffer(base, zone * 7, zone);
  take(buffer, true, 4, zones(0, 4));
  EXPECT_FALSE(buffer.open(true, 4));
  EXPECT_FALSE(buffer.is_open());
  EXPECT_EQ(buffer.image().size(), 4u);
  EXPECT_EQ(buffer.open(true, 3), at(4));
}

TEST(PreservationBuffer, MistakesOfItsUserAreErrors) {
  PreservationBuffer buffer(base, zone * 8, zone);
  EXPECT_THROW(buffer.open(false, 1), std::logic_error);
  EXPECT_THROW(buffer.complete(), std::logic_error);
  EXPECT_THROW(buffer.arrived(zones(0, 1)), std::logic_error);
  ASSERT_TRUE(buffer.open(true, 2));
  EXPECT_THROW(buffer.open(true, 2), std::logic_error);
  EXPECT_THROW(buffer.arrived(zones(0, 3)), std::logic_error);
}

}  // namespace
}  // namespace asterism
