// The contract of Iss: the MMU, several engines at once.
#include "core/iss_test.h"

namespace asterism {
namespace {

using enum CoreRegister;
using Stop = Iss::Stop;

// ---- the MMU ----

// A level-1 table maps device memory at 0 with a block of 1 GiB, and memory at 1 GiB with level-2 blocks of
// 2 MiB, of which the second is not mapped.
struct IssMmuTest : IssTest {
  static constexpr std::uint64_t table1 = code_base + 0x20000, table2 = code_base + 0x21000;
  void put(std::uint64_t address, std::uint64_t value) {
    std::memcpy(host.memory.bytes + (address - code_base), &value, 8);
  }
  void start_with_mmu(const std::vector<std::uint32_t>& program) {
    put(table1, 0x0000'0000 | 0x401);              // block, AF, AttrIndx 0
    put(table1 + 8, table2 | 3);                   // table
    put(table2, 0x4000'0000 | 0x401 | 0x700 | 4);  // block, inner shareable, AttrIndx 1
    std::vector<std::uint32_t> all = {
        0xd2a80040,  // mov x0, #0x40020000
        0xd5182000,  // msr ttbr0_el1, x0
        0xd29fe000,  // mov x0, #0xff00
        0xd518a200,  // msr mair_el1, x0
        0xd2800320,  // mov x0, #25
        0xf2a01000,  // movk x0, #0x80, lsl #16
        0xf2c00020,  // movk x0, #1, lsl #32
        0xd5182040,  // msr tcr_el1, x0
        0xd5033fdf,  // isb
        0xd508871f,  // tlbi vmalle1
        0xd5033f9f,  // dsb sy
        0xd5381000,  // mrs x0, sctlr_el1
        0xb2400000,  // orr x0, x0, #1
        0xd5181000,  // msr sctlr_el1, x0
        0xd5033fdf,  // isb
    };
    prologue = all.size();
    all.insert(all.end(), program.begin(), program.end());
    load(all);
    place_vectors();
  }
  std::uint64_t address_of(std::size_t instruction) const { return code_base + 4 * (prologue + instruction); }
  std::size_t prologue = 0;
};

TEST_F(IssMmuTest, IdentityMapWorksForMemoryAndDevices) {
  start_with_mmu({
      0xd2a12001,  // mov x1, #0x9000000
      0xb9400422,  // ldr w2, [x1, #4]
      0xd2a80203,  // mov x3, #0x40100000
      0xf9000062,  // str x2, [x3]
      0xf9400064,  // ldr x4, [x3]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x27), 0u);
  EXPECT_EQ(core->read(x4), 4u);
  EXPECT_EQ(core->instructions(), 21u);
}

TEST_F(IssMmuTest, TranslationFaultOfALoadIsAPreciseDataAbort) {
  start_with_mmu({
      0xd2a80401,  // mov x1, #0x40200000
      0xd28000e2,  // mov x2, #7
      0xf9400422,  // ldr x2, [x1, #8]
      0xd2800122,  // mov x2, #9
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, address_of(2), esr::make(esr::ec_data_abort, 0x06));  // level 2
  EXPECT_EQ(core->read(far), 0x4020'0008u);
  EXPECT_EQ(core->read(x2), 7u);
  EXPECT_EQ(core->instructions(), prologue + 2 + 2);
}

TEST_F(IssMmuTest, TranslationFaultOfAStoreSaysWrite) {
  start_with_mmu({
      0xd2a80401,  // mov x1, #0x40200000
      0xf9000022,  // str x2, [x1]
      0xd503207f,  // wfi
  });
  core->run();
  expect_exception(0x200, address_of(1), esr::make(esr::ec_data_abort, 0x46));
}

TEST_F(IssMmuTest, TranslationFaultOfAFetchIsAnInstructionAbort) {
  start_with_mmu({
      0xd2a80401,  // mov x1, #0x40200000
      0xd61f0020,  // br x1
  });
  core->run();
  expect_exception(0x200, 0x4020'0000, esr::make(esr::ec_instruction_abort, 0x06));
  EXPECT_EQ(core->instructions(), prologue + 2 + 2);
}

TEST_F(IssMmuTest, InvalidatedCodeIsFoundWhateverTheMmuMaps) {
  start_with_mmu({
      0xd2800021,  // mov x1, #1
      0xd503207f,  // wfi
  });
  core->run();
  host.place(address_of(0), {0xd2800041});  // mov x1, #2
  put(table2, 0);
  core->invalidate_code(host.memory_range());
  core->write(pc, address_of(0));
  put(table2, 0x4000'0000 | 0x401 | 0x700 | 4);
  core->run();
  EXPECT_EQ(core->read(x1), 2u);
}

TEST_F(IssMmuTest, ResetTurnsItOff) {
  start_with_mmu({0xd503207f});
  core->run();
  core->reset();
  load({
      0xd2a80401,  // mov x1, #0x40200000
      0xf9400022,  // ldr x2, [x1]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->instructions(), prologue + 1 + 3);
}

// ---- several cores ----

// Each of two engines adds to a counter 1,000 times, with control passing from one to the other inside blocks
// and between them.
void expect_atomic_increments(const std::vector<std::uint32_t>& increment) {
  IssTestHost hosts[2];
  std::unique_ptr<Iss> cores[2];
  for (int i : {0, 1}) {
    if (i == 1) hosts[1].memory = hosts[0].memory;
    cores[i] = make_native_iss(hosts[i], i);
    hosts[i].core = cores[i].get();
    cores[i]->reset();
    if (i == 0) hosts[0].place(code_base, increment);
    cores[i]->start(Address(code_base), data_base);
    cores[i]->write(x5, 1000);
    hosts[i].on_due = [&core = *cores[i]] { core.request_stop(), core.call_at(core.instructions() + 3); };
    cores[i]->call_at(1);
  }
  bool done[2] = {};
  while (!done[0] || !done[1])
    for (int i : {0, 1})
      if (!done[i]) done[i] = cores[i]->run() == Stop::wait_for_interrupt;
  EXPECT_EQ(hosts[0].peek(data_base), 2000u);
}

TEST(IssCoresTest, ExclusivesAreAtomicAcrossEngines) {
  expect_atomic_increments({
      0xc85f7c01,  // loop: ldxr x1, [x0]
      0x14000001,  // b next
      0x91000421,  // next: add x1, x1, #1
      0xc802fc01,  // stlxr w2, x1, [x0]
      0x35ffff82,  // cbnz w2, loop
      0xf10004a5,  // subs x5, x5, #1
      0x54ffff41,  // b.ne loop
      0xd503207f,  // wfi
  });
}

TEST(IssCoresTest, LseAtomicsAreAtomicAcrossEngines) {
  expect_atomic_increments({
      0xd2800021,  // mov x1, #1
      0xf8e10002,  // loop: ldaddal x1, x2, [x0]
      0xf10004a5,  // subs x5, x5, #1
      0x54ffffc1,  // b.ne loop
      0xd503207f,  // wfi
  });
  expect_atomic_increments({
      0xf9400001,  // loop: ldr x1, [x0]
      0x14000001,  // b next
      0xaa0103e2,  // next: mov x2, x1
      0x91000423,  // add x3, x1, #1
      0xc8e2fc03,  // casal x2, x3, [x0]
      0xeb01005f,  // cmp x2, x1
      0x54ffff41,  // b.ne loop
      0xf10004a5,  // subs x5, x5, #1
      0x54ffff01,  // b.ne loop
      0xd503207f,  // wfi
  });
}

}  // namespace
}  // namespace asterism
