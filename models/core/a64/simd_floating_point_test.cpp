#include <bit>

#include "core/a64/float_test.h"
#include "core/a64/soft_float.h"

namespace asterism::a64 {
namespace {

Vector of(float a, float b, float c, float d) {
  const auto pair = [](float low, float high) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(high)} << 32 | std::bit_cast<std::uint32_t>(low);
  };
  return {{pair(a, b), pair(c, d)}};
}
Vector of(double a, double b) { return {{std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)}}; }

using SimdFloatingPointTest = FloatTest;

TEST_F(SimdFloatingPointTest, ComputesLaneByLane) {
  state.v[0] = of(1, 2, 3, 4), state.v[1] = of(0.5f, -2, 8, 1), state.v[2] = of(100, 200, 300, 400);
  EXPECT_EQ(v2(0x0e21d402), of(1.5f, 0, 0, 0));           // fadd v2.2s, v0.2s, v1.2s
  EXPECT_EQ(v2(0x6ea1d402), of(0.5f, 4, 5, 3));           // fabd v2.4s, v0.4s, v1.4s
  EXPECT_EQ(v2(0x4fa11802), of(101, 202, 303, 404));      // fmla v2.4s, v0.4s, v1.s[3]
  EXPECT_EQ(v2(0x6e21d402), of(3, 7, -1.5f, 9));          // faddp v2.4s, v0.4s, v1.4s
  EXPECT_EQ(v2(0x6e30f802), of(4, 0, 0, 0));              // fmaxv s2, v0.4s
  EXPECT_EQ(v2(0x7e21ec02), (Vector{{0xffff'ffff, 0}}));  // facge s2, s0, s1
  state.v[0] = of(1, 2), state.v[1] = of(3, 4), state.v[2] = of(10, 20);
  EXPECT_EQ(v2(0x4e61d402), of(4, 6));   // fadd v2.2d, v0.2d, v1.2d
  EXPECT_EQ(v2(0x4fc15802), of(6, 12));  // fmls v2.2d, v0.2d, v1.d[1]
  EXPECT_EQ(v2(0x7fc19802), of(4, 0));   // fmulx d2, d0, v1.d[1]
  EXPECT_EQ(v2(0x7e70d802), of(3, 0));   // faddp d2, v0.2d
}

TEST_F(SimdFloatingPointTest, GathersTheFlagsOfAllLanes) {
  state.v[0] = of(1, 4, -1, 9);
  const State after = run({0x6ea1f802}, state);  // fsqrt v2.4s, v0.4s
  EXPECT_EQ(after.v[2], (Vector{{of(1, 2, 0, 0).d[0], 0x4040'0000'7fc0'0000}}));
  EXPECT_EQ(after.fpsr, fpsr_bit::ioc);
}

TEST_F(SimdFloatingPointTest, ComparesToMasks) {
  state.v[0] = of(1, -4), state.v[1] = of(0, -4);
  EXPECT_EQ(v2(0x6ee1e402), (Vector{{~0ull, 0}}));  // fcmgt v2.2d, v0.2d, v1.2d
  state.v[0] = of(-1, 0, -1, -1);
  EXPECT_EQ(v2(0x2ea0d802), (Vector{{~0ull, 0}}));  // fcmle v2.2s, v0.2s, #0.0
}

TEST_F(SimdFloatingPointTest, PrefersNumbersAcrossLanes) {
  state.v[0] = of(1, 2, 3, 4);
  state.v[0].d[1] = 0x7fc0'0000'7fc0'0001;
  EXPECT_EQ(v2(0x6e30c802), of(2, 0, 0, 0));              // fmaxnmv s2, v0.4s
  EXPECT_EQ(v2(0x6e30f802), (Vector{{0x7fc0'0001, 0}}));  // fmaxv s2, v0.4s
}

TEST_F(SimdFloatingPointTest, LengthensAndNarrows) {
  state.v[0] = of(1, -2, 3, 4);
  EXPECT_EQ(v2(0x0e617802), of(1.0, -2.0));  // fcvtl v2.2d, v0.2s
  state.v[0].d[1] = 0x3c00'4000'4200'c400;
  EXPECT_EQ(v2(0x4e217802), of(-4, 3, 2, 1));  // fcvtl2 v2.4s, v0.8h
  state.v[0] = of(1.5, 2.0);
  EXPECT_EQ(v2(0x0e616802), of(1.5f, 2, 0, 0));                            // fcvtn v2.2s, v0.2d
  EXPECT_EQ(v2(0x4e616802), (Vector{{garbage, of(1.5f, 2, 0, 0).d[0]}}));  // fcvtn2 v2.4s, v0.2d
  state.v[0] = {{0x3ff0'0000'0000'0001, 0}};
  EXPECT_EQ(v2(0x6e616802), (Vector{{garbage, 0x3f80'0001}}));  // fcvtxn2 v2.4s, v0.2d
}

TEST_F(SimdFloatingPointTest, ConvertsIntegersOfTheLanesWidth) {
  state.v[0] = of(1, -0.5f, 2.25f, 0);
  EXPECT_EQ(v2(0x4f38fc02), (Vector{{0xffff'ff80'0000'0100, 0x240}}));  // fcvtzs v2.4s, v0.4s, #8
  state.v[0] = {{3, ~0ull}};
  EXPECT_EQ(v2(0x6e61d802), of(3, 0x1p64));  // ucvtf v2.2d, v0.2d
}

TEST_F(SimdFloatingPointTest, Estimates) {
  state.v[0] = of(1, 2, 4, 8);
  EXPECT_EQ(v2(0x4ea1d802), of(0x1.ffp-1f, 0x1.ffp-2f, 0x1.ffp-3f, 0x1.ffp-4f));  // frecpe v2.4s, v0.4s
  state.v[0] = {{0x8000'0000'0000'0000, 0}};
  EXPECT_EQ(v2(0x0ea1c802), (Vector{{0xff80'0000'ffff'ffff, 0}}));  // urecpe v2.2s, v0.2s
  state.v[0] = of(1, 0);
  EXPECT_EQ(v2(0x5ee1f802), (Vector{{0x4000'0000'0000'0000, 0}}));  // frecpx d2, d0
}

TEST_F(SimdFloatingPointTest, HasNoVectorOfOneDouble) {
  expect_undefined(0x0e61d402);  // fadd v2.1d, v0.1d, v1.1d
  expect_undefined(0x2ee1f802);  // fsqrt v2.1d, v0.1d
  expect_undefined(0x4fe11802);  // fmla v2.2d by an element with L set
  expect_undefined(0x2e30f802);  // fmaxv of two lanes
  expect_undefined(0x0f60fc02);  // fcvtzs v2.1d, v0.1d, #32
}

}  // namespace
}  // namespace asterism::a64
