// SIMD instructions that only move: permute, extract, table lookup, copy, modified immediate.
#include "core/a64/simd_test.h"

namespace asterism::a64 {
namespace {

using SimdMoveTest = SimdTest;

TEST_F(SimdMoveTest, PermutesLanesOfTwoRegisters) {
  const Quad a = {0x0f0e'0d0c'0b0a'0908, 0x0706'0504'0302'0100},
             b = {0x1f1e'1d1c'1b1a'1918, 0x1716'1514'1312'1110};
  const Case cases[] = {
      {0x4e013802, {0x1707'1606'1505'1404, 0x1303'1202'1101'1000}},  // zip1 v2.16b, v0.16b, v1.16b
      {0x4e017802, {0x1f0f'1e0e'1d0d'1c0c, 0x1b0b'1a0a'1909'1808}},  // zip2 v2.16b, v0.16b, v1.16b
      {0x4e011802, {0x1e1c'1a18'1614'1210, 0x0e0c'0a08'0604'0200}},  // uzp1 v2.16b, v0.16b, v1.16b
      {0x4e015802, {0x1f1d'1b19'1715'1311, 0x0f0d'0b09'0705'0301}},  // uzp2 v2.16b, v0.16b, v1.16b
      {0x4e012802, {0x1e0e'1c0c'1a0a'1808, 0x1606'1404'1202'1000}},  // trn1 v2.16b, v0.16b, v1.16b
      {0x4e016802, {0x1f0f'1d0d'1b0b'1909, 0x1707'1505'1303'1101}},  // trn2 v2.16b, v0.16b, v1.16b
      {0x0e413802, {0x0000'0000'0000'0000, 0x1312'0302'1110'0100}},  // zip1 v2.4h, v0.4h, v1.4h
      {0x0e815802, {0x0000'0000'0000'0000, 0x1716'1514'0706'0504}},  // uzp2 v2.2s, v0.2s, v1.2s
      {0x0e012802, {0x0000'0000'0000'0000, 0x1606'1404'1202'1000}},  // trn1 v2.8b, v0.8b, v1.8b
      {0x4ec17802, {0x1f1e'1d1c'1b1a'1918, 0x0f0e'0d0c'0b0a'0908}},  // zip2 v2.2d, v0.2d, v1.2d
      {0x4e811802, {0x1b1a'1918'1312'1110, 0x0b0a'0908'0302'0100}},  // uzp1 v2.4s, v0.4s, v1.4s
      {0x4e416802, {0x1f1e'0f0e'1b1a'0b0a, 0x1716'0706'1312'0302}},  // trn2 v2.8h, v0.8h, v1.8h
  };
  check(cases, a, b);
}

TEST_F(SimdMoveTest, ExtractsFromTwoRegisters) {
  const Quad a = {0x0f0e'0d0c'0b0a'0908, 0x0706'0504'0302'0100},
             b = {0x1f1e'1d1c'1b1a'1918, 0x1716'1514'1312'1110};
  const Case cases[] = {
      {0x6e010002, {0x0f0e'0d0c'0b0a'0908, 0x0706'0504'0302'0100}},  // ext v2.16b, v0.16b, v1.16b, #0
      {0x6e010802, {0x100f'0e0d'0c0b'0a09, 0x0807'0605'0403'0201}},  // ext v2.16b, v0.16b, v1.16b, #1
      {0x6e013802, {0x1615'1413'1211'100f, 0x0e0d'0c0b'0a09'0807}},  // ext v2.16b, v0.16b, v1.16b, #7
      {0x6e014002, {0x1716'1514'1312'1110, 0x0f0e'0d0c'0b0a'0908}},  // ext v2.16b, v0.16b, v1.16b, #8
      {0x6e017802, {0x1e1d'1c1b'1a19'1817, 0x1615'1413'1211'100f}},  // ext v2.16b, v0.16b, v1.16b, #15
      {0x2e010002, {0x0000'0000'0000'0000, 0x0706'0504'0302'0100}},  // ext v2.8b, v0.8b, v1.8b, #0
      {0x2e011802, {0x0000'0000'0000'0000, 0x1211'1007'0605'0403}},  // ext v2.8b, v0.8b, v1.8b, #3
      {0x2e013802, {0x0000'0000'0000'0000, 0x1615'1413'1211'1007}},  // ext v2.8b, v0.8b, v1.8b, #7
  };
  check(cases, a, b);
}

TEST_F(SimdMoveTest, DuplicatesElements) {
  const Quad a = {0x0f0e'0d0c'0b0a'0908, 0x0706'0504'0302'0100};
  const Case cases[] = {
      {0x4e1f0402, {0x0f0f'0f0f'0f0f'0f0f, 0x0f0f'0f0f'0f0f'0f0f}},  // dup v2.16b, v0.b[15]
      {0x0e0e0402, {0x0000'0000'0000'0000, 0x0706'0706'0706'0706}},  // dup v2.4h, v0.h[3]
      {0x0e140402, {0x0000'0000'0000'0000, 0x0b0a'0908'0b0a'0908}},  // dup v2.2s, v0.s[2]
      {0x4e180402, {0x0f0e'0d0c'0b0a'0908, 0x0f0e'0d0c'0b0a'0908}},  // dup v2.2d, v0.d[1]
      {0x5e130402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0009}},  // mov b2, v0.b[9]
      {0x5e1e0402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0f0e}},  // mov h2, v0.h[7]
      {0x5e0c0402, {0x0000'0000'0000'0000, 0x0000'0000'0706'0504}},  // mov s2, v0.s[1]
      {0x5e180402, {0x0000'0000'0000'0000, 0x0f0e'0d0c'0b0a'0908}},  // mov d2, v0.d[1]
  };
  check(cases, a);
}

