// The engine reports violations of rules that the host gives it, before they have an effect.
#include "core/guest_rules.h"

#include "core/a64/mmu_test.h"
#include "core/a64/stores_of_every_kind.h"

namespace asterism::a64 {
namespace {

struct GuestRulesTest : MmuTest {
  static constexpr std::uint64_t other_page = data_base + page_size;

  void make(const GuestRules& rules) {
    core = make_native_iss(host, 0, {.rules = rules});
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes);
    core->write(CoreRegister::vbar, vectors);
  }
  State run_with_sp(const std::vector<std::uint32_t>& words, std::uint64_t sp, std::uint64_t x0 = 0) {
    State before = with(x0);
    before.x[stack_pointer] = sp;
    before.system.cpacr = 3 << 20;
    return run(words, before);
  }
  State with_mmu_off(std::uint64_t x0) const {
    State before = with(x0);
    before.system.sctlr &= ~sctlr_m;
    before.system.cpacr = 3 << 20;
    return before;
  }
  State with_memory_type(std::uint64_t mair, std::uint64_t x0) const {
    State before = with_mmu(x0);
    before.system.mair = mair;
    return before;
  }
  void expect_findings(std::size_t count, GuestCheck check) {
    ASSERT_EQ(host.findings.size(), count);
    for (const GuestFinding& each : host.findings) EXPECT_EQ(each.check, check);
    host.findings.clear();
  }
};

// ---- read-only memory ----

TEST_F(GuestRulesTest, EveryKindOfStoreToReadOnlyMemoryIsReportedBeforeItIsMade) {
  for (const auto& [word, address, expected] : stores_of_every_kind(data_base)) {
    make({.read_only = {{Address(data_base), Bytes(2 * page_size)}}});
    map(data_base, data_base, at_el0);  // for STTR
    std::memset(&this->word(data_base), 0x55, 2 * page_size);
    host.on_found = [this] { EXPECT_EQ(this->word(data_base), 0x5555'5555'5555'5555u); };
    State before = with_mmu(address, 0, 2, 32);
    before.x[5] = 0x5555'5555'5555'5555;  // what CAS compares with
    for (unsigned at = 2; at <= 5; ++at) before.v[at].d = {1, 2};
    run({word}, before);
    expect_findings(expected.size(), GuestCheck::read_only);
  }
}

TEST_F(GuestRulesTest, AStoreIsReportedWithItsPlaceAndItsRange) {
  const AddressRange range{Address(data_base), Bytes(page_size)};
  make({.read_only = {range}});
  run({0xd503201f, 0xb9000001}, data_base + 8, 7);  // nop; str w1, [x0]
  ASSERT_EQ(host.findings.size(), 1u);
  const GuestFinding& found = host.findings[0];
  EXPECT_EQ(found.pc, Address(code_base + 4));
  EXPECT_EQ(found.address, Address(data_base + 8));
  EXPECT_EQ(found.size, 4u);
  EXPECT_TRUE(found.is_store);
  EXPECT_EQ(found.within.first, range.first);
  EXPECT_EQ(found.within.size, range.size);
  EXPECT_EQ(word(data_base + 8), 7u);
}

TEST_F(GuestRulesTest, OnlyTheFirstStoreToAPageIsReported) {
  make({.read_only = {{Address(data_base), Bytes(2 * page_size)}}});
  run({0xb9000001, 0x79000001, 0x39000001}, data_base);  // str; strh; strb w1, [x0]
  expect_findings(1, GuestCheck::read_only);
  run({0xb9000001}, other_page);
  expect_findings(1, GuestCheck::read_only);
  core->reset();
  run({0xb9000001}, data_base);
  expect_findings(1, GuestCheck::read_only);
}

TEST_F(GuestRulesTest, StoresToTheRestOfAPageAreNotReported) {
  make({.read_only = {{Address(data_base + 64), Bytes(64)}}});
  run({0xb9000001, 0xb9000001}, data_base + 60);
  run({0xb9000001}, data_base + 128);
  expect_findings(0, GuestCheck::read_only);
  run({0xf9000001}, data_base + 60);  // str x1, [x0]
  expect_findings(1, GuestCheck::read_only);
}

TEST_F(GuestRulesTest, ReadOnlyMemoryIsPhysical) {
  make({.read_only = {{Address(data_base), Bytes(page_size)}}});
  map(other_page, data_base);
  run({0xb9000001}, with_mmu(other_page));
  ASSERT_EQ(host.findings.size(), 1u);
  EXPECT_EQ(host.findings[0].address, Address(other_page));
}

// ---- memory that is not executable ----

TEST_F(GuestRulesTest, TheFirstExecutionOfAPageIsReported) {
  make({.not_executable = {{Address(data_base), Bytes(page_size)}}});
  host.place(data_base, {0xd503201f, 0xd65f03c0});  // nop; ret
  State before = with(data_base);
  before.x[30] = code_base;
  host.on_found = [this] { EXPECT_EQ(core->read(CoreRegister::x30), code_base); };
  run({0xd61f0000}, before, 7);  // br x0
  ASSERT_EQ(host.findings.size(), 1u);
  EXPECT_EQ(host.findings[0].check, GuestCheck::no_execute);
  EXPECT_EQ(host.findings[0].address, Address(data_base));
}

TEST_F(GuestRulesTest, AHostThatStopsAtAFindingStopsBeforeTheInstruction) {
  make({.not_executable = {{Address(data_base), Bytes(page_size)}}});
  host.place(data_base, {0xd503201f});
  host.place(code_base, {0xd61f0000});
  State before = with(data_base);
  before.pc = code_base;
  core->set_state(before);
  host.on_found = [this] { core->request_stop(); };
  EXPECT_EQ(core->run(), Iss::Stop::requested);
  EXPECT_EQ(core->instructions(), 1u);
  EXPECT_EQ(core->read(CoreRegister::pc), data_base);
}

// ---- stacks ----

constexpr std::uint64_t low = data_base + 0x1000, high = low + 0x1000;
const GuestRules two_stacks{.stacks = {{Address(low), Bytes(0x1000)}, {Address(high), Bytes(0x1000)}}};

TEST_F(GuestRulesTest, EveryWayToLowerSpOutOfItsStackIsReported) {
  for (const std::uint32_t word : {
           0xa9bf7bfdu,  // stp x29, x30, [sp, #-16]!
           0xf81f0fe1u,  // str x1, [sp, #-16]!
           0x3c9e0fe1u,  // str q1, [sp, #-32]!
           0x6dbc27e8u,  // stp d8, d9, [sp, #-64]!
           0xd10043ffu,  // sub sp, sp, #0x10
           0xd14007ffu,  // sub sp, sp, #0x1, lsl #12
           0xcb2063ffu,  // sub sp, sp, x0
       }) {
    make(two_stacks);
    run_with_sp({word}, low + 64, 64);
    if (word == 0xd14007ff) expect_findings(1, GuestCheck::stack);
    expect_findings(0, GuestCheck::stack);
    run_with_sp({word}, low + 8, 64);
    ASSERT_EQ(host.findings.size(), 1u) << std::hex << word;
    EXPECT_EQ(host.findings[0].pc, Address(code_base));
    EXPECT_EQ(host.findings[0].address, Address(core->read(CoreRegister::sp)));
    EXPECT_LT(host.findings[0].address.value(), low);
    EXPECT_EQ(host.findings[0].within.first, Address(low));
    host.findings.clear();
  }
  make(two_stacks);
  run_with_sp({0x8b2063ff}, low + 8, ~std::uint64_t{15});  // add sp, sp, x0
  expect_findings(1, GuestCheck::stack);
}

TEST_F(GuestRulesTest, AStackOverflowIsReportedBeforeItsStore) {
  make(two_stacks);
  word(low - 8) = 5;
  host.on_found = [this] { EXPECT_EQ(word(low - 8), 5u); };
  State before = with(0);
  before.x[29] = 77;
  before.x[stack_pointer] = low + 16;
  run({0xa9bf7bfd}, before);  // stp x29, x30, [sp, #-16]!
  expect_findings(0, GuestCheck::stack);
  before.x[stack_pointer] = low + 8;
  run({0xa9bf7bfd}, before);
  expect_findings(1, GuestCheck::stack);
  EXPECT_EQ(word(low - 8), 77u);
}

TEST_F(GuestRulesTest, AStackEndsWhereTheNextOneBegins) {
  make(two_stacks);
  run_with_sp({0xa9bf7bfd}, high);  // the first one, empty
  expect_findings(0, GuestCheck::stack);
  run_with_sp({0xa9bf7bfd}, high + 8);  // the second one, full
  ASSERT_EQ(host.findings.size(), 1u);
  EXPECT_EQ(host.findings[0].within.first, Address(high));
}

TEST_F(GuestRulesTest, AStackThatWasLeftIsCheckedAgainWhenSpIsSet) {
  make(two_stacks);
  const std::vector<std::uint32_t> words = {
      0xa9bf7bfd,  // stp x29, x30, [sp, #-16]!
      0xa9bf7bfd,  // stp x29, x30, [sp, #-16]!
      0x910083ff,  // add sp, sp, #32
      0xa9bf7bfd,  // stp x29, x30, [sp, #-16]!
  };
  run_with_sp(words, low + 8);  // by a finite recursion
  expect_findings(1, GuestCheck::stack);
  run_with_sp({0x9100401f, 0xd10043ff, 0xd10043ff}, high + 64, low);  // add sp, x0, #16; sub sp, sp, #16; ...
  expect_findings(1, GuestCheck::stack);
  run_with_sp({0x927cec1f, 0xd10043ff, 0xd10043ff}, high + 64, low + 24);  // and sp, x0, #~15; ...
  expect_findings(1, GuestCheck::stack);
}

TEST_F(GuestRulesTest, MemoryThatIsNoStackMayHoldOne) {
  make(two_stacks);
  run_with_sp({0xa9bf7bfd, 0xd10043ff}, low - 0x100);
  run_with_sp({0xa9bf7bfd, 0xd10043ff, 0x9100001f, 0xa9bf7bfd}, low + 64, low - 0x100);
  expect_findings(0, GuestCheck::stack);
}

TEST_F(GuestRulesTest, AnExceptionUsesTheStackOfItsLevel) {
  make(two_stacks);
  host.place(vectors + 0x400, {0xa9bf7bfd});  // stp x29, x30, [sp, #-16]!
  map(vectors, vectors);
  State before = at_el0_of(with_mmu());
  map(code_base, code_base, at_el0 | read_only);
  before.x[stack_pointer] = low + 8;
  before.system.sp_el1 = high + 8;
  run({0xd4000001}, before, 2);  // svc #0
  ASSERT_EQ(host.findings.size(), 1u);
  EXPECT_EQ(host.findings[0].within.first, Address(high));
}

// ---- alignment of Device memory ----

constexpr std::uint64_t normal_memory = 0xff, device_memory = 0;  // MAIR_EL1
// The word, a misaligned address, and an address at which it is aligned.
const struct {
  std::uint32_t word;
  std::uint64_t unaligned, aligned;
  bool is_store;
} accesses[] = {
    {0xf9400002, data_base + 4, data_base + 8, false},   // ldr x2, [x0]
    {0xb9400002, data_base + 2, data_base + 4, false},   // ldr w2, [x0]
    {0x3dc00002, data_base + 8, data_base + 16, false},  // ldr q2, [x0]
    {0xa9400c02, data_base + 4, data_base + 8, false},   // ldp x2, x3, [x0]
    {0xad400c02, data_base + 8, data_base + 16, false},  // ldp q2, q3, [x0]
    {0x4c407402, data_base + 1, data_base + 2, false},   // ld1 {v2.8h}, [x0]
    {0x4c00ac02, data_base + 4, data_base + 8, true},    // st1 {v2.2d, v3.2d}, [x0]
    {0xf9000001, data_base + 4, data_base + 8, true},    // str x1, [x0]
    {0x79000001, data_base + 1, data_base + 2, true},    // strh w1, [x0]
    {0xa9000c02, data_base + 4, data_base + 8, true},    // stp x2, x3, [x0]
};

TEST_F(GuestRulesTest, UnalignedAccessesAreReportedInDeviceMemoryAlone) {
  make({.alignment = GuestRules::Alignment::reported});
  for (const auto& [word, unaligned, aligned, is_store] : accesses) {
    run({word, word}, with_mmu_off(unaligned));
    ASSERT_EQ(host.findings.size(), 2u) << std::hex << word;
    EXPECT_EQ(host.findings[0].address, Address(unaligned));
    EXPECT_EQ(host.findings[1].pc, Address(code_base + 4));
    EXPECT_EQ(host.findings[0].is_store, is_store);
    host.findings.clear();
    run({word, word}, with_mmu_off(aligned));
    run({word}, with_memory_type(device_memory, aligned));
    expect_findings(0, GuestCheck::alignment);
    run({word}, with_memory_type(device_memory, unaligned));
    expect_findings(1, GuestCheck::alignment);
    run({word, word}, with_memory_type(normal_memory, unaligned));
    expect_findings(0, GuestCheck::alignment);
  }
}

TEST_F(GuestRulesTest, AnUnalignedAccessThatIsReportedIsMade) {
  make({.alignment = GuestRules::Alignment::reported});
  run({0xf9000001}, data_base + 4, 0x1122'3344'5566'7788);
  EXPECT_EQ(word(data_base) >> 32, 0x5566'7788u);
  EXPECT_EQ(word(data_base + 8) & 0xffff'ffff, 0x1122'3344u);
}

TEST_F(GuestRulesTest, UnalignedAccessesToDeviceMemoryFaultAsOnHardware) {
  make({.alignment = GuestRules::Alignment::faults});
  for (const auto& [word, unaligned, aligned, is_store] : accesses) {
    expect_exception(fault({word}, with_mmu_off(unaligned)), 0x25, 0x21u | unsigned{is_store} << 6, code_base,
                     unaligned);
    run({word}, with_mmu_off(aligned));
    run({word}, with_memory_type(normal_memory, unaligned));
  }
  EXPECT_TRUE(host.findings.empty());
}

// The fast path compares the offset of the second element.
TEST_F(GuestRulesTest, APairThatBeginsInThePageBeforeIsNoAccessToThePage) {
  make({});
  for (const std::uint64_t address :
       {std::uint64_t{page_size - 8}, ~std::uint64_t{7}, std::uint64_t{unmapped - 8}})
    for (const std::uint32_t word : {0xa9400c02u, 0xa9000c02u})  // ldp x2, x3, [x0]; stp
      EXPECT_EQ(fault({word}, with_mmu(address)).system.esr >> 26, 0x25u) << std::hex << address;
  run({0xa9000c02}, with_mmu(other_page - 8, 0, 5, 6));
  EXPECT_EQ(word(other_page - 8), 5u);
  EXPECT_EQ(word(other_page), 6u);
}

TEST_F(GuestRulesTest, ADeviceIsNotAccessedByAnUnalignedAccessThatFaults) {
  make({.alignment = GuestRules::Alignment::faults});
  expect_exception(fault({0xb9000001}, with(device + 2)), 0x25, 0x61, code_base, device + 2);
  EXPECT_TRUE(host.accesses.empty());
  run({0xb9000001}, device + 4);
  EXPECT_EQ(host.accesses.size(), 1u);
}

TEST_F(GuestRulesTest, ZeroingALineOfDeviceMemoryIsAnUnalignedAccess) {
  make({.alignment = GuestRules::Alignment::reported});
  word(data_base) = 1;
  run({0xd50b7420}, data_base + 8);  // dc zva, x0
  expect_findings(1, GuestCheck::alignment);
  EXPECT_EQ(word(data_base), 0u);
  State normal = with_mmu(data_base);
  normal.system.mair = normal_memory;
  run({0xd50b7420}, normal);
  expect_findings(0, GuestCheck::alignment);
  make({.alignment = GuestRules::Alignment::faults});
  expect_exception(fault({0xd50b7420}, with(data_base + 8)), 0x25, 0x61, code_base, data_base + 8);
}

TEST_F(GuestRulesTest, AlignmentCheckingBySctlrIsAsBefore) {
  for (const auto& [word, unaligned, aligned, is_store] : accesses) {
    State normal = with_mmu(unaligned);
    normal.system.mair = normal_memory;
    normal.system.sctlr |= sctlr_a;
    expect_exception(fault({word}, normal), 0x25, 0x21u | unsigned{is_store} << 6, code_base, unaligned);
    normal.x[0] = aligned;
    run({word, word}, normal);
  }
}

}  // namespace
}  // namespace asterism::a64
