// Where the native engine is more exact than iss.h requires, and what only this engine has; iss_test.cpp
// tests the rest.
#include "core/a64/native_iss.h"

#include <stdexcept>

#include "core/iss_test.h"

namespace asterism {
namespace {

using enum CoreRegister;
using Stop = Iss::Stop;
using NativeIssTest = IssTest;

TEST_F(NativeIssTest, DueIsCalledAtExactlyItsCount) {
  load({
      0xd2800140,  // mov x0, #10
      0xd503201f,  // loop: nop
      0xf1000400,  // subs x0, x0, #1
      0x54ffffc1,  // b.ne loop
      0xd503207f,  // wfi
  });
  std::vector<std::uint64_t> seen;
  std::vector<std::uint64_t> places;
  host.on_due = [&] {
    seen.push_back(core->instructions());
    places.push_back(core->read(pc));
    core->call_at(core->instructions() + 4);
  };
  core->call_at(3);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(seen[0], 3u);
  EXPECT_EQ(seen[1], 7u);
  EXPECT_EQ(seen[2], 11u);
  EXPECT_EQ(places[0], code_base + 12);
  EXPECT_EQ(places[1], code_base + 4);
}

TEST_F(NativeIssTest, TheCountDuringAnAccessIsThatOfTheInstructionsBeforeIt) {
  load({
      0xd503201f,  // nop
      0xb9400001,  // ldr w1, [x0]
      0xd503201f,  // nop
      0xb9000001,  // str w1, [x0]
      0xd503207f,  // wfi
  });
  core->write(x0, device);
  std::vector<std::uint64_t> counts;
  host.on_load = [&](std::uint64_t) { return counts.push_back(core->instructions()), 0; };
  host.on_store = [&](std::uint64_t, std::uint64_t) { counts.push_back(core->instructions()); };
  core->run();
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{1, 3}));
}

TEST_F(NativeIssTest, AHostExceptionLeavesTheCoreAtTheCallingInstruction) {
  load({
      0x91000421,  // add x1, x1, #1
      0x91000421,  // add x1, x1, #1
      0xb9400002,  // ldr w2, [x0]
      0x91000421,  // add x1, x1, #1
      0xb9000002,  // str w2, [x0]
      0x91000421,  // add x1, x1, #1
      0xd503207f,  // wfi
  });
  core->write(x0, device);
  unsigned left = 2;
  const auto fail_twice = [&] {
    if (left-- != 0) throw std::runtime_error("from a device");
  };
  host.on_load = [&](std::uint64_t) { return fail_twice(), 7; };
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(core->run(), std::runtime_error);
    EXPECT_EQ(core->instructions(), 2u);
    EXPECT_EQ(core->read(pc), code_base + 8);
  }
  left = 1;
  host.on_load = nullptr;
  host.on_store = [&](std::uint64_t, std::uint64_t) { fail_twice(); };
  core->call_at(6);
  host.on_due = [&] { EXPECT_EQ(core->read(x1), 4u); };
  EXPECT_THROW(core->run(), std::runtime_error);
  EXPECT_EQ(core->instructions(), 4u);
  EXPECT_EQ(core->read(pc), code_base + 16);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->instructions(), 7u);
  EXPECT_EQ(core->read(x1), 4u);
}

TEST_F(NativeIssTest, AnIrqRaisedAtACountIsTakenAtThatCount) {
  load({
      0xd50342ff,  // msr daifclr, #2
      0x91000421,  // loop: add x1, x1, #1
      0x17ffffff,  // b loop
  });
  place_vectors();
  host.on_due = [&] { core->set_irq(true), core->call_at(~0ull); };
  core->call_at(100);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(elr), code_base + 8);  // after the ADD
  EXPECT_EQ(core->read(x1), 50u);
  EXPECT_EQ(core->instructions(), 102u);
}

TEST_F(NativeIssTest, AStoreThatRaisesAnIrqIsTheLastBeforeIt) {
  load({
      0xd50342ff,  // msr daifclr, #2
      0xb9000001,  // str w1, [x0]
      0x91000442,  // add x2, x2, #1
      0xd503207f,  // wfi
  });
  place_vectors();
  core->write(x0, device);
  host.on_store = [&](std::uint64_t, std::uint64_t) { core->set_irq(true); };
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(elr), code_base + 8);
  EXPECT_EQ(core->read(x2), 0u);
}

