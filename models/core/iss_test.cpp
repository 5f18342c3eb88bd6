// The contract of Iss: instructions and their count, exceptions, calls to the host.
#include "core/iss_test.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace asterism {
namespace {

using enum CoreRegister;
using Stop = Iss::Stop;

// ---- instructions and their count ----

TEST_F(IssTest, RunsFromTheEntryWithX0UntilWfi) {
  load({
      0x91000401,  // add x1, x0, #1
      0xd503207f,  // wfi
  });
  core->write(x0, 41);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 42u);
  EXPECT_EQ(core->read(pc), code_base + 8);
  EXPECT_EQ(core->instructions(), 2u);
}

TEST_F(IssTest, CountsEveryInstructionOnce) {
  load(nested_loops);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->instructions(), nested_loops_count);
}

TEST_F(IssTest, CountDoesNotDependOnHowOftenTheHostIsCalled) {
  for (std::uint64_t interval : {1, 2, 3, 10, 1000}) {
    load(nested_loops);
    core->write(x2, 0);
    const std::uint64_t before = core->instructions();
    unsigned calls = 0;
    host.on_due = [&] { ++calls, core->call_at(core->instructions() + interval); };
    core->call_at(before);
    EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
    EXPECT_EQ(core->instructions() - before, nested_loops_count) << interval;
    EXPECT_EQ(core->read(x2), 2800u);
    EXPECT_GE(calls, nested_loops_count / interval / 4);
  }
}

TEST_F(IssTest, StopsAtABoundaryAndContinuesWithoutLosingOrRepeatingAnything) {
  load(nested_loops);
  unsigned stops = 0;
  host.on_due = [&] { core->request_stop(), core->call_at(core->instructions() + 1); };
  core->call_at(1);
  Stop stop;
  while ((stop = core->run()) == Stop::requested) ++stops;
  EXPECT_EQ(stop, Stop::wait_for_interrupt);
  EXPECT_GT(stops, 700u);
  EXPECT_EQ(core->instructions(), nested_loops_count);
  EXPECT_EQ(core->read(x2), 2800u);
}

TEST_F(IssTest, StopBeforeRunReturnsAtOnce) {
  load(nested_loops);
  core->request_stop();
  EXPECT_EQ(core->run(), Stop::requested);
  EXPECT_EQ(core->instructions(), 0u);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

// ---- synchronous exceptions ----

TEST_F(IssTest, SvcIsTakenWithItsImmediate) {
  load({
      0xd503201f,  // nop
      0xd4002461,  // svc #0x123
  });
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, code_base + 8, esr::make(esr::ec_svc, 0x123));
  EXPECT_EQ(core->instructions(), 4u);  // SVC retires
  EXPECT_EQ(core->read(pstate) & 0x3ff, 0x3c5u);
}

TEST_F(IssTest, EretGoesBackWithTheOldState) {
  load({
      0xd50342ff,  // msr daifclr, #2
      0xeb1f03ff,  // subs xzr, xzr, xzr
      0xd4000001,  // svc #0
      0x9a9f17e1,  // cset x1, eq
      0xd53b4222,  // mrs x2, daif
      0xd503207f,  // wfi
  });
  host.place(vectors + 0x200, {
                                  0xd5384003,  // mrs x3, spsr_el1
                                  0xb100047f,  // adds xzr, x3, #1
                                  0xd69f03e0,  // eret
                              });
  core->write(vbar, vectors);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 1u);
  EXPECT_EQ(core->read(x2), 0x340u);
  EXPECT_EQ(core->read(x3), 0x6000'0345u);
}

TEST_F(IssTest, BrkReturnsToItself) {
  load({
      0xd503201f,  // nop
      0xd42000e0,  // brk #7
  });
  place_vectors();
  core->run();
  expect_exception(0x200, code_base + 4, esr::make(esr::ec_brk, 7));
  EXPECT_EQ(core->instructions(), 3u);  // BRK does not retire
}

