// The contract of Iss: memory, devices, interrupts and system registers.
#include <functional>
#include <stdexcept>

#include "core/iss_test.h"

namespace asterism {
namespace {

using enum CoreRegister;
using Stop = Iss::Stop;
using IssMemoryTest = IssTest;

// ---- the bus ----

TEST_F(IssMemoryTest, LoadsAndStoresOutsideDirectMemoryGoToTheHostOnceEach) {
  load({
      0x39400401,  // ldrb w1, [x0, #1]
      0x79400402,  // ldrh w2, [x0, #2]
      0xb9400403,  // ldr w3, [x0, #4]
      0x39002403,  // strb w3, [x0, #9]
      0x79001403,  // strh w3, [x0, #10]
      0xb9000c03,  // str w3, [x0, #12]
      0xd503207f,  // wfi
  });
  core->write(x0, device);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{{'r', device + 1, 1, 1},
                                                   {'r', device + 2, 2, 2},
                                                   {'r', device + 4, 4, 4},
                                                   {'w', device + 9, 1, 4},
                                                   {'w', device + 10, 2, 4},
                                                   {'w', device + 12, 4, 4}}));
  EXPECT_EQ(core->read(x3), 4u);
}

TEST_F(IssMemoryTest, MonitoredMemoryReportsLoadsAndStoresInOrderAndNoFetches) {
  host.monitors = true;
  load({
      0x39400401,  // ldrb w1, [x0, #1]
      0xf9400402,  // ldr x2, [x0, #8]
      0xa9010800,  // stp x0, x2, [x0, #16]
      0x7900b001,  // strh w1, [x0, #88]
      0xd503207f,  // wfi
  });
  core->write(x0, data_base);
  host.memory.bytes[data_base - code_base + 8] = 7;
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{{'R', data_base + 1, 1, 0},
                                                   {'R', data_base + 8, 8, 0},
                                                   {'W', data_base + 16, 8, 0},
                                                   {'W', data_base + 24, 8, 0},
                                                   {'W', data_base + 88, 2, 0}}));
  EXPECT_EQ(host.peek(data_base + 24), 7u);
}

TEST_F(IssMemoryTest, MonitoredAccessesAreReportedBeforeALaterBusAccess) {
  host.monitors = true;
  load({
      0xb9400002,  // ldr w2, [x0]
      0xb9000022,  // str w2, [x1]
      0xb9000402,  // str w2, [x0, #4]
      0xd503207f,  // wfi
  });
  core->write(x0, data_base);
  core->write(x1, device);
  core->run();
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{
                               {'R', data_base, 4, 0}, {'w', device, 4, 0}, {'W', data_base + 4, 4, 0}}));
}

TEST_F(IssMemoryTest, NothingIsReportedBetweenTheLoadAndTheStoreOfAnAtomicInstruction) {
  host.monitors = true;
  load({
      0x885ffc02,  // loop: ldaxr w2, [x0]
      0x11000442,  // add w2, w2, #1
      0x8803fc02,  // stlxr w3, w2, [x0]
      0x35ffffa3,  // cbnz w3, loop
      0xd503207f,  // wfi
  });
  core->write(x0, data_base);
  std::uint64_t word_when_reported = 99;
  host.on_monitored = [&] { word_when_reported = host.peek(data_base); };
  core->run();
  EXPECT_EQ(word_when_reported, 1u);
  EXPECT_EQ(host.accesses.back().kind, 'W');
}

TEST_F(IssMemoryTest, AResetDropsUnreportedAccesses) {
  host.monitors = true;
  load({0xb9400002, 0xb9000022, 0xb9000402, 0xd503207f});  // as above; the device resets the core
  core->write(x0, data_base);
  core->write(x1, device);
  host.on_store = [&](std::uint64_t, std::uint64_t) { core->request_stop(); };
  core->run();
  const auto reported = host.monitored_accesses.size();
  core->reset();
  load({0xd503207f});
  core->run();
  EXPECT_EQ(host.monitored_accesses.size(), reported);
}

