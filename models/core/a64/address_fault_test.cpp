// Faults of loads, stores and fetches have exact syndromes and change nothing else.
#include "core/a64/mmu_test.h"

namespace asterism::a64 {
namespace {

constexpr unsigned data_abort = 0x25, data_abort_from_el0 = 0x24;
constexpr unsigned instruction_abort = 0x21, instruction_abort_from_el0 = 0x20;
constexpr std::uint32_t is_store = 1 << 6;
constexpr std::uint32_t translation_3 = 0x07, access_flag_3 = 0x0b, permission_3 = 0x0f, alignment = 0x21;

struct AddressFaultTest : MmuTest {
  static constexpr std::uint64_t last_bytes = unmapped - 8;  // in the last page that is mapped
};

// ---- accesses that extend into an unmapped page ----

TEST_F(AddressFaultTest, APairWithWriteBackThatFaultsOnItsSecondHalfChangesNothing) {
  for (const std::uint32_t load : {
           0xa8c10c02u,  // ldp x2, x3, [x0], #16
           0xa9c00c02u,  // ldp x2, x3, [x0, #0]!
       }) {
    const State after = fault({load}, with_mmu(last_bytes, 1, 2, 3));
    expect_exception(after, data_abort, translation_3, code_base, unmapped);
    EXPECT_EQ(after.x[0], last_bytes);
    EXPECT_EQ(after.x[2], 2u);
    EXPECT_EQ(after.x[3], 3u);
  }
  word(last_bytes) = 77;
  const State after = fault({0xa8810c02}, with_mmu(last_bytes, 1, 2, 3));  // stp x2, x3, [x0], #16
  expect_exception(after, data_abort, translation_3 | is_store, code_base, unmapped);
  EXPECT_EQ(after.x[0], last_bytes);
  EXPECT_EQ(word(last_bytes), 77u);
}

TEST_F(AddressFaultTest, FarIsTheFirstByteThatCannotBeReached) {
  const struct {
    std::uint32_t word;
    std::uint64_t address, far;
    std::uint32_t iss;
  } cases[] = {
      {0xf9400002, unmapped - 1, unmapped, translation_3},                   // ldr x2, [x0]
      {0x79400002, unmapped - 1, unmapped, translation_3},                   // ldrh w2, [x0]
      {0xf9400002, unmapped + 5, unmapped + 5, translation_3},               // ldr x2, [x0]
      {0xb9000002, unmapped - 3, unmapped, translation_3 | is_store},        // str w2, [x0]
      {0x3dc00002, unmapped - 8, unmapped, translation_3},                   // ldr q2, [x0]
      {0xad000c02, unmapped - 16, unmapped, translation_3 | is_store},       // stp q2, q3, [x0]
      {0xf9400002, data_base - 1, data_base - 1, translation_3},             // ldr x2, [x0]
      {0xa9000c02, data_base - 8, data_base - 8, translation_3 | is_store},  // stp x2, x3, [x0]
      {0xf8408c02, unmapped - 8, unmapped, translation_3},                   // ldr x2, [x0, #8]!
      {0xf8008402, unmapped, unmapped, translation_3 | is_store},            // str x2, [x0], #8
      {0x39400002, 1ull << 39, 1ull << 39, 0x04},                            // ldrb w2, [x0]
      {0x39400002, 0x7f'0000'0000, 0x7f'0000'0000, 0x05},                    // ldrb w2, [x0]
      {0x39400002, code_base + 0x40'0000, code_base + 0x40'0000, 0x06},      // ldrb w2, [x0]
  };
  for (const auto& [word, address, far, iss] : cases) {
    const State after = fault({word}, with_mmu(address, 0, 2, 3));
    expect_exception(after, data_abort, iss, code_base, far);
    EXPECT_EQ(after.x[0], address);
    EXPECT_EQ(after.x[2], 2u);
  }
}

TEST_F(AddressFaultTest, AStoreThatFaultsOnItsSecondPageChangesNoByte) {
  word(last_bytes) = 0x1122'3344'5566'7788;
  fault({0xf9000002}, with_mmu(unmapped - 3, 0, ~0ull));  // str x2, [x0]
  EXPECT_EQ(word(last_bytes), 0x1122'3344'5566'7788u);
}

TEST_F(AddressFaultTest, ElrIsTheInstructionInTheMiddleOfItsBlock) {
  const State after = fault(
      {
          0xf9400002,  // ldr x2, [x0]
          0xf9400023,  // ldr x3, [x1]
          0xf9400004,  // ldr x4, [x0]
      },
      with_mmu(data_base, unmapped), 1);
  expect_exception(after, data_abort, translation_3, code_base + 4, unmapped);
  EXPECT_EQ(after.system.spsr, 0x3c5u);
  EXPECT_EQ(after.x[4], 0u);
}

// ---- permissions ----

TEST_F(AddressFaultTest, AReadOnlyPageRefusesStores) {
  map(data_base, data_base, read_only);
  const State after = fault(
      {
          0xf9400002,  // ldr x2, [x0]
          0xf9000002,  // str x2, [x0]
      },
      with_mmu(data_base + 8), 1);
  expect_exception(after, data_abort, permission_3 | is_store, code_base + 4, data_base + 8);
}

TEST_F(AddressFaultTest, ALoadDoesNotPermitStores) {
  // A load puts the page into the TLB, then a store finds that it is read-only; and the other way round.
  map(data_base, data_base, read_only);
  map(data_base + page_size, data_base + page_size);
  const State after = fault(
      {
          0xf9400002,  // ldr x2, [x0]
          0xf9080002,  // str x2, [x0, #4096]
          0xf9000002,  // str x2, [x0]
      },
      with_mmu(data_base), 2);
  expect_exception(after, data_abort, permission_3 | is_store, code_base + 8, data_base);
}

TEST_F(AddressFaultTest, AnAccessFlagThatIsClearFaults) {
  descriptor(data_base) &= ~af;
  expect_exception(fault({0xf9400002}, with_mmu(data_base)), data_abort, access_flag_3, code_base,
                   data_base);  // ldr x2, [x0]
  descriptor(data_base) |= af;
}

TEST_F(AddressFaultTest, El0ReachesOnlyWhatIsItsOwn) {
  map(code_base, code_base, at_el0 | read_only);
  map(data_base, data_base, at_el0);
  const State after = fault(
      {
          0xf9000002,  // str x2, [x0]
          0xf9400023,  // ldr x3, [x1]
      },
      at_el0_of(with_mmu(data_base, data_base + page_size)), 1);
  expect_exception(after, data_abort_from_el0, permission_3, code_base + 4, data_base + page_size);
  EXPECT_EQ(after.system.spsr & 0xf, 0u);
  EXPECT_EQ(after.pc, vectors + 0x400);
}

TEST_F(AddressFaultTest, UnprivilegedAccessesAreThoseOfEl0) {
  map(data_base + page_size, data_base + page_size, at_el0);
  const State fine = run(
      {
          0xf8400802,  // ldtr x2, [x0]
          0xf8000802,  // sttr x2, [x0]
      },
      with_mmu(data_base + page_size));
  EXPECT_EQ(fine.pc, code_base + 8);
  expect_exception(fault({0xf8400802}, with_mmu(data_base)), data_abort, permission_3, code_base,
                   data_base);  // ldtr x2, [x0]
  expect_exception(fault({0x38000802}, with_mmu(data_base)), data_abort, permission_3 | is_store, code_base,
                   data_base);  // sttrb w2, [x0]
}

TEST_F(AddressFaultTest, PermissionsOfEl1AreNotLeftInTheTlbOfEl0) {
  map(code_base, code_base, at_el0 | read_only);
  State before = with_mmu(data_base);
  before.system.elr = code_base + 8;
  before.system.spsr = 0;
  const State after = fault(
      {
          0xf9400002,              // ldr x2, [x0]
          0xd69f03e0, 0xf9400003,  // ldr x3, [x0]
      },
      before, 2);  // eret
  expect_exception(after, data_abort_from_el0, permission_3, code_base + 8, data_base);
}

// ---- fetches ----

TEST_F(AddressFaultTest, AJumpIntoAnUnmappedPageIsAnInstructionAbort) {
  const State after = fault({0xd61f0000}, with_mmu(unmapped), 1);  // br x0
  expect_exception(after, instruction_abort, translation_3, unmapped, unmapped);
}

TEST_F(AddressFaultTest, ABlockThatRunsIntoAnUnmappedPageFaultsThere) {
  const std::uint64_t end = vectors + page_size;
  host.place(end - 8, {0xd503201f, 0xd503201f});  // nop
  core->invalidate_code(host.memory_range());
  const State after = fault({0xd61f0000}, with_mmu(end - 8), 3);  // br x0
  expect_exception(after, instruction_abort, translation_3, end, end);
}

TEST_F(AddressFaultTest, ExecuteNeverIsEachLevelsOwn) {
  host.place(data_base, {0x1400'0000});  // b .
  const std::uint32_t br = 0xd61f0000;   // br x0
  const struct {
    std::uint64_t attributes;
    bool el1_may, el0_may;
  } cases[] = {
      {0, true, true},
      {uxn, true, false},
      {pxn, false, true},
      {at_el0, false, true},
      {at_el0 | uxn, false, false},
      {at_el0 | read_only, true, true},
      {read_only | pxn, false, true},
  };
  map(code_base, code_base, at_el0 | read_only);
  for (const auto& [attributes, el1_may, el0_may] : cases) {
    map(data_base, data_base, attributes);
    State after = fault({br}, with_mmu(data_base), 1);
    EXPECT_EQ(after.pc, el1_may ? data_base : vectors + 0x200) << std::hex << attributes;
    if (!el1_may) expect_exception(after, instruction_abort, permission_3, data_base, data_base);
    after = fault({br}, at_el0_of(with_mmu(data_base)), 1);
    EXPECT_EQ(after.pc, el0_may ? data_base : vectors + 0x400) << std::hex << attributes;
    if (!el0_may) expect_exception(after, instruction_abort_from_el0, permission_3, data_base, data_base);
  }
}

TEST_F(AddressFaultTest, AFetchWithoutMemoryIsAnExternalAbort) {
  map(data_base, device);
  expect_exception(fault({0xd61f0000}, with_mmu(data_base), 1), instruction_abort, 0x10, data_base,
                   data_base);
}

// ---- tables at unusual addresses; the program is in the lower half, its data in the upper one ----

constexpr std::uint64_t upper = 0xffff'ff80'0000'0000;

TEST_F(AddressFaultTest, TablesMayBeInADevice) {
  State before = with_mmu(upper + 0x1008);
  before.system.ttbr1 = device;
  std::vector<std::uint64_t> asked;
  host.on_load = [&](std::uint64_t address) -> std::uint64_t {
    asked.push_back(address);
    // Two descriptors of tables come before that of the page.
    return asked.size() < 3 ? device | 3 : data_base | page | af;
  };
  word(data_base + 8) = 4711;
  EXPECT_EQ(run({0xf9400002}, before).x[2], 4711u);  // ldr x2, [x0]
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{device, device, device + 8}));
}

TEST_F(AddressFaultTest, AWalkIsRepeatedAfterAnInvalidationByAnotherCore) {
  State before = with_mmu(upper + 0x1008);
  before.system.ttbr1 = device;
  unsigned asked = 0;
  host.on_load = [&](std::uint64_t) -> std::uint64_t {
    ++asked;
    if (asked % 3 != 0) return device | 3;
    if (asked == 6) return (data_base + 0x2000) | page | af;
    core->invalidate_translations();  // the table has changed while this descriptor was read
    return data_base | page | af;
  };
  word(data_base + 8) = 4711, word(data_base + 0x2008) = 4712;
  EXPECT_EQ(run({0xf9400002}, before).x[2], 4712u);  // ldr x2, [x0]
}

TEST_F(AddressFaultTest, TablesWithoutMemoryAreAnExternalAbortOnTheWalk) {
  State before = with_mmu(upper);
  before.system.ttbr1 = 0x7000'0000;
  expect_exception(fault({0xf9400002}, before), data_abort, 0x15, code_base, upper);  // ldr x2, [x0]
  expect_exception(fault({0xf9000002}, before), data_abort, 0x15 | is_store, code_base,
                   upper);  // str x2, [x0]
  before.system.ttbr1 = data_base;
  word(data_base) = 0x7000'0000 | 3;
  expect_exception(fault({0xf9400002}, before), data_abort, 0x16, code_base, upper);  // ldr x2, [x0]
  before.x[0] = upper;
  expect_exception(fault({0xd61f0000}, before, 1), instruction_abort, 0x16, upper, upper);
}

TEST_F(AddressFaultTest, ATableThatIsItsOwnNextEnds) {
  State before = with_mmu(upper);
  before.system.ttbr1 = data_base;
  word(data_base) = data_base | 3 | af;
  EXPECT_EQ(run({0xf9400002}, before).x[2], data_base | 3 | af);  // ldr x2, [x0]
}

TEST_F(AddressFaultTest, WithoutMemoryForItsOwnTablesACoreLocksUp) {
  State before = with_mmu();
  before.system.ttbr0 = 0x7000'0000;
  before.pc = code_base;
  host.place(code_base, {0xd503201f});
  core->set_state(before);
  EXPECT_EQ(core->run(), Iss::Stop::locked_up);
  expect_exception(core->state(), instruction_abort, 0x15, vectors + 0x200, vectors + 0x200);
}

// ---- alignment ----

TEST_F(AddressFaultTest, WithoutAlignmentCheckingUnalignedAccessesCrossLinesAndPages) {
  map(data_base, data_base + 0x4000);
  map(data_base + page_size, data_base + 0x2000);
  word(data_base + 0x4ff8) = 0x8877'6655'4433'2211;
  word(data_base + 0x2000) = 0x00ff'eedd'ccbb'aa99;
  const State after = run(
      {
          0xf9400002,  // ldr x2, [x0]
          0xf81ff001,  // stur x1, [x0, #-1]
          0xf8401003,  // ldur x3, [x0, #1]
      },
      with_mmu(data_base + 0xffd, 0x0102'0304'0506'0708));
  EXPECT_EQ(after.x[2], 0xddcc'bbaa'9988'7766u);
  EXPECT_EQ(word(data_base + 0x4ff8), 0x0506'0708'4433'2211u);
  EXPECT_EQ(word(data_base + 0x2000), 0x00ff'eedd'0102'0304u);
  EXPECT_EQ(after.x[3], 0xeedd'0102'0304'0506u);
}

TEST_F(AddressFaultTest, AlignmentIsThatOfARegisterAndNotOfAPair) {
  State before = with_mmu(data_base + 8);
  before.system.sctlr |= sctlr_a;
  EXPECT_EQ(run(
                {
                    0xa9400c02,  // ldp x2, x3, [x0]
                    0xf9400004,  // ldr x4, [x0]
                    0x39400c05,  // ldrb w5, [x0, #3]
                    0x29008c02,  // stp w2, w3, [x0, #4]
                },
                before)
                .pc,
            code_base + 16);
  const struct {
    std::uint32_t word;
    std::uint64_t offset;
    std::uint32_t iss;
  } cases[] = {
      {0xf9400002,  // ldr x2, [x0]
       4, alignment},
      {0xb9400002,  // ldr w2, [x0]
       2, alignment},
      {0x79000002,  // strh w2, [x0]
       1, alignment | is_store},
      {0xa9400c02,  // ldp x2, x3, [x0]
       4, alignment},
      {0x3dc00002,  // ldr q2, [x0]
       8, alignment},
      {0xad000c02,  // stp q2, q3, [x0]
       8, alignment | is_store},
      {0x29400c02,  // ldp w2, w3, [x0]
       2, alignment},
      {0xfd400002,  // ldr d2, [x0]
       4, alignment},
  };
  for (const auto& [word, offset, iss] : cases) {
    before.x[0] = data_base + offset;
    const State after = fault({word}, before);
    expect_exception(after, data_abort, iss, code_base, data_base + offset);
  }
}

TEST_F(AddressFaultTest, AnAlignmentFaultComesBeforeATranslationFault) {
  State before = with_mmu(unmapped + 1);
  before.system.sctlr |= sctlr_a;
  expect_exception(fault({0xf9400002}, before), data_abort, alignment, code_base,
                   unmapped + 1);  // ldr x2, [x0]
}

TEST_F(AddressFaultTest, AcquireReleaseExclusivesAndAtomicsAreAlwaysAligned) {
  const struct {
    std::uint32_t word;
    std::uint32_t iss;
  } cases[] = {
      {0xc8dffc02, alignment},             // ldar x2, [x0]
      {0xc89ffc02, alignment | is_store},  // stlr x2, [x0]
      {0xc85f7c02, alignment},             // ldxr x2, [x0]
      {0x485ffc02, alignment},             // ldaxrh w2, [x0]
      {0xc87f0c02, alignment},             // ldxp x2, x3, [x0]
  };
  for (const auto& [word, iss] : cases)
    expect_exception(fault({word}, with_mmu(data_base + 1)), data_abort, iss, code_base, data_base + 1);
}

}  // namespace
}  // namespace asterism::a64
