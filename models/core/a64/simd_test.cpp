// Integer arithmetic of SIMD: three same, three different, two registers, across lanes, by element.
#include "core/a64/simd_test.h"

#include "core/a64/decoder.h"

namespace asterism::a64 {
namespace {

TEST_F(SimdTest, AddsAndSubtractsModuloTheLane) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e218402, {0x0001'7f00'7f00'ff00, 0x8000'0000'0004'00ff}},  // add v2.16b, v0.16b, v1.16b
      {0x0e218402, {0x0000'0000'0000'0000, 0x8000'0000'0004'00ff}},  // add v2.8b, v0.8b, v1.8b
      {0x4e618402, {0x0001'8000'8000'0000, 0x8100'0100'0004'00ff}},  // add v2.8h, v0.8h, v1.8h
      {0x4ea18402, {0x0001'8000'8001'0000, 0x8101'0100'0005'00ff}},  // add v2.4s, v0.4s, v1.4s
      {0x4ee18402, {0x0001'8000'8001'0000, 0x8101'0101'0005'00ff}},  // add v2.2d, v0.2d, v1.2d
      {0x6e218402, {0x00ff'7ffe'8102'fffe, 0x7e00'02fe'0200'80ab}},  // sub v2.16b, v0.16b, v1.16b
      {0x6ee18402, {0xffff'7ffd'8002'fffe, 0x7e00'02fd'01ff'7fab}},  // sub v2.2d, v0.2d, v1.2d
      {0x5ee18402, {0x0000'0000'0000'0000, 0x8101'0101'0005'00ff}},  // add d2, d0, d1
      {0x7ee18402, {0x0000'0000'0000'0000, 0x7e00'02fd'01ff'7fab}},  // sub d2, d0, d1
      {0x4e20b802, {0x8000'7f01'0001'0101, 0x7f80'7f01'0102'4055}},  // abs v2.16b, v0.16b
      {0x4ee0b802, {0x7fff'8000'fffe'0001, 0x7f80'81ff'0102'4055}},  // abs v2.2d, v0.2d
      {0x6e60b802, {0x8000'8001'ffff'0001, 0x8080'7e01'fefe'bfab}},  // neg v2.8h, v0.8h
      {0x2ea0b802, {0x0000'0000'0000'0000, 0x807f'7e01'fefd'bfab}},  // neg v2.2s, v0.2s
      {0x5ee0b802, {0x0000'0000'0000'0000, 0x7f80'81ff'0102'4055}},  // abs d2, d0
      {0x7ee0b802, {0x0000'0000'0000'0000, 0x807f'7e00'fefd'bfab}},  // neg d2, d0
  };
  check(cases, a, b);
}

