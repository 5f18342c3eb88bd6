// Guests that execute or jump by mistake, and a host that is called at every instruction.
#include <gtest/gtest.h>

#include "core/a64/a64_test.h"

namespace asterism::a64 {
namespace {

constexpr std::uint32_t branch_to_itself = 0x14000000;

struct LostGuestTest : A64Test {
  // Jumps to `target` and from there, by an exception, to the vectors.
  State jump_to(std::uint64_t target) {
    host.place(vectors + 0x200, {branch_to_itself});
    return run({0xd61f0000, branch_to_itself}, with(target), 4);  // br x0
  }
};

TEST_F(LostGuestTest, AnInfiniteLoopAtQuantumOneCallsTheHostAtEachInstruction) {
  host.place(code_base, {branch_to_itself});
  core->start(Address(code_base), 0);
  std::uint64_t calls = 0;
  host.on_due = [&] {
    EXPECT_EQ(core->instructions(), calls);
    if (++calls == 1000) return core->request_stop();
    core->call_at(calls);
  };
  core->call_at(0);
  EXPECT_EQ(core->run(), Iss::Stop::requested);
  EXPECT_EQ(core->instructions(), 999u);
  EXPECT_EQ(core->read(CoreRegister::pc), code_base);
}

TEST_F(LostGuestTest, WfiWithEverythingMaskedReturnsUntilAnInterruptIsPending) {
  host.place(code_base, {0xd503207f, 0x91000400, 0x17fffffe});  // wfi; add x0, x0, #1; b .-8
  core->start(Address(code_base), 0);
  core->write(CoreRegister::pstate, 0x3c5);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(core->run(), Iss::Stop::wait_for_interrupt);
    EXPECT_EQ(core->read(CoreRegister::x0), i);
  }
  core->set_irq(true);  // it is masked, so that WFI does not sleep and no interrupt is taken
  host.on_due = [this] { core->request_stop(); };
  core->call_at(core->instructions() + 300);
  EXPECT_EQ(core->run(), Iss::Stop::requested);
  EXPECT_EQ(core->read(CoreRegister::x0), 102u);
}

TEST_F(LostGuestTest, AJumpIntoTextIsUndefinedWhereTheTextIsNoInstruction) {
  constexpr std::uint64_t text = data_base + 0x104;
  host.place(text, {0xd503201f, 0x01434241});  // nop, then "ABC"
  const State after = jump_to(text);
  EXPECT_EQ(after.pc, vectors + 0x200);
  EXPECT_EQ(after.system.elr, text + 4);
  EXPECT_EQ(after.system.esr, esr::make(esr::ec_unknown, 0));
}

TEST_F(LostGuestTest, AJumpBetweenTwoInstructionsIsAnAlignmentFaultOfThePc) {
  const State after = jump_to(code_base + 2);
  EXPECT_EQ(after.pc, vectors + 0x200);
  EXPECT_EQ(after.system.elr, code_base + 2);
  EXPECT_EQ(after.system.far, code_base + 2);
  EXPECT_EQ(esr::exception_class(after.system.esr), 0x22u);
}

}  // namespace
}  // namespace asterism::a64