TEST_F(IssMemoryTest, AnInterruptRaisedByAnAccessDoesNotRepeatIt) {
  load({
      0xd50342ff,  // msr daifclr, #2
      0xb9400001,  // loop: ldr w1, [x0]
      0x91000442,  // add x2, x2, #1
      0xb9000401,  // str w1, [x0, #4]
      0xf1000463,  // subs x3, x3, #1
      0x54ffff81,  // b.ne loop
      0xd503207f,  // wfi
  });
  host.place(vectors + 0x280, {
                                  0xb900081f,  // str wzr, [x0, #8]
                                  0x91000484,  // add x4, x4, #1
                                  0xd69f03e0,  // eret
                              });
  core->write(vbar, vectors);
  core->write(x0, device);
  core->write(x3, 50);
  host.on_load = [&](std::uint64_t) { return core->set_irq(true), 1; };
  host.on_store = [&](std::uint64_t address, std::uint64_t) {
    if (address == device + 8) core->set_irq(false);
  };
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x2), 50u);
  EXPECT_EQ(core->read(x4), 50u);
  EXPECT_EQ(host.accesses.size(), 150u);
  EXPECT_EQ(core->instructions(), 1 + 50 * 5 + 50 * 3 + 1);
}

TEST_F(IssMemoryTest, BusErrorOnALoadIsAnSErrorWhereItIsUnmasked) {
  load({
      0xd50344ff,  // msr daifclr, #4
      0xb9400001,  // ldr w1, [x0]
      0x91000442,  // add x2, x2, #1
      0x14000001,  // b next
      0x91000442,  // next: add x2, x2, #1
      0xd503207f,  // wfi
  });
  place_vectors();
  core->write(x0, 0x2000'0000);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(x1), 0xffff'ffffu);
  EXPECT_EQ(core->read(x2), 0u);
  expect_exception(0x380, code_base + 8, esr::make(esr::ec_serror, esr::serror_bus_error));
  EXPECT_EQ(core->read(spsr), 0x2c5u);
}