TEST_F(SimdTest, ComparesIntoMasks) {
  const Quad a = {0x8000'0000'7fff'ffff, 0x0001'7fff'80ff'0180},
             b = {0x7fff'ffff'7fff'ffff, 0x0001'8000'80ff'8001};
  const Case cases[] = {
      {0x2e218c02, {0x0000'0000'0000'0000, 0xffff'0000'ffff'0000}},  // cmeq v2.8b, v0.8b, v1.8b
      {0x0e213402, {0x0000'0000'0000'0000, 0x0000'ff00'0000'ff00}},  // cmgt v2.8b, v0.8b, v1.8b
      {0x0e213c02, {0x0000'0000'0000'0000, 0xffff'ff00'ffff'ff00}},  // cmge v2.8b, v0.8b, v1.8b
      {0x2e213402, {0x0000'0000'0000'0000, 0x0000'00ff'0000'00ff}},  // cmhi v2.8b, v0.8b, v1.8b
      {0x2e213c02, {0x0000'0000'0000'0000, 0xffff'00ff'ffff'00ff}},  // cmhs v2.8b, v0.8b, v1.8b
      {0x0e218c02, {0x0000'0000'0000'0000, 0x00ff'0000'ffff'0000}},  // cmtst v2.8b, v0.8b, v1.8b
      {0x4ea13402, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // cmgt v2.4s, v0.4s, v1.4s
      {0x6ea13402, {0xffff'ffff'0000'0000, 0x0000'0000'0000'0000}},  // cmhi v2.4s, v0.4s, v1.4s
      {0x6ee18c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // cmeq v2.2d, v0.2d, v1.2d
      {0x4ee13c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // cmge v2.2d, v0.2d, v1.2d
      {0x6ee13c02, {0xffff'ffff'ffff'ffff, 0x0000'0000'0000'0000}},  // cmhs v2.2d, v0.2d, v1.2d
      {0x4e208802, {0x0000'0000'ff00'0000, 0x00ff'ff00'0000'ff00}},  // cmgt v2.16b, v0.16b, #0
      {0x6e608802, {0x0000'ffff'ffff'0000, 0xffff'ffff'0000'ffff}},  // cmge v2.8h, v0.8h, #0
      {0x4e209802, {0x00ff'ffff'0000'0000, 0xff00'0000'0000'0000}},  // cmeq v2.16b, v0.16b, #0
      {0x6ea09802, {0xffff'ffff'0000'0000, 0x0000'0000'ffff'ffff}},  // cmle v2.4s, v0.4s, #0
      {0x4ee0a802, {0xffff'ffff'ffff'ffff, 0x0000'0000'0000'0000}},  // cmlt v2.2d, v0.2d, #0
      {0x7ee18c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // cmeq d2, d0, d1
      {0x5ee18c02, {0x0000'0000'0000'0000, 0xffff'ffff'ffff'ffff}},  // cmtst d2, d0, d1
      {0x5ee0a802, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // cmlt d2, d0, #0
  };
  check(cases, a, b);
}

TEST_F(SimdTest, TakesLargerSmallerAndDifferences) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e216402, {0x8001'7f01'7f01'0001, 0x7f80'7f01'0102'4055}},  // smax v2.16b, v0.16b, v1.16b
      {0x6e216402, {0x8001'7fff'7fff'ffff, 0x7f80'81ff'ff02'c0aa}},  // umax v2.16b, v0.16b, v1.16b
      {0x4e216c02, {0x8000'00ff'00ff'ffff, 0x0180'81ff'ff02'c0aa}},  // smin v2.16b, v0.16b, v1.16b
      {0x6e216c02, {0x8000'0001'0001'0001, 0x0180'7f01'0102'4055}},  // umin v2.16b, v0.16b, v1.16b
      {0x0e616402, {0x0000'0000'0000'0000, 0x7f80'7f01'0102'4055}},  // smax v2.4h, v0.4h, v1.4h
      {0x2e616402, {0x0000'0000'0000'0000, 0x7f80'81ff'ff02'c0aa}},  // umax v2.4h, v0.4h, v1.4h
      {0x4ea16c02, {0x8000'7fff'0001'ffff, 0x0180'7f01'ff02'c0aa}},  // smin v2.4s, v0.4s, v1.4s
      {0x6ea16c02, {0x8000'7fff'0001'ffff, 0x0180'7f01'0102'4055}},  // umin v2.4s, v0.4s, v1.4s
      {0x4e217402, {0x0001'7f02'7f02'0102, 0x7e00'fe02'0200'80ab}},  // sabd v2.16b, v0.16b, v1.16b
      {0x6e217402, {0x0001'7ffe'7ffe'fffe, 0x7e00'02fe'fe00'8055}},  // uabd v2.16b, v0.16b, v1.16b
      {0x4e217c02, {0x1112'9013'9013'1213, 0xa022'2024'2422'a2cd}},  // saba v2.16b, v0.16b, v1.16b
      {0x6e217c02, {0x1112'900f'900f'100f, 0xa022'2420'2022'a277}},  // uaba v2.16b, v0.16b, v1.16b
      {0x4e617402, {0x0001'7ffe'7ffe'0002, 0x7e00'fd02'0200'7fab}},  // sabd v2.8h, v0.8h, v1.8h
      {0x6e617c02, {0x1112'910f'910f'110f, 0xa022'2520'2022'a277}},  // uaba v2.8h, v0.8h, v1.8h
      {0x0e217002, {0x007e'0000'00fe'0002, 0x0002'0000'0080'00ab}},  // sabdl v2.8h, v0.8b, v1.8b
      {0x6e615002, {0x1111'1112'1111'910f, 0x2222'a220'2223'2220}},  // uabal2 v2.4s, v0.8h, v1.8h
  };
  check(cases, a, b);
}

TEST_F(SimdTest, HalvesSumsWithoutLosingTheCarry) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e210402, {0x8000'3f00'3f00'ff00, 0x4080'0000'0002'00ff}},  // shadd v2.16b, v0.16b, v1.16b
      {0x6e210402, {0x8000'3f80'3f80'7f80, 0x4080'8080'8002'807f}},  // uhadd v2.16b, v0.16b, v1.16b
      {0x4e211402, {0x8001'4000'4000'0000, 0x4080'0000'0002'0000}},  // srhadd v2.16b, v0.16b, v1.16b
      {0x6e211402, {0x8001'4080'4080'8080, 0x4080'8080'8002'8080}},  // urhadd v2.16b, v0.16b, v1.16b
      {0x4e212402, {0x00ff'3fff'c001'ffff, 0x3f00'81ff'0100'4055}},  // shsub v2.16b, v0.16b, v1.16b
      {0x6e212402, {0x00ff'3f7f'c081'7f7f, 0x3f00'017f'8100'c0d5}},  // uhsub v2.16b, v0.16b, v1.16b
      {0x4ea10402, {0x8000'c000'4000'8000, 0x4080'8080'0002'807f}},  // shadd v2.4s, v0.4s, v1.4s
      {0x6ea11402, {0x8000'c000'4000'8000, 0x4080'8080'8002'8080}},  // urhadd v2.4s, v0.4s, v1.4s
      {0x0e612402, {0x0000'0000'0000'0000, 0x3f00'817f'0100'3fd5}},  // shsub v2.4h, v0.4h, v1.4h
  };
  check(cases, a, b);
}

TEST_F(SimdTest, SaturatingSumsSayWhenTheySaturate) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e210c02,
       {0x8001'7f00'7f00'ff00, 0x7f80'0000'0004'00ff},
       saturates},  // sqadd v2.16b, v0.16b, v1.16b
      {0x6e210c02,
       {0xff01'7fff'7fff'ffff, 0x80ff'ffff'ff04'ffff},
       saturates},  // uqadd v2.16b, v0.16b, v1.16b
      {0x4e212c02,
       {0x00ff'7ffe'8102'fffe, 0x7e00'80fe'0200'7f7f},
       saturates},  // sqsub v2.16b, v0.16b, v1.16b
      {0x6e212c02,
       {0x0000'7ffe'0000'fffe, 0x7e00'02fe'0000'0000},
       saturates},  // uqsub v2.16b, v0.16b, v1.16b
      {0x4e610c02, {0x8000'7fff'7fff'0000, 0x7fff'0100'0004'00ff}, saturates},  // sqadd v2.8h, v0.8h, v1.8h
      {0x6e610c02, {0xffff'8000'8000'ffff, 0x8100'ffff'ffff'ffff}, saturates},  // uqadd v2.8h, v0.8h, v1.8h
      {0x4ee12c02, {0xffff'7ffd'8002'fffe, 0x7e00'02fd'01ff'7fab}},             // sqsub v2.2d, v0.2d, v1.2d
      {0x6ee12c02, {0x0000'0000'0000'0000, 0x7e00'02fd'01ff'7fab}, saturates},  // uqsub v2.2d, v0.2d, v1.2d
      {0x5e210c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'00ff}},             // sqadd b2, b0, b1
      {0x7e210c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'00ff}},             // uqadd b2, b0, b1
      {0x5e612c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'7fab}},             // sqsub h2, h0, h1
      {0x7ea12c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}, saturates},  // uqsub s2, s0, s1
      {0x5ee10c02, {0x0000'0000'0000'0000, 0x7fff'ffff'ffff'ffff}, saturates},  // sqadd d2, d0, d1
      {0x4e203802, {0x7f11'7f7f'1112'7f7f, 0x7f7f'7f7f'2324'6277}, saturates},  // suqadd v2.16b, v0.16b
      {0x6e203802, {0x0011'9010'1112'1010, 0xa100'0021'2324'6277}, saturates},  // usqadd v2.16b, v0.16b
      {0x7e603802, {0x0000'0000'0000'0000, 0x0000'0000'0000'6277}},             // usqadd h2, h0
      {0x5ee03802, {0x0000'0000'0000'0000, 0x7fff'ffff'ffff'ffff}, saturates},  // suqadd d2, d0
  };
  check(cases, a, b);
}