TEST_F(NativeIssTest, FloatingPointIsTrappedUntilItIsEnabled) {
  load({
      0xd503201f,  // nop
      0x1e602800,  // fadd d0, d0, d0
  });
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, code_base + 4, esr::make(esr::ec_fp_trap, 0x1e0'0000));
  core->reset();
  load({
      0xd2a00600,  // mov x0, #0x300000
      0xd5181040,  // msr cpacr_el1, x0
      0xd5033fdf,  // isb
      0x1e6e1000,  // fmov d0, #1.0
      0x1e602800,  // fadd d0, d0, d0
      0x9e660001,  // fmov x1, d0
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 0x4000'0000'0000'0000u);
}

TEST_F(NativeIssTest, DoublewordsReachADeviceWhole) {
  load({
      0xf9400401,  // ldr x1, [x0, #8]
      0xf9000801,  // str x1, [x0, #16]
      0xd503207f,  // wfi
  });
  core->write(x0, device);
  core->run();
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{{'r', device + 8, 8, 8}, {'w', device + 16, 8, 8}}));
}

TEST_F(NativeIssTest, AnExceptionAtEl0IsTakenAtEl1AndReturnedFrom) {
  load({
      0x100000a0,  // adr x0, user
      0xd5184020,  // msr elr_el1, x0
      0xd2807800,  // mov x0, #0x3c0
      0xd5184000,  // msr spsr_el1, x0
      0xd69f03e0,  // eret
      0x91000421,  // user: add x1, x1, #1
      0xd4000001,  // svc #0
      0x91000421,  // add x1, x1, #1
      0xd5381000,  // mrs x0, sctlr_el1
  });
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x400, code_base + 28, esr::make(esr::ec_svc, 0));
  EXPECT_EQ(core->read(spsr) & 0x1f, 0u);
  core->write(pc, code_base + 16);  // eret
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x400, code_base + 32, esr::make(esr::ec_unknown, 0));
  EXPECT_EQ(core->read(x1), 2u);
}

TEST_F(NativeIssTest, AFaultIsKeptUntilTheHandlerReturns) {
  load({
      0xd2800540,  // mov x0, #42
      0x00000000,  // undefined
      0xd503207f,  // wfi
  });
  place_vectors();
  EXPECT_FALSE(core->fault());
  EXPECT_EQ(core->run(), Stop::hypervisor_call);  // in the handler
  const auto fault = core->fault();
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->pc, code_base + 4);
  EXPECT_EQ(fault->x[0], 42u);
  EXPECT_EQ(fault->instructions, 1u);
  EXPECT_EQ(fault->syndrome, esr::make(esr::ec_unknown, 0));
  EXPECT_EQ(fault->address, std::nullopt);
  core->write(x0, 1);
  core->write(pc, code_base + 4);  // a second fault, within the handler
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->fault()->x[0], 42u);
  host.place(code_base + 8, {0xd69f03e0});  // eret
  core->invalidate_code({Address(code_base + 8), Bytes(4)});
  core->write(elr, code_base + 12);
  host.place(code_base + 12, {0xd503207f});  // wfi
  core->write(pc, code_base + 8);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_FALSE(core->fault());
}

TEST_F(NativeIssTest, ACallIsNoFault) {
  load({0xd4000001});  // svc #0
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_FALSE(core->fault());
}

TEST_F(NativeIssTest, AJumpFromEl0ToAddressZeroAborts) {
  load({
      0xd5184020,  // msr elr_el1, x0
      0xd518401f,  // msr spsr_el1, xzr
      0xd69f03e0,  // eret
      0xd61f03e0,  // user: br xzr
  });
  core->write(x0, code_base + 12);
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x400, 0, esr::make(esr::ec_instruction_abort - 1, esr::synchronous_external_abort));
}

TEST_F(NativeIssTest, AJumpBetweenWordsFaultsAlsoWhereTheWordIsKnown) {
  load({
      0x1000001e,  // loop: adr x30, loop
      0xd503201f,  // nop
      0xd65f03c0,  // ret
  });
  place_vectors();
  host.on_due = [&] {
    core->write(x30, code_base | 1);
    core->call_at(~std::uint64_t{0});
  };
  core->call_at(5 * 3 + 2);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, code_base | 1, esr::make(0x22, 0));
  EXPECT_EQ(core->read(far), code_base | 1);
}

TEST_F(NativeIssTest, AStoreToCodeOfItsOwnIsSeenByTheNextInstruction) {
  load({
      0x10000040,  // adr x0, patch
      0xb9000001,  // str w1, [x0]
      0xd2800024,  // patch: mov x4, #1
      0xd503207f,  // wfi
  });
  core->write(x1, 0xd2800044);  // mov x4, #2
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x4), 2u);
}

TEST_F(NativeIssTest, InvalidationsOfTheInnerShareableDomainAreReported) {
  load({
      0xd508871f,  // tlbi vmalle1
      0xd5088720,  // tlbi vae1, x0
      0xd508831f,  // tlbi vmalle1is
      0xd5088320,  // tlbi vae1is, x0
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(host.translation_changes, 2u);
}

TEST_F(NativeIssTest, ReportsUndefinedInstructionsOnce) {
  load({
      0x00000000,  // udf #0
  });
  host.place(vectors + 0x200, {
                                  0xd5384028,  // mrs x8, elr_el1
                                  0xf1000529,  // subs x9, x9, #1
                                  0x54000041,  // b.ne .+8
                                  0xd4000002,  // hvc #0
                                  0xd69f03e0,  // eret
                              });
  core->write(vbar, vectors);
  core->write(x9, 3);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(host.undefined, (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{0, code_base}}));
}

TEST_F(NativeIssTest, TracksItsStores) {
  load({
      0xf9000001,  // str x1, [x0]
      0xf9002001,  // str x1, [x0, #64]
      0xd503207f,  // wfi
  });
  core->write(x0, data_base + 0x1000);
  core->run();
  EXPECT_EQ(core->collect_writes(host.memory_range()),
            (std::vector<PageLines>{{Address(data_base + 0x1000), 3}}));
  EXPECT_TRUE(core->collect_writes(host.memory_range()).empty());
}

}  // namespace
}  // namespace asterism
