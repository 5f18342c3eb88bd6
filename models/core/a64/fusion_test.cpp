// Pairs of instructions that are executed as one operation.
#include "core/a64/fusion.h"

#include <gtest/gtest.h>

#include <random>

#include "core/a64/a64_test.h"

namespace asterism::a64 {
namespace {

std::vector<Operation> decoded(const std::vector<std::uint32_t>& words) {
  const Options options;
  std::vector<std::uint64_t> constants;
  std::vector<Operation> operations;
  for (const std::uint32_t word : words) {
    Decoding decoding(word, {}, options, constants);
    decode(decoding);
    operations.push_back(decoding.op);
  }
  return operations;
}

bool is_fused(const std::vector<std::uint32_t>& words) {
  std::vector<Operation> operations = decoded(words);
  const Handler alone = operations[0].run;
  fuse(operations);
  return operations[0].run != alone;
}

TEST(FusionTest, FusesComparisonsWithTheirUsers) {
  EXPECT_TRUE(is_fused({0xf1000529, 0x54000001}));   // subs x9, x9, #1; b.ne .
  EXPECT_TRUE(is_fused({0x6b01001f, 0x5400000b}));   // cmp w0, w1; b.lt .
  EXPECT_TRUE(is_fused({0xf240003f, 0x9a840484}));   // tst x1, #1; csinc x4, x4, x4, eq
  EXPECT_FALSE(is_fused({0xf1000529, 0xd503201f}));  // subs x9, x9, #1; nop
}

TEST(FusionTest, AComparisonIsFusedWithItsBranchWhateverPrecedesIt) {
  std::vector<Operation> operations = decoded({0x91000400, 0xf240003f, 0x54000001});  // add; tst; b.ne
  const Handler add = operations[0].run, tst = operations[1].run;
  fuse(operations);
  EXPECT_EQ(operations[0].run, add);
  EXPECT_NE(operations[1].run, tst);
}

// A run as a whole executes fused pairs; a run of one instruction at a time cannot.
struct FusedPairTest : A64Test {
  void expect_equal_at_every_split(const std::vector<std::uint32_t>& words, const State& before,
                                   std::uint64_t count) {
    const State whole = run(words, before, count);
    for (std::uint64_t split = 1; split < count; ++split) {
      const State half = run(words, before, split);
      const State rest = resume(half, count - split);
      ASSERT_EQ(rest, whole) << "split after " << split << " of " << std::hex << words[0] << " " << words[1];
    }
    State single = before;
    single.pc = code_base;
    for (std::uint64_t i = 0; i < count; ++i) single = resume(single, 1);
    ASSERT_EQ(single, whole) << std::hex << words[0] << " " << words[1];
  }
  State resume(const State& from, std::uint64_t count) {
    core->set_state(from);
    const std::uint64_t end = core->instructions() + count;
    core->call_at(end);
    EXPECT_EQ(core->run(), Iss::Stop::requested);
    EXPECT_EQ(core->instructions(), end);
    return core->state();
  }
};

// Registers are drawn from four, so that results of the first instruction are often operands of the second.
std::uint32_t with_registers(std::uint32_t word, std::mt19937& random, bool has_m) {
  word = (word & ~0x3ffu) | random() % 4 << 5 | random() % 4;
  return has_m ? (word & ~(31u << 16)) | random() % 4 << 16 : word;
}

struct Sample {
  std::uint32_t word;
  bool has_m;
};
const std::vector<Sample> results = {
    {0x91000400, false},  // add x0, x0, #1
    {0x51000c00, false},  // sub w0, w0, #3
    {0x8b000000, true},   // add x0, x0, x0
    {0x0b000000, true},   // add w0, w0, w0
    {0xcb000000, true},   // sub x0, x0, x0
    {0x8b000c00, true},   // add x0, x0, x0, lsl #3
    {0x8b408000, true},   // add x0, x0, x0, lsr #32
    {0xca000000, true},   // eor x0, x0, x0
    {0xca003400, true},   // eor x0, x0, x0, lsl #13
    {0xca401c00, true},   // eor x0, x0, x0, lsr #7
    {0x92401c00, false},  // and x0, x0, #0xff
    {0xd37df000, false},  // lsl x0, x0, #3
    {0xd347fc00, false},  // lsr x0, x0, #7
    {0x9b000800, true},   // madd x0, x0, x0, x2
    {0xaa0003e0, true},   // mov x0, x0
};
const std::vector<Sample> comparisons = {
    {0xf1000400, false},  // subs x0, x0, #1
    {0x71000400, false},  // subs w0, w0, #1
    {0xeb000000, true},   // subs x0, x0, x0
    {0x6b000000, true},   // subs w0, w0, w0
    {0xf2400000, false},  // ands x0, x0, #1
    {0x72000000, false},  // ands w0, w0, #1
};

State random_state(State before, std::mt19937_64& random) {
  for (unsigned i = 0; i < 4; ++i) before.x[i] = random() >> (random() % 2 ? 0 : random() % 64);
  return before;
}

TEST_F(FusedPairTest, ResultsEqualThoseOfOneInstructionAtATime) {
  std::mt19937 random(1);
  std::mt19937_64 values(2);
  for (const Sample& first : results)
    for (const Sample& second : results)
      for (int round = 0; round < 4; ++round) {
        std::uint32_t a = with_registers(first.word, random, first.has_m);
        std::uint32_t b = with_registers(second.word, random, second.has_m);
        if (first.word == 0xaa0003e0) a |= 31 << 5;  // MOV is ORR with XZR
        if (second.word == 0xaa0003e0) b |= 31 << 5;
        ASSERT_TRUE(is_fused({a, b})) << std::hex << a << " " << b;
        expect_equal_at_every_split({a, b}, random_state(core->state(), values), 2);
        if (HasFatalFailure()) return;
      }
}

TEST_F(FusedPairTest, SelectionsEqualThoseOfOneInstructionAtATime) {
  std::mt19937 random(1);
  std::mt19937_64 values(2);
  for (const Sample& first : comparisons)
    for (const std::uint32_t select : {0x9a800000u, 0x9a800400u, 0x1a800000u, 0x1a800400u})  // csel, csinc
      for (std::uint32_t condition = 0; condition < 14; ++condition) {
        const std::uint32_t a = with_registers(first.word, random, first.has_m);
        const std::uint32_t b = with_registers(select | condition << 12, random, true);
        ASSERT_TRUE(is_fused({a, b})) << std::hex << a << " " << b;
        expect_equal_at_every_split({a, b}, random_state(core->state(), values), 2);
        if (HasFatalFailure()) return;
      }
}

TEST_F(FusedPairTest, BranchesEqualThoseOfOneInstructionAtATime) {
  std::mt19937 random(1);
  std::mt19937_64 values(2);
  for (const Sample& first : comparisons)
    for (std::uint32_t condition = 0; condition < 14; ++condition)
      for (int round = 0; round < 4; ++round) {
        const std::uint32_t a = with_registers(first.word, random, first.has_m);
        const std::uint32_t b = 0x5400'0040 | condition;  // b.cond .+8
        ASSERT_TRUE(is_fused({a, b})) << std::hex << a << " " << b;
        // Either way two more follow: add x0, x0, #1; add x1, x1, #1; b .-4
        expect_equal_at_every_split({a, b, 0x91000400, 0x91000421, 0x17ffffff},
                                    random_state(core->state(), values), 5);
        if (HasFatalFailure()) return;
      }
}

TEST_F(FusedPairTest, ResultsBeforeBranchesEqualThoseOfOneInstructionAtATime) {
  std::mt19937 random(1);
  std::mt19937_64 values(2);
  for (const Sample& first : results)
    for (const std::uint32_t b : {
             0x14000002u,  // b .+8
             0xb4000040u,  // cbz x0, .+8
             0xb5000040u,  // cbnz x0, .+8
             0x34000041u,  // cbz w1, .+8
             0x35000041u,  // cbnz w1, .+8
             0x36100042u,  // tbz w2, #2, .+8
             0x37000043u,  // tbnz w3, #0, .+8
         }) {
      std::uint32_t a = with_registers(first.word, random, first.has_m);
      if (first.word == 0xaa0003e0) a |= 31 << 5;  // MOV is ORR with XZR
      ASSERT_TRUE(is_fused({a, b})) << std::hex << a << " " << b;
      // Either way two more follow: add x0, x0, #1; add x1, x1, #1; b .-4
      expect_equal_at_every_split({a, b, 0x91000400, 0x91000421, 0x17ffffff},
                                  random_state(core->state(), values), 5);
      if (HasFatalFailure()) return;
    }
}

TEST_F(FusedPairTest, EndsOfLoopsEqualThoseOfOneInstructionAtATime) {
  std::mt19937 random(1);
  std::mt19937_64 values(2);
  for (const Sample& first : results)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::uint32_t condition = 0; condition < 2; ++condition) {
        std::uint32_t a = with_registers(first.word, random, first.has_m);
        if (first.word == 0xaa0003e0) a |= 31 << 5;  // MOV is ORR with XZR
        const std::uint32_t b = with_registers(comparisons[i].word, random, comparisons[i].has_m);
        const std::uint32_t c = 0x5400'0040 | condition;  // b.eq .+8, b.ne .+8
        std::vector<Operation> operations = decoded({a, b, c});
        const Handler alone = operations[0].run;
        fuse(operations);
        ASSERT_NE(operations[0].run, alone) << std::hex << a << " " << b;
        // Either way two more follow: add x0, x0, #1; add x1, x1, #1; b .-4
        expect_equal_at_every_split({a, b, c, 0x91000400, 0x91000421, 0x17ffffff},
                                    random_state(core->state(), values), 6);
        if (HasFatalFailure()) return;
      }
}

TEST_F(FusedPairTest, ALoopOfFusedPairsCountsEveryInstruction) {
  // loop: eor x1, x1, x1, lsl #13; eor x1, x1, x1, lsr #7; tst x1, #1; csinc x2, x2, x2, eq; subs x0, x0, #1;
  // b.ne loop
  const std::vector<std::uint32_t> words = {0xca013421, 0xca411c21, 0xf240003f,
                                            0x9a820442, 0xf1000400, 0x54ffff61};
  expect_equal_at_every_split(words, with(20, 12345), 6 * 20);
}

}  // namespace
}  // namespace asterism::a64