TEST_F(SimdTest, SaturatingNegationsOfTheMinimum) {
  const Quad a = {0x8000'0000'0000'0000, 0x80ff'8000'0001'7f80},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e207802, {0x7f00'0000'0000'0000, 0x7f01'7f00'0001'7f7f}, saturates},  // sqabs v2.16b, v0.16b
      {0x0e607802, {0x0000'0000'0000'0000, 0x7f01'7fff'0001'7f80}, saturates},  // sqabs v2.4h, v0.4h
      {0x4ea07802, {0x7fff'ffff'0000'0000, 0x7f00'8000'0001'7f80}, saturates},  // sqabs v2.4s, v0.4s
      {0x4ee07802, {0x7fff'ffff'ffff'ffff, 0x7f00'7fff'fffe'8080}, saturates},  // sqabs v2.2d, v0.2d
      {0x6e207802, {0x7f00'0000'0000'0000, 0x7f01'7f00'00ff'817f}, saturates},  // sqneg v2.16b, v0.16b
      {0x2e607802, {0x0000'0000'0000'0000, 0x7f01'7fff'ffff'8080}, saturates},  // sqneg v2.4h, v0.4h
      {0x6ea07802, {0x7fff'ffff'0000'0000, 0x7f00'8000'fffe'8080}, saturates},  // sqneg v2.4s, v0.4s
      {0x6ee07802, {0x7fff'ffff'ffff'ffff, 0x7f00'7fff'fffe'8080}, saturates},  // sqneg v2.2d, v0.2d
      {0x5e207802, {0x0000'0000'0000'0000, 0x0000'0000'0000'007f}, saturates},  // sqabs b2, b0
      {0x7e607802, {0x0000'0000'0000'0000, 0x0000'0000'0000'8080}},             // sqneg h2, h0
      {0x5ea07802, {0x0000'0000'0000'0000, 0x0000'0000'0001'7f80}},             // sqabs s2, s0
      {0x7ee07802, {0x0000'0000'0000'0000, 0x7f00'7fff'fffe'8080}},             // sqneg d2, d0
  };
  check(cases, a, b);
}

TEST_F(SimdTest, MultipliesModuloTheLane) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e219c02, {0x0000'00ff'00ff'00ff, 0x7f00'ffff'ff04'0072}},  // mul v2.16b, v0.16b, v1.16b
      {0x4e619c02, {0x8000'7fff'7fff'ffff, 0x4000'02ff'0004'7872}},  // mul v2.8h, v0.8h, v1.8h
      {0x0ea19c02, {0x0000'0000'0000'0000, 0x3e7e'02ff'8768'7872}},  // mul v2.2s, v0.2s, v1.2s
      {0x4e219402, {0x1111'1110'1110'1110, 0xa122'2121'2126'2294}},  // mla v2.16b, v0.16b, v1.16b
      {0x4e619402, {0x9111'9110'9110'1110, 0x6222'2521'2226'9a94}},  // mla v2.8h, v0.8h, v1.8h
      {0x0ea19402, {0x0000'0000'0000'0000, 0x60a0'2521'a98a'9a94}},  // mla v2.2s, v0.2s, v1.2s
      {0x6e219402, {0x1111'1112'1112'1112, 0xa322'2323'231e'22b0}},  // mls v2.16b, v0.16b, v1.16b
      {0x6e619402, {0x9111'9112'9112'1112, 0xe222'1f23'221e'a9b0}},  // mls v2.8h, v0.8h, v1.8h
      {0x2ea19402, {0x0000'0000'0000'0000, 0xe3a4'1f23'9ab9'a9b0}},  // mls v2.2s, v0.2s, v1.2s
      {0x6e219c02, {0x0000'00ff'00ff'00ff, 0x7f00'ffff'ff04'0022}},  // pmul v2.16b, v0.16b, v1.16b
      {0x2e219c02, {0x0000'0000'0000'0000, 0x7f00'ffff'ff04'0022}},  // pmul v2.8b, v0.8b, v1.8b
  };
  check(cases, a, b);
}

TEST_F(SimdTest, DoublingMultipliesKeepTheUpperHalf) {
  const Quad a = {0x8000'0000'7fff'ffff, 0x8000'ffff'4000'4001},
             b = {0x8000'0000'7fff'ffff, 0x8000'7fff'4000'0001};
  const Case cases[] = {
      {0x4e61b402, {0x7fff'0000'7ffe'0000, 0x7fff'ffff'2000'0000}, saturates},  // sqdmulh v2.8h, v0.8h, v1.8h
      {0x0e61b402, {0x0000'0000'0000'0000, 0x7fff'ffff'2000'0000}, saturates},  // sqdmulh v2.4h, v0.4h, v1.4h
      {0x4ea1b402, {0x7fff'ffff'7fff'fffe, 0x7ffe'8002'2000'2001}, saturates},  // sqdmulh v2.4s, v0.4s, v1.4s
      {0x0ea1b402, {0x0000'0000'0000'0000, 0x7ffe'8002'2000'2001}},             // sqdmulh v2.2s, v0.2s, v1.2s
      {0x6e61b402,
       {0x7fff'0000'7ffe'0000, 0x7fff'ffff'2000'0001},
       saturates},  // sqrdmulh v2.8h, v0.8h, v1.8h
      {0x2e61b402,
       {0x0000'0000'0000'0000, 0x7fff'ffff'2000'0001},
       saturates},  // sqrdmulh v2.4h, v0.4h, v1.4h
      {0x6ea1b402,
       {0x7fff'ffff'7fff'fffe, 0x7ffe'8003'2000'2001},
       saturates},                                                   // sqrdmulh v2.4s, v0.4s, v1.4s
      {0x2ea1b402, {0x0000'0000'0000'0000, 0x7ffe'8003'2000'2001}},  // sqrdmulh v2.2s, v0.2s, v1.2s
      {0x5e61b422, {0x0000'0000'0000'0000, 0x0000'0000'0000'0000}},  // sqdmulh h2, h1, h1
      {0x7ea1b402, {0x0000'0000'0000'0000, 0x0000'0000'2000'2001}},  // sqrdmulh s2, s0, s1
      {0x5ea0b402, {0x0000'0000'0000'0000, 0x0000'0000'2000'4001}},  // sqdmulh s2, s0, s0
  };
  check(cases, a, b);
}