TEST_F(IssMemoryTest, BusErrorOnAStoreWaitsUntilItIsUnmasked) {
  load({
      0xb9000001,  // str w1, [x0]
      0xd2807d02,  // mov x2, #1000
      0xf1000442,  // loop: subs x2, x2, #1
      0x54ffffe1,  // b.ne loop
      0xd50344ff,  // msr daifclr, #4
      0x91000463,  // wait: add x3, x3, #1
      0x17ffffff,  // b wait
  });
  place_vectors();
  core->write(x0, 0x2000'0000);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(x27), 0x380u);
  EXPECT_EQ(core->read(x2), 0u);
  EXPECT_EQ(core->read(elr), code_base + 20);
  EXPECT_LE(core->read(x3), 128u);
}

TEST_F(IssMemoryTest, WfiDoesNotSleepOnAPendingSErrorOrIrq) {
  load({
      0xb9000001,  // str w1, [x0]
      0xd50344ff,  // msr daifclr, #4
      0xd503207f,  // wfi
      0xd503201f,  // nop
      0xd503207f,  // wfi
  });
  host.place(vectors + 0x380, {
                                  0xd2800025,  // mov x5, #1
                                  0xd69f03e0,  // eret
                              });
  core->write(vbar, vectors);
  core->write(x0, 0x2000'0000);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x5), 1u);
  EXPECT_EQ(core->read(elr), code_base + 8);
  core->set_irq(true);  // an interrupt wakes the core although it is masked
  core->write(pc, code_base + 8);
  host.on_due = [&] { core->request_stop(); };
  core->call_at(core->instructions() + 1);
  EXPECT_EQ(core->run(), Stop::requested);
  EXPECT_EQ(core->read(pc), code_base + 12);
}

TEST_F(IssMemoryTest, WildPointersAnywhereAreBusErrors) {
  load({
      0xb9400001,  // loop: ldr w1, [x0]
      0xb9000801,  // str w1, [x0, #8]
      0x8b030000,  // add x0, x0, x3
      0xf1000442,  // subs x2, x2, #1
      0x54ffff81,  // b.ne loop
      0xd4000002,  // hvc #0
  });
  core->write(x0, 0x1'0000'0000);
  core->write(x2, 1000);
  core->write(x3, 0x2345'1000);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(host.accesses.size(), 2000u);
  EXPECT_EQ(core->instructions(), 5001u);
}

TEST_F(IssMemoryTest, AtomicsAndZeroingOnADeviceEnd) {
  load({
      0x885f7c01,  // ldxr w1, [x0]
      0x88027c01,  // stxr w2, w1, [x0]
      0xb8210002,  // ldadd w1, w2, [x0]
      0x88a17c02,  // cas w1, w2, [x0]
      0xd50b7420,  // dc zva, x0
      0xd503207f,  // wfi
  });
  core->write(x0, device);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->instructions(), 6u);
}

// ---- direct memory ----

TEST_F(IssMemoryTest, WithdrawnMemoryIsNotTouchedAgainEvenInTheSameBlock) {
  load({
      0xf9000041,  // str x1, [x2]
      0xb9400003,  // ldr w3, [x0]
      0xf9000441,  // str x1, [x2, #8]
      0xf9400044,  // ldr x4, [x2]
      0xd4000002,  // hvc #0
  });
  core->write(x0, device);
  core->write(x1, 0x1234);
  core->write(x2, data_base);
  host.on_load = [&](std::uint64_t) {
    core->unmap_direct({Address(data_base), Bytes(4096)});
    host.direct = false;
    host.lost = true;
    return 0;
  };
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(host.peek(data_base), 0x1234u);
  EXPECT_EQ(host.peek(data_base + 8), 0u);
  EXPECT_EQ(core->read(x4), ~0ull);
}

TEST_F(IssMemoryTest, AWithdrawnPageGoesOverTheBusAndTheRestStaysDirect) {
  load({
      0xf9400001,  // ldr x1, [x0]
      0x91400400,  // add x0, x0, #4096
      0xf9400002,  // ldr x2, [x0]
      0x91400400,  // add x0, x0, #4096
      0xf9400003,  // ldr x3, [x0]
      0xd503207f,  // wfi
  });
  const std::uint64_t words[] = {1, 2, 3};
  for (int i = 0; i < 3; ++i) std::memcpy(host.memory.bytes + 0x10'0000 + i * 4096, &words[i], 8);
  core->map_direct(host.memory_range(), host.memory.bytes);
  core->unmap_direct({Address(data_base + 4096), Bytes(1)});
  host.direct = false;
  host.record_memory = true;
  core->write(x0, data_base);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1) + core->read(x2) + core->read(x3), 6u);
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{{'r', data_base + 4096, 8, 2}}));
}

TEST_F(IssMemoryTest, AGrantReplacesBusAccesses) {
  load({
      0xb9400001,  // ldr w1, [x0]
      0x14000001,  // b next
      0xb9400002,  // next: ldr w2, [x0]
      0xd503207f,  // wfi
  });
  host.direct = false;
  core->map_direct({Address(code_base), Bytes(4096)}, host.memory.bytes);
  host.record_memory = true;
  host.on_memory_load = [&] { core->map_direct(host.memory_range(), host.memory.bytes); };
  core->write(x0, data_base);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(host.accesses.size(), 1u);
}

TEST_F(IssMemoryTest, OtherContentsAtOtherHostMemoryAreExecuted) {
  load({
      0xd2800021,  // mov x1, #1
      0xd503207f,  // wfi
  });
  core->run();
  EXPECT_EQ(core->read(x1), 1u);
  alignas(4096) static std::uint8_t other[8192];
  const std::uint32_t program[] = {0xd2800041, 0xd503207f};  // mov x1, #2; wfi
  std::memcpy(other, program, sizeof program);
  core->map_direct({Address(code_base), Bytes(sizeof other)}, other);
  host.direct = false;
  core->start(Address(code_base), 0);
  core->run();
  EXPECT_EQ(core->read(x1), 2u);
}

