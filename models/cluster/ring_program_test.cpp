#include "cluster/ring_program.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace asterism {
namespace {

TEST(RingProgramTest, BeginsWithTheSeedsElements) {
  const RingProgram program(7, 2, 3);
  const Random random(7);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(program.words()[i], random.at(6 + i));
}

TEST(RingProgramTest, StepsByTheWordsBefore) {
  RingProgram program(1, 0, 2);
  program.words()[0] = 1;
  program.words()[1] = 2;
  program.step(1u << 4, 1);
  EXPECT_EQ(program.words()[0], ((1u << 11) + 3) ^ (2u << 19));
  EXPECT_EQ(program.words()[1], ((1u << 7) + 6) ^ (1u << 19));
}

// Ranks with halos compute the same words as the whole ring in one piece.
TEST(RingProgramTest, RanksTogetherMakeTheWholeRing) {
  for (const std::uint32_t ranks : {1u, 2u, 5u})
    for (const std::size_t words : {std::size_t{1}, std::size_t{4}}) {
      std::vector<RingProgram> ring;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) ring.emplace_back(3, rank, words);
      for (int step = 0; step < 9; ++step) {
        std::vector<std::uint64_t> first, last;
        for (const RingProgram& rank : ring) {
          first.push_back(rank.first());
          last.push_back(rank.last());
        }
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
          ring[rank].step(last[(rank + ranks - 1) % ranks], first[(rank + 1) % ranks]);
      }
      std::vector<std::uint64_t> results;
      for (const RingProgram& rank : ring) results.push_back(rank.result());
      EXPECT_EQ(RingProgram::fold(results), RingProgram::expected(3, ranks, words, 9))
          << ranks << " " << words;
    }
}

TEST(RingProgramTest, AWrongWordAnywhereChangesTheResult) {
  const std::uint64_t right = RingProgram::expected(1, 4, 8, 20);
  EXPECT_NE(right, RingProgram::expected(1, 4, 8, 21));
  EXPECT_NE(right, RingProgram::expected(2, 4, 8, 20));
  RingProgram program(1, 0, 32), wrong(1, 0, 32);
  wrong.words()[17] ^= 1;
  for (int step = 0; step < 20; ++step) {
    program.step(program.last(), program.first());
    wrong.step(wrong.last(), wrong.first());
  }
  EXPECT_NE(program.result(), wrong.result());
}

}  // namespace
}  // namespace asterism