TEST_F(SimdTest, ShiftsByTheLowByteOfEachLane) {
  const Quad a = {0x80ff'7f01'80ff'7f01, 0x8000'ffff'0001'7fff},
             b = {0x01ff'08f9'f709'7f80, 0x0001'ffff'fff0'0010};
  const Case cases[] = {
      {0x4e214402, {0x00ff'0000'ff00'0000, 0x8000'ffff'0000'7f00}},  // sshl v2.16b, v0.16b, v1.16b
      {0x6e214402, {0x007f'0000'0000'0000, 0x8000'7f7f'0000'7f00}},  // ushl v2.16b, v0.16b, v1.16b
      {0x4e215402, {0x0000'0000'0000'0000, 0x8000'0000'0000'7f00}},  // srshl v2.16b, v0.16b, v1.16b
      {0x6e215402, {0x0080'0000'0000'0000, 0x8000'8080'0000'7f00}},  // urshl v2.16b, v0.16b, v1.16b
      {0x4e214c02,
       {0x80ff'7f00'ff80'7f00, 0x8000'ffff'0000'7f80},
       saturates},  // sqshl v2.16b, v0.16b, v1.16b
      {0x0e614c02, {0x0000'0000'0000'0000, 0x8000'ffff'0000'7fff}, saturates},  // sqshl v2.4h, v0.4h, v1.4h
      {0x6e214c02,
       {0xff7f'ff00'00ff'ff00, 0x8000'7f7f'0000'7fff},
       saturates},  // uqshl v2.16b, v0.16b, v1.16b
      {0x2e614c02, {0x0000'0000'0000'0000, 0xffff'7fff'0000'ffff}, saturates},  // uqshl v2.4h, v0.4h, v1.4h
      {0x4e215c02,
       {0x8000'7f00'0080'7f00, 0x8000'0000'0000'7f80},
       saturates},  // sqrshl v2.16b, v0.16b, v1.16b
      {0x0e615c02, {0x0000'0000'0000'0000, 0x8000'0000'0000'7fff}, saturates},  // sqrshl v2.4h, v0.4h, v1.4h
      {0x6e215c02,
       {0xff80'ff00'00ff'ff00, 0x8000'8080'0000'7fff},
       saturates},  // uqrshl v2.16b, v0.16b, v1.16b
      {0x2e615c02, {0x0000'0000'0000'0000, 0xffff'8000'0000'ffff}, saturates},  // uqrshl v2.4h, v0.4h, v1.4h
      {0x4ea14402, {0xff01'fefe'ffff'ffff, 0xc000'7fff'7fff'0000}},             // sshl v2.4s, v0.4s, v1.4s
      {0x6ea15402, {0x0101'fefe'0000'0000, 0x4000'8000'7fff'0000}},             // urshl v2.4s, v0.4s, v1.4s
      {0x4ee14c02, {0xffff'ffff'ffff'ffff, 0x8000'0000'0000'0000}, saturates},  // sqshl v2.2d, v0.2d, v1.2d
      {0x7ee14402, {0x0000'0000'0000'0000, 0xffff'0001'7fff'0000}},             // ushl d2, d0, d1
      {0x5e214c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'0080}, saturates},  // sqshl b2, b0, b1
      {0x7e615c02, {0x0000'0000'0000'0000, 0x0000'0000'0000'ffff}, saturates},  // uqrshl h2, h0, h1
  };
  check(cases, a, b);
}

TEST_F(SimdTest, CombinesBits) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e211c02, {0x8000'0001'0001'0001, 0x0180'0101'0102'4000}},  // and v2.16b, v0.16b, v1.16b
      {0x4e611c02, {0x0000'7ffe'0000'fffe, 0x7e00'80fe'0000'0055}},  // bic v2.16b, v0.16b, v1.16b
      {0x4ea11c02, {0x8001'7fff'7fff'ffff, 0x7f80'ffff'ff02'c0ff}},  // orr v2.16b, v0.16b, v1.16b
      {0x4ee11c02, {0xfffe'ffff'8001'ffff, 0xffff'81ff'01ff'7f55}},  // orn v2.16b, v0.16b, v1.16b
      {0x6e211c02, {0x0001'7ffe'7ffe'fffe, 0x7e00'fefe'fe00'80ff}},  // eor v2.16b, v0.16b, v1.16b
      {0x6e611c02, {0x8000'1111'6eef'1111, 0x2380'5d23'dd02'c088}},  // bsl v2.16b, v0.16b, v1.16b
      {0x6ea11c02, {0x9110'1111'0001'1111, 0x23a2'0123'0122'6200}},  // bit v2.16b, v0.16b, v1.16b
      {0x6ee11c02, {0x0001'7fff'1111'ffff, 0x7e00'a2fe'2202'0077}},  // bif v2.16b, v0.16b, v1.16b
      {0x0ee11c02, {0x0000'0000'0000'0000, 0xffff'81ff'01ff'7f55}},  // orn v2.8b, v0.8b, v1.8b
      {0x2e611c02, {0x0000'0000'0000'0000, 0x2380'5d23'dd02'c088}},  // bsl v2.8b, v0.8b, v1.8b
  };
  check(cases, a, b);
}

