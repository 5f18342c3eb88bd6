// Which registers the instructions use, which forms exist, and what the rest of a register becomes.
// soft_float_test.cpp tests values, and float_oracle compares all instructions with qemu-aarch64.
#include <bit>

#include "core/a64/float_test.h"
#include "core/a64/soft_float.h"

namespace asterism::a64 {
namespace {

struct FloatingPointTest : FloatTest {
  void doubles(double d0, double d1 = 0, double d3 = 0) {
    for (const auto& [at, value] : {std::pair{0, d0}, {1, d1}, {3, d3}})
      state.v[static_cast<std::size_t>(at)].d[0] = std::bit_cast<std::uint64_t>(value);
  }
  void singles(float s0, float s1 = 0) {
    state.v[0].d[0] = garbage << 32 | std::bit_cast<std::uint32_t>(s0);
    state.v[1].d[0] = garbage << 32 | std::bit_cast<std::uint32_t>(s1);
  }
  void expect_double(std::uint32_t word, double expected) {
    EXPECT_EQ(v2(word), (Vector{{std::bit_cast<std::uint64_t>(expected), 0}})) << std::hex << word;
  }
  void expect_single(std::uint32_t word, float expected) {
    EXPECT_EQ(v2(word), (Vector{{std::bit_cast<std::uint32_t>(expected), 0}})) << std::hex << word;
  }
  unsigned nzcv_after(std::uint32_t word) { return run({word}, state).flags.nzcv(); }
};

TEST_F(FloatingPointTest, ComputesAndClearsTheRestOfTheRegister) {
  doubles(3, 0.5, 10);
  expect_double(0x1e604002, 3);      // fmov d2, d0
  expect_double(0x1e614002, -3);     // fneg d2, d0
  expect_double(0x1e613802, 2.5);    // fsub d2, d0, d1
  expect_double(0x1e618802, -1.5);   // fnmul d2, d0, d1
  expect_double(0x1e611802, 6);      // fdiv d2, d0, d1
  expect_double(0x1e616802, 3);      // fmaxnm d2, d0, d1
  expect_double(0x1f410c02, 11.5);   // fmadd d2, d0, d1, d3
  expect_double(0x1f418c02, 8.5);    // fmsub d2, d0, d1, d3
  expect_double(0x1f610c02, -11.5);  // fnmadd d2, d0, d1, d3
  expect_double(0x1f618c02, -8.5);   // fnmsub d2, d0, d1, d3
  doubles(6.25);
  expect_double(0x1e61c002, 2.5);  // fsqrt d2, d0
  singles(-1.5f, 2);
  expect_single(0x1e20c002, 1.5f);  // fabs s2, s0
  expect_single(0x1e212802, 0.5f);  // fadd s2, s0, s1
}

TEST_F(FloatingPointTest, ComparesAndSelects) {
  doubles(1, 2);
  EXPECT_EQ(nzcv_after(0x1e612000), 0b1000u);  // fcmp d0, d1
  EXPECT_EQ(nzcv_after(0x1e602008), 0b0010u);  // fcmp d0, #0.0
  state.flags.set(0b0100);
  EXPECT_EQ(nzcv_after(0x1e610405), 0b1000u);  // fccmp d0, d1, #5, eq
  expect_double(0x1e611c02, 2);                // fcsel d2, d0, d1, ne
  state.flags.set(0b0000);
  EXPECT_EQ(nzcv_after(0x1e610405), 0b0101u);  // fccmp d0, d1, #5, eq
  expect_double(0x1e611c02, 1);                // fcsel d2, d0, d1, ne
}

TEST_F(FloatingPointTest, SignalsQuietNansWhereItIsAskedTo) {
  state.v[0].d[0] = 0x7ff8'0000'0000'0001;
  EXPECT_EQ(nzcv_after(0x1e612000), 0b0011u);                           // fcmp d0, d1
  EXPECT_EQ(run({0x1e612000}, state).fpsr, 0u);                         // fcmp d0, d1
  EXPECT_EQ(run({0x1e612010}, state).fpsr, fpsr_bit::ioc);              // fcmpe d0, d1
  EXPECT_EQ(run({0x1e61e410}, state).fpsr, fpsr_bit::ioc);              // fccmpe d0, d1, #0, al
  EXPECT_EQ(run({0x1e612010, 0x1e612000}, state).fpsr, fpsr_bit::ioc);  // it stays
}

TEST_F(FloatingPointTest, MovesBitsBetweenRegisterFiles) {
  singles(1);
  state.x[0] = 0x0123'4567'89ab'cdef;
  EXPECT_EQ(run({0x9e660001}, state).x[1], state.v[0].d[0]);   // fmov x1, d0
  EXPECT_EQ(run({0x1e260001}, state).x[1], 0x3f80'0000u);      // fmov w1, s0
  EXPECT_EQ(v2(0x9e670002), (Vector{{state.x[0], 0}}));        // fmov d2, x0
  EXPECT_EQ(v2(0x1e270002), (Vector{{0x89ab'cdef, 0}}));       // fmov s2, w0
  EXPECT_EQ(v2(0x9eaf0002), (Vector{{garbage, state.x[0]}}));  // fmov v2.d[1], x0
  EXPECT_EQ(run({0x9eae0001}, state).x[1], garbage);           // fmov x1, v0.d[1]
  expect_single(0x1e3f1002, -1.5f);                            // fmov s2, #-1.5
}

TEST_F(FloatingPointTest, Converts) {
  singles(1.5f);
  expect_double(0x1e22c002, 1.5);                 // fcvt d2, s0
  EXPECT_EQ(run({0x1e19f001}, state).x[1], 24u);  // fcvtzu w1, s0, #4
  doubles(-2.5);
  EXPECT_EQ(v2(0x1e63c002), (Vector{{0xc100, 0}}));  // fcvt h2, d0
  const State truncated = run({0x1e780001}, state);  // fcvtzs w1, d0
  EXPECT_EQ(truncated.x[1], 0xffff'fffeu);
  EXPECT_EQ(truncated.fpsr, fpsr_bit::ixc);
  EXPECT_EQ(run({0x9e640001}, state).x[1], ~0ull - 2);  // fcvtas x1, d0
  expect_double(0x1e674002, -2);                        // frintx d2, d0
  EXPECT_EQ(run({0x1e674002}, state).fpsr, fpsr_bit::ixc);
  EXPECT_EQ(run({0x1e67c002}, state).fpsr, 0u);  // frinti d2, d0
  state.fpcr = 2 << 22;                          // down
  expect_double(0x1e67c002, -3);                 // frinti d2, d0
  state.v[0].d[0] = garbage << 16 | 0xc100;
  expect_single(0x1ee24002, -2.5f);  // fcvt s2, h0
  state.x[0] = ~0ull;
  expect_double(0x1e620002, -1);              // scvtf d2, w0
  expect_single(0x9e03f402, 0x1.fffffep60f);  // ucvtf s2, x0, #3
}

TEST_F(FloatingPointTest, HasNoArithmeticOfHalves) {
  expect_undefined(0x1ee12802);   // fadd h2, h0, h1
  expect_undefined(0x1eee1002);   // fmov h2, #1.0
  expect_undefined(0x1ee20002);   // scvtf h2, w0
  expect_undefined(0x0e411402);   // fadd v2.4h, v0.4h, v1.4h
  expect_undefined(0x1e62c002);   // fcvt to the format that it has
  expect_undefined(0x1e02'7c02);  // scvtf s2, w0 with 33 fraction bits
}

TEST_F(FloatingPointTest, IsTrappedWhereItIsDisabled) {
  state.system.cpacr = 0;
  host.place(vectors + 0x200, {0x1400'0000});    // b .
  const State after = run({0x1e212802}, state);  // fadd s2, s0, s1
  EXPECT_EQ(after.v[2], state.v[2]);
  EXPECT_EQ(after.system.esr, esr::make(esr::ec_fp_trap, 0x1e0'0000));
  EXPECT_EQ(after.system.elr, code_base);
}

}  // namespace
}  // namespace asterism::a64
