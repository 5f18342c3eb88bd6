#include "dimm_ssd/checkpoint_table.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace asterism {
namespace {

CheckpointTable sample() {
  CheckpointTable table;
  table.sequence = 9;
  table.entries = {{"cg", 3, 100, 0xDEAD, {1, 2}}, {"cg", 5, 100, 0xBEEF, {3}}, {"other", 4, 1, 0, {7}}};
  return table;
}

TEST(CheckpointTable, RoundTripsThroughAPage) {
  const auto page = sample().to_page(16384);
  ASSERT_TRUE(page);
  const auto table = CheckpointTable::from_page(*page);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->sequence, 9u);
  ASSERT_EQ(table->entries.size(), 3u);
  EXPECT_EQ(table->entries[0].name, "cg");
  EXPECT_EQ(table->entries[0].rows, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(table->entries[1].crc, 0xBEEFu);
}

TEST(CheckpointTable, AnyFlippedBitOfItsContentsIsDetected) {
  const auto page = *sample().to_page(16384);
  for (std::size_t bit = 0; bit < 8 * 216; ++bit) {
    auto damaged = page;
    damaged[bit / 8] ^= std::byte(1 << bit % 8);
    EXPECT_FALSE(CheckpointTable::from_page(damaged)) << bit;
  }
}

TEST(CheckpointTable, NoiseIsNoTable) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    std::vector<std::byte> page(random.below(512));
    for (auto& byte : page) byte = std::byte(random.next());
    EXPECT_FALSE(CheckpointTable::from_page(page));
  }
}

TEST(CheckpointTable, TooManyEntriesDoNotFitAPage) {
  CheckpointTable table = sample();
  EXPECT_FALSE(table.to_page(128));
}

TEST(CheckpointTable, KeepsOnlyTheLastCommitsOfAName) {
  CheckpointTable table = sample();
  table.put({"cg", 4, 1, 0, {8}}, 2);
  EXPECT_EQ(table.find("cg", 3), nullptr);
  EXPECT_NE(table.find("cg", 4), nullptr);
  EXPECT_EQ(table.newest("cg", ~0ull)->version, 5u);
  EXPECT_NE(table.find("other", 4), nullptr);
}

TEST(CheckpointTable, WhatWasCommittedLastStaysWhateverItsVersion) {
  CheckpointTable table = sample();
  table.put({"cg", 1, 1, 0, {8}}, 2);
  EXPECT_NE(table.find("cg", 1), nullptr);
  table.put({"cg", 2, 1, 0, {9}}, 2);
  EXPECT_EQ(table.newest("cg", ~0ull)->version, 2u);
}

}  // namespace
}  // namespace asterism
