// The firmware's ring program must compute the same words as that of the traffic nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/random.h"
#include "cluster/ring_program.h"

extern "C" {
#include "ring_program.h"
}

namespace {

TEST(FirmwareRingProgramTest, MakesTheSameWordsInPiecesOfAnySize) {
  asterism::Random random(1);
  for (unsigned trial = 0; trial < 200; ++trial) {
    const std::uint64_t seed = random.next(), count = 1 + random.below(60);
    const std::uint32_t rank = static_cast<std::uint32_t>(random.below(64));
    asterism::RingProgram expected(seed, rank, count);
    expected.begin();
    std::vector<std::uint64_t> words(count, 7);
    RingProgram program = {};
    program.seed = seed;
    program.rank = rank;
    program.count = count;
    program.words = words.data();
    ring_program_begin(&program);
    for (unsigned step = 0; step < 5; ++step) {
      ASSERT_TRUE(std::ranges::equal(expected.words(), words)) << "step " << step << " of trial " << trial;
      EXPECT_EQ(ring_program_first(&program), expected.first());
      EXPECT_EQ(ring_program_last(&program), expected.last());
      const std::uint64_t left = random.next(), right = random.next();
      expected.step(left, right);
      std::uint64_t made = 0;
      for (bool complete = false; !complete;) {
        const std::uint64_t at_most = 1 + random.below(count + 3);
        complete = ring_program_step(&program, left, right, at_most);
        made += at_most;
        ASSERT_EQ(complete, made >= count);
      }
    }
    EXPECT_EQ(ring_program_result(&program), expected.result());
  }
}

TEST(FirmwareRingProgramTest, StartsAgainInTheMiddleOfAStep) {
  std::vector<std::uint64_t> words(9), again(9);
  RingProgram program = {};
  program.seed = 5;
  program.rank = 2;
  program.count = words.size();
  program.words = words.data();
  ring_program_begin(&program);
  again = words;
  ASSERT_FALSE(ring_program_step(&program, 1, 2, 4));
  ASSERT_NE(words, again);
  ring_program_begin(&program);
  EXPECT_EQ(words, again);
  asterism::RingProgram expected(5, 2, 9);
  expected.begin();
  expected.step(1, 2);
  ASSERT_TRUE(ring_program_step(&program, 1, 2, 9));
  EXPECT_TRUE(std::ranges::equal(expected.words(), words));
}

}  // namespace
