#include "core/a64/instruction_timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace asterism::a64 {
namespace {

CoreTiming timing() {
  return {.width = 4,
          .integer = {1, 4},
          .multiply = {3, 1},
          .divide = {12, 0.25},
          .load = {4, 2},
          .store = {1, 1},
          .fp_add = {2, 2},
          .fp_multiply = {3, 2},
          .fp_fused = {5, 2},
          .fp_divide = {10, 0.125},
          .vector = {2, 2},
          .branch = {1, 1, 0, 0}};
}
constexpr std::uint32_t nop = 0xd503201f, add_x1 = 0x91000421, add_x2 = 0x91000442, add_x3 = 0x91000463,
                        add_x4 = 0x91000484, mul_x1 = 0x9b027c21 /* mul x1, x1, x2 */,
                        fmadd_d0 = 0x1f420020 /* fmadd d0, d1, d2, d0 */;
constexpr std::uint32_t jump_back(unsigned instructions) {  // b.ne
  return 0x54000001 | (0x7ffffu & (0u - instructions)) << 5;
}
// The line, with code before and behind it, too.
CodeAroundLine around(const std::vector<std::uint32_t>& line, const std::vector<std::uint32_t>& before = {},
                      const std::vector<std::uint32_t>& behind = {}) {
  CodeAroundLine code;
  code.fill(no_code);
  std::ranges::copy(before, code.begin() + instructions_of_line - std::ssize(before));
  std::ranges::copy(line, code.begin() + instructions_of_line);
  std::ranges::copy(behind, code.begin() + 2 * instructions_of_line);
  return code;
}
// The time of the first instructions of a line that begins with these: of all of them, or of n.
unsigned time(std::vector<std::uint32_t> code, const CoreTiming& t = timing(), std::size_t n = 0) {
  if (n == 0) n = code.size();
  code.resize(instructions_of_line, 0xd4200000 /* brk */);
  const LineTimes times = times_of_line(around(code), t);
  return std::accumulate(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(n), 0u);
}

TEST(InstructionTiming, IndependentInstructionsTakeWhatTheWidthAllows) {
  EXPECT_EQ(time({add_x1, add_x2, add_x3, add_x4, jump_back(4)}), 1250u);
}
TEST(InstructionTiming, ALoopTakesItsLongestChain) {
  EXPECT_EQ(time({add_x1, add_x1, add_x1, add_x2, jump_back(4)}), 3000u);
  EXPECT_EQ(time({mul_x1, mul_x1, jump_back(2)}), 6000u);
  EXPECT_EQ(time({fmadd_d0, add_x1, jump_back(2)}), 5000u);
  EXPECT_EQ(time({0xf9400021 /* ldr x1, [x1] */, jump_back(1)}), 4000u);
}
TEST(InstructionTiming, PipelinesThatAreBusyAreWaitedFor) {
  // udiv x3, x4, x5 twice: independent of each other.
  EXPECT_EQ(time({0x9ac50883, 0x9ac50883, jump_back(2)}), 8000u);
  EXPECT_EQ(time({0xf9000041, 0xf9000041, 0xf9000041, jump_back(3)}), 3000u);
}
TEST(InstructionTiming, WrongPredictionsCostTheirShare) {
  CoreTiming t = timing();
  t.branch.mispredicted = 0.1;
  t.branch.penalty = 15;
  EXPECT_EQ(time({add_x1, jump_back(1)}, t), 1000u + 1500);
  EXPECT_EQ(time({add_x1, 0x17ffffff /* b */}, t), 1000u);
  EXPECT_EQ(time({add_x1, 0xd65f03c0 /* ret */}, t), 1000u);
}
// A chain of an instruction on itself shows its latency, independent ones its rate.
TEST(InstructionTiming, EachLatencyAndEachRateChangesATime) {
  struct One {
    ClassTiming CoreTiming::*which;
    std::uint32_t chained, independent;
  };
  for (const One& one :
       {One{&CoreTiming::integer, add_x1, 0x91000441}, One{&CoreTiming::multiply, mul_x1, 0x9b037c41},
        One{&CoreTiming::divide, 0x9ac20821, 0x9ac30841}, One{&CoreTiming::load, 0xf9400021, 0xf9400041},
        One{&CoreTiming::fp_add, 0x1e612821, 0x1e632841},
        One{&CoreTiming::fp_multiply, 0x1e610821, 0x1e630841},
        One{&CoreTiming::fp_fused, fmadd_d0, 0x1f431041}, One{&CoreTiming::fp_divide, 0x1e611821, 0x1e631841},
        One{&CoreTiming::vector, 0x4ee18421, 0x4ee38441}}) {
    CoreTiming slow = timing();
    (slow.*one.which).latency = 40;
    EXPECT_GE(time({one.chained, jump_back(1)}, slow), 40'000u) << std::hex << one.chained;
    slow = timing();
    (slow.*one.which).per_cycle = 0.05;
    EXPECT_EQ(time({one.independent, jump_back(1)}, slow), 20'000u) << std::hex << one.independent;
  }
  for (const auto& [rate, word] : {std::pair{&CoreTiming::store, 0xf9000041u /* str */},
                                   std::pair{&CoreTiming::other, 0xd5033bbfu /* dmb ish */}}) {
    CoreTiming slow = timing();
    (slow.*rate).per_cycle = 0.1;
    EXPECT_EQ(time({word, jump_back(1)}, slow), 10'000u);
  }
  CoreTiming slow = timing();
  slow.branch.per_cycle = 0.1;
  EXPECT_EQ(time({jump_back(1)}, slow), 10'000u);
  slow = timing();
  slow.width = 1;
  EXPECT_EQ(time({add_x1, add_x2, add_x3, jump_back(3)}, slow), 4'000u);
}

TEST(InstructionTiming, ABlockThatIsJumpedIntoTakesTheShareOfItsInstructions) {
  const std::vector<std::uint32_t> code{add_x1, add_x1, add_x1, add_x1, add_x1, add_x1, jump_back(1)};
  // The last two are a loop of their own.
  EXPECT_EQ(time(code, timing(), 5), 5000u);
  EXPECT_EQ(time(code), 5000u + 1000);
}

constexpr std::uint32_t lsl_x3_x1 = 0xd37ae423 /* lsl x3, x1, #6 */,
                        ldr_x3 = 0xf8636883 /* ldr x3, [x4, x3] */,
                        add_x1_x3 = 0x8b030021 /* add x1, x1, x3 */;
constexpr std::uint64_t x1 = 1 << 1, x3 = 1 << 3, x4 = 1 << 4;

TEST(InstructionTiming, ALoopOverTwoLinesIsOneBlock) {
  const CodeAroundLine code = around({mul_x1, add_x2, jump_back(3)}, {mul_x1});
  const LineTimes times = times_of_line(code, timing());
  EXPECT_EQ(times[0] + times[1] + times[2], 4500);  // three quarters of 6 cycles
}

TEST(InstructionTiming, TheAddressOfALoadMayBeComputedInTheLineBefore) {
  const CodeAroundLine code = around({add_x1, ldr_x3, jump_back(3)}, {lsl_x3_x1});
  const AccessRegisters access = registers_of_access(code, times_of_line(code, timing()), 1);
  EXPECT_EQ(access.of_address, x4 | x1);
  EXPECT_EQ(access.loaded, x3);
  EXPECT_EQ(access.before, 2);
}

TEST(InstructionTiming, WhatIsComputedFromALoadDependsOnItEvenInTheLineBehind) {
  std::vector<std::uint32_t> line(instructions_of_line, no_code);
  line[14] = lsl_x3_x1, line[15] = ldr_x3;
  const CodeAroundLine code = around(line, {}, {add_x1_x3, jump_back(3)});
  const AccessRegisters access = registers_of_access(code, times_of_line(code, timing()), 15);
  EXPECT_EQ(access.loaded, x3 | x1);
  EXPECT_EQ(access.of_address, x4 | x1);
}

TEST(InstructionTiming, ARegisterThatIsWrittenAgainDoesNotDependOnTheLoad) {
  const CodeAroundLine code = around({ldr_x3, lsl_x3_x1, jump_back(2)});
  EXPECT_EQ(registers_of_access(code, times_of_line(code, timing()), 0).loaded, 0u);
}

}  // namespace
}  // namespace asterism::a64
