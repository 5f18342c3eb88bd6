// Strong mode: third parity symbols, their cache, and ranges that change the mode of pages.
#include <initializer_list>

#include "memory/ecc_memory_test.h"

namespace asterism {
namespace {

using enum MemoryFaultKind;
using enum Persistence;

constexpr BlockLocation place{0, 0, 2, 5, 3};
constexpr BlockLocation parity{0, 1, 2, 16, 40};  // block (5 * 128 + 3) / 16 of the first unused row

EccConfig strong(EccProfile profile = EccProfile::thesis, Bytes cache = 64_KiB) {
  EccConfig config;
  config.mode = EccMode::strong;
  config.profile = profile;
  config.cache = cache;
  return config;
}

TEST(StrongEcc, ADeadChipCostsTheThirdSymbolsOnceAndThenTheyAreCached) {
  SmallEccMemory small(strong());
  small.memory.inject(0_ps, fault_at(chip, place));
  const std::uint64_t block = small.block(place);
  const BlockAccess first = small.read(block), second = small.read(block);
  EXPECT_EQ(first.decoding, 410_ps + 480_ps + 410_ps + 470_ps);
  EXPECT_EQ(first.extra, (std::vector<ExtraAccess>{{parity, false}, {place, true}}));
  EXPECT_EQ(second.decoding, 410_ps + 410_ps + 470_ps);
  EXPECT_EQ(second.extra, (std::vector<ExtraAccess>{{place, true}}));
  EXPECT_EQ(small.errors.at(0).result.chips, 1u << 3);
  EXPECT_TRUE(small.errors.at(0).result.used_third);
}

TEST(StrongEcc, AWriteChangesItsParityBlockInTheCache) {
  SmallEccMemory small(strong());
  const std::uint64_t block = small.block({0, 0, 2, 5, 0});
  EXPECT_EQ(small.write(block, 1).extra, (std::vector<ExtraAccess>{{parity, false}}));
  for (std::uint64_t next = 1; next < 16; ++next) EXPECT_TRUE(small.write(block + next, 1).extra.empty());
  EXPECT_EQ(small.write(block + 16, 1).extra.size(), 1u);
  EXPECT_EQ(small.count("extra_reads"), 2u);
}

TEST(StrongEcc, WithoutACacheEveryWriteReadsAndWritesParity) {
  SmallEccMemory small(strong(EccProfile::thesis, 0_B));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(small.write(small.block(place), 1).extra,
              (std::vector<ExtraAccess>{{parity, false}, {parity, true}}));
}

TEST(StrongEcc, ADisplacedParityBlockIsWrittenBack) {
  EccConfig config = strong(EccProfile::thesis, 64_B);
  config.cache_ways = 1;
  SmallEccMemory small(config);
  small.write(small.block(place), 1);
  const BlockLocation other{0, 1, 0, 0, 0}, other_parity{0, 0, 0, 16, 0};
  EXPECT_EQ(small.write(small.block(other), 1).extra,
            (std::vector<ExtraAccess>{{other_parity, false}, {parity, true}}));
}

TEST(StrongEcc, WithItsParityRankDeadTooABlockIsUncorrectable) {
  for (const EccProfile profile : {EccProfile::thesis, EccProfile::strict}) {
    SmallEccMemory small(strong(profile));
    small.memory.inject(0_ps, fault_at(chip, place));
    small.memory.inject(0_ps, fault_at(chip, parity, 8));
    const BlockAccess access = small.read(small.block(place));
    EXPECT_TRUE(access.poisoned);
    EXPECT_EQ(access.decoding, 410_ps + 480_ps + 470_ps);
    EXPECT_EQ(access.extra, (std::vector<ExtraAccess>{{parity, false}}));
    EXPECT_EQ(small.count("parity_uncorrectable"), 1u);
    const DecodeResult& result = small.errors.at(0).result;
    EXPECT_TRUE(result.used_third);
    EXPECT_EQ(result.chips, 0u);
    EXPECT_EQ(result.syndromes[0][2], 0);
    EXPECT_TRUE(small.read(small.block(place)).poisoned);  // nothing was cached, so that it is poisoned again
  }
}

TEST(StrongEcc, TheChipProfileCorrectsParityOfADeadChip) {
  SmallEccMemory small(strong(EccProfile::chip));
  small.memory.inject(0_ps, fault_at(chip, place));
  small.memory.inject(0_ps, fault_at(chip, parity, 8));
  small.write(small.block(place), 0x77);
  EXPECT_TRUE(small.holds(small.block(place), 0x77));
  EXPECT_EQ(small.count("parity_uncorrectable"), 0u);
}

TEST(StrongEcc, CachedSymbolsOutliveTheirRank) {
  SmallEccMemory small(strong());
  const std::uint64_t block = small.block(place);
  small.write(block, 0x44);
  small.memory.inject(0_ps, fault_at(chip, place));
  small.memory.inject(0_ps, fault_at(chip, parity, 8));
  EXPECT_TRUE(small.holds(block, 0x44));
  small.memory.reset(Reset::warm);  // empties the cache
  EXPECT_TRUE(small.read(block).poisoned);
}

TEST(StrongEcc, ASmallErrorOfParityIsCorrectedAndScrubbed) {
  SmallEccMemory small(strong());
  small.memory.inject(0_ps, fault_at(chip, place));
  small.memory.inject(0_ps, fault_at(word, parity, 0, transient, 12));  // beat 3 has symbols of slot 6
  const BlockAccess access = small.read(small.block(place));
  EXPECT_FALSE(access.poisoned);
  EXPECT_EQ(access.decoding, 410_ps + 480_ps + 470_ps + 410_ps + 470_ps);
  EXPECT_EQ(access.extra, (std::vector<ExtraAccess>{{parity, false}, {parity, true}, {place, true}}));
  EXPECT_EQ(small.count("parity_corrected"), 1u);
  EXPECT_EQ(small.memory.faults().size(), 1u);
}

TEST(StrongEcc, ATransientlyDeadParityBlockIsHealedOnceAllItsSlotsWereWritten) {
  SmallEccMemory small(strong());
  const std::uint64_t block = small.block({0, 0, 2, 5, 0});
  small.memory.inject(0_ps, fault_at(MemoryFaultKind::row, parity, 8, transient));
  small.memory.inject(0_ps, fault_at(chip, place));
  for (std::uint64_t slot = 0; slot < 16; ++slot) {
    EXPECT_TRUE(small.read(block).poisoned);
    EXPECT_EQ(small.write(block + slot, 0x66).extra,
              (std::vector<ExtraAccess>{{parity, false}, {parity, true}}));
  }
  for (std::uint64_t slot = 0; slot < 16; ++slot) EXPECT_TRUE(small.holds(block + slot, 0x66));
}

TEST(StrongEcc, PiecesOfAnUncorrectableBlockGiveNoParityUntilAllOfItIsWritten) {
  SmallEccMemory small(strong());
  const std::uint64_t block = small.block({0, 0, 2, 5, 0});
  small.memory.inject(0_ps, fault_at(MemoryFaultKind::row, parity, 8, transient));
  small.memory.inject(0_ps, fault_at(chip, place));
  for (std::uint64_t slot = 1; slot < 16; ++slot) small.write(block + slot, 0x66);
  // The last extra access is that of the write's own read.
  EXPECT_EQ(small.write(block, 0x66, 0, 63).extra.back(), (ExtraAccess{parity, false}));
  EXPECT_TRUE(small.read(block + 1).poisoned);
  small.write(block, 0x66, 63, 1);
  for (std::uint64_t slot = 0; slot < 16; ++slot) EXPECT_TRUE(small.holds(block + slot, 0x66));
}

TEST(StrongEcc, NeedsAnotherRankAndRoomForParity) {
  Dram cells(2_MiB, 1);
  DramGeometry one_rank = small_geometry;
  one_rank.ranks = 1;
  one_rank.rows = 32;
  const AddressMapping single("RoRaBaCoCh", one_rank), mapping("RoRaBaCoCh", small_geometry);
  EXPECT_THROW(EccMemory(strong(), cells, single, 64, 1), std::invalid_argument);
  EXPECT_THROW(EccMemory(strong(), cells, mapping, 16, 1), std::invalid_argument);
  EXPECT_NO_THROW(EccMemory(strong(), cells, mapping, 17, 1));
}

// --- Ranges

TEST(EccRangesOfMemory, EachProblemIsNamedAndChangesNothing) {
  SmallEccMemory small;
  EXPECT_EQ(small.set_strong(16_KiB, 8_KiB, 3), RangeProblem::none);
  EXPECT_EQ(small.set_strong(100_B, 4_KiB), RangeProblem::unaligned);
  EXPECT_EQ(small.set_strong(2_MiB - 4_KiB, 8_KiB), RangeProblem::outside);
  EXPECT_EQ(small.set_strong(20_KiB, 4_KiB), RangeProblem::overlap);
  EXPECT_EQ(small.memory.ranges()[0], std::nullopt);
  EXPECT_EQ(small.count("conversions"), 1u);

  Dram cells(2_MiB, 1);
  DramGeometry one_rank = small_geometry;
  one_rank.ranks = 1;
  one_rank.rows = 32;
  const AddressMapping single("RoRaBaCoCh", one_rank), mapping("RoRaBaCoCh", small_geometry);
  const EccRange range{{Address(0), 4_KiB}, EccMode::strong};
  EXPECT_EQ(EccMemory({}, cells, single, 64, 1).set_range(0_ps, 0, range), RangeProblem::one_rank);
  EXPECT_EQ(EccMemory({}, cells, mapping, 16, 1).set_range(0_ps, 0, range), RangeProblem::no_room);
  EccConfig none;
  none.mode = EccMode::none;
  EXPECT_EQ(EccMemory(none, cells, mapping, 32, 1).set_range(0_ps, 0, range), RangeProblem::no_code);
}

TEST(EccRangesOfMemory, AStrongRangeSurvivesADeadChipThatTheRestDoesNot) {
  SmallEccMemory small;
  const std::uint64_t inside = small.block(place), outside = inside + 512;
  for (const std::uint64_t block : {inside, outside}) small.write(block, 0x12);
  ASSERT_EQ(small.set_strong(small.at(inside / 64 * 64), 4_KiB), RangeProblem::none);
  small.memory.inject(0_ps, fault_at(chip, place));
  EXPECT_TRUE(small.holds(inside, 0x12));
  EXPECT_TRUE(small.read(outside).poisoned);
}

TEST(EccRangesOfMemory, ConversionKeepsDataAndHealsWhatItCorrects) {
  SmallEccMemory small;
  const std::uint64_t block = small.block(place);
  small.write(block, 0x12);
  small.memory.inject(0_ps, fault_at(bit, place, 3, transient));
  small.set_strong(small.at(block / 64 * 64), 4_KiB);
  ASSERT_EQ(small.errors.size(), 1u);
  EXPECT_EQ(small.errors[0].source, ErrorSource::conversion);
  EXPECT_EQ(small.errors[0].mode, EccMode::normal);
  EXPECT_TRUE(small.memory.faults().empty());
  EXPECT_TRUE(small.holds(block, 0x12));
  small.memory.set_range(0_ps, 0, std::nullopt);
  EXPECT_TRUE(small.holds(block, 0x12));
  EXPECT_EQ(small.count("conversions"), 2u);
}

TEST(EccRangesOfMemory, WhatIsUncorrectableWhenConvertedIsLostUntilItIsWritten) {
  SmallEccMemory small;
  const std::uint64_t block = small.block(place);
  small.write(block, 0x12);
  small.memory.inject(0_ps, fault_at(chip, place));
  small.set_strong(small.at(block / 64 * 64), 4_KiB);
  EXPECT_EQ(small.count("blocks_lost_in_conversion"), 64u);
  std::array<std::byte, block_bytes> data;
  EXPECT_TRUE(small.read(block, data).poisoned);
  EXPECT_NE(data[0], std::byte(0x12));
  small.write(block, 0x34, 0, 48);
  EXPECT_TRUE(small.read(block).poisoned);
  small.write(block, 0x34, 48, 16);
  EXPECT_TRUE(small.holds(block, 0x34));
  EXPECT_TRUE(small.read(block + 1).poisoned);
}

TEST(EccRangesOfMemory, LostBlocksAreOnlyGoneWithThePower) {
  SmallEccMemory small;
  const std::uint64_t block = small.block(place);
  small.memory.inject(0_ps, fault_at(chip, place, 3, transient));
  small.set_strong(small.at(block / 64 * 64), 4_KiB);
  small.memory.reset(Reset::warm);
  EXPECT_TRUE(small.read(block).poisoned);
  EXPECT_EQ(small.memory.next_touched(block), block);
  small.memory.reset(Reset::power_loss);
  EXPECT_FALSE(small.read(block).poisoned);
  EXPECT_EQ(small.memory.ranges()[0], std::nullopt);
}

TEST(EccRangesOfMemory, PiecesWrittenBeforeAPowerLossDoNotCountAfterIt) {
  SmallEccMemory small;
  const std::uint64_t block = small.block(place);
  const auto lose = [&] {
    small.memory.inject(0_ps, fault_at(chip, place, 3, transient));
    small.set_strong(small.at(block / 64 * 64), 4_KiB);
  };
  lose();
  small.write(block, 1, 0, 63);
  small.memory.reset(Reset::power_loss);
  lose();
  small.write(block, 1, 63, 1);
  EXPECT_TRUE(small.read(block).poisoned);
}

TEST(EccRangesOfMemory, ConversionBackToNormalReadsThroughTheStrongDecoder) {
  SmallEccMemory small(strong());
  const std::uint64_t block = small.block(place);
  small.write(block, 0x12);
  small.memory.inject(0_ps, fault_at(chip, place, 3, transient));
  const EccRange normal{{Address(block / 64 * 4096), 4_KiB}, EccMode::normal};
  EXPECT_EQ(small.memory.set_range(0_ps, 0, normal), RangeProblem::none);
  EXPECT_TRUE(small.holds(block, 0x12));
  EXPECT_EQ(small.count("blocks_lost_in_conversion"), 0u);
}

TEST(EccRangesOfMemory, PagesThatKeepTheirModeAreNotConverted) {
  SmallEccMemory small;
  small.set_strong(0_B, 64_KiB);
  small.memory.inject(0_ps, fault_at(bit, small.mapping.locate(10), 3, transient));
  small.memory.inject(0_ps, fault_at(bit, small.mapping.locate(2000), 3, transient));
  small.set_strong(0_B, 128_KiB);
  ASSERT_EQ(small.errors.size(), 1u);
  EXPECT_EQ(small.errors[0].offset, small.at(2000));
}

TEST(EccRangesOfMemory, ARangeThatChangesItsModeIsConvertedOnce) {
  SmallEccMemory small;
  small.set_strong(0_B, 64_KiB);
  small.memory.inject(0_ps, fault_at(bit, small.mapping.locate(10)));
  small.memory.set_range(0_ps, 0, EccRange{{Address(0), 128_KiB}, EccMode::normal});
  EXPECT_EQ(small.errors.size(), 1u);
}

TEST(EccRangesOfMemory, ConversionThatHealsTheLastFaultReportsTheChangeOfDirectAccess) {
  SmallEccMemory small;
  small.memory.inject(0_ps, fault_at(bit, place, 3, transient));
  const Bytes page = small.at(small.block(place) / 64 * 64);
  EXPECT_EQ(small.memory.direct(page), DirectAccess::monitored);
  small.changes.clear();
  small.set_strong(page, 4_KiB);
  EXPECT_EQ(small.changes, (std::vector{AddressRange{Address(page.count()), 4_KiB}}));
  EXPECT_EQ(small.memory.direct(page), DirectAccess::unmonitored);
}

// 64 GiB are more than a thousand million blocks, so that a conversion must not walk through them.
TEST(EccRangesOfMemory, ALargeMemoryIsConvertedByItsFaultsOnly) {
  const DramGeometry large{.channels = 4, .ranks = 2, .banks = 16, .rows = 1 << 16, .columns = 128};
  const AddressMapping mapping("RoRaBaCoCh", large);
  Dram cells(large.size(), 1);
  EccMemory memory({}, cells, mapping, 1 << 17, 1);
  memory.inject(0_ps, fault_at(bit, {3, 1, 15, 40'000, 127}, 3, transient));
  EXPECT_EQ(memory.set_range(0_ps, 0, EccRange{{Address(0), large.size()}, EccMode::strong}),
            RangeProblem::none);
  EXPECT_EQ(memory.log().corrected(), 1u);
  EXPECT_TRUE(memory.faults().empty());
}

}  // namespace
}  // namespace asterism