TEST_F(IssTest, UndefinedInstruction) {
  load({0xd503201f, 0x00000000});  // nop; udf #0
  place_vectors();
  core->run();
  expect_exception(0x200, code_base + 4, esr::make(esr::ec_unknown, 0));
  EXPECT_EQ(core->instructions(), 3u);
}

TEST_F(IssTest, UnknownSystemRegisterIsUndefined) {
  load({
      0xd53dffe0,  // mrs x0, s3_5_c15_c15_7
      0xd503207f,  // wfi
  });
  place_vectors();
  core->run();
  expect_exception(0x200, code_base, esr::make(esr::ec_unknown, 0));
}

TEST_F(IssTest, SmcIsUndefinedWithoutASecureMonitor) {
  load({
      0xd4000003,  // smc #0
  });
  place_vectors();
  core->run();
  expect_exception(0x200, code_base, esr::make(esr::ec_unknown, 0));
}

TEST_F(IssTest, ExceptionWithSpEl0InUseSwitchesTheStackPointer) {
  load({
      0xd2820000,  // mov x0, #0x1000
      0x9100001f,  // mov sp, x0
      0xd50040bf,  // msr spsel, #0
      0xd2840000,  // mov x0, #0x2000
      0x9100001f,  // mov sp, x0
      0xd4000001,  // svc #0
  });
  host.place(vectors, {
                          0x910003e1,  // mov x1, sp
                          0xd5384102,  // mrs x2, sp_el0
                          0xd5384203,  // mrs x3, spsel
                          0xd69f03e0,  // eret
                      });
  host.place(code_base + 24, {
                                 0x910003e4,  // mov x4, sp
                                 0xd5384205,  // mrs x5, spsel
                                 0xd503207f,  // wfi
                             });
  core->write(vbar, vectors);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 0x1000u);
  EXPECT_EQ(core->read(x2), 0x2000u);
  EXPECT_EQ(core->read(x3), 1u);
  EXPECT_EQ(core->read(x4), 0x2000u);
  EXPECT_EQ(core->read(x5), 0u);
}

TEST_F(IssTest, JumpIntoAHoleIsAnInstructionAbortThere) {
  load({
      0xd2824600,  // mov x0, #0x1230
      0xd61f0000,  // br x0
  });
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, 0x1230, esr::make(esr::ec_instruction_abort, esr::synchronous_external_abort));
  EXPECT_EQ(core->read(far), 0x1230u);
  EXPECT_EQ(core->instructions(), 4u);
}

TEST_F(IssTest, JumpToAddressZeroIsAnInstructionAbortToo) {
  load({
      0xd61f03e0,  // br xzr
  });
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, 0, esr::make(esr::ec_instruction_abort, esr::synchronous_external_abort));
}

TEST_F(IssTest, JumpIntoADeviceIsAnInstructionAbortAndReadsNothing) {
  load({
      0xb9400001,  // ldr w1, [x0]
      0xd61f0000,  // br x0
  });
  core->write(x0, device);
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, device, esr::make(esr::ec_instruction_abort, esr::synchronous_external_abort));
  EXPECT_EQ(host.accesses.size(), 1u);
}

TEST_F(IssTest, RunningOffTheEndOfMemoryAbortsAtItsEnd) {
  const std::uint64_t end = code_base + host.memory.size();
  host.place(end - 8, {0xd503201f, 0xd503201f});
  place_vectors();
  core->start(Address(end - 8), 0);
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  expect_exception(0x200, end, esr::make(esr::ec_instruction_abort, esr::synchronous_external_abort));
  EXPECT_EQ(core->instructions(), 4u);
}

