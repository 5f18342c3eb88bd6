#include "memory/ecc_ranges.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

EccRange strong(std::uint64_t first, Bytes size) { return {{Address(first), size}, EccMode::strong}; }

TEST(EccRanges, NamesEachProblem) {
  EccRanges ranges(EccMode::normal, 1_MiB, 2);
  ranges.set(3, strong(0x4000, 8_KiB));
  EXPECT_EQ(ranges.problem(0, strong(0x6000, 4_KiB)), RangeProblem::none);
  EXPECT_EQ(ranges.problem(0, strong(0x6040, 4_KiB)), RangeProblem::unaligned);
  EXPECT_EQ(ranges.problem(0, strong(0x6000, 64_B)), RangeProblem::unaligned);
  EXPECT_EQ(ranges.problem(0, strong(0x6000, 0_B)), RangeProblem::unaligned);
  EXPECT_EQ(ranges.problem(0, strong(0xff000, 8_KiB)), RangeProblem::outside);
  EXPECT_EQ(ranges.problem(0, strong(0xffff'ffff'ffff'f000, 8_KiB)), RangeProblem::outside);
  EXPECT_EQ(ranges.problem(0, strong(0x5000, 8_KiB)), RangeProblem::overlap);
  EXPECT_EQ(ranges.problem(3, strong(0x5000, 8_KiB)), RangeProblem::none);  // it replaces range 3
  EXPECT_EQ(ranges.problem(0, {{Address(0), 4_KiB}, EccMode::none}), RangeProblem::no_code);
  EXPECT_EQ(ranges.problem(0, {{Address(0), 4_KiB}, static_cast<EccMode>(3)}), RangeProblem::reserved_mode);
}

TEST(EccRanges, WhatTheMemoryLacksIsAProblemOfItsOwn) {
  const EccRanges single(EccMode::normal, 1_MiB, 1), bare(EccMode::none, 1_MiB, 2),
      full(EccMode::normal, 1_MiB, 2, false);
  EXPECT_EQ(single.problem(0, strong(0, 4_KiB)), RangeProblem::one_rank);
  EXPECT_EQ(single.problem(0, {{Address(0), 4_KiB}, EccMode::normal}), RangeProblem::none);
  EXPECT_EQ(bare.problem(0, strong(0, 4_KiB)), RangeProblem::no_code);
  EXPECT_EQ(full.problem(0, strong(0, 4_KiB)), RangeProblem::no_room);
}

TEST(EccRanges, ModeChangesExactlyAtTheEdges) {
  EccRanges ranges(EccMode::normal, 1_MiB, 2);
  ranges.set(0, strong(0x4000, 8_KiB));
  EXPECT_EQ(ranges.mode(Bytes(0x3fff)), EccMode::normal);
  EXPECT_EQ(ranges.mode(Bytes(0x4000)), EccMode::strong);
  EXPECT_EQ(ranges.mode(Bytes(0x5fff)), EccMode::strong);
  EXPECT_EQ(ranges.mode(Bytes(0x6000)), EccMode::normal);
}

TEST(EccRanges, AlikeEndsAtEntriesAndAtTheMemory) {
  EccRanges ranges(EccMode::normal, 1_MiB, 2);
  EXPECT_EQ(ranges.uniform_range(Bytes(0x5000)), (AddressRange{Address(0), 1_MiB}));
  ranges.set(7, strong(0x4000, 8_KiB));
  ranges.set(2, strong(0x8000, 4_KiB));
  EXPECT_EQ(ranges.uniform_range(Bytes(0)), (AddressRange{Address(0), Bytes(0x4000)}));
  EXPECT_EQ(ranges.uniform_range(Bytes(0x5000)), (AddressRange{Address(0x4000), 8_KiB}));
  EXPECT_EQ(ranges.uniform_range(Bytes(0x7fff)), (AddressRange{Address(0x6000), 8_KiB}));
  EXPECT_EQ(ranges.uniform_range(Bytes(0x9000)), (AddressRange{Address(0x9000), 1_MiB - Bytes(0x9000)}));
}

TEST(EccRanges, AWarmResetKeepsTheTableAndAPowerLossEmptiesIt) {
  EccRanges ranges(EccMode::normal, 1_MiB, 2);
  ranges.set(0, strong(0, 4_KiB));
  ranges.reset(Reset::warm);
  EXPECT_EQ(ranges.mode(0_B), EccMode::strong);
  ranges.reset(Reset::power_loss);
  EXPECT_EQ(ranges.mode(0_B), EccMode::normal);
}

}  // namespace
}  // namespace asterism