TEST_F(SimdTest, CombinesNeighbours) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e21bc02, {0x8101'7e01'8180'016a, 0x807e'01fe'ff80'0395}},  // addp v2.16b, v0.16b, v1.16b
      {0x4e21a402, {0x0101'7f01'017f'02c0, 0x007f'01ff'7fff'0255}},  // smaxp v2.16b, v0.16b, v1.16b
      {0x6e21a402, {0x8001'ff01'807f'ffc0, 0x80ff'01ff'80ff'0255}},  // umaxp v2.16b, v0.16b, v1.16b
      {0x4e21ac02, {0x8000'ff00'8001'ffaa, 0x80ff'00ff'8081'0140}},  // sminp v2.16b, v0.16b, v1.16b
      {0x6e21ac02, {0x0100'7f00'0101'02aa, 0x007f'00ff'7f81'0140}},  // uminp v2.16b, v0.16b, v1.16b
      {0x0e61bc02, {0x0000'0000'0000'0000, 0x8081'bfac'017f'4157}},  // addp v2.4h, v0.4h, v1.4h
      {0x4ea1bc02, {0x0000'0002'0083'3fab, 0x8002'7ffe'8082'c254}},  // addp v2.4s, v0.4s, v1.4s
      {0x4ee1bc02, {0x8181'7f03'7f01'c0ab, 0xff81'01fe'0104'4054}},  // addp v2.2d, v0.2d, v1.2d
      {0x5ef1b802, {0x0000'0000'0000'0000, 0xff81'01fe'0104'4054}},  // addp d2, v0.2d
  };
  check(cases, a, b);
}

TEST_F(SimdTest, CombinesAllLanes) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e31b802, {0x0000'0000'0000'0000, 0x0000'0000'0000'0014}},  // addv b2, v0.16b
      {0x0e71b802, {0x0000'0000'0000'0000, 0x0000'0000'0000'42d6}},  // addv h2, v0.4h
      {0x4eb1b802, {0x0000'0000'0000'0000, 0x0000'0000'0085'4252}},  // addv s2, v0.4s
      {0x4e30a802, {0x0000'0000'0000'0000, 0x0000'0000'0000'007f}},  // smaxv b2, v0.16b
      {0x2e30a802, {0x0000'0000'0000'0000, 0x0000'0000'0000'00ff}},  // umaxv b2, v0.8b
      {0x4e71a802, {0x0000'0000'0000'0000, 0x0000'0000'0000'8000}},  // sminv h2, v0.8h
      {0x6eb1a802, {0x0000'0000'0000'0000, 0x0000'0000'0001'ffff}},  // uminv s2, v0.4s
      {0x4e303802, {0x0000'0000'0000'0000, 0x0000'0000'0000'0014}},  // saddlv h2, v0.16b
      {0x6e303802, {0x0000'0000'0000'0000, 0x0000'0000'0000'0714}},  // uaddlv h2, v0.16b
      {0x4eb03802, {0x0000'0000'0000'0000, 0x0000'0000'0085'4252}},  // saddlv d2, v0.4s
      {0x2e703802, {0x0000'0000'0000'0000, 0x0000'0000'0001'42d6}},  // uaddlv s2, v0.4h
  };
  check(cases, a, b);
}

TEST_F(SimdTest, CountsAndReversesWithinLanes) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e205802, {0x0100'0708'0001'0808, 0x0701'0208'0101'0104}},  // cnt v2.16b, v0.16b
      {0x6e205802, {0x7fff'8000'fffe'0000, 0x807f'7e00'fefd'bfaa}},  // not v2.16b, v0.16b
      {0x6e605802, {0x0100'feff'0080'ffff, 0xfe01'81ff'8040'02aa}},  // rbit v2.16b, v0.16b
      {0x0e205802, {0x0000'0000'0000'0000, 0x0701'0208'0101'0104}},  // cnt v2.8b, v0.8b
      {0x4e204802, {0x0007'0007'0706'0707, 0x0000'0007'0605'0000}},  // cls v2.16b, v0.16b
      {0x4e604802, {0x0000'0000'000e'000f, 0x0000'0000'0006'0000}},  // cls v2.8h, v0.8h
      {0x4ea04802, {0x0000'0000'0000'000e, 0x0000'0000'0000'0006}},  // cls v2.4s, v0.4s
      {0x6e204802, {0x0008'0100'0807'0000, 0x0100'0000'0706'0101}},  // clz v2.16b, v0.16b
      {0x6e604802, {0x0000'0001'000f'0000, 0x0001'0000'0007'0001}},  // clz v2.8h, v0.8h
      {0x6ea04802, {0x0000'0000'0000'000f, 0x0000'0001'0000'0007}},  // clz v2.4s, v0.4s
      {0x4e200802, {0xffff'0100'ff7f'0080, 0x5540'0201'ff81'807f}},  // rev64 v2.16b, v0.16b
      {0x4e600802, {0xffff'0001'7fff'8000, 0x4055'0102'81ff'7f80}},  // rev64 v2.8h, v0.8h
      {0x4ea00802, {0x0001'ffff'8000'7fff, 0x0102'4055'7f80'81ff}},  // rev64 v2.4s, v0.4s
      {0x6e200802, {0xff7f'0080'ffff'0100, 0xff81'807f'5540'0201}},  // rev32 v2.16b, v0.16b
      {0x2e600802, {0x0000'0000'0000'0000, 0x81ff'7f80'4055'0102}},  // rev32 v2.4h, v0.4h
      {0x0e201802, {0x0000'0000'0000'0000, 0x807f'ff81'0201'5540}},  // rev16 v2.8b, v0.8b
  };
  check(cases, a, b);
}