TEST_F(IssTest, ExceptionsWithoutAVectorTableLockUp) {
  load({
      0xd4000001,  // svc #0
  });
  core->write(vbar, 0x8000'0000);
  EXPECT_EQ(core->run(), Stop::locked_up);
  EXPECT_EQ(core->read(pc), 0x8000'0200u);
  EXPECT_EQ(core->read(far), 0x8000'0200u);
  EXPECT_EQ(esr::exception_class(core->read(esr)), esr::ec_instruction_abort);
  EXPECT_EQ(core->run(), Stop::locked_up);
  EXPECT_NE(core->why(), "");
  core->reset();
  load(nested_loops);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(IssTest, UndefinedInstructionsInTheVectorTableLockUp) {
  load({0x00000000});
  core->write(vbar, vectors);
  EXPECT_EQ(core->run(), Stop::locked_up);
  EXPECT_EQ(core->read(elr), vectors + 0x200);
  EXPECT_EQ(core->instructions(), 0u);
}

// ---- calls to the host ----

TEST_F(IssTest, HvcReturnsToTheHostAndContinues) {
  load({
      0x52b08000,  // mov w0, #0x84000000
      0xd4000002,  // hvc #0
      0x91000401,  // add x1, x0, #1
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(x0), 0x8400'0000u);
  EXPECT_EQ(core->instructions(), 2u);
  core->write(x0, 0x10001);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 0x10002u);
}

TEST_F(IssTest, SemihostingReturnsToTheHostAndContinues) {
  load({
      0x52800080,  // mov w0, #4
      0xd2800c61,  // mov x1, #99
      0xd45e0000,  // hlt #0xf000
      0x91000402,  // add x2, x0, #1
      0xd503207f,  // wfi
  });
  place_vectors();
  EXPECT_EQ(core->run(), Stop::semihosting_call);
  EXPECT_EQ(core->read(x0), 4u);
  EXPECT_EQ(core->read(x1), 99u);
  EXPECT_EQ(core->instructions(), 3u);
  core->write(x0, 7);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x2), 8u);
}

TEST_F(IssTest, OtherHaltsAreUndefined) {
  load({
      0xd4400020,  // hlt #1
  });
  place_vectors();
  core->run();
  expect_exception(0x200, code_base, esr::make(esr::ec_unknown, 0));
}

TEST_F(IssTest, WaitForEventAndYieldNotifyTheHost) {
  load({
      0xd2800140,  // mov x0, #10
      0xd503205f,  // loop: wfe
      0xd503203f,  // yield
      0xf1000400,  // subs x0, x0, #1
      0x54ffffa1,  // b.ne loop
      0xd503207f,  // wfi
  });
  unsigned waits = 0;
  host.on_event_wait = [&] { ++waits; };
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(waits, 20u);
  EXPECT_EQ(core->instructions(), 42u);
}

TEST_F(IssTest, ExceptionOfTheHostEndsRun) {
  load({
      0xb9400001,  // ldr w1, [x0]
      0xd503207f,  // wfi
  });
  core->write(x0, device);
  host.on_load = [](std::uint64_t) -> std::uint64_t { throw std::runtime_error("from a device"); };
  EXPECT_THROW(core->run(), std::runtime_error);
  core->reset();
  load(nested_loops);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(IssTest, ResetKeepsWhatTheHostHasSetAndDropsWhatIsPending) {
  core->set_irq(true);
  core->raise_serror(esr::serror_bus_error);
  core->request_stop();
  unsigned calls = 0;
  host.on_due = [&] { ++calls, core->call_at(~std::uint64_t{0}); };
  core->call_at(1);
  core->reset();
  load({
      0xd50346ff,  // msr daifclr, #6
      0xd503207f,  // wfi
  });
  place_vectors();
  EXPECT_EQ(core->run(), Stop::hypervisor_call);
  EXPECT_EQ(core->read(x27), 0x280u);  // IRQ
  EXPECT_EQ(core->read(elr), code_base + 4);
  EXPECT_EQ(calls, 1u);
}

}  // namespace
}  // namespace asterism