TEST_F(IssMemoryTest, CodeThatTheGuestChangesRunsChanged) {
  load({
      0xd2800003,  // mov x3, #0
      0x10000040,  // again: adr x0, patch
      0xb9400041,  // ldr w1, [x2]
      0xd2800024,  // patch: mov x4, #1
      0xb9000001,  // str w1, [x0]
      0xd50b7b20,  // dc cvau, x0
      0xd5033b9f,  // dsb ish
      0xd50b7520,  // ic ivau, x0
      0xd5033b9f,  // dsb ish
      0xd5033fdf,  // isb
      0x8b040063,  // add x3, x3, x4
      0xf1000c7f,  // cmp x3, #3
      0x54fffea3,  // b.lo again
      0xd503207f,  // wfi
  });
  const std::uint32_t mov_x4_2 = 0xd2800044;
  std::memcpy(host.memory.bytes + 0x10'0000, &mov_x4_2, 4);
  core->write(x2, data_base);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x3), 3u);  // 1 + 2
  EXPECT_EQ(host.changed_code[0], (AddressRange{Address(code_base), Bytes(64)}));
}

TEST_F(IssMemoryTest, CodeChangedFromOutsideIsExecutedAfterInvalidation) {
  load({
      0xd2800021,  // mov x1, #1
      0xd503207f,  // wfi
  });
  core->run();
  host.place(code_base, {0xd2800041});  // mov x1, #2
  core->invalidate_code({Address(code_base), Bytes(4)});
  core->start(Address(code_base), 0);
  core->run();
  EXPECT_EQ(core->read(x1), 2u);
}

// ---- interrupts ----

const std::vector<std::uint32_t> count_for_ever = {
    0xd50342ff,  // msr daifclr, #2
    0x91000421,  // loop: add x1, x1, #1
    0x17ffffff,  // b loop
};

TEST_F(IssMemoryTest, IrqIsTakenAtTheNextBlockBoundary) {
  load(count_for_ever);
  place_vectors();
  host.on_due = [&] { core->set_irq(true), core->call_at(~0ull); };
  core->call_at(101);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(x27), 0x280u);
  EXPECT_EQ(core->read(elr), code_base + 4);
  EXPECT_EQ(core->read(spsr), 0x345u);
  EXPECT_EQ(core->read(x1), 50u);
  EXPECT_EQ(core->instructions(), 1 + 2 * 50 + 2u);
}

TEST_F(IssMemoryTest, MaskedIrqWaitsForItsUnmasking) {
  load({
      0xd2800c80,  // mov x0, #100
      0xf1000400,  // loop: subs x0, x0, #1
      0x54ffffe1,  // b.ne loop
      0xd50342ff,  // msr daifclr, #2
      0xd503201f,  // nop
      0xd503207f,  // wfi
  });
  place_vectors();
  core->set_irq(true);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(x27), 0x280u);
  EXPECT_EQ(core->read(x0), 0u);
  EXPECT_EQ(core->read(elr), code_base + 16);
  EXPECT_EQ(core->instructions(), 1 + 200 + 1 + 2u);
}

TEST_F(IssMemoryTest, IrqThatGoesAwayWhileMaskedIsNotTaken) {
  load({
      0xd503201f,  // nop
      0x14000001,  // b next
      0xd50342ff,  // next: msr daifclr, #2
      0xd503201f,  // nop
      0xd503207f,  // wfi
  });
  place_vectors();
  core->set_irq(true);
  core->set_irq(false);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x27), 0u);
}

