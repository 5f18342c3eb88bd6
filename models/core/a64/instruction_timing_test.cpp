#include "core/a64/instruction_timing.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

namespace asterism::a64 {
namespace {

using Is = InstructionClass;
constexpr std::uint64_t flags = std::uint64_t{1} << 31;
constexpr std::uint64_t x(unsigned n) { return std::uint64_t{1} << n; }
constexpr std::uint64_t v(unsigned n) { return std::uint64_t{1} << (32 + n); }

struct Case {
  const char* text;
  std::uint32_t word;
  Is is;
  std::uint64_t from, to;
};

TEST(InstructionTiming, KnowsWhatAnInstructionDependsOn) {
  for (const Case& c : {
           Case{"add x1, x2, #1", 0x91000441, Is::integer, x(2), x(1)},
           Case{"subs x1, x1, #1", 0xf1000421, Is::integer, x(1), x(1) | flags},
           Case{"mov x1, #3", 0xd2800061, Is::integer, 0, x(1)},
           Case{"movk x1, #3", 0xf2800061, Is::integer, x(1), x(1)},
           Case{"adr x2, .", 0x10000002, Is::integer, 0, x(2)},
           Case{"add x3, x4, x5", 0x8b050083, Is::integer, x(4) | x(5), x(3)},
           Case{"cmp x4, x5", 0xeb05009f, Is::integer, x(4) | x(5), flags},
           Case{"ands x3, x4, x5", 0xea050083, Is::integer, x(4) | x(5), x(3) | flags},
           Case{"orr x3, x4, x5", 0xaa050083, Is::integer, x(4) | x(5), x(3)},
           Case{"csel x3, x4, x5, eq", 0x9a850083, Is::integer, x(4) | x(5) | flags, x(3)},
           Case{"madd x3, x4, x5, x6", 0x9b051883, Is::multiply, x(4) | x(5) | x(6), x(3)},
           Case{"udiv x3, x4, x5", 0x9ac50883, Is::divide, x(4) | x(5), x(3)},
           Case{"lsl x3, x4, x5", 0x9ac52083, Is::integer, x(4) | x(5), x(3)},
           Case{"clz x3, x4", 0xdac01083, Is::integer, x(4), x(3)},
           Case{"b.ne .", 0x54000001, Is::branch, flags, 0},
           Case{"cbz x3, .", 0xb4000003, Is::branch, x(3), 0},
           Case{"bl .", 0x94000000, Is::branch, 0, x(30)},
           Case{"ret", 0xd65f03c0, Is::branch, x(30), 0},
           Case{"ldr x1, [x2]", 0xf9400041, Is::load, x(2), x(1)},
           Case{"ldr x1, [x2, x3]", 0xf8636841, Is::load, x(2) | x(3), x(1)},
           Case{"ldp x1, x3, [x2]", 0xa9400c41, Is::load, x(2), x(1) | x(3)},
           Case{"str x1, [x2]", 0xf9000041, Is::store, x(1) | x(2), 0},
           Case{"ldr d1, [x2]", 0xfd400041, Is::load, x(2), v(1)},
           Case{"str q1, [x2]", 0x3d800041, Is::store, x(2) | v(1), 0},
           Case{"ldrsw x1, [x2]", 0xb9800041, Is::load, x(2), x(1)},
           Case{"fadd d1, d2, d3", 0x1e632841, Is::fp_add, v(2) | v(3), v(1)},
           Case{"fmul d1, d2, d3", 0x1e630841, Is::fp_multiply, v(2) | v(3), v(1)},
           Case{"fdiv d1, d2, d3", 0x1e631841, Is::fp_divide, v(2) | v(3), v(1)},
           Case{"fsqrt d1, d2", 0x1e61c041, Is::fp_divide, v(2), v(1)},
           Case{"fmadd d1, d2, d3, d4", 0x1f431041, Is::fp_fused, v(2) | v(3) | v(4), v(1)},
           Case{"fmla v1.2d, v2.2d, v3.2d", 0x4e63cc41, Is::fp_fused, v(1) | v(2) | v(3), v(1)},
           Case{"fadd v1.2d, v2.2d, v3.2d", 0x4e63d441, Is::fp_add, v(2) | v(3), v(1)},
           Case{"fmul v1.2d, v2.2d, v3.2d", 0x6e63dc41, Is::fp_multiply, v(2) | v(3), v(1)},
           Case{"add v1.2d, v2.2d, v3.2d", 0x4ee38441, Is::vector, v(2) | v(3), v(1)},
           Case{"fcmp d2, d3", 0x1e632040, Is::fp_add, v(2) | v(3), flags},
           Case{"fmov x1, d2", 0x9e660041, Is::fp_add, v(2), x(1)},
           Case{"scvtf d1, x2", 0x9e620041, Is::fp_add, x(2), v(1)},
           Case{"dmb ish", 0xd5033bbf, Is::system, 0, 0},
       }) {
    const Dependences d = dependences(c.word);
    EXPECT_EQ(static_cast<int>(d.is), static_cast<int>(c.is)) << c.text;
    EXPECT_EQ(d.from, c.from) << c.text;
    EXPECT_EQ(d.to, c.to) << c.text;
  }
}

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
// The time of the first instructions of a line that begins with these: of all of them, or of n.
unsigned time(std::vector<std::uint32_t> code, const CoreTiming& t = timing(), std::size_t n = 0) {
  if (n == 0) n = code.size();
  code.resize(instructions_of_line, 0xd4200000 /* brk */);
  const LineTimes times = times_of_line(std::span<const std::uint32_t, 16>(code), t);
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
                                   std::pair{&CoreTiming::system, 0xd5033bbfu /* dmb ish */}}) {
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

}  // namespace
}  // namespace asterism::a64