TEST_F(SimdMoveTest, InsertsElements) {
  const Quad a = {0x0f0e'0d0c'0b0a'0908, 0x0706'0504'0302'0100};
  const Case cases[] = {
      {0x6e1f0402, {0x0011'1111'1111'1111, 0x2222'2222'2222'2222}},  // mov v2.b[15], v0.b[0]
      {0x6e0a7402, {0x1111'1111'1111'1111, 0x2222'0f0e'2222'2222}},  // mov v2.h[2], v0.h[7]
      {0x6e046402, {0x1111'1111'1111'1111, 0x2222'2222'0f0e'0d0c}},  // mov v2.s[0], v0.s[3]
      {0x6e180402, {0x0706'0504'0302'0100, 0x2222'2222'2222'2222}},  // mov v2.d[1], v0.d[0]
  };
  check(cases, a);
}

TEST_F(SimdMoveTest, TakesGeneralRegisters) {
  const Case cases[] = {
      {0x4e010c22, {0xf0f0'f0f0'f0f0'f0f0, 0xf0f0'f0f0'f0f0'f0f0}},  // dup v2.16b, w1
      {0x0e020c22, {0x0000'0000'0000'0000, 0xdef0'def0'def0'def0}},  // dup v2.4h, w1
      {0x4e040c22, {0x9abc'def0'9abc'def0, 0x9abc'def0'9abc'def0}},  // dup v2.4s, w1
      {0x4e080c22, {0x1234'5678'9abc'def0, 0x1234'5678'9abc'def0}},  // dup v2.2d, x1
      {0x4e071c22, {0x1111'1111'1111'1111, 0x2222'2222'f022'2222}},  // mov v2.b[3], w1
      {0x4e021c22, {0x1111'1111'1111'1111, 0x2222'2222'2222'def0}},  // mov v2.h[0], w1
      {0x4e1c1c22, {0x9abc'def0'1111'1111, 0x2222'2222'2222'2222}},  // mov v2.s[3], w1
      {0x4e081c22, {0x1111'1111'1111'1111, 0x1234'5678'9abc'def0}},  // mov v2.d[0], x1
      {0x4e181fe2, {0x0000'0000'0000'0000, 0x2222'2222'2222'2222}},  // mov v2.d[1], xzr
  };
  check(cases);
}

