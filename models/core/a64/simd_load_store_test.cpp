// LD1 to LD4 and ST1 to ST4: multiple structures, single ones, replicated ones.
#include <numeric>

#include "core/a64/mmu_test.h"
#include "core/a64/simd_test.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t ones = 0x1111'1111'1111'1111, twos = 0x2222'2222'2222'2222;

// Every byte of memory and of V2 to V5 has a value of its own: memory holds 0x00, 0x01, ..., and the
// registers hold 0x20, 0x21, ....
struct SimdLoadStoreTest : MmuTest {
  SimdLoadStoreTest() { std::iota(data(), data() + 64, std::uint8_t{0}); }
  std::uint8_t* data() { return host.memory.bytes + (data_base - code_base); }
  static Quad bytes_from(std::uint64_t first) {
    return {0x0f0e'0d0c'0b0a'0908 + first * 0x0101'0101'0101'0101,
            0x0706'0504'0302'0100 + first * 0x0101'0101'0101'0101};
  }
  State filled(std::uint64_t x0 = data_base, std::uint64_t x1 = 0) const { return fill(with(x0, x1)); }
  static State fill(State before) {
    before.system.cpacr = 3 << 20;
    for (unsigned i = 0; i < 4; ++i) before.v[2 + i] = bytes_from(0x20 + 16 * i);
    return before;
  }
  // V2 to V5 after one load.
  void expect_loaded(std::uint32_t word, const std::vector<Quad>& expected) {
    State before = with(data_base);
    before.system.cpacr = 3 << 20;
    before.v.fill(Quad{ones, twos});
    const State after = run({word}, before);
    for (unsigned i = 0; i < 32; ++i) {
      const bool is_loaded = i >= 2 && i < 2 + expected.size();
      EXPECT_EQ(after.v[i], is_loaded ? expected[i - 2] : (Quad{ones, twos}))
          << std::hex << word << " v" << i;
    }
  }
  // Checks what one store of V2 to V5 writes, and that it changes nothing after that.
  void expect_stored(std::uint32_t word, const std::vector<std::uint64_t>& expected) {
    std::iota(data(), data() + 80, std::uint8_t{0});
    run({word}, filled());
    for (unsigned i = 0; i < 9; ++i) {
      const std::uint64_t before = 0x0706'0504'0302'0100 + 8 * i * 0x0101'0101'0101'0101;
      EXPECT_EQ(host.peek(data_base + 8 * i), i < expected.size() ? expected[i] : before)
          << std::hex << word << " +" << 8 * i;
    }
  }
};

