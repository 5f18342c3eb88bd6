#include "core/instruction_clock.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

TEST(InstructionClockTest, OneInstructionACycleAtOneGigahertz) {
  const InstructionClock clock(1_GHz, 1000);
  EXPECT_EQ(clock.time(0), 0_ps);
  EXPECT_EQ(clock.time(1), 1_ns);
  EXPECT_EQ(clock.instructions(1_us), 1000u);
  EXPECT_EQ(clock.instructions(999'001_ps), 1000u);
}

TEST(InstructionClockTest, FractionsOfAPicosecondAddUp) {
  const InstructionClock clock(3_GHz, 1000);  // 333 1/3 ps
  EXPECT_EQ(clock.time(1), 333_ps);
  EXPECT_EQ(clock.time(3), 1_ns);
  EXPECT_EQ(clock.time(3'000'000'000), 1_s);
}

TEST(InstructionClockTest, CyclesPerInstructionScaleTheTime) {
  EXPECT_EQ(InstructionClock(2_GHz, 1250).time(8), 5_ns);
  EXPECT_EQ(InstructionClock(1_GHz, 500).instructions(1_us), 2000u);
}

TEST(InstructionClockTest, CountIsTheLeastThatReachesTheTime) {
  const InstructionClock clock(1'234'567'890_Hz, 1337);
  for (std::uint64_t t = 1; t < 1'000'000'000'000'000; t = t * 3 + 1) {
    const std::uint64_t n = clock.instructions(Picoseconds(t));
    EXPECT_GE(clock.time(n), Picoseconds(t));
    EXPECT_LT(clock.time(n - 1), Picoseconds(t));
  }
}

}  // namespace
}  // namespace asterism
