#include "memory/fault_overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace asterism {
namespace {

using enum MemoryFaultKind;
using enum Persistence;

constexpr DramGeometry geometry{.channels = 2, .ranks = 2, .banks = 4, .rows = 32, .columns = 8};

unsigned erring_bits(const MemoryBlock& pattern) {
  unsigned bits = 0;
  for (const std::uint8_t byte : pattern.data) bits += std::popcount(byte);
  for (const std::uint8_t byte : pattern.parity) bits += std::popcount(byte);
  return bits;
}

MemoryFault fault(MemoryFaultKind kind, Persistence persistence = stuck) {
  return {.kind = kind, .persistence = persistence, .at = {1, 1, 2, 5, 3}, .chip = 7, .bit = 21};
}

struct FaultOverlayTest : testing::Test {
  AddressMapping mapping{"RoRaBaCoCh", geometry};
  FaultOverlay overlay{EccProfile::strict, mapping, 1};

  MemoryBlock errors(const BlockLocation& block) const {
    MemoryBlock pattern;
    EXPECT_EQ(overlay.errors(block, pattern), overlay.touches(block));
    return pattern;
  }
};

TEST_F(FaultOverlayTest, EachKindTouchesItsBlocksOnly) {
  struct Extent {
    MemoryFaultKind kind;
    std::uint64_t blocks;
  };
  for (const auto& [kind, blocks] :
       {Extent{bit, 1}, {word, 1}, {column, 32}, {row, 8}, {pin, 1024}, {chip, 1024}}) {
    FaultOverlay one(EccProfile::strict, mapping, 1);
    one.inject(fault(kind));
    std::uint64_t touched = 0;
    for (std::uint64_t block = 0; block < geometry.blocks(); ++block) {
      const BlockLocation at = mapping.locate(block);
      if (!one.touches(at)) continue;
      ++touched;
      EXPECT_EQ(at.channel, 1u);
      EXPECT_EQ(at.rank, 1u);
    }
    EXPECT_EQ(touched, blocks) << to_text(kind);
    EXPECT_TRUE(one.touches({1, 1, 2, 5, 3}));
  }
}

TEST_F(FaultOverlayTest, ABitIsTheBitOfItsChip) {
  overlay.inject(fault(bit));
  MemoryBlock expected;
  expected.flip_nibble(7, 5, 0b0010);  // bit 21 is in beat 5 at pin 1
  EXPECT_EQ(errors({1, 1, 2, 5, 3}), expected);
}

TEST_F(FaultOverlayTest, ErrorsStayWithinTheChipAndItsPinOrBeat) {
  overlay.inject(fault(pin));
  const MemoryBlock by_pin = errors({1, 1, 0, 0, 0});
  for (unsigned beat = 0; beat < block_beats; ++beat) EXPECT_EQ(by_pin.nibble(7, beat) & ~0b0010, 0);
  FaultOverlay words(EccProfile::strict, mapping, 1);
  words.inject(fault(word));
  MemoryBlock by_word;
  EXPECT_TRUE(words.errors({1, 1, 2, 5, 3}, by_word));
  EXPECT_EQ(erring_bits(by_word), static_cast<unsigned>(std::popcount(by_word.nibble(7, 5))));
}

TEST_F(FaultOverlayTest, EveryBlockHasItsOwnPatternForGood) {
  overlay.inject(fault(chip));
  const MemoryBlock first = errors({1, 1, 0, 0, 0});
  EXPECT_NE(first, errors({1, 1, 0, 0, 1}));
  EXPECT_EQ(first, errors({1, 1, 0, 0, 0}));
  FaultOverlay same(EccProfile::strict, mapping, 1), other(EccProfile::strict, mapping, 2);
  same.inject(fault(chip));
  other.inject(fault(chip));
  MemoryBlock a, b;
  same.errors({1, 1, 0, 0, 0}, a);
  other.errors({1, 1, 0, 0, 0}, b);
  EXPECT_EQ(a, first);
  EXPECT_NE(b, first);
}

TEST_F(FaultOverlayTest, ThesisGivesEverySymbolOfAChipAnError) {
  FaultOverlay thesis(EccProfile::thesis, mapping, 1);
  thesis.inject(fault(chip));
  for (std::uint32_t column = 0; column < 8; ++column) {
    MemoryBlock pattern;
    thesis.errors({1, 1, 0, 0, column}, pattern);
    for (unsigned p = 0; p < chip_symbols; ++p) EXPECT_NE(pattern.symbol(7, p), 0);
  }
}

TEST_F(FaultOverlayTest, TwoFaultsAddUp) {
  overlay.inject(fault(bit));
  MemoryFault other = fault(bit);
  other.bit = 0;
  overlay.inject(other);
  EXPECT_EQ(erring_bits(errors({1, 1, 2, 5, 3})), 2u);
  overlay.inject(fault(bit, transient));  // the first bit again, which is stuck already
  EXPECT_EQ(erring_bits(errors({1, 1, 2, 5, 3})), 2u);
}

// Tests each pair in both orders. The table says which kinds another one covers completely, for the place and
// the bit of fault().
TEST(FaultOverlay, AStuckFaultTakesInWhatItCovers) {
  const std::vector<MemoryFaultKind> kinds{bit, pin, column, word, chip, row};
  const auto is_part_of = [](MemoryFaultKind outer) -> std::vector<MemoryFaultKind> {
    if (outer == chip) return {bit, pin, column, word, chip, row};
    if (outer == pin) return {bit, pin, column};
    if (outer == column) return {bit, column};
    if (outer == word) return {bit, word};
    if (outer == row) return {bit, word, row};
    return {bit};
  };
  const AddressMapping mapping{"RoRaBaCoCh", geometry};
  for (const MemoryFaultKind outer : kinds)
    for (const MemoryFaultKind inner : kinds) {
      const std::vector<MemoryFaultKind> parts = is_part_of(outer);
      const bool is_part = std::ranges::find(parts, inner) != parts.end();
      FaultOverlay first(EccProfile::strict, mapping, 1), last(EccProfile::strict, mapping, 1);
      first.inject(fault(outer));
      EXPECT_EQ(first.inject(fault(inner, transient)), !is_part);
      last.inject(fault(inner, transient));
      EXPECT_TRUE(last.inject(fault(outer)));
      const std::size_t kept = is_part ? 1 : 2;
      EXPECT_EQ(first.size(), kept) << to_text(outer) << " " << to_text(inner);
      EXPECT_EQ(last.size(), kept) << to_text(outer) << " " << to_text(inner);
      EXPECT_EQ(last.injected(), 2u);
    }
}

TEST_F(FaultOverlayTest, FaultsElsewhereOrForShorterAreKept) {
  overlay.inject(fault(word));
  MemoryFault other = fault(bit);
  other.bit = 20;  // the bit is in the same beat
  EXPECT_FALSE(overlay.inject(other));
  other.bit = 19;
  EXPECT_TRUE(overlay.inject(other));
  for (const BlockLocation at :
       {BlockLocation{0, 1, 2, 5, 3}, {1, 0, 2, 5, 3}, {1, 1, 1, 5, 3}, {1, 1, 2, 4, 3}, {1, 1, 2, 5, 4}}) {
    other = fault(bit);
    other.at = at;
    EXPECT_TRUE(overlay.inject(other));
  }
  other = fault(bit);
  other.chip = 8;
  EXPECT_TRUE(overlay.inject(other));
  EXPECT_TRUE(overlay.inject(fault(chip, transient)));
  EXPECT_TRUE(overlay.inject(fault(row)));  // the transient fault of the chip ends earlier than this one
  EXPECT_EQ(overlay.size(), 7u);            // the row replaces the word and two bits of its chip
}

TEST_F(FaultOverlayTest, ATransientFaultIsHealedBlockByBlockAndPieceByPiece) {
  overlay.inject(fault(chip, transient));
  const BlockLocation block{1, 1, 2, 5, 3}, next{1, 1, 2, 5, 4};
  EXPECT_FALSE(overlay.written(block, 0, 32));
  EXPECT_FALSE(overlay.written(block, 16, 32));
  EXPECT_TRUE(overlay.touches(block));
  EXPECT_TRUE(overlay.written(block, 48, 16));
  EXPECT_FALSE(overlay.touches(block));
  EXPECT_FALSE(overlay.written(block, 0, 64));  // nothing is left to heal
  EXPECT_TRUE(overlay.touches(next));
  EXPECT_FALSE(overlay.empty());
}

TEST_F(FaultOverlayTest, AFaultWhoseLastBlockIsHealedIsGone) {
  overlay.inject(fault(row, transient));
  for (std::uint32_t column = 0; column < 8; ++column) {
    EXPECT_FALSE(overlay.empty());
    EXPECT_TRUE(overlay.written({1, 1, 2, 5, column}, 0, 64));
  }
  EXPECT_TRUE(overlay.empty());
  EXPECT_EQ(overlay.injected(), 1u);
}

TEST_F(FaultOverlayTest, AFaultThatIsInjectedLaterIsNotHealedByEarlierWrites) {
  overlay.inject(fault(bit, transient));
  overlay.written({1, 1, 2, 5, 3}, 0, 32);
  overlay.inject(fault(word, transient));
  EXPECT_TRUE(overlay.written({1, 1, 2, 5, 3}, 32, 32));
  EXPECT_TRUE(overlay.touches({1, 1, 2, 5, 3}));
  EXPECT_EQ(overlay.size(), 1u);
}

TEST_F(FaultOverlayTest, WritingDoesNotHealAStuckFault) {
  overlay.inject(fault(bit));
  EXPECT_FALSE(overlay.written({1, 1, 2, 5, 3}, 0, 64));
  EXPECT_TRUE(overlay.touches({1, 1, 2, 5, 3}));
  EXPECT_TRUE(overlay.touches_stuck({1, 1, 2, 5, 3}));
  EXPECT_FALSE(overlay.touches_stuck({1, 1, 2, 5, 4}));
}

TEST_F(FaultOverlayTest, PowerLossKeepsStuckFaultsAndColdForgetsAll) {
  overlay.inject(fault(bit));
  overlay.inject(fault(chip, transient));
  overlay.reset(Reset::warm);
  EXPECT_EQ(overlay.size(), 2u);
  const MemoryBlock both = errors({1, 1, 2, 5, 3});
  overlay.reset(Reset::power_loss);
  EXPECT_EQ(overlay.size(), 1u);
  EXPECT_EQ(erring_bits(errors({1, 1, 2, 5, 3})), 1u);
  overlay.reset(Reset::cold);
  EXPECT_TRUE(overlay.empty());
  overlay.inject(fault(bit));
  overlay.inject(fault(chip, transient));
  EXPECT_EQ(errors({1, 1, 2, 5, 3}), both);  // the random errors start again from the beginning
}

// Compares with a walk through all blocks, for mappings that spread the parts over all addresses.
TEST_F(FaultOverlayTest, NearestTouchedBlocksAreThoseOfAWalk) {
  for (const char* order : {"RoRaBaCoCh", "RaRoBaCoCh", "ChBaCoRoRa", "CoChRoBaRa"}) {
    const AddressMapping by_order(order, geometry);
    for (const MemoryFaultKind kind : {bit, word, column, row, pin, chip}) {
      FaultOverlay walked(EccProfile::strict, by_order, 1);
      walked.inject(fault(kind, transient));
      for (const std::uint32_t column : {1u, 2u, 3u}) walked.written({1, 1, 2, 5, column}, 0, 64);
      std::vector<std::uint64_t> all;
      for (std::uint64_t block = 0; block < geometry.blocks(); ++block)
        if (walked.touches(by_order.locate(block))) all.push_back(block);
      for (std::uint64_t block = 0; block < geometry.blocks(); ++block) {
        const auto next = std::lower_bound(all.begin(), all.end(), block);
        const auto behind = std::upper_bound(all.begin(), all.end(), block);
        ASSERT_EQ(walked.next_touched(block), next == all.end() ? std::nullopt : std::optional(*next))
            << order << " " << to_text(kind) << " " << block;
        ASSERT_EQ(walked.previous_touched(block),
                  behind == all.begin() ? std::nullopt : std::optional(*std::prev(behind)))
            << order << " " << to_text(kind) << " " << block;
      }
    }
  }
}

TEST_F(FaultOverlayTest, AParityRowIsTouchedButIsNoBlockOfTheMemory) {
  MemoryFault parity = fault(row, transient);
  parity.at.row = 33;
  overlay.inject(parity);
  EXPECT_TRUE(overlay.touches({1, 1, 2, 33, 0}));
  EXPECT_EQ(overlay.next_touched(0), std::nullopt);
  EXPECT_EQ(overlay.previous_touched(geometry.blocks() - 1), std::nullopt);
  EXPECT_TRUE(overlay.written({1, 1, 2, 33, 0}, 0, 64));
  EXPECT_FALSE(overlay.touches({1, 1, 2, 33, 0}));
  EXPECT_TRUE(overlay.touches({1, 1, 2, 33, 1}));
}

TEST(FaultProblem, NamesWhatTheDeviceDoesNotHave) {
  EXPECT_EQ(fault_problem(fault(bit), geometry, 40), "");
  struct Case {
    const char* problem;
    MemoryFault fault;
  };
  for (const auto& [problem, wrong] : {Case{"lies in channel 2, of 2", {.at = {2, 0, 0, 0, 0}}},
                                       Case{"lies in rank 3, of 2", {.at = {0, 3, 0, 0, 0}}},
                                       Case{"lies in bank 4, of 4", {.at = {0, 0, 4, 0, 0}}},
                                       Case{"lies in row 40, of 40", {.at = {0, 0, 0, 40, 0}}},
                                       Case{"lies in column 8, of 8", {.at = {0, 0, 0, 0, 8}}},
                                       Case{"lies in chip 18, of 18", {.at = {}, .chip = 18}},
                                       Case{"hits bit 32, of 32", {.at = {}, .bit = 32}}})
    EXPECT_EQ(fault_problem(wrong, geometry, 40), problem);
}

TEST(FaultProblem, AKindThatThereIsNotIsOne) {
  for (const int kind : {0, 7})
    EXPECT_EQ(fault_problem({.kind = static_cast<MemoryFaultKind>(kind), .at = {}}, geometry, 40),
              "is of no kind that there is");
}

TEST(FaultProblem, OfARankAsksForNoBankAndOfAParityRowForNoMoreThanThePartHas) {
  EXPECT_EQ(fault_problem({.kind = chip, .at = {0, 1, 99, 99, 99}, .chip = 17, .bit = 99}, geometry, 40), "");
  EXPECT_EQ(fault_problem({.kind = row, .at = {0, 1, 0, 33, 99}}, geometry, 40), "");
}

}  // namespace
}  // namespace asterism
