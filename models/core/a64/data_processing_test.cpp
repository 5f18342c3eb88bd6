// Data processing with immediates and registers.
#include <gtest/gtest.h>

#include "core/a64/a64_test.h"

namespace asterism::a64 {
namespace {

constexpr unsigned n_set = 8, z_set = 4, c_set = 2, v_set = 1;
constexpr std::uint64_t minus_one = ~std::uint64_t{0}, top_bit = std::uint64_t{1} << 63;

struct DataProcessingTest : A64Test {
  // The value of X2 after one instruction with X0 to X3 as given.
  std::uint64_t x2(std::uint32_t word, std::uint64_t x0, std::uint64_t x1 = 0, std::uint64_t x2 = 0,
                   std::uint64_t x3 = 0) {
    return run({word}, x0, x1, x2, x3).x[2];
  }
  // The flags after one instruction that executes with the flags `before`.
  unsigned flags(std::uint32_t word, std::uint64_t x0, std::uint64_t x1 = 0, unsigned before = 0) {
    return with_flags(word, before, x0, x1).flags.nzcv();
  }
  State with_flags(std::uint32_t word, unsigned nzcv, std::uint64_t x0, std::uint64_t x1 = 0) {
    State before = with(x0, x1);
    before.flags.set(nzcv);
    return run({word}, before);
  }
};

// ---- immediates ----

TEST_F(DataProcessingTest, AddsAndSubtractsImmediates) {
  EXPECT_EQ(x2(0x917ffc02, 1), 0xfff001u);        // add x2, x0, #0xfff, lsl #12
  EXPECT_EQ(x2(0xd1000402, 0), minus_one);        // sub x2, x0, #1
  EXPECT_EQ(x2(0x51000402, 0), 0xffff'ffffu);     // sub w2, w0, #1
  EXPECT_EQ(x2(0x11000402, minus_one), 0u);       // add w2, w0, #1
  EXPECT_EQ(x2(0xd17ffc02, 0), 0 - 0xfff000ull);  // sub x2, x0, #0xfff, lsl #12
}

TEST_F(DataProcessingTest, FlagsOfAdditionAndSubtraction) {
  EXPECT_EQ(flags(0x71000402, 1), z_set | c_set);                         // subs w2, w0, #1
  EXPECT_EQ(flags(0x71000402, 0), n_set);                                 // subs w2, w0, #1
  EXPECT_EQ(flags(0x71000402, 0x8000'0000), c_set | v_set);               // subs w2, w0, #1
  EXPECT_EQ(flags(0xf1000402, 0x8000'0000), c_set);                       // subs x2, x0, #1
  EXPECT_EQ(flags(0xf1000002, top_bit), n_set | c_set);                   // subs x2, x0, #0
  EXPECT_EQ(flags(0x31000402, 0x7fff'ffff), n_set | v_set);               // adds w2, w0, #1
  EXPECT_EQ(flags(0x31000402, 0xffff'ffff), z_set | c_set);               // adds w2, w0, #1
  EXPECT_EQ(flags(0xab010002, top_bit, top_bit), z_set | c_set | v_set);  // adds x2, x0, x1
  EXPECT_EQ(flags(0xeb01001f, 3, 5), n_set);                              // cmp x0, x1
}

TEST_F(DataProcessingTest, Register31IsTheStackPointerOrNothing) {
  State before = with(0);
  before.x[stack_pointer] = 0x1000;
  EXPECT_EQ(run({0x910003e3}, before).x[3], 0x1000u);              // mov x3, sp
  EXPECT_EQ(run({0x910043ff}, before).x[stack_pointer], 0x1010u);  // add sp, sp, #16
  EXPECT_EQ(run({0xb27c1fff}, before).x[stack_pointer], 0xff0u);   // mov sp, #0xff0
  before.x[1] = 0xffff'ffff'0000'0010;
  EXPECT_EQ(run({0xcb2143ff}, before).x[stack_pointer], 0xff0u);  // sub sp, sp, w1, uxtw
  const State compared = run({0xb10007ff}, before);               // cmn sp, #1
  EXPECT_EQ(compared.x[stack_pointer], 0x1000u);
  EXPECT_EQ(compared.x[zero_register], 0u);
  EXPECT_EQ(run({0xeb2163ff}, before).flags.nzcv(), 0u);  // cmp sp, x1, uxtx
}

TEST_F(DataProcessingTest, LogicalImmediatesOfEveryElementSize) {
  EXPECT_EQ(x2(0x9200f002, minus_one), 0x5555'5555'5555'5555u);  // and x2, x0, #0x5555555555555555
  EXPECT_EQ(x2(0x32010402, 0), 0x8000'0001u);                    // orr w2, w0, #0x80000001
  EXPECT_EQ(x2(0xd27ff402, minus_one), 0x8000'0000'0000'0001u);  // eor x2, x0, #0x7ffffffffffffffe
  EXPECT_EQ(x2(0xb2003fe2, 0), 0x0000'ffff'0000'ffffu);          // mov x2, #0x0000ffff0000ffff
  EXPECT_EQ(flags(0x72001c1f, 0x100, 0, 15), z_set);             // tst w0, #0xff
  EXPECT_EQ(flags(0x72010c1f, minus_one), n_set);                // tst w0, #0x80000007
}

TEST_F(DataProcessingTest, ReservedBitMasksAreUndefined) {
  for (const std::uint32_t word : {
           0x9240fc02u,  // and x2, x0: N = 1, imms = 63
           0x12400002u,  // and w2, w0: N = 1
           0x9200fc02u,  // N = 0, imms = 111111
           0x9200f802u,  // N = 0, imms = 111110, an element of one bit
           0x1200f402u,  // N = 0, imms = 111101, all of two bits
           0x12007c02u,  // N = 0, imms = 011111, all of 32 bits
       })
    expect_undefined(word);
}

TEST_F(DataProcessingTest, MovesWideImmediates) {
  EXPECT_EQ(x2(0xd2e24682, 0), 0x1234'0000'0000'0000u);                     // mov x2, #0x1234, lsl #48
  EXPECT_EQ(x2(0x12800002, 0), 0xffff'ffffu);                               // movn w2, #0
  EXPECT_EQ(x2(0x92a00242, 0), ~std::uint64_t{0x12'0000});                  // movn x2, #0x12, lsl #16
  EXPECT_EQ(x2(0xf2d579a2, 0, 0, minus_one), 0xffff'abcd'ffff'ffffu);       // movk x2, #0xabcd, lsl #32
  EXPECT_EQ(x2(0x72b579a2, 0, 0, 0x1111'2222'3333'4444), 0xabcd'4444u);     // movk w2, #0xabcd, lsl #16
  for (const std::uint32_t word : {0xb2800002u, 0x52c00002u, 0x72e00002u})  // opc = 1; W with halves 2, 3
    expect_undefined(word);
}

TEST_F(DataProcessingTest, AddressesCountFromTheirInstruction) {
  EXPECT_EQ(run({0xd503201f, 0x10ffffe2}, with(0)).x[2], code_base);           // nop; adr x2, .-4
  EXPECT_EQ(run({0x90000002}, with(0)).x[2], code_base);                       // adrp x2, .
  EXPECT_EQ(run({0xd503201f, 0xb0000002}, with(0)).x[2], code_base + 0x1000);  // nop; adrp x2, .+0x1000
  EXPECT_EQ(run({0x90800002}, with(0)).x[2], code_base - (1ull << 32));        // adrp x2, .-4 GiB
  EXPECT_EQ(run({0x707fffe2}, with(0)).x[2], code_base + 0xf'ffff);            // adr x2, .+0xfffff
}

TEST_F(DataProcessingTest, Bitfields) {
  constexpr std::uint64_t value = 0x8123'4567'89ab'cdef;
  EXPECT_EQ(x2(0xd3410002, value), top_bit);                       // lsl x2, x0, #63
  EXPECT_EQ(x2(0x531f7c02, value), 1u);                            // lsr w2, w0, #31
  EXPECT_EQ(x2(0x937cfc02, value), ~std::uint64_t{7});             // asr x2, x0, #60
  EXPECT_EQ(x2(0x131c7c02, value), 0xffff'fff8u);                  // asr w2, w0, #28
  EXPECT_EQ(x2(0xd344ac02, value), 0x56'789a'bcdeu);               // ubfx x2, x0, #4, #40
  EXPECT_EQ(x2(0xd3442c02, value), 0xdeu);                         // ubfx x2, x0, #4, #8
  EXPECT_EQ(x2(0xd3440802, value), 0x7000'0000'0000'0000u);        // ubfiz x2, x0, #60, #3
  EXPECT_EQ(x2(0xd3788c02, value), 0x789a'bcde'f00u);              // ubfiz x2, x0, #8, #36
  EXPECT_EQ(x2(0x93442c02, value), 0xffff'ffff'ffff'ffdeu);        // sbfx x2, x0, #4, #8
  EXPECT_EQ(x2(0x93440802, value), 0xf000'0000'0000'0000u);        // sbfiz x2, x0, #60, #3
  EXPECT_EQ(x2(0x13080c02, value), 0xff00'0000u);                  // sbfiz w2, w0, #24, #4
  EXPECT_EQ(x2(0xb3440802, value, 0, 1), 0x7000'0000'0000'0001u);  // bfi x2, x0, #60, #3
  EXPECT_EQ(x2(0x33042c02, value, 0, minus_one), 0xffff'ffdeu);    // bfxil w2, w0, #4, #8
  EXPECT_EQ(x2(0x33040c02, value, 0, 0x1234'5678), 0xf234'5678u);  // bfi w2, w0, #28, #4
}

TEST_F(DataProcessingTest, Extensions) {
  constexpr std::uint64_t value = 0x1234'5678'9abc'deff;
  EXPECT_EQ(x2(0x13001c02, value), 0xffff'ffffu);            // sxtb w2, w0
  EXPECT_EQ(x2(0x93403c02, value), 0xffff'ffff'ffff'deffu);  // sxth x2, w0
  EXPECT_EQ(x2(0x93407c02, value), 0xffff'ffff'9abc'deffu);  // sxtw x2, w0
  EXPECT_EQ(x2(0x53001c02, value), 0xffu);                   // uxtb w2, w0
  EXPECT_EQ(x2(0x53003c02, value), 0xdeffu);                 // uxth w2, w0
}

TEST_F(DataProcessingTest, ReservedBitfieldsAreUndefined) {
  for (const std::uint32_t word : {
           0x13407c02u,  // W with N = 1
           0x93007c02u,  // X with N = 0
           0x13200002u,  // W with immr = 32
           0x13008002u,  // W with imms = 32
           0x73000002u,  // opc = 3
           0x13818002u,  // extr w2, w0, w1, #32
           0x13c10002u,  // extr w2 with N = 1
           0x93810002u,  // extr x2 with N = 0
       })
    expect_undefined(word);
}

TEST_F(DataProcessingTest, ExtractsFromPairsOfRegisters) {
  EXPECT_EQ(x2(0x93c1f002, 0x0123'4567'89ab'cdef, top_bit), 0x1234'5678'9abc'def8u);  // extr x2, x0, x1, #60
  EXPECT_EQ(x2(0x13811002, 0xf, 0x1234'5678), 0xf123'4567u);                          // extr w2, w0, w1, #4
  EXPECT_EQ(x2(0x93c02002, 0x1234), 0x3400'0000'0000'0012u);                          // ror x2, x0, #8
  EXPECT_EQ(x2(0x93c10002, 1, 2), 2u);                                                // extr x2, x0, x1, #0
}

// ---- registers ----

TEST_F(DataProcessingTest, ShiftedOperands) {
  EXPECT_EQ(x2(0x8b01fc02, 1, 3), top_bit + 1);                      // add x2, x0, x1, lsl #63
  EXPECT_EQ(x2(0x4b817c02, 1, 0x8000'0000), 2u);                     // sub w2, w0, w1, asr #31
  EXPECT_EQ(x2(0xeb410402, 8, 6), 5u);                               // subs x2, x0, x1, lsr #1
  EXPECT_EQ(x2(0x4b0003e2, 1), 0xffff'ffffu);                        // neg w2, w0
  EXPECT_EQ(x2(0x8ae1f002, minus_one, top_bit), ~std::uint64_t{8});  // bic x2, x0, x1, ror #60
  EXPECT_EQ(x2(0x2a210002, 0, 0xff), 0xffff'ff00u);                  // orn w2, w0, w1
  EXPECT_EQ(x2(0xca210002, 0xf0, 0x0f), ~std::uint64_t{0xff});       // eon x2, x0, x1
  EXPECT_EQ(x2(0x6ac11002, minus_one, 0xf), 0xf000'0000u);           // ands w2, w0, w1, ror #4
  EXPECT_EQ(flags(0x6ac11002, minus_one, 0xf, 15), n_set);           // ands w2, w0, w1, ror #4
  EXPECT_EQ(flags(0xea210002, 5, 7, c_set), z_set);                  // bics x2, x0, x1
  EXPECT_EQ(x2(0x2a0003e2, minus_one), 0xffff'ffffu);                // mov w2, w0
  EXPECT_EQ(x2(0xaa2003e2, 1), ~std::uint64_t{1});                   // mvn x2, x0
}

TEST_F(DataProcessingTest, ShiftsOf32AndMoreOfWRegistersAreUndefined) {
  for (const std::uint32_t word : {
           0x0b018002u,  // add w2, w0, w1, lsl #32
           0x4b81fc02u,  // sub w2, w0, w1, asr #63
           0x0a018002u,  // and w2, w0, w1, lsl #32
           0x6ae18002u,  // bics w2, w0, w1, ror #32
           0x8bc10402u,  // add x2, x0, x1 with shift = 3
           0x8b211402u,  // add x2, x0, w1, uxtb #5
           0x8b611002u,  // an extended register with opt = 1
       })
    expect_undefined(word);
}

TEST_F(DataProcessingTest, ExtendedOperands) {
  EXPECT_EQ(x2(0x8b211002, 1, 0x1ff), 0xff1u);                        // add x2, x0, w1, uxtb #4
  EXPECT_EQ(x2(0xeb21a402, 0, 0xffff), 2u);                           // subs x2, x0, w1, sxth #1
  EXPECT_EQ(x2(0x0b218002, 0, 0x80), 0xffff'ff80u);                   // add w2, w0, w1, sxtb
  EXPECT_EQ(x2(0x8b21c802, 0, 0x8000'0000), 0xffff'fffe'0000'0000u);  // add x2, x0, w1, sxtw #2
}

TEST_F(DataProcessingTest, Carries) {
  EXPECT_EQ(with_flags(0x9a010002, c_set, 1, 2).x[2], 4u);                   // adc x2, x0, x1
  EXPECT_EQ(with_flags(0x9a010002, 0, 1, 2).x[2], 3u);                       // adc x2, x0, x1
  EXPECT_EQ(flags(0x3a010002, 0xffff'ffff, 0, c_set), z_set | c_set);        // adcs w2, w0, w1
  EXPECT_EQ(flags(0x3a010002, 0x7fff'ffff, 0, c_set), n_set | v_set);        // adcs w2, w0, w1
  EXPECT_EQ(flags(0xba010002, minus_one, minus_one, c_set), n_set | c_set);  // adcs x2, x0, x1
  EXPECT_EQ(with_flags(0xda010002, c_set, 5, 3).x[2], 2u);                   // sbc x2, x0, x1
  EXPECT_EQ(with_flags(0x5a010002, 0, 0, 0).x[2], 0xffff'ffffu);             // sbc w2, w0, w1
  EXPECT_EQ(flags(0xfa010002, 5, 5, 0), n_set);                              // sbcs x2, x0, x1
  EXPECT_EQ(flags(0xfa010002, 5, 5, c_set), z_set | c_set);                  // sbcs x2, x0, x1
  EXPECT_EQ(flags(0xfa010002, top_bit, 1, c_set), c_set | v_set);            // sbcs x2, x0, x1
}

TEST_F(DataProcessingTest, ConditionalComparesTakeTheirFlagsFromEither) {
  EXPECT_EQ(flags(0xfa5f0805, 31, 0, z_set), z_set | c_set);       // ccmp x0, #31, #5, eq
  EXPECT_EQ(flags(0xfa5f0805, 31, 0, 0), 5u);                      // ccmp x0, #31, #5, eq
  EXPECT_EQ(flags(0x3a41100a, 0xffff'ffff, 1, 0), z_set | c_set);  // ccmn w0, w1, #10, ne
  EXPECT_EQ(flags(0x7a41100a, 0xffff'ffff, 1, z_set), 10u);        // ccmp w0, w1, #10, ne
  EXPECT_EQ(flags(0x7a41100a, 0xffff'ffff, 1, 0), n_set | c_set);  // ccmp w0, w1, #10, ne
}

TEST_F(DataProcessingTest, ConditionalSelects) {
  EXPECT_EQ(with_flags(0x9a813002, 0, 10, 20).x[2], 10u);             // csel x2, x0, x1, lo
  EXPECT_EQ(with_flags(0x9a813002, c_set, 10, 20).x[2], 20u);         // csel x2, x0, x1, lo
  EXPECT_EQ(with_flags(0x1a810402, 0, 10, 0xffff'ffff).x[2], 0u);     // csinc w2, w0, w1, eq
  EXPECT_EQ(with_flags(0x5a810002, 0, 10, 0xff).x[2], 0xffff'ff00u);  // csinv w2, w0, w1, eq
  EXPECT_EQ(with_flags(0xda81c402, n_set, 10, 1).x[2], minus_one);    // csneg x2, x0, x1, gt
  EXPECT_EQ(with_flags(0xda81c402, n_set | v_set, 10, 1).x[2], 10u);  // csneg x2, x0, x1, gt
  EXPECT_EQ(with_flags(0x9a81f002, z_set, 10, 1).x[2], 10u);          // csel x2, x0, x1, nv
}

TEST_F(DataProcessingTest, AllConditionsOfAllFlags) {
  for (unsigned nzcv = 0; nzcv < 16; ++nzcv) {
    const bool n = nzcv & n_set, z = nzcv & z_set, c = nzcv & c_set, v = nzcv & v_set;
    const bool holds[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
    for (std::uint32_t condition = 0; condition < 16; ++condition) {
      const bool expected = condition < 14 ? holds[condition / 2] != (condition % 2 == 1) : true;
      // csel x2, x0, x1, <condition>
      EXPECT_EQ(with_flags(0x9a810002 | condition << 12, nzcv, 1, 0).x[2], expected)
          << nzcv << " " << condition;
    }
  }
}

TEST_F(DataProcessingTest, OneSource) {
  constexpr std::uint64_t value = 0x0123'4567'89ab'cdef;
  EXPECT_EQ(x2(0xdac00002, value), 0xf7b3'd591'e6a2'c480u);  // rbit x2, x0
  EXPECT_EQ(x2(0x5ac00002, value), 0xf7b3'd591u);            // rbit w2, w0
  EXPECT_EQ(x2(0xdac00402, value), 0x2301'6745'ab89'efcdu);  // rev16 x2, x0
  EXPECT_EQ(x2(0x5ac00402, value), 0xab89'efcdu);            // rev16 w2, w0
  EXPECT_EQ(x2(0x5ac00802, value), 0xefcd'ab89u);            // rev w2, w0
  EXPECT_EQ(x2(0xdac00802, value), 0x6745'2301'efcd'ab89u);  // rev32 x2, x0
  EXPECT_EQ(x2(0xdac00c02, value), 0xefcd'ab89'6745'2301u);  // rev x2, x0
  EXPECT_EQ(x2(0xdac01002, value), 7u);                      // clz x2, x0
  EXPECT_EQ(x2(0xdac01002, 0), 64u);                         // clz x2, x0
  EXPECT_EQ(x2(0x5ac01002, top_bit), 32u);                   // clz w2, w0
  EXPECT_EQ(x2(0xdac01402, value), 6u);                      // cls x2, x0
  EXPECT_EQ(x2(0xdac01402, minus_one), 63u);                 // cls x2, x0
  EXPECT_EQ(x2(0x5ac01402, 0), 31u);                         // cls w2, w0
  expect_undefined(0x5ac00c02);                              // rev x2 as a W form
  expect_undefined(0xdac01802);                              // opcode 6
}

TEST_F(DataProcessingTest, DivisionsThatHaveNoQuotient) {
  EXPECT_EQ(x2(0x9ac10802, 7, 0), 0u);                                // udiv x2, x0, x1
  EXPECT_EQ(x2(0x1ac10802, 7, 1ull << 32), 0u);                       // udiv w2, w0, w1
  EXPECT_EQ(x2(0x9ac10802, minus_one, 10), 1844674407370955161u);     // udiv x2, x0, x1
  EXPECT_EQ(x2(0x9ac10c02, 7, 0), 0u);                                // sdiv x2, x0, x1
  EXPECT_EQ(x2(0x9ac10c02, top_bit, minus_one), top_bit);             // sdiv x2, x0, x1
  EXPECT_EQ(x2(0x1ac10c02, 0x8000'0000, 0xffff'ffff), 0x8000'0000u);  // sdiv w2, w0, w1
  EXPECT_EQ(x2(0x1ac10c02, 0xffff'fff9, 2), 0xffff'fffdu);            // sdiv w2, w0, w1
  EXPECT_EQ(x2(0x9ac10c02, 0 - 7ull, 2), 0 - 3ull);                   // sdiv x2, x0, x1
}

TEST_F(DataProcessingTest, ShiftsByRegistersTakeTheAmountModuloTheWidth) {
  EXPECT_EQ(x2(0x9ac12002, 1, 65), 2u);                      // lsl x2, x0, x1
  EXPECT_EQ(x2(0x1ac12402, 0xf000'0000, 36), 0x0f00'0000u);  // lsr w2, w0, w1
  EXPECT_EQ(x2(0x9ac12802, top_bit, 63), minus_one);         // asr x2, x0, x1
  EXPECT_EQ(x2(0x1ac12802, 0x8000'0000, 31), 0xffff'ffffu);  // asr w2, w0, w1
  EXPECT_EQ(x2(0x1ac12c02, 0x1234'5678, 40), 0x7812'3456u);  // ror w2, w0, w1
  EXPECT_EQ(x2(0x1ac12c02, 0x1234'5678, 32), 0x1234'5678u);  // ror w2, w0, w1
  expect_undefined(0x1ac13002);                              // opcode 12
}

TEST_F(DataProcessingTest, CyclicRedundancyChecks) {
  // "12345678" in one step, then "9": the check values of both polynomials.
  constexpr std::uint64_t digits = 0x3837'3635'3433'3231;
  const State crc =
      run({0x9ac14c02, 0x1ac34042}, 0xffff'ffff, digits, 0, '9');  // crc32x w2, w0, x1; crc32b w2, w2, w3
  EXPECT_EQ(crc.x[2] ^ 0xffff'ffff, 0xcbf4'3926u);
  const State crc_c = run({0x9ac15c02, 0x1ac35042}, 0xffff'ffff, digits, 0, '9');  // crc32cx; crc32cb
  EXPECT_EQ(crc_c.x[2] ^ 0xffff'ffff, 0xe306'9283u);
  const State halves = run({0x1ac14402, 0x1ac34842}, 0xffff'ffff, 0x3231, 0, 0x3635'3433);  // crc32h, crc32w
  EXPECT_EQ(halves.x[2] ^ 0xffff'ffff, 0x0972'd361u);                                       // of "123456"
  for (const std::uint32_t word : {0x1ac14c02u, 0x9ac14002u})
    expect_undefined(word);  // crc32x of W, crc32b of X
}

TEST_F(DataProcessingTest, CyclicRedundancyChecksMayBeLeftOut) {
  core = make_native_iss(host, 0, {.features = CoreFeatures{usual_features}.without(CoreFeature::crc32)});
  host.core = core.get();
  core->map_direct(host.memory_range(), host.memory.bytes);
  core->write(CoreRegister::vbar, vectors);
  expect_undefined(0x9ac14c02);  // crc32x w2, w0, x1
}

TEST_F(DataProcessingTest, Multiplications) {
  EXPECT_EQ(x2(0x9b010c02, 7, 9, 0, 5), 68u);                            // madd x2, x0, x1, x3
  EXPECT_EQ(x2(0x1b010c02, 0x1'0000, 0x1'0000, 0, 1ull << 32 | 5), 5u);  // madd w2, w0, w1, w3
  EXPECT_EQ(x2(0x9b018c02, 7, 9, 0, 5), 0 - 58ull);                      // msub x2, x0, x1, x3
  EXPECT_EQ(x2(0x9b017c02, 7, 9, 0, 5), 63u);                            // mul x2, x0, x1
  EXPECT_EQ(x2(0x1b01fc02, 7, 9), 0xffff'ffc1u);                         // mneg w2, w0, w1
  EXPECT_EQ(x2(0x9b210c02, 0xffff'ffff, 2, 0, 1), minus_one);            // smaddl x2, w0, w1, x3
  EXPECT_EQ(x2(0x9ba10c02, 0xffff'ffff, 2, 0, 1), 0x1'ffff'ffffu);       // umaddl x2, w0, w1, x3
  EXPECT_EQ(x2(0x9b218c02, 0xffff'ffff, 2, 0, 1), 3u);                   // smsubl x2, w0, w1, x3
  EXPECT_EQ(x2(0x9ba1fc02, 0xffff'ffff, 0xffff'ffff), 0x1'ffff'ffffu);   // umnegl x2, w0, w1
  EXPECT_EQ(x2(0x9b417c02, minus_one, 2), minus_one);                    // smulh x2, x0, x1
  EXPECT_EQ(x2(0x9bc17c02, minus_one, 2), 1u);                           // umulh x2, x0, x1
  expect_undefined(0x1b210c02);                                          // smaddl with sf = 0
}

TEST_F(DataProcessingTest, ResultsToTheZeroRegisterAreDiscarded) {
  const State after = run({0x8b01001f, 0xaa1f03e2}, 5, 6, 7);  // add xzr, x0, x1; mov x2, xzr
  EXPECT_EQ(after.x[2], 0u);
}

}  // namespace
}  // namespace asterism::a64