TEST_F(IssMemoryTest, IrqIsTakenBehindAWfi) {
  load({
      0xd50342ff,  // msr daifclr, #2
      0xd503207f,  // wfi
      0xd28000a1,  // mov x1, #5
      0xd503207f,  // wfi
  });
  host.place(vectors + 0x280, {0xd69f03e0});  // eret
  core->write(vbar, vectors);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  core->set_irq(true);
  host.on_due = [&] { core->set_irq(false), core->call_at(~0ull); };
  core->call_at(core->instructions() + 1);  // the ERET
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 5u);
  EXPECT_EQ(core->read(elr), code_base + 8);
}

TEST_F(IssMemoryTest, SErrorComesBeforeIrqAndIrqAfterIt) {
  load({
      0xd50346ff,  // msr daifclr, #6
      0xd503201f,  // nop
      0xd503207f,  // wfi
  });
  host.place(vectors + 0x380, {
                                  0xd2800025,  // mov x5, #1
                                  0xd69f03e0,  // eret
                              });
  host.place(vectors + 0x280, {
                                  0x910028a5,  // add x5, x5, #10
                                  0xd4000002,  // hvc #0
                              });
  core->write(vbar, vectors);
  core->raise_serror(0);
  core->set_irq(true);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(x5), 11u);
}

// ---- system registers ----

TEST_F(IssMemoryTest, MpidrNamesTheCore) {
  load({
      0xd53800a1,  // mrs x1, mpidr_el1
      0xd503207f,  // wfi
  });
  core->run();
  EXPECT_EQ(core->read(x1), 0x8000'0003u);
}

TEST_F(IssMemoryTest, TimerRegistersBelongToTheHost) {
  load({
      0xd53be041,  // mrs x1, cntvct_el0
      0xd28009a2,  // mov x2, #77
      0xd51be342,  // msr cntv_cval_el0, x2
      0xd51be33f,  // msr cntv_ctl_el0, xzr
      0xd53be05f,  // mrs xzr, cntvct_el0
      0xd53be01e,  // mrs x30, cntfrq_el0
      0xd503207f,  // wfi
  });
  host.registers = {{system_register::cntvct_el0.code(), 1234},
                    {system_register::cntv_cval_el0.code(), 0},
                    {system_register::cntv_ctl_el0.code(), 5},
                    {system_register::cntfrq_el0.code(), 62'500'000}};
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 1234u);
  EXPECT_EQ(core->read(x30), 62'500'000u);
  EXPECT_EQ(host.registers[system_register::cntv_cval_el0.code()], 77u);
  EXPECT_EQ(host.registers[system_register::cntv_ctl_el0.code()], 0u);
}

TEST_F(IssMemoryTest, ResetClearsEverythingExceptTheCount) {
  load({
      0xd5034fff,  // msr daifclr, #0xf
      0xd2a00605,  // mov x5, #0x300000
      0xd5181045,  // msr cpacr_el1, x5
      0xd2820005,  // mov x5, #0x1000
      0x910000bf,  // mov sp, x5
      0xd518c005,  // msr vbar_el1, x5
      0xd518d085,  // msr tpidr_el1, x5
      0xd5184105,  // msr sp_el0, x5
      0x9e6700a3,  // fmov d3, x5
      0xd503207f,  // wfi
  });
  core->run();
  core->raise_serror(0);
  core->request_stop();
  core->reset();
  EXPECT_EQ(core->instructions(), 10u);
  for (CoreRegister r : {x5, sp, vbar, elr, esr, far}) EXPECT_EQ(core->read(r), 0u);
  EXPECT_EQ(core->read(pstate), 0x3c5u);
  load({
      0xd2a00605,  // mov x5, #0x300000
      0xd5181045,  // msr cpacr_el1, x5
      0xd5033fdf,  // isb
      0x9e660061,  // fmov x1, d3
      0xd538d082,  // mrs x2, tpidr_el1
      0xd5384103,  // mrs x3, sp_el0
      0xd5381004,  // mrs x4, sctlr_el1
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1) | core->read(x2) | core->read(x3) | (core->read(x4) & 1), 0u);
}

}  // namespace
}  // namespace asterism
