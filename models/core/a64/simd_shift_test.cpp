// SIMD shifts by immediate.
#include "core/a64/simd_test.h"

namespace asterism::a64 {
namespace {

using SimdShiftTest = SimdTest;

TEST_F(SimdShiftTest, ShiftsRight) {
  const Quad a = {0x8000'0000'7fff'ffff, 0x80ff'7f01'00ff'4081};
  const Case cases[] = {
      {0x4f0f0402, {0xc000'0000'3fff'ffff, 0xc0ff'3f00'00ff'20c0}},  // sshr v2.16b, v0.16b, #1
      {0x4f080402, {0xff00'0000'00ff'ffff, 0xffff'0000'00ff'00ff}},  // sshr v2.16b, v0.16b, #8
      {0x2f0c0402, {0x0000'0000'0000'0000, 0x080f'0700'000f'0408}},  // ushr v2.8b, v0.8b, #4
      {0x6f100402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // ushr v2.8h, v0.8h, #16
      {0x4f210402, {0xffff'ffff'0000'0000, 0xffff'ffff'0000'0000}},  // sshr v2.4s, v0.4s, #31
      {0x6f410402, {0x0000'0000'0000'0001, 0x0000'0000'0000'0001}},  // ushr v2.2d, v0.2d, #63
      {0x4f400402, {0xffff'ffff'ffff'ffff, 0xffff'ffff'ffff'ffff}},  // sshr v2.2d, v0.2d, #64
      {0x6f400402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // ushr v2.2d, v0.2d, #64
      {0x4f181402, {0x1091'1111'1190'1110, 0x21a2'22a1'2222'2262}},  // ssra v2.8h, v0.8h, #8
      {0x2f341402, {0x0000'0000'0000'0000, 0x222a'3219'2222'3216}},  // usra v2.2s, v0.2s, #12
      {0x5f400402, {0x0000'0000'0000'0000, 0xffff'ffff'ffff'ffff}},  // sshr d2, d0, #64
      {0x7f7f1402, {0x0000'0000'0000'0000, 0x62a1'e1a2'a2a1'c262}},  // usra d2, d0, #1
  };
  check(cases, a);
}

TEST_F(SimdShiftTest, RoundsHalvesUpwards) {
  const Quad a = {0x8000'0000'7fff'ffff, 0x80ff'7f01'00ff'4081};
  const Case cases[] = {
      {0x4f0f2402, {0xc000'0000'4000'0000, 0xc000'4001'0000'20c1}},  // srshr v2.16b, v0.16b, #1
      {0x4f082402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // srshr v2.16b, v0.16b, #8
      {0x6f082402, {0x0100'0000'0001'0101, 0x0101'0000'0001'0001}},  // urshr v2.16b, v0.16b, #8
      {0x6f1c2402, {0x0800'0000'0800'1000, 0x0810'07f0'0010'0408}},  // urshr v2.8h, v0.8h, #4
      {0x4f383402, {0x1091'1111'1191'1111, 0x21a3'21a1'2223'2163}},  // srsra v2.4s, v0.4s, #8
      {0x6f403402, {0x1111'1111'1111'1112, 0x2222'2222'2222'2223}},  // ursra v2.2d, v0.2d, #64
      {0x5f402402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // srshr d2, d0, #64
      {0x7f402402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0001}},  // urshr d2, d0, #64
      {0x7f7d3402, {0x0000'0000'0000'0000, 0x3242'1202'4242'0a32}},  // ursra d2, d0, #3
  };
  check(cases, a);
}

TEST_F(SimdShiftTest, ShiftsLeftAndInserts) {
  const Quad a = {0x8000'0000'7fff'ffff, 0x80ff'7f01'00ff'4081};
  const Case cases[] = {
      {0x4f085402, {0x8000'0000'7fff'ffff, 0x80ff'7f01'00ff'4081}},  // shl v2.16b, v0.16b, #0
      {0x4f1f5402, {0x0000'0000'8000'8000, 0x8000'8000'8000'8000}},  // shl v2.8h, v0.8h, #15
      {0x4f7f5402, {0x8000'0000'0000'0000, 0x8000'0000'0000'0000}},  // shl v2.2d, v0.2d, #63
      {0x5f445402, {0x0000'0000'0000'0000, 0x0ff7'f010'0ff4'0810}},  // shl d2, d0, #4
      {0x6f0c5402, {0x0101'0101'f1f1'f1f1, 0x02f2'f212'02f2'0212}},  // sli v2.16b, v0.16b, #4
      {0x2f205402, {0x0000'0000'0000'0000, 0x80ff'7f01'00ff'4081}},  // sli v2.2s, v0.2s, #0
      {0x7f7c5402, {0x0000'0000'0000'0000, 0x1222'2222'2222'2222}},  // sli d2, d0, #60
      {0x6f0c4402, {0x1810'1010'171f'1f1f, 0x282f'2720'202f'2428}},  // sri v2.16b, v0.16b, #4
      {0x2f084402, {0x0000'0000'0000'0000, 0x2222'2222'2222'2222}},  // sri v2.8b, v0.8b, #8
      {0x6f3f4402, {0x4000'0000'3fff'ffff, 0x407f'bf80'007f'a040}},  // sri v2.4s, v0.4s, #1
      {0x6f404402, {0x1111'1111'1111'1111, 0x2222'2222'2222'2222}},  // sri v2.2d, v0.2d, #64
      {0x7f784402, {0x0000'0000'0000'0000, 0x2280'ff7f'0100'ff40}},  // sri d2, d0, #8
  };
  check(cases, a);
}

TEST_F(SimdShiftTest, SaturatingShiftsLeft) {
  const Quad a = {0x0000'0000'0000'0001, 0x80ff'7f01'00ff'4081};
  const Case cases[] = {
      {0x0f097402, {0x0000'0000'0000'0000, 0x80fe'7f02'00fe'7f80}, saturates},  // sqshl v2.8b, v0.8b, #1
      {0x2f097402, {0x0000'0000'0000'0000, 0xffff'fe02'00ff'80ff}, saturates},  // uqshl v2.8b, v0.8b, #1
      {0x2f096402, {0x0000'0000'0000'0000, 0x0000'fe02'0000'8000}, saturates},  // sqshlu v2.8b, v0.8b, #1
      {0x4f107402, {0x0000'0000'0000'0001, 0x80ff'7f01'00ff'4081}},             // sqshl v2.8h, v0.8h, #0
      {0x2f206402, {0x0000'0000'0000'0000, 0x0000'0000'00ff'4081}, saturates},  // sqshlu v2.2s, v0.2s, #0
      {0x6f417402, {0x0000'0000'0000'0002, 0xffff'ffff'ffff'ffff}, saturates},  // uqshl v2.2d, v0.2d, #1
      {0x4f277402, {0x0000'0000'0000'0080, 0x8000'0000'7fa0'4080}, saturates},  // sqshl v2.4s, v0.4s, #7
      {0x5f0f7402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0080}, saturates},  // sqshl b2, b0, #7
      {0x7f117402, {0x0000'0000'0000'0000, 0x0000'0000'0000'8102}},             // uqshl h2, h0, #1
      {0x7f286402, {0x0000'0000'0000'0000, 0x0000'0000'ff40'8100}},             // sqshlu s2, s0, #8
      {0x5f417402, {0x0000'0000'0000'0000, 0x8000'0000'0000'0000}, saturates},  // sqshl d2, d0, #1
      {0x7f407402, {0x0000'0000'0000'0000, 0x80ff'7f01'00ff'4081}},             // uqshl d2, d0, #0
  };
  check(cases, a);
}

TEST_F(SimdShiftTest, ShiftsRightIntoNarrowLanes) {
  const Quad a = {0x7fff'ffff'8000'0000, 0x00ff'0180'ff7f'8080};
  const Case cases[] = {
      {0x0f0f8402, {0x0000'0000'0000'0000, 0xffff'0000'7fc0'bf40}},             // shrn v2.8b, v0.8h, #1
      {0x4f108402, {0x7fff'8000'00ff'ff7f, 0x2222'2222'2222'2222}},             // shrn2 v2.8h, v0.4s, #16
      {0x0f088c02, {0x0000'0000'0000'0000, 0x8000'8000'0102'ff81}},             // rshrn v2.8b, v0.8h, #8
      {0x4f208c02, {0x8000'0000'00ff'0181, 0x2222'2222'2222'2222}},             // rshrn2 v2.4s, v0.2d, #32
      {0x0f0f9402, {0x0000'0000'0000'0000, 0x7fff'8000'7f7f'bf80}, saturates},  // sqshrn v2.8b, v0.8h, #1
      {0x2f0f9402, {0x0000'0000'0000'0000, 0xffff'ff00'7fc0'ffff}, saturates},  // uqshrn v2.8b, v0.8h, #1
      {0x0f0f9c02, {0x0000'0000'0000'0000, 0x7f00'8000'7f7f'c080}, saturates},  // sqrshrn v2.8b, v0.8h, #1
      {0x6f109c02, {0x8000'8000'00ff'ff80, 0x2222'2222'2222'2222}},             // uqrshrn2 v2.8h, v0.4s, #16
      {0x2f0f8402, {0x0000'0000'0000'0000, 0xff00'0000'7fc0'0000}, saturates},  // sqshrun v2.8b, v0.8h, #1
      {0x6f218c02, {0xffff'ffff'01fe'0302, 0x2222'2222'2222'2222}},             // sqrshrun2 v2.4s, v0.2d, #31
      {0x5f089402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0080}},             // sqshrn b2, h0, #8
      {0x7f109c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'ff80}},             // uqrshrn h2, s0, #16
      {0x7f288402, {0x0000'0000'0000'0000, 0x0000'0000'ff01'80ff}},             // sqshrun s2, d0, #24
      {0x7f0f8c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}, saturates},  // sqrshrun b2, h0, #1
      {0x5f2b9c02, {0x0000'0000'0000'0000, 0x0000'0000'7fff'ffff}, saturates},  // sqrshrn s2, d0, #21
  };
  check(cases, a);
}

TEST_F(SimdShiftTest, ShiftsLeftIntoLongLanes) {
  const Quad a = {0x8000'0000'7fff'ffff, 0x80ff'7f01'00ff'4081};
  const Case cases[] = {
      {0x0f08a402, {0xff80'ffff'007f'0001, 0x0000'ffff'0040'ff81}},  // sshll v2.8h, v0.8b, #0
      {0x2f0fa402, {0x4000'7f80'3f80'0080, 0x0000'7f80'2000'4080}},  // ushll v2.8h, v0.8b, #7
      {0x4f1fa402, {0xc000'0000'0000'0000, 0x3fff'8000'ffff'8000}},  // sshll2 v2.4s, v0.8h, #15
      {0x6f3fa402, {0x4000'0000'0000'0000, 0x3fff'ffff'8000'0000}},  // ushll2 v2.2d, v0.4s, #31
      {0x2f20a402, {0x0000'0000'80ff'7f01, 0x0000'0000'00ff'4081}},  // ushll v2.2d, v0.2s, #0
  };
  check(cases, a);
}

TEST_F(SimdShiftTest, ReservedShiftsAreUndefined) {
  for (const std::uint32_t word : {
           0x0f400402u,  // sshr v2.1d
           0x4f408402u,  // shrn, from lanes of 128 bits
           0x4f40a402u,  // sshll, to lanes of 128 bits
           0x0f000c02u,  // immh is 0, and no modified immediate
           0x5f200402u,  // sshr s2
           0x0f086402u,  // sqshlu's opcode with U clear
           0x0f084402u,  // sri's
       })
    expect_undefined(word);
}

}  // namespace
}  // namespace asterism::a64