TEST_F(SimdTest, AddsNeighboursIntoLongLanes) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x4e202802, {0xff80'007e'0001'fffe, 0xffff'ff80'0003'0095}},  // saddlp v2.8h, v0.16b
      {0x0ea02802, {0x0000'0000'0000'0000, 0x0000'0000'8082'c254}},  // saddlp v2.1d, v0.2s
      {0x6e202802, {0x0080'017e'0001'01fe, 0x00ff'0180'0003'0095}},  // uaddlp v2.8h, v0.16b
      {0x2ea02802, {0x0000'0000'0000'0000, 0x0000'0000'8082'c254}},  // uaddlp v2.1d, v0.2s
      {0x4e206802, {0x1091'118f'1112'110f, 0x2221'21a2'2225'22b7}},  // sadalp v2.8h, v0.16b
      {0x0ea06802, {0x0000'0000'0000'0000, 0x2222'2222'a2a4'e476}},  // sadalp v2.1d, v0.2s
      {0x6e206802, {0x1191'128f'1112'130f, 0x2321'23a2'2225'22b7}},  // uadalp v2.8h, v0.16b
      {0x2ea06802, {0x0000'0000'0000'0000, 0x2222'2222'a2a4'e476}},  // uadalp v2.1d, v0.2s
  };
  check(cases, a, b);
}

TEST_F(SimdTest, LengthensBeforeItComputes) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x0e210002, {0x0080'ff00'0000'0000, 0x0000'0004'0000'ffff}},  // saddl v2.8h, v0.8b, v1.8b
      {0x2e210002, {0x0080'0100'0100'0100, 0x0100'0004'0100'00ff}},  // uaddl v2.8h, v0.8b, v1.8b
      {0x0e212002, {0x007e'0000'ff02'fffe, 0x0002'0000'0080'00ab}},  // ssubl v2.8h, v0.8b, v1.8b
      {0x2e212002, {0x007e'0000'0002'00fe, 0xff02'0000'ff80'ffab}},  // usubl v2.8h, v0.8b, v1.8b
      {0x0e611002, {0x8000'817f'0002'7f00, 0x7f80'8101'0102'00ff}},  // saddw v2.4s, v0.4s, v1.4h
      {0x2ea13002, {0x8000'7ffe'fe81'80fe, 0x7f80'81fe'01ff'7fab}},  // usubw v2.2d, v0.2d, v1.2s
      {0x6e211002, {0x8080'8000'0001'0000, 0x7fff'82fe'0102'4056}},  // uaddw2 v2.8h, v0.8h, v1.16b
      {0x4ea13002, {0x8000'7fff'8000'fffe, 0x7f80'81fe'8103'4054}},  // ssubw2 v2.2d, v0.2d, v1.4s
      {0x0e21c002, {0x007f'4000'c0ff'ffff, 0xffff'0004'f000'e372}},  // smull v2.8h, v0.8b, v1.8b
      {0x6e61c002, {0x4000'8000'0000'7fff, 0x0000'7fff'0000'ffff}},  // umull2 v2.4s, v0.8h, v1.8h
      {0x4ea1c002, {0x3fff'4000'7fff'7fff, 0x0000'fffd'8002'ffff}},  // smull2 v2.2d, v0.4s, v1.4s
      {0x0e618002, {0x11d0'5111'd28e'1410, 0x2221'2226'1237'9a94}},  // smlal v2.4s, v0.4h, v1.4h
      {0x2ea18002, {0x11d0'9115'4f8f'1410, 0x2323'62fd'a98a'9a94}},  // umlal v2.2d, v0.2s, v1.2s
      {0x4ea1a002, {0xd111'd110'9111'9112, 0x2221'2224'a21f'2223}},  // smlsl2 v2.2d, v0.4s, v1.4s
      {0x2e21a002, {0x1092'd111'd112'1012, 0x2123'221e'f222'e9b0}},  // umlsl v2.8h, v0.8b, v1.8b
      {0x0e21e002, {0x007f'4000'3fff'00ff, 0x00ff'0004'3000'2222}},  // pmull v2.8h, v0.8b, v1.8b
      {0x4e21e002, {0x4000'0000'0000'00ff, 0x0000'00ff'0000'00ff}},  // pmull2 v2.8h, v0.16b, v1.16b
  };
  check(cases, a, b);
}

TEST_F(SimdTest, NarrowsToTheUpperHalf) {
  const Quad a = {0x8000'7fff'0001'ffff, 0x7f80'81ff'0102'4055},
             b = {0x8001'0001'7fff'0001, 0x0180'7f01'ff02'c0aa};
  const Case cases[] = {
      {0x0e214002, {0x0000'0000'0000'0000, 0x0080'8000'8101'0000}},  // addhn v2.8b, v0.8h, v1.8h
      {0x4e214002, {0x0080'8000'8101'0000, 0x2222'2222'2222'2222}},  // addhn2 v2.16b, v0.8h, v1.8h
      {0x2e614002, {0x0000'0000'0000'0000, 0x0002'8001'8101'0005}},  // raddhn v2.4h, v0.4s, v1.4s
      {0x6ea14002, {0x0001'8001'8101'0101, 0x2222'2222'2222'2222}},  // raddhn2 v2.4s, v0.2d, v1.2d
      {0x0ea16002, {0x0000'0000'0000'0000, 0xffff'7ffd'7e00'02fd}},  // subhn v2.2s, v0.2d, v1.2d
      {0x2e216002, {0x0000'0000'0000'0000, 0x0080'8000'7e03'0280}},  // rsubhn v2.8b, v0.8h, v1.8h
      {0x6e616002, {0xffff'8003'7e00'01ff, 0x2222'2222'2222'2222}},  // rsubhn2 v2.8h, v0.4s, v1.4s
  };
  check(cases, a, b);
}