TEST_F(SimdMoveTest, LooksUpBytes) {
  const Quad a = {0x0f0e'0d0c'0b0a'0908, 0x0706'0504'0302'0100},
             b = {0x0001'0f10'11ff'0203, 0x0405'0607'0809'0a20};
  const Case cases[] = {
      {0x4e010002, {0x0001'0f00'0000'0203, 0x0405'0607'0809'0a00}},  // tbl v2.16b, {v0.16b}, v1.16b
      {0x0e010002, {0x0000'0000'0000'0000, 0x0405'0607'0809'0a00}},  // tbl v2.8b, {v0.16b}, v1.8b
      {0x4e011002, {0x0001'0f11'1111'0203, 0x0405'0607'0809'0a22}},  // tbx v2.16b, {v0.16b}, v1.16b
      {0x0e011002, {0x0000'0000'0000'0000, 0x0405'0607'0809'0a22}},  // tbx v2.8b, {v0.16b}, v1.8b
      {0x4e012002, {0x0001'0f20'0a00'0203, 0x0405'0607'0809'0a00}},  // tbl v2.16b, {v0.16b, v1.16b}, v1.16b
      {0x4e015002,
       {0x0001'0f20'0a11'0203, 0x0405'0607'0809'0a22}},  // tbx v2.16b, {v0.16b, v1.16b, v2.16b}, v1.16b
  };
  check(cases, a, b);
}

TEST_F(SimdMoveTest, ExpandsImmediates) {
  const Case cases[] = {
      {0x0f050562, {0x0000'0000'0000'0000, 0x0000'00ab'0000'00ab}},  // movi v2.2s, #0xab
      {0x4f056562, {0xab00'0000'ab00'0000, 0xab00'0000'ab00'0000}},  // movi v2.4s, #0xab, lsl #24
      {0x6f052562, {0xffff'54ff'ffff'54ff, 0xffff'54ff'ffff'54ff}},  // mvni v2.4s, #0xab, lsl #8
      {0x0f058562, {0x0000'0000'0000'0000, 0x00ab'00ab'00ab'00ab}},  // movi v2.4h, #0xab
      {0x4f05a562, {0xab00'ab00'ab00'ab00, 0xab00'ab00'ab00'ab00}},  // movi v2.8h, #0xab, lsl #8
      {0x6f058562, {0xff54'ff54'ff54'ff54, 0xff54'ff54'ff54'ff54}},  // mvni v2.8h, #0xab
      {0x4f05c562, {0x0000'abff'0000'abff, 0x0000'abff'0000'abff}},  // movi v2.4s, #0xab, msl #8
      {0x0f05d562, {0x0000'0000'0000'0000, 0x00ab'ffff'00ab'ffff}},  // movi v2.2s, #0xab, msl #16
      {0x6f05d562, {0xff54'0000'ff54'0000, 0xff54'0000'ff54'0000}},  // mvni v2.4s, #0xab, msl #16
      {0x0f05e562, {0x0000'0000'0000'0000, 0xabab'abab'abab'abab}},  // movi v2.8b, #0xab
      {0x4f05e562, {0xabab'abab'abab'abab, 0xabab'abab'abab'abab}},  // movi v2.16b, #0xab
      {0x2f05e642, {0x0000'0000'0000'0000, 0xff00'ffff'0000'ff00}},  // movi d2, #0xff00ffff0000ff00
      {0x6f04e402, {0xff00'0000'0000'0000, 0xff00'0000'0000'0000}},  // movi v2.2d, #0xff00000000000000
      {0x0f03f602, {0x0000'0000'0000'0000, 0x3f80'0000'3f80'0000}},  // fmov v2.2s, #1.0
      {0x4f06f422, {0xbe08'0000'be08'0000, 0xbe08'0000'be08'0000}},  // fmov v2.4s, #-0.1328125
      {0x6f01f7e2, {0x403f'0000'0000'0000, 0x403f'0000'0000'0000}},  // fmov v2.2d, #31.0
      {0x6f04f402, {0xc000'0000'0000'0000, 0xc000'0000'0000'0000}},  // fmov v2.2d, #-2.0
      {0x4f075602, {0x11f1'1111'11f1'1111, 0x22f2'2222'22f2'2222}},  // orr v2.4s, #0xf0, lsl #16
      {0x0f079602, {0x0000'0000'0000'0000, 0x22f2'22f2'22f2'22f2}},  // orr v2.4h, #0xf0
      {0x2f011442, {0x0000'0000'0000'0000, 0x2222'2200'2222'2200}},  // bic v2.2s, #0x22
      {0x6f00b622, {0x0011'0011'0011'0011, 0x2222'2222'2222'2222}},  // bic v2.8h, #0x11, lsl #8
  };
  check(cases);
}

