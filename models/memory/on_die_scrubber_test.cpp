#include "memory/on_die_scrubber.h"

#include <bit>

#include "base/random.h"
#include "memory/ecc_memory_test.h"
#include "memory/memory_config.h"

namespace asterism {
namespace {

using Kind = MemoryFaultKind;
using enum Persistence;

// A chip of the small memory has 8 banks of 32 rows of 64 words, of which 16 rows are in use.
constexpr std::uint64_t small_words = std::uint64_t{8} * 32 * 64;
constexpr Picoseconds word_time = 10_ns, one_pass = small_words * word_time;
constexpr BlockLocation of_word{.channel = 0, .rank = 1, .bank = 2, .row = 3, .column = 4};
constexpr std::uint64_t number_of_word = (2 * 32 + 3) * 64 + 2;

EccConfig with_scrub() {
  EccConfig config;
  config.rank_code = Ddr5Code::rs_36_32;
  config.on_die = true;
  config.on_die_scrub = one_pass;
  config.demand_scrub = false;
  return config;
}

struct OnDieScrubberTest : testing::Test {
  SmallEccMemory small{with_scrub()};
  OnDieScrubber scrubber{small.memory, one_pass};

  void inject(Picoseconds now, Kind kind, unsigned bit, Persistence persistence = transient,
              const BlockLocation& at = of_word, unsigned chip = 2) {
    small.memory.inject(now, fault_at(kind, at, chip, persistence, bit));
  }
};

TEST_F(OnDieScrubberTest, RepairsATransientBitWhenItReachesItsWordAndNotBefore) {
  EXPECT_EQ(scrubber.next_event(), std::nullopt);
  inject(0_ps, Kind::bit, 7);
  const Picoseconds at = (number_of_word + 1) * word_time;
  EXPECT_EQ(scrubber.next_event(), at);
  scrubber.advance_to(at - 1_ps);
  EXPECT_FALSE(small.memory.faults().empty());
  scrubber.advance_to(at);
  EXPECT_TRUE(small.memory.faults().empty());
  EXPECT_EQ(scrubber.next_event(), std::nullopt);
  EXPECT_EQ(small.count("on_die_scrub_corrected"), 1u);
  EXPECT_EQ(small.count("on_die_corrected"), 0u) << "no read has met it";
  EXPECT_EQ(small.memory.direct(small.at(small.block(of_word))), DirectAccess::unmonitored);
  EXPECT_TRUE(small.errors.empty()) << "the controller does not notice";
}

// 1.5 ps from word to word: a pass takes no more and no less than the time that was asked for.
TEST_F(OnDieScrubberTest, APassTakesItsTimeAlsoWhereItIsNoWholePicosecondsFromWordToWord) {
  constexpr Picoseconds time(small_words + small_words / 2);
  OnDieScrubber fast(small.memory, time);
  EXPECT_EQ(fast.passes(time - 1_ps), 0u);
  EXPECT_EQ(fast.passes(time), 1u);
  EXPECT_EQ(fast.passes(1'000'000 * time - 1_ps), 999'999u);
  inject(0_ps, Kind::bit, 7, stuck);
  const Picoseconds first(scale(number_of_word + 1, 3, 2, true));
  EXPECT_EQ(fast.next_event(), first);
  for (unsigned pass = 0; pass < 100; ++pass) {
    EXPECT_EQ(fast.next_event(), first + pass * time);
    fast.advance_to(first + pass * time - 1_ps);
    EXPECT_EQ(small.count("on_die_scrub_corrected"), pass);
    fast.advance_to(first + pass * time);
  }
  fast.start(100 * time);
  EXPECT_EQ(fast.next_event(), 100 * time + first);
}

// A word is the chip's part of columns 4 and 5.
TEST_F(OnDieScrubberTest, ReadsTwoColumnsAtOnce) {
  BlockLocation odd = of_word;
  odd.column = 5;
  inject(0_ps, Kind::bit, 7, transient, odd);
  EXPECT_EQ(scrubber.next_event(), (number_of_word + 1) * word_time);
}

// The second bit would make the word one that the chip cannot correct, or corrects wrongly.
TEST_F(OnDieScrubberTest, RepairsABitBeforeASecondOneArrivesInItsWord) {
  for (const bool is_scrubbed : {false, true}) {
    SmallEccMemory memory(with_scrub());
    OnDieScrubber of_memory(memory.memory, is_scrubbed ? one_pass : 0_ps);
    memory.write(memory.block(of_word), 0x5A);
    unsigned wrong = 0, bit = 0;
    for (Picoseconds now; now < 64 * one_pass; now += one_pass) {
      of_memory.advance_to(now);
      memory.memory.inject(now, fault_at(Kind::bit, of_word, 2, transient, bit++));
      memory.read(memory.block(of_word));
      wrong += memory.memory.direct(memory.at(memory.block(of_word))) != DirectAccess::monitored ||
               !memory.errors.empty();
    }
    EXPECT_EQ(wrong == 0, is_scrubbed) << wrong;
    EXPECT_EQ(memory.count("on_die_corrected"), is_scrubbed ? 64u : 1u);
  }
}

TEST_F(OnDieScrubberTest, LeavesWhatTheCodeDoesNotCorrect) {
  inject(0_ps, Kind::bit, 7);
  inject(0_ps, Kind::bit, 9);
  const auto delivered = [&] {
    Ddr5Block errors;
    small.memory.faults().errors(of_word, errors, true);
    return errors;
  };
  const Ddr5Block before = delivered();
  EXPECT_NE(before, Ddr5Block());
  scrubber.advance_to(3 * one_pass);
  EXPECT_EQ(delivered(), before);
  EXPECT_EQ(small.count("on_die_scrub_left"), 3u);
  EXPECT_EQ(small.count("on_die_scrub_corrected"), 0u);
}

// The word has three wrong bits.
TEST_F(OnDieScrubberTest, LeavesTheBitOfAColumnIfTheOtherOneHasMoreThanTheCodeCorrects) {
  BlockLocation odd = of_word;
  odd.column = 5;
  inject(0_ps, Kind::bit, 7);
  inject(0_ps, Kind::bit, 7, transient, odd);
  inject(0_ps, Kind::bit, 9, transient, odd);
  scrubber.advance_to(2 * one_pass);
  EXPECT_EQ(small.count("on_die_scrub_left"), 2u);
  EXPECT_EQ(small.count("on_die_scrub_corrected"), 0u);
  EXPECT_TRUE(small.memory.faults().touches(of_word));
  EXPECT_EQ(small.memory.faults().size(), 3u);
}

TEST_F(OnDieScrubberTest, CountsStuckBitsInEachPassAndKeepsTheRowWithTheMost) {
  BlockLocation other = of_word;
  other.row = 9;
  inject(0_ps, Kind::bit, 7, stuck);
  for (const std::uint32_t column : {4u, 8u, 9u, 127u}) {
    other.column = column;
    inject(0_ps, Kind::bit, 7, transient, other);
  }
  EXPECT_EQ(scrubber.result(one_pass - 1_ps, of_word, 2), OnDieScrubResult())
      << "the first pass is not complete";
  scrubber.advance_to(one_pass);
  EXPECT_EQ(scrubber.result(one_pass, of_word, 2),
            (OnDieScrubResult{.errors = 4, .row_errors = 3, .bank = 2, .row = 9}))
      << "columns 8 and 9 are one word";
  EXPECT_EQ(scrubber.result(one_pass, of_word, 3), OnDieScrubResult());
  EXPECT_EQ(scrubber.result(one_pass, {}, 2), OnDieScrubResult()) << "the other rank";
  scrubber.advance_to(2 * one_pass + one_pass / 2);
  EXPECT_EQ(scrubber.result(2 * one_pass + one_pass / 2, of_word, 2),
            (OnDieScrubResult{.errors = 1, .row_errors = 1, .bank = 2, .row = 3}));
}

// n bits that come evenly at random places of w words make n^2 / 2w pairs, and with k scrubs a k-th of them.
TEST_F(OnDieScrubberTest, LeavesAsManyPairsAsTheirNumberInAPassMakes) {
  constexpr unsigned bits = 4000, passes = 20;
  constexpr double places =
      8 * 16 * 128;  // of this chip, as errors of the halves of a word are decoded apart
  const auto pairs = [](bool is_scrubbed) {
    SmallEccMemory memory(with_scrub());
    OnDieScrubber of_memory(memory.memory, is_scrubbed ? one_pass : 0_ps);
    Random random(5);
    const auto draw = [&](std::uint32_t size) { return static_cast<std::uint32_t>(random.below(size)); };
    for (unsigned i = 0; i < bits; ++i) {
      const Picoseconds now = i * (passes * one_pass / bits);
      of_memory.advance_to(now);
      const BlockLocation at{.bank = draw(8), .row = draw(16), .column = draw(128)};
      memory.memory.inject(now, fault_at(Kind::bit, at, 2, transient, draw(64)));
    }
    unsigned found = 0;
    for (std::uint64_t block = 0; block < memory.memory.blocks(); ++block) {
      const BlockLocation at = memory.mapping.locate(block);
      if (at.rank != 0) continue;
      Ddr5Block errors;
      memory.memory.faults().errors(at, errors);
      found += std::popcount(errors.chips[2]) > 1;
    }
    return found;
  };
  // Without scrubs places get a third bit, too: 415 have two or more by the Poisson distribution.
  EXPECT_NEAR(pairs(false), 415, 3 * 20);
  constexpr double of_pass = 1.0 * bits / passes;
  const double pairs_left = passes * of_pass * of_pass / 2 / places;  // 24.4
  EXPECT_NEAR(pairs(true), pairs_left, 3 * 4.9);
}

// All words of the chip but those whose errors look like one bit stay wrong.
TEST_F(OnDieScrubberTest, VisitsAllRowsInUseOfADeadChip) {
  inject(0_ps, Kind::chip, 0);
  scrubber.advance_to(one_pass);
  EXPECT_EQ(small.count("on_die_scrub_left") + small.count("on_die_scrub_corrected"), 8u * (16 + 1) * 64)
      << "with the row for parity of each bank";
  EXPECT_EQ(small.count("on_die_scrub_corrected"), 0u);
}

TEST_F(OnDieScrubberTest, ADeadColumnIsHealedRowByRow) {
  inject(0_ps, Kind::column, 7);
  inject(0_ps, Kind::row, 0, stuck, {.rank = 1, .bank = 2, .row = 3}, 4);
  scrubber.advance_to(one_pass);
  EXPECT_EQ(small.count("on_die_scrub_corrected"), 17u);
  EXPECT_EQ(small.memory.faults().size(), 1u) << "the row of another chip is stuck";
  EXPECT_EQ(small.count("on_die_scrub_left"), 64u);
}

// There is no row for parity above those in use, in which the column would stay dead.
TEST_F(OnDieScrubberTest, IsIdleAfterADeadColumnOfAMemoryThatUsesAllRowsOfThePart) {
  SmallEccMemory full(with_scrub(), "RoRaBaCoCh", small_geometry.rows);
  constexpr Picoseconds half_as_long = one_pass / 2;
  OnDieScrubber of_full(full.memory, half_as_long);
  full.memory.inject(0_ps, fault_at(Kind::column, of_word, 2, transient, 7));
  of_full.advance_to(half_as_long);
  EXPECT_EQ(full.count("on_die_scrub_corrected"), 16u);
  EXPECT_TRUE(full.memory.faults().empty());
  EXPECT_EQ(of_full.next_event(), std::nullopt);
}

TEST_F(OnDieScrubberTest, BeginsAgainAfterAPowerLoss) {
  inject(0_ps, Kind::bit, 7, stuck);
  scrubber.advance_to(one_pass);
  scrubber.reset(Reset::warm);
  EXPECT_EQ(scrubber.result(one_pass, of_word, 2).errors, 1u);
  scrubber.reset(Reset::power_loss);
  EXPECT_EQ(scrubber.next_event(), std::nullopt);
  scrubber.start(3 * one_pass);
  EXPECT_EQ(scrubber.next_event(), 3 * one_pass + (number_of_word + 1) * word_time);
  EXPECT_EQ(scrubber.result(4 * one_pass, of_word, 2).errors, 0u);
}

// The events are those of a walk through all words.
TEST_F(OnDieScrubberTest, TheNextWordIsTheFirstOneThatAFaultTouches) {
  Random random(1);
  for (unsigned round = 0; round < 20; ++round) {
    SmallEccMemory memory(with_scrub());
    const auto draw = [&](std::uint32_t size) { return static_cast<std::uint32_t>(random.below(size)); };
    const BlockLocation at{.rank = draw(2), .bank = draw(8), .row = draw(16), .column = draw(128)};
    for (const Kind kind : {Kind::bit, Kind::column, Kind::row, Kind::pin}) {
      if (kind == Kind::pin && round % 4 != 0) continue;
      memory.memory.inject(0_ps, fault_at(kind, at, draw(9), stuck, draw(64)));
    }
    const DieWords& order = memory.memory.die_words();
    std::optional<std::uint64_t> next;
    for (std::uint64_t word = order.count(); word-- > 0;) {
      const BlockLocation first = order.first_block(word);
      for (std::uint32_t rank = 0; rank < 2 && first.row < 17; ++rank)
        for (std::uint32_t column = first.column; column < first.column + 2; ++column)
          if (memory.memory.faults().touches({0, rank, first.bank, first.row, column})) next = word;
      ASSERT_EQ(memory.memory.next_die_word(word), next) << word;
    }
  }
}

}  // namespace
}  // namespace asterism