TEST_F(SimdTest, DoublingLongMultipliesSaturateTwice) {
  const Quad a = {0x8000'8000'7fff'8000, 0x8000'0000'4000'8000},
             b = {0x8000'8000'0001'8000, 0x8000'0000'c000'8000};
  const Case cases[] = {
      {0x0e61d002, {0x7fff'ffff'0000'0000, 0xe000'0000'7fff'ffff}, saturates},  // sqdmull v2.4s, v0.4h, v1.4h
      {0x4ea1d002, {0x7fff'0000'8000'0000, 0x0001'7ffe'8000'0000}},  // sqdmull2 v2.2d, v0.4s, v1.4s
      {0x0e619002, {0x7fff'ffff'1111'1111, 0x0222'2222'7fff'ffff}, saturates},  // sqdmlal v2.4s, v0.4h, v1.4h
      {0x4e619002,
       {0x7fff'ffff'7fff'ffff, 0x2223'2220'7fff'ffff},
       saturates},  // sqdmlal2 v2.4s, v0.8h, v1.8h
      {0x0ea1b002, {0x9111'1111'1111'1112, 0x4222'2221'a222'2222}, saturates},  // sqdmlsl v2.2d, v0.2s, v1.2s
      {0x4e61b002,
       {0x9111'1112'9111'1112, 0x2221'2224'a222'2223},
       saturates},  // sqdmlsl2 v2.4s, v0.8h, v1.8h
      {0x5e61d002, {0x0000'0000'0000'0000, 0x0000'0000'7fff'ffff}, saturates},  // sqdmull s2, h0, h1
      {0x5ea1d002, {0x0000'0000'0000'0000, 0xe000'0000'8000'0000}},             // sqdmull d2, s0, s1
      {0x5e619002, {0x0000'0000'0000'0000, 0x0000'0000'7fff'ffff}, saturates},  // sqdmlal s2, h0, h1
      {0x5ea1b002, {0x0000'0000'0000'0000, 0x4222'2221'a222'2222}},             // sqdmlsl d2, s0, s1
  };
  check(cases, a, b);
}

TEST_F(SimdTest, MultipliesByAnElement) {
  const Quad a = {0x0001'0002'0003'0004, 0x8000'fffe'7fff'0006},
             b = {0x8000'0007'000a'000b, 0x0002'0003'0005'7fff};
  const Case cases[] = {
      {0x4f718802, {0x8000'0000'8000'0000, 0x0000'0000'8000'0000}},  // mul v2.8h, v0.8h, v1.h[7]
      {0x4fa18802, {0x0007'000e'0015'001c, 0x8006'fff2'7ff9'002a}},  // mul v2.4s, v0.4s, v1.s[3]
      {0x2f410002, {0x0000'0000'0000'0000, 0xa222'2224'2223'221c}},  // mla v2.4h, v0.4h, v1.h[0]
      {0x2fa14002, {0x0000'0000'0000'0000, 0xa223'2228'a219'2210}},  // mls v2.2s, v0.2s, v1.s[1]
      {0x0f41a002, {0xc000'8000'ffff'0002, 0x3fff'0001'0002'fffa}},  // smull v2.4s, v0.4h, v1.h[0]
      {0x6f61a802, {0x0000'0007'0000'000e, 0x0000'0015'0000'001c}},  // umull2 v2.4s, v0.8h, v1.h[6]
      {0x0f812802, {0x110c'1115'9108'10fb, 0x2227'221d'a253'2264}},  // smlal v2.2d, v0.2s, v1.s[2]
      {0x6f812002, {0x1111'1116'911b'110f, 0x2222'2232'a235'221e}},  // umlal2 v2.2d, v0.4s, v1.s[0]
      {0x0f716002, {0x1112'1111'1111'1115, 0x2221'2224'2222'2216}},  // smlsl v2.4s, v0.4h, v1.h[3]
      {0x2fa16002, {0x1110'110d'9112'1117, 0x2221'2222'a219'2210}},  // umlsl v2.2d, v0.2s, v1.s[1]
      {0x0f71b802,
       {0x7fff'ffff'0002'0000, 0x8001'0000'fffa'0000},
       saturates},                                                   // sqdmull v2.4s, v0.4h, v1.h[7]
      {0x4fa13802, {0x1110'110f'111f'112d, 0x221f'221e'224c'225a}},  // sqdmlal2 v2.2d, v0.4s, v1.s[3]
      {0x0f717802,
       {0x9111'1112'110f'1111, 0x7fff'ffff'2228'2222},
       saturates},  // sqdmlsl v2.4s, v0.4h, v1.h[7]
      {0x4f71c802,
       {0xffff'fffe'fffd'fffc, 0x7fff'0002'8001'fffa},
       saturates},                                                   // sqdmulh v2.8h, v0.8h, v1.h[7]
      {0x4fa1d802, {0xfffe'fffe'fffc'fffc, 0x7ffe'fffb'8001'0001}},  // sqrdmulh v2.4s, v0.4s, v1.s[3]
      {0x5f51b802, {0x0000'0000'0000'0000, 0x0000'0000'0000'0078}},  // sqdmull s2, h0, v1.h[5]
      {0x5fa13002, {0x0000'0000'0000'0000, 0x2224'2221'2234'2246}},  // sqdmlal d2, s0, v1.s[1]
      {0x5f417002, {0x0000'0000'0000'0000, 0x0000'0000'221c'222e}},  // sqdmlsl s2, h0, v1.h[0]
      {0x5f71c802, {0x0000'0000'0000'0000, 0x0000'0000'0000'fffa}},  // sqdmulh h2, h0, v1.h[7]
      {0x5fa1d802, {0x0000'0000'0000'0000, 0x0000'0000'8001'0001}},  // sqrdmulh s2, s0, v1.s[3]
  };
  check(cases, a, b);
}