TEST_F(SimdMoveTest, MovesElementsToGeneralRegisters) {
  const State before = with_vectors({0x8001'0000'ffff'fffe, 0x7f80'0000'8000'0081});
  struct {
    std::uint32_t word;
    std::uint64_t expected;
  } const cases[] = {
      {0x0e012c02, 0xffff'ff81},            // smov w2, v0.b[0]
      {0x4e012c02, 0xffff'ffff'ffff'ff81},  // smov x2, v0.b[0]
      {0x0e1e2c02, 0xffff'8001},            // smov w2, v0.h[7]
      {0x4e042c02, 0xffff'ffff'8000'0081},  // smov x2, v0.s[0]
      {0x0e013c02, 0x81},                   // umov w2, v0.b[0]
      {0x0e1e3c02, 0x8001},                 // umov w2, v0.h[7]
      {0x0e143c02, 0xffff'fffe},            // mov w2, v0.s[2]
      {0x4e183c02, 0x8001'0000'ffff'fffe},  // mov x2, v0.d[1]
  };
  for (const auto& [word, expected] : cases)
    EXPECT_EQ(run({word}, before).x[2], expected) << std::hex << word;
  EXPECT_EQ(run({0x4e183c1f}, before).x[zero_register], 0u);  // mov xzr, v0.d[1]
}

TEST_F(SimdMoveTest, TablesWrapAroundAfterTheLastRegister) {
  State before = with_vectors({0, 0x0706'0504'0302'0100});
  before.v[31] = Quad{0x1f1e'1d1c'1b1a'1918, 0x1716'1514'1312'1110};
  before.v[1] = Quad{0, 0x000f'1011'1720'1f08};
  const State after = run({0x0e0123e2}, before);  // tbl v2.8b, {v31.16b, v0.16b}, v1.8b
  EXPECT_EQ(after.v[2], (Quad{0, 0x101f'0001'0700'0018}));
}

TEST_F(SimdMoveTest, ReservedMovesAreUndefined) {
  for (const std::uint32_t word : {
           0x0ec13802u, 0x2e014002u,               // zip1 1d; ext 8b, #8
           0x4e100402u, 0x5e100402u, 0x0e080402u,  // dup of a size of 128 bits, vector and scalar; dup 1d
           0x0e042c02u, 0x4e082c02u,               // smov w, s; smov x, d
           0x0e083c02u, 0x4e043c02u, 0x4e103c02u,  // umov w, d; umov x, s; of 128 bits
           0x0e011c22u, 0x4e101c22u, 0x2e010402u,  // ins without Q; of 128 bits; ins element without Q
           0x2f00f402u,                            // fmov 1d
       })
    expect_undefined(word);
}

}  // namespace
}  // namespace asterism::a64