TEST_F(SimdLoadStoreTest, LoadsConsecutiveRegisters) {
  expect_loaded(0x4c407002, {bytes_from(0)});  // ld1 {v2.16b}, [x0]
  expect_loaded(0x0c402002, {{0, 0x0706'0504'0302'0100},
                             {0, 0x0f0e'0d0c'0b0a'0908},
                             {0, 0x1716'1514'1312'1110},
                             {0, 0x1f1e'1d1c'1b1a'1918}});  // ld1 {v2.8b-v5.8b}, [x0]
  const State after = run({0x4c40a01f}, filled());          // ld1 {v31.16b, v0.16b}, [x0]
  EXPECT_EQ(after.v[31], bytes_from(0));
  EXPECT_EQ(after.v[0], bytes_from(16));
}

TEST_F(SimdLoadStoreTest, LoadsDeinterleaveStructures) {
  // ld2 {v2.16b, v3.16b}, [x0]
  expect_loaded(0x4c408002, {{0x1e1c'1a18'1614'1210, 0x0e0c'0a08'0604'0200},
                             {0x1f1d'1b19'1715'1311, 0x0f0d'0b09'0705'0301}});
  // ld2 {v2.4h, v3.4h}, [x0]
  expect_loaded(0x0c408402, {{0, 0x0d0c'0908'0504'0100}, {0, 0x0f0e'0b0a'0706'0302}});
  // ld3 {v2.8b-v4.8b}, [x0]
  expect_loaded(0x0c404002,
                {{0, 0x1512'0f0c'0906'0300}, {0, 0x1613'100d'0a07'0401}, {0, 0x1714'110e'0b08'0502}});
  // ld3 {v2.4s-v4.4s}, [x0]
  expect_loaded(0x4c404802, {{0x2726'2524'1b1a'1918, 0x0f0e'0d0c'0302'0100},
                             {0x2b2a'2928'1f1e'1d1c, 0x1312'1110'0706'0504},
                             {0x2f2e'2d2c'2322'2120, 0x1716'1514'0b0a'0908}});
  // ld4 {v2.8h-v5.8h}, [x0]
  expect_loaded(0x4c400402, {{0x3938'3130'2928'2120, 0x1918'1110'0908'0100},
                             {0x3b3a'3332'2b2a'2322, 0x1b1a'1312'0b0a'0302},
                             {0x3d3c'3534'2d2c'2524, 0x1d1c'1514'0d0c'0504},
                             {0x3f3e'3736'2f2e'2726, 0x1f1e'1716'0f0e'0706}});
  // ld4 {v2.2d-v5.2d}, [x0]
  expect_loaded(0x4c400c02, {{0x2726'2524'2322'2120, 0x0706'0504'0302'0100},
                             {0x2f2e'2d2c'2b2a'2928, 0x0f0e'0d0c'0b0a'0908},
                             {0x3736'3534'3332'3130, 0x1716'1514'1312'1110},
                             {0x3f3e'3d3c'3b3a'3938, 0x1f1e'1d1c'1b1a'1918}});
}

TEST_F(SimdLoadStoreTest, StoresInterleaveStructures) {
  // st1 {v2.16b, v3.16b}, [x0]
  expect_stored(0x4c00a002,
                {0x2726'2524'2322'2120, 0x2f2e'2d2c'2b2a'2928, 0x3736'3534'3332'3130, 0x3f3e'3d3c'3b3a'3938});
  // st2 {v2.8b, v3.8b}, [x0]
  expect_stored(0x0c008002, {0x3323'3222'3121'3020, 0x3727'3626'3525'3424});
  // st3 {v2.4h-v4.4h}, [x0]
  expect_stored(0x0c004402, {0x2322'4140'3130'2120, 0x3534'2524'4342'3332, 0x4746'3736'2726'4544});
  // st4 {v2.2d-v5.2d}, [x0]
  expect_stored(0x4c000c02,
                {0x2726'2524'2322'2120, 0x3736'3534'3332'3130, 0x4746'4544'4342'4140, 0x5756'5554'5352'5150,
                 0x2f2e'2d2c'2b2a'2928, 0x3f3e'3d3c'3b3a'3938, 0x4f4e'4d4c'4b4a'4948, 0x5f5e'5d5c'5b5a'5958});
}

TEST_F(SimdLoadStoreTest, LoadsSingleStructuresIntoOneLane) {
  const std::uint64_t low = 0x0706'0504'0302'0100;
  // ld1 {v2.b}[15], [x0]
  expect_loaded(0x4d401c02, {{0x0011'1111'1111'1111, twos}});
  // ld1 {v2.h}[2], [x0]
  expect_loaded(0x0d405002, {{ones, 0x2222'0100'2222'2222}});
  // ld2 {v2.s, v3.s}[3], [x0]
  expect_loaded(0x4d609002, {{0x0302'0100'1111'1111, twos}, {0x0706'0504'1111'1111, twos}});
  // ld3 {v2.b-v4.b}[9], [x0]
  expect_loaded(
      0x4d402402,
      {{0x1111'1111'1111'0011, twos}, {0x1111'1111'1111'0111, twos}, {0x1111'1111'1111'0211, twos}});
  // ld4 {v2.d-v5.d}[1], [x0]
  expect_loaded(
      0x4d60a402,
      {{low, twos}, {bytes_from(0).high, twos}, {bytes_from(16).low, twos}, {bytes_from(16).high, twos}});
}

TEST_F(SimdLoadStoreTest, StoresSingleStructuresFromOneLane) {
  expect_stored(0x4d001c02, {0x0706'0504'0302'012f});                         // st1 {v2.b}[15], [x0]
  expect_stored(0x4d205802, {0x0706'0504'3f3e'2f2e});                         // st2 {v2.h, v3.h}[7], [x0]
  expect_stored(0x0d00b002, {0x3736'3534'2726'2524, 0x0f0e'0d0c'4746'4544});  // st3 {v2.s-v4.s}[1], [x0]
  expect_stored(0x0d20a402, {0x2726'2524'2322'2120, 0x3736'3534'3332'3130, 0x4746'4544'4342'4140,
                             0x5756'5554'5352'5150});  // st4 {v2.d-v5.d}[0], [x0]
}

TEST_F(SimdLoadStoreTest, ReplicatesStructures) {
  expect_loaded(0x4d40c002, {{0, 0}});                      // ld1r {v2.16b}, [x0]
  expect_loaded(0x0d40c402, {{0, 0x0100'0100'0100'0100}});  // ld1r {v2.4h}, [x0]
  expect_loaded(0x0d60c802,
                {{0, 0x0302'0100'0302'0100}, {0, 0x0706'0504'0706'0504}});  // ld2r {v2.2s, v3.2s}, [x0]
  // ld3r {v2.8h-v4.8h}, [x0]
  expect_loaded(0x4d40e402, {{0x0100'0100'0100'0100, 0x0100'0100'0100'0100},
                             {0x0302'0302'0302'0302, 0x0302'0302'0302'0302},
                             {0x0504'0504'0504'0504, 0x0504'0504'0504'0504}});
  // ld4r {v2.1d-v5.1d}, [x0]
  expect_loaded(
      0x0d60ec02,
      {{0, bytes_from(0).low}, {0, bytes_from(0).high}, {0, bytes_from(16).low}, {0, bytes_from(16).high}});
}

TEST_F(SimdLoadStoreTest, PostIndexAddsTheTransferSizeOrARegister) {
  const struct {
    std::uint32_t word;
    std::uint64_t grows;
  } cases[] = {
      {0x4c407002, 0},                  // ld1 {v2.16b}, [x0]
      {0x4cdf7002, 16},                 // ld1 {v2.16b}, [x0], #16
      {0x0cdf7c02, 8},                  // ld1 {v2.1d}, [x0], #8
      {0x4cdf0002, 64},                 // ld4 {v2.16b-v5.16b}, [x0], #64
      {0x0cc14002, ~std::uint64_t{6}},  // ld3 {v2.8b-v4.8b}, [x0], x1
      {0x4c9f6002, 48},                 // st1 {v2.16b-v4.16b}, [x0], #48
      {0x0dbf4002, 4},                  // st2 {v2.h, v3.h}[0], [x0], #4
      {0x4ddfe802, 12},                 // ld3r {v2.4s-v4.4s}, [x0], #12
  };
  for (const auto& [word, grows] : cases)
    EXPECT_EQ(run({word}, filled(data_base, ~std::uint64_t{6})).x[0], data_base + grows) << std::hex << word;
  State before = filled();
  before.x[stack_pointer] = data_base;
  EXPECT_EQ(run({0x0d9f03e2}, before).x[stack_pointer], data_base + 1);  // st1 {v2.b}[0], [sp], #1
}

// ---- off the fast path ----

TEST_F(SimdLoadStoreTest, AcrossTwoPagesAsInOne) {
  constexpr std::uint64_t at = data_base + page_size - 40;
  map(data_base + page_size, data_base + 2 * page_size);  // the next page is not adjacent in memory
  const State before = fill(with_mmu(at));
  const State stored = run({0x4c9f0002}, before);  // st4 {v2.16b-v5.16b}, [x0], #64
  EXPECT_EQ(stored.x[0], at + 64);
  EXPECT_EQ(host.peek(at), 0x5141'3121'5040'3020u);
  EXPECT_EQ(host.peek(data_base + 2 * page_size), 0x5b4b'3b2b'5a4a'3a2au);
  State cleared = before;
  for (unsigned i = 2; i < 6; ++i) cleared.v[i] = {};
  const State loaded = run({0x4cdf0002}, cleared);  // ld4 {v2.16b-v5.16b}, [x0], #64
  EXPECT_EQ(loaded.x[0], at + 64);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(loaded.v[2 + i], before.v[2 + i]);
}

TEST_F(SimdLoadStoreTest, AFaultOnTheLastByteChangesNothing) {
  const struct {
    std::uint32_t word;
    unsigned size;
  } cases[] = {
      {0x4cdf0002, 64},  // ld4 {v2.16b-v5.16b}, [x0], #64
      {0x4c9f0002, 64},  // st4 {v2.16b-v5.16b}, [x0], #64
      {0x4c9f6002, 48},  // st1 {v2.16b-v4.16b}, [x0], #48
      {0x0cdf0802, 32},  // ld4 {v2.2s-v5.2s}, [x0], #32
      {0x0d9f9002, 4},   // st1 {v2.s}[1], [x0], #4
      {0x0dff5802, 4},   // ld2 {v2.h, v3.h}[3], [x0], #4
      {0x4ddfe802, 12},  // ld3r {v2.4s-v4.4s}, [x0], #12
  };
  for (const auto& [instruction, size] : cases) {
    const State before = fill(with_mmu(unmapped + 1 - size));
    word(unmapped - 8) = 77;
    const State after = fault({instruction}, before);
    const bool is_store = !(instruction & 1 << 22);
    expect_exception(after, 0x25, 0x07 | is_store << 6, code_base, unmapped);
    EXPECT_EQ(after.x[0], before.x[0]) << std::hex << instruction;
    EXPECT_EQ(after.v, before.v) << std::hex << instruction;
    EXPECT_EQ(word(unmapped - 8), 77u) << std::hex << instruction;
  }
}

TEST_F(SimdLoadStoreTest, AlignmentIsThatOfTheElement) {
  State before = filled(data_base + 4);
  before.system.sctlr |= sctlr_a;
  EXPECT_EQ(run({0x4c407802}, before).v[2], bytes_from(4));  // ld1 {v2.4s}, [x0]
  const State after = fault({0x4c407c02}, before);           // ld1 {v2.2d}, [x0]
  expect_exception(after, 0x25, 0x21, code_base, data_base + 4);
}

TEST_F(SimdLoadStoreTest, ADeviceSeesElements) {
  host.accesses.clear();
  host.on_load = [](std::uint64_t address) { return 0x1000 + address % 0x100; };
  const State after = run({0x4c407802}, filled(device));  // ld1 {v2.4s}, [x0]
  EXPECT_EQ(after.v[2], (Quad{0x0000'100c'0000'1008, 0x0000'1004'0000'1000}));
  EXPECT_EQ(host.accesses.size(), 4u);
  host.accesses.clear();
  run({0x0d00b002}, filled(device));  // st3 {v2.s-v4.s}[1], [x0]
  const std::vector<BusAccess> expected = {
      {'w', device, 4, 0x2726'2524}, {'w', device + 4, 4, 0x3736'3534}, {'w', device + 8, 4, 0x4746'4544}};
  EXPECT_EQ(host.accesses, expected);
}

TEST_F(SimdLoadStoreTest, ReservedStructuresAreUndefined) {
  for (const std::uint32_t word : {
           0x0c408c02u, 0x0c000c02u,  // ld2 {v2.1d, v3.1d}; st4 {v2.1d-v5.1d}
           0x0c401002u, 0x0c410002u,  // (no such opcode); a register without post-index
           0x0d404402u, 0x0d408802u,  // a half-word, a word with a bit of its index set that is 0
           0x0d409402u,               // a double word likewise
           0x0d00c002u, 0x0d40d002u,  // st1r; ld1r with S
       })
    expect_undefined(word);
}

}  // namespace
}  // namespace asterism::a64