TEST_F(SimdTest, NarrowsWithAndWithoutSaturation) {
  const Quad a = {0x7fff'ffff'8000'0000, 0x00ff'0100'ff7f'ff80};
  const Case cases[] = {
      {0x0e212802, {0x0000'0000'0000'0000, 0xffff'0000'ff00'7f80}},             // xtn v2.8b, v0.8h
      {0x4ea12802, {0x8000'0000'ff7f'ff80, 0x2222'2222'2222'2222}},             // xtn2 v2.4s, v0.2d
      {0x0e214802, {0x0000'0000'0000'0000, 0x7fff'8000'7f7f'8080}, saturates},  // sqxtn v2.8b, v0.8h
      {0x4e614802, {0x7fff'8000'7fff'8000, 0x2222'2222'2222'2222}, saturates},  // sqxtn2 v2.8h, v0.4s
      {0x2ea14802, {0x0000'0000'0000'0000, 0xffff'ffff'ffff'ffff}, saturates},  // uqxtn v2.2s, v0.2d
      {0x2e212802, {0x0000'0000'0000'0000, 0xff00'0000'ffff'0000}, saturates},  // sqxtun v2.8b, v0.8h
      {0x6ea12802, {0xffff'ffff'ffff'ffff, 0x2222'2222'2222'2222}, saturates},  // sqxtun2 v2.4s, v0.2d
      {0x5e214802, {0x0000'0000'0000'0000, 0x0000'0000'0000'0080}},             // sqxtn b2, h0
      {0x7e614802, {0x0000'0000'0000'0000, 0x0000'0000'0000'ffff}, saturates},  // uqxtn h2, s0
      {0x7ea12802, {0x0000'0000'0000'0000, 0x0000'0000'ffff'ffff}, saturates},  // sqxtun s2, d0
      {0x7e214802, {0x0000'0000'0000'0000, 0x0000'0000'0000'00ff}, saturates},  // uqxtn b2, h0
      {0x2e213802, {0x0000'ff00'0100'0000, 0xff00'7f00'ff00'8000}},             // shll v2.8h, v0.8b, #8
      {0x6ea13802, {0x7fff'ffff'0000'0000, 0x8000'0000'0000'0000}},             // shll2 v2.2d, v0.4s, #32
  };
  check(cases, a);
}

TEST_F(SimdTest, SaturationIsRememberedUntilItIsCleared) {
  State before = with_vectors({0, 1}, {0, 2});
  before.fpsr = qc;
  EXPECT_EQ(run({0x0e210c02}, before).fpsr, qc);  // sqadd v2.8b, v0.8b, v1.8b
  before.fpsr = 0x1f;                             // the flags of floating point
  before.v[0] = Quad{0, 0x7f};
  EXPECT_EQ(run({0x0e210c02}, before).fpsr, qc | 0x1f);
}

TEST_F(SimdTest, UpperLanesOfShortFormsDoNotSaturate) {
  const Quad top = {0x7fff'ffff'ffff'ffff, 0}, one = {1, 0};
  const Case cases[] = {
      {0x0e210c02, {}},                          // sqadd v2.8b, v0.8b, v1.8b
      {0x5ee10c02, {}},                          // sqadd d2, d0, d1
      {0x0e203802, {0, 0x2222'2222'2222'2222}},  // suqadd v2.8b, v0.8b
  };
  check(cases, top, one);
}

TEST_F(SimdTest, ReservedArithmeticIsUndefined) {
  for (const std::uint32_t word : {
           // three same
           0x0ee18402u, 0x4ee10402u, 0x4ee19c02u, 0x4ee16402u,  // add 1d; shadd, mul, smax 2d
           0x6e619c02u, 0x4e21b402u, 0x4ee1b402u, 0x4ee17402u,  // pmul 8h; sqdmulh 16b, 2d; sabd 2d
           0x4ee1a402u, 0x0ee1bc02u,                            // smaxp 2d; addp 1d
           0x5ea18402u, 0x5e213402u, 0x5ea14402u, 0x5e21b402u,  // scalars: add s; cmgt b; sshl s; sqdmulh b
           // three different
           0x0ee10002u, 0x0e219002u, 0x0e61e002u, 0x5e219002u,  // saddl 1d; sqdmlal 8b; pmull 4h; sqdmlal b
           // two registers
           0x4ee00802u, 0x6ea00802u, 0x4e601802u, 0x4ee02802u,  // rev64 2d; rev32 4s; rev16 8h; saddlp 2d
           0x4ee04802u, 0x4e605802u, 0x6ea05802u, 0x0ee0b802u,  // cls 2d; cnt 8h; not 4s; abs 1d
           0x6e20a802u, 0x0ee12802u, 0x5ea0b802u, 0x7ee12802u,  // (no such opcode); xtn 1d; abs s; sqxtun d
           // across lanes
           0x0eb1b802u, 0x4ef1b802u, 0x0eb03802u, 0x5eb1b802u,  // addv 2s, 2d; saddlv 2s; addp s
           // by element
           0x0fc18002u, 0x0f018002u, 0x2f418002u,  // mul 1d, 8b; (no such opcode)
       })
    expect_undefined(word);
}

TEST_F(SimdTest, LaterExtensionsAreUndefined) {
  core = make_native_iss(host, 0, {.features = {}});
  host.core = core.get();
  core->map_direct(host.memory_range(), host.memory.bytes);
  core->write(CoreRegister::vbar, vectors);
  for (const std::uint32_t word : {
           0x6e418402u,  // sqrdmlah v2.8h, v0.8h, v1.8h (FEAT_RDM)
           0x6f41d002u,  // sqrdmlah v2.8h, v0.8h, v1.h[0]
           0x7e418402u,  // sqrdmlah h2, h0, h1
           0x4e819402u,  // sdot v2.4s, v0.16b, v1.16b (FEAT_DotProd)
           0x6e81c402u,  // fcmla v2.4s, v0.4s, v1.4s, #0 (FEAT_FCMA)
           0x4e411402u,  // fadd v2.8h, v0.8h, v1.8h (FEAT_FP16)
           0x4f00fc02u,  // fmov v2.8h, #2.0
           0x0ee1e002u,  // pmull v2.1q, v0.1d, v1.1d (FEAT_PMULL)
           0x4e284802u,  // aese v2.16b, v0.16b (FEAT_AES)
           0x5e010002u,  // sha1c q2, s0, v1.4s (FEAT_SHA1)
       })
    expect_undefined(word);
}

TEST(SimdRows, AllNeedThatSimdIsEnabled) {
  for (const std::span<const Row> rows : {simd_rows(), simd_load_store_rows()})
    for (const Row& row : rows) EXPECT_GE(row.needs, Row::Needs::fp) << row.name;
}

}  // namespace
}  // namespace asterism::a64
