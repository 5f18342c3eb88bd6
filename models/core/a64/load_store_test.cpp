#include <array>
#include <cstring>

#include "core/a64/a64_test.h"
#include "core/a64/decoder.h"

namespace asterism::a64 {
namespace {

struct LoadStoreTest : A64Test {
  // Fills memory from data_base with bytes 0x81, 0x82, ..., so that a value of any size is negative.
  LoadStoreTest() {
    for (unsigned at = 0; at < 64; ++at) byte(data_base + at) = static_cast<std::uint8_t>(0x81 + at);
  }
  std::uint8_t& byte(std::uint64_t address) { return host.memory.bytes[address - code_base]; }
  State with_fp(std::uint64_t x0, std::uint64_t x1 = 0) const {
    State before = with(x0, x1);
    before.system.cpacr = 3 << 20;
    before.v.fill({{0x1111'1111'1111'1111, 0x2222'2222'2222'2222}});
    return before;
  }
  // X2 after one instruction, with X0 and X1 set.
  std::uint64_t x2(std::uint32_t word, std::uint64_t x0 = data_base, std::uint64_t x1 = 0) {
    return run({word}, x0, x1).x[2];
  }
};

struct Case {
  std::uint32_t word;
  std::uint64_t expected;
};

TEST_F(LoadStoreTest, LoadsExtendTheirValues) {
  const Case cases[] = {
      {0x39400402, 0x82},                   // ldrb w2, [x0, #1]
      {0x39c00402, 0xffff'ff82},            // ldrsb w2, [x0, #1]
      {0x39800402, 0xffff'ffff'ffff'ff82},  // ldrsb x2, [x0, #1]
      {0x79400402, 0x8483},                 // ldrh w2, [x0, #2]
      {0x79c00402, 0xffff'8483},            // ldrsh w2, [x0, #2]
      {0x79800402, 0xffff'ffff'ffff'8483},  // ldrsh x2, [x0, #2]
      {0xb9400402, 0x8887'8685},            // ldr w2, [x0, #4]
      {0xb9800402, 0xffff'ffff'8887'8685},  // ldrsw x2, [x0, #4]
      {0xf9400402, 0x908f'8e8d'8c8b'8a89},  // ldr x2, [x0, #8]
  };
  for (const auto& [word, expected] : cases) EXPECT_EQ(x2(word), expected) << std::hex << word;
}

TEST_F(LoadStoreTest, StoresWriteTheirBytesAndNoOthers) {
  const Case cases[] = {
      {0x39000401, 0x8887'8685'8483'f081},  // strb w1, [x0, #1]
      {0x79000401, 0x8887'8685'def0'8281},  // strh w1, [x0, #2]
      {0xb9000401, 0x9abc'def0'8483'8281},  // str w1, [x0, #4]
      {0xf9000001, 0x1234'5678'9abc'def0},  // str x1, [x0]
      {0x38007001, 0xf087'8685'8483'8281},  // sturb w1, [x0, #7]
      {0xb8003001, 0x889a'bcde'f083'8281},  // stur w1, [x0, #3]
      {0xf900001f, 0},                      // str xzr, [x0]
      {0x7900001f, 0x8887'8685'8483'0000},  // strh wzr, [x0]
  };
  const std::uint64_t before = host.peek(data_base);
  for (const auto& [word, expected] : cases) {
    std::memcpy(&byte(data_base), &before, 8);
    run({word}, data_base, 0x1234'5678'9abc'def0);
    EXPECT_EQ(host.peek(data_base), expected) << std::hex << word;
    EXPECT_EQ(host.peek(data_base + 8), 0x908f'8e8d'8c8b'8a89u) << std::hex << word;
  }
}

TEST_F(LoadStoreTest, OffsetsHaveTheRangeOfTheirFields) {
  const std::uint64_t base = data_base + 0x8000;
  const std::pair<std::uint32_t, std::uint64_t> cases[] = {
      {0x393ffc01, base + 4095},   // strb w1, [x0, #4095]
      {0x793ffc01, base + 8190},   // strh w1, [x0, #8190]
      {0xb93ffc01, base + 16380},  // str w1, [x0, #16380]
      {0xf93ffc01, base + 32760},  // str x1, [x0, #32760]
      {0xf8100001, base - 256},    // stur x1, [x0, #-256]
      {0xf80ff001, base + 255},    // stur x1, [x0, #255]
      {0xa9200401, base - 512},    // stp x1, x1, [x0, #-512]
      {0xa91f8401, base + 504},    // stp x1, x1, [x0, #504]
      {0x29200401, base - 256},    // stp w1, w1, [x0, #-256]
      {0x3dbffc01, base + 65520},  // str q1, [x0, #65520]
      {0xad200401, base - 1024},   // stp q1, q1, [x0, #-1024]
      {0xad1f8401, base + 1008},   // stp q1, q1, [x0, #1008]
  };
  for (const auto& [word, address] : cases) {
    State before = with_fp(base, 0xaa);
    before.v[1] = {{0xaa, 0}};
    run({word}, before);
    EXPECT_EQ(byte(address), 0xaa) << std::hex << word;
    byte(address) = 0;
  }
}

TEST_F(LoadStoreTest, AnIndexIsExtendedAndShifted) {
  const std::uint64_t minus_8 = ~std::uint64_t{0} - 7, garbage = 0x1234'5678'0000'0000;
  const struct {
    std::uint32_t word;
    std::uint64_t index, expected;
  } cases[] = {
      {0xf8616802, 8, 0x908f'8e8d'8c8b'8a89},            // ldr x2, [x0, x1]
      {0xf8617802, 2, 0x9897'9695'9493'9291},            // ldr x2, [x0, x1, lsl #3]
      {0xf8614802, garbage + 8, 0x908f'8e8d'8c8b'8a89},  // ldr x2, [x0, w1, uxtw]
      {0xf8615802, garbage + 1, 0x908f'8e8d'8c8b'8a89},  // ldr x2, [x0, w1, uxtw #3]
      {0xf861c802, garbage + 0, 0x8887'8685'8483'8281},  // ldr x2, [x0, w1, sxtw]
      {0x3861d802, garbage + 3, 0x84},                   // ldrb w2, [x0, w1, sxtw #0]
      {0x7861d802, garbage + 3, 0x8887},                 // ldrh w2, [x0, w1, sxtw #1]
      {0xb8a1f802, 1, 0xffff'ffff'8887'8685},            // ldrsw x2, [x0, x1, sxtx #2]
      {0x78e17802, 1, 0xffff'8483},                      // ldrsh w2, [x0, x1, lsl #1]
  };
  for (const auto& [word, index, expected] : cases)
    EXPECT_EQ(x2(word, data_base, index), expected) << std::hex << word;
  EXPECT_EQ(x2(0xf8616802, data_base + 16, minus_8), 0x908f'8e8d'8c8b'8a89u);  // ldr x2, [x0, x1]
  EXPECT_EQ(x2(0xf861c802, data_base + 16, minus_8 & 0xffff'ffff),
            0x908f'8e8d'8c8b'8a89u);                                         // ldr x2, [x0, w1, sxtw]
  EXPECT_EQ(x2(0xf861f802, data_base + 16, ~0ull), 0x908f'8e8d'8c8b'8a89u);  // ldr x2, [x0, x1, sxtx #3]
}

TEST_F(LoadStoreTest, WriteBackLeavesTheAddressBeforeOrBehind) {
  State after = run({0xf8408c02}, data_base);  // ldr x2, [x0, #8]!
  EXPECT_EQ(after.x[2], 0x908f'8e8d'8c8b'8a89u);
  EXPECT_EQ(after.x[0], data_base + 8);
  after = run({0xb8500402}, data_base);  // ldr w2, [x0], #-256
  EXPECT_EQ(after.x[2], 0x8483'8281u);
  EXPECT_EQ(after.x[0], data_base - 256);
  after = run({0x381ffc01}, data_base + 64, 0x5a);  // strb w1, [x0, #-1]!
  EXPECT_EQ(byte(data_base + 63), 0x5a);
  EXPECT_EQ(after.x[0], data_base + 63);
  after = run({0x780ff401}, data_base + 70, 0x1'5a5b);  // strh w1, [x0], #255
  EXPECT_EQ(byte(data_base + 71), 0x5a);
  EXPECT_EQ(after.x[0], data_base + 70 + 255);
}

TEST_F(LoadStoreTest, TheStackPointerIsABaseAndWzrATarget) {
  State before = with(0, 0x77);
  before.x[stack_pointer] = data_base + 16;
  State after = run(
      {
          0xf81f0fe1,  // str x1, [sp, #-16]!
          0xb84087ff,  // ldr wzr, [sp], #8
      },
      before);
  EXPECT_EQ(host.peek(data_base), 0x77u);
  EXPECT_EQ(after.x[stack_pointer], data_base + 8);
  EXPECT_EQ(after.x[zero_register], 0u);
}

// The result is CONSTRAINED UNPREDICTABLE; the engine does the same as QEMU.
TEST_F(LoadStoreTest, WriteBackToALoadedRegisterWins) {
  EXPECT_EQ(run({0xf8408400}, data_base).x[0], data_base + 8);           // ldr x0, [x0], #8
  EXPECT_EQ(run({0xa8c10800}, data_base).x[0], data_base + 16);          // ldp x0, x2, [x0], #16
  EXPECT_EQ(run({0xa9400802}, data_base).x[2], 0x8887'8685'8483'8281u);  // ldp x2, x2, [x0]: the first stays
  run({0xf8008400}, data_base);                                          // str x0, [x0], #8
  EXPECT_EQ(host.peek(data_base), data_base);
}

TEST_F(LoadStoreTest, LiteralsAreRelativeToTheirInstruction) {
  State before = with_fp(0);
  host.place(code_base + 0x100, {0x8111'2222, 0x3333'4444, 0x5555'6666, 0x7777'8888});
  const State after = run(
      {
          0x18000802,  // ldr w2, .+0x100
          0x580007e3,  // ldr x3, .+0xfc
          0x980007c4,  // ldrsw x4, .+0xf8
          0xd80007a0,  // prfm pldl1keep, .+0xf4
          0x1c000780,  // ldr s0, .+0xf0
          0x5c000761,  // ldr d1, .+0xec
          0x9c000742,  // ldr q2, .+0xe8
          0x58ffff25,  // ldr x5, .-0x1c
      },
      before);
  EXPECT_EQ(after.x[2], 0x8111'2222u);
  EXPECT_EQ(after.x[3], 0x3333'4444'8111'2222u);
  EXPECT_EQ(after.x[4], 0xffff'ffff'8111'2222u);
  EXPECT_EQ(after.v[0], (Vector{{0x8111'2222, 0}}));
  EXPECT_EQ(after.v[1], (Vector{{0x3333'4444'8111'2222, 0}}));
  EXPECT_EQ(after.v[2], (Vector{{0x3333'4444'8111'2222, 0x7777'8888'5555'6666}}));
  EXPECT_EQ(after.x[5], 0x580007e3'18000802u);
}

TEST_F(LoadStoreTest, PairsLoadAndStoreTwoRegisters) {
  State after = run({0x29408c02,  // ldp w2, w3, [x0, #4]
                     0x69409404,  // ldpsw x4, x5, [x0, #4]
                     0xa9401c06,  // ldp x6, x7, [x0]
                     0xa840a408,  // ldnp x8, x9, [x0, #8]

                     0x28402c0a},  // ldnp w10, w11, [x0]
                    data_base);
  EXPECT_EQ(after.x[2], 0x8887'8685u);
  EXPECT_EQ(after.x[3], 0x8c8b'8a89u);
  EXPECT_EQ(after.x[4], 0xffff'ffff'8887'8685u);
  EXPECT_EQ(after.x[5], 0xffff'ffff'8c8b'8a89u);
  EXPECT_EQ(after.x[6], 0x8887'8685'8483'8281u);
  EXPECT_EQ(after.x[7], 0x908f'8e8d'8c8b'8a89u);
  EXPECT_EQ(after.x[8], 0x908f'8e8d'8c8b'8a89u);
  EXPECT_EQ(after.x[9], 0x9897'9695'9493'9291u);
  EXPECT_EQ(after.x[10], 0x8483'8281u);
  EXPECT_EQ(after.x[11], 0x8887'8685u);
  after = run(
      {
          0xa9810801,  // stp x1, x2, [x0, #16]!
          0x28bf0402,  // stp w2, w1, [x0], #-8
          0x28030801,  // stnp w1, w2, [x0, #24]
      },
      data_base, 0x1111, 0x2222);
  EXPECT_EQ(after.x[0], data_base + 8);
  EXPECT_EQ(host.peek(data_base + 16), 0x0000'1111'0000'2222u);
  EXPECT_EQ(host.peek(data_base + 24), 0x2222u);
  EXPECT_EQ(host.peek(data_base + 32), 0x0000'2222'0000'1111u);
  after = run(
      {
          0xa8c17c02,  // ldp x2, xzr, [x0], #16
          0x69ff1003,  // ldpsw x3, x4, [x0, #-8]!
          0x68c09805,  // ldpsw x5, x6, [x0], #4
      },
      data_base);
  EXPECT_EQ(after.x[0], data_base + 12);
  EXPECT_EQ(after.x[zero_register], 0u);
  EXPECT_EQ(after.x[3], 0xffff'ffff'8c8b'8a89u);
}

TEST_F(LoadStoreTest, LoadsOfVectorRegistersClearWhatIsAbove) {
  const State after = run(
      {
          0x3d400401,  // ldr b1, [x0, #1]
          0x7d400402,  // ldr h2, [x0, #2]
          0xbd400403,  // ldr s3, [x0, #4]
          0xfd400404,  // ldr d4, [x0, #8]
          0x3dc00405,  // ldr q5, [x0, #16]
          0x3cc01006,  // ldur q6, [x0, #1]
          0x3c616807,  // ldr b7, [x0, x1]
          0x3ce17808,  // ldr q8, [x0, x1, lsl #4]
          0xfc408409,  // ldr d9, [x0], #8
          0xbc408c0a,  // ldr s10, [x0, #8]!
      },
      with_fp(data_base, 1));
  EXPECT_EQ(after.v[1], (Vector{{0x82, 0}}));
  EXPECT_EQ(after.v[2], (Vector{{0x8483, 0}}));
  EXPECT_EQ(after.v[3], (Vector{{0x8887'8685, 0}}));
  EXPECT_EQ(after.v[4], (Vector{{0x908f'8e8d'8c8b'8a89, 0}}));
  EXPECT_EQ(after.v[5], (Vector{{0x9897'9695'9493'9291, 0xa09f'9e9d'9c9b'9a99}}));
  EXPECT_EQ(after.v[6], (Vector{{0x8988'8786'8584'8382, 0x9190'8f8e'8d8c'8b8a}}));
  EXPECT_EQ(after.v[7], (Vector{{0x82, 0}}));
  EXPECT_EQ(after.v[8], (Vector{{0x9897'9695'9493'9291, 0xa09f'9e9d'9c9b'9a99}}));
  EXPECT_EQ(after.v[9], (Vector{{0x8887'8685'8483'8281, 0}}));
  EXPECT_EQ(after.v[10], (Vector{{0x9493'9291, 0}}));
  EXPECT_EQ(after.x[0], data_base + 16);
}

TEST_F(LoadStoreTest, StoresOfVectorRegistersWriteTheirLowBytes) {
  State before = with_fp(data_base, 2);
  before.v[0] = {{0x0807'0605'0403'0201, 0x100f'0e0d'0c0b'0a09}};
  run(
      {
          0x3d000400,  // str b0, [x0, #1]
          0x7c216800,  // str h0, [x0, x1]
          0xbd000400,  // str s0, [x0, #4]
          0xfd000400,  // str d0, [x0, #8]
          0x3c810c00,  // str q0, [x0, #16]!
          0x3c811000,  // stur q0, [x0, #17]
          0x2d3f0000,  // stp s0, s0, [x0, #-8]
      },
      before);
  EXPECT_EQ(host.peek(data_base), 0x0403'0201'0201'0181u);
  EXPECT_EQ(host.peek(data_base + 8), 0x0403'0201'0403'0201u);
  EXPECT_EQ(host.peek(data_base + 24), 0x100f'0e0d'0c0b'0a09u);
  EXPECT_EQ(host.peek(data_base + 32), 0x0706'0504'0302'01a1u);
  EXPECT_EQ(byte(data_base + 48), 0x10);
  EXPECT_EQ(byte(data_base + 49), 0xb2);
}

TEST_F(LoadStoreTest, VectorPairs) {
  const State after = run(
      {
          0x2d408801,  // ldp s1, s2, [x0, #4]
          0x6cc11003,  // ldp d3, d4, [x0], #16
          0xadff9805,  // ldp q5, q6, [x0, #-16]!
          0xac40a007,  // ldnp q7, q8, [x0, #16]
          0xad001406,  // stp q6, q5, [x0]
          0x6c021003,  // stnp d3, d4, [x0, #32]
      },
      with_fp(data_base));
  EXPECT_EQ(after.v[1], (Vector{{0x8887'8685, 0}}));
  EXPECT_EQ(after.v[2], (Vector{{0x8c8b'8a89, 0}}));
  EXPECT_EQ(after.v[3], (Vector{{0x8887'8685'8483'8281, 0}}));
  EXPECT_EQ(after.v[4], (Vector{{0x908f'8e8d'8c8b'8a89, 0}}));
  EXPECT_EQ(after.v[5], (Vector{{0x8887'8685'8483'8281, 0x908f'8e8d'8c8b'8a89}}));
  EXPECT_EQ(after.v[6], (Vector{{0x9897'9695'9493'9291, 0xa09f'9e9d'9c9b'9a99}}));
  EXPECT_EQ(after.v[7], after.v[6]);
  EXPECT_EQ(host.peek(data_base), 0x9897'9695'9493'9291u);
  EXPECT_EQ(host.peek(data_base + 24), 0x908f'8e8d'8c8b'8a89u);
  EXPECT_EQ(host.peek(data_base + 40), 0x908f'8e8d'8c8b'8a89u);
}

TEST_F(LoadStoreTest, PrefetchesReachNothing) {
  run({0xf9800000,  // prfm pldl1keep, [x0]
       0xf8a17811,  // prfm pstl1strm, [x0, x1, lsl #3]
       0xf89ff000,  // prfum pldl1keep, [x0, #-1]
       0xf9800018},
      1, ~0ull);
  EXPECT_TRUE(host.accesses.empty());
}

TEST_F(LoadStoreTest, UnprivilegedOnesAreOrdinaryWithoutTheMmu) {
  const State after = run(
      {
          0x38801802,  // ldtrsb x2, [x0, #1]
          0xf8408803,  // ldtr x3, [x0, #8]
          0x781fe801,  // sttrh w1, [x0, #-2]
          0xb8804804,  // ldtrsw x4, [x0, #4]
      },
      data_base, 0x1'2345);
  EXPECT_EQ(after.x[2], 0xffff'ffff'ffff'ff82u);
  EXPECT_EQ(after.x[3], 0x908f'8e8d'8c8b'8a89u);
  EXPECT_EQ(after.x[4], 0xffff'ffff'8887'8685u);
  EXPECT_EQ(byte(data_base - 2), 0x45);
  EXPECT_EQ(byte(data_base - 1), 0x23);
}

TEST_F(LoadStoreTest, ReservedCombinationsAreUndefined) {
  const std::uint32_t words[] = {
      0xb9c00000,  // size 10, opc 11, unsigned offset
      0xf9c00000,  // size 11, opc 11
      0xf8800400,  // prefetch, post-index
      0xf8800c00,  // prefetch, pre-index
      0xf8800800,  // LDTR, size 11, opc 10
      0xf8600800,  // register offset, option 000
      0xf8602800,  // option 001
      0xf8608800,  // option 100
      0xf860a800,  // option 101
      0xf8a02800,  // prefetch, option 001
      0x68000000,  // LDPSW, no-allocate
      0x69000000,  // a store of signed words
      0xe8400000,  // pair, opc 11
      0xec400000,  // SIMD pair, opc 11
      0xdc000000,  // SIMD literal, opc 11
      0x7d800000,  // SIMD, size 01, opc 10
      0xfdc00000,  // SIMD, size 11, opc 11
      0x3c000800,  // SIMD, unprivileged
  };
  for (const std::uint32_t word : words) expect_undefined(word);
}

TEST_F(LoadStoreTest, EveryRowHasAnExampleThatIsItsOwn) {
  // A row that no word selects, because other rows match first, is a mistake in the table.
  const Options options;
  for (const Row& row : load_store_rows()) {
    bool found = false;
    for (std::uint32_t fill = 0; fill < 1024 && !found; ++fill) {
      std::uint32_t word = row.encoding.value, seed = fill * 0x9e37'79b9u;
      word |= seed & ~row.encoding.mask;
      found = find_row(word, options) == &row;
    }
    EXPECT_TRUE(found) << row.name;
  }
}

}  // namespace
}  // namespace asterism::a64
