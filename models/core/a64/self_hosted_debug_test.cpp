// Breakpoints, watchpoints and software step that the guest sets (Arm DDI 0487, D2), as the guest sees them.
#include <cstring>

#include "core/a64/a64_test.h"
#include "core/debug_port.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t sync_from_el1 = vectors + 0x200, sync_from_el0 = vectors + 0x400,
                        irq_from_el0 = vectors + 0x480;
constexpr std::uint32_t pstate_d = 1 << 9;
constexpr std::uint64_t spsr_ss = 1 << 21;
constexpr std::uint32_t isv = 1 << 24, ex = 1 << 6, is_store = 1 << 6;
constexpr std::uint32_t nop = 0xd503'201f, stay = 0x1400'0000;  // b .

// Control registers: E, both levels, all bytes.
constexpr std::uint64_t enabled = 1, at_el1 = 1 << 1, at_el0 = 1 << 2, anywhere = at_el1 | at_el0;
constexpr std::uint64_t breakpoint = enabled | anywhere | 0xf << 5;
constexpr std::uint64_t loads = 1 << 3, stores = 1 << 4;
constexpr std::uint64_t watchpoint = enabled | anywhere | loads | stores;
constexpr std::uint64_t bytes(unsigned mask) { return mask << 5; }
constexpr std::uint64_t type(unsigned bt) { return bt << 20; }
constexpr std::uint64_t linked_to(unsigned breakpoint) { return breakpoint << 16; }

constexpr std::uint64_t esr_from_el0(unsigned exception_class, std::uint32_t iss = 0) {
  return esr::make(exception_class, iss | 0x22);
}
constexpr std::uint64_t esr_from_el1(unsigned exception_class, std::uint32_t iss = 0) {
  return esr::make(exception_class + 1, iss | 0x22);
}

struct SelfHostedDebugTest : A64Test {
  SelfHostedDebugTest() {
    for (std::uint32_t offset = 0; offset < 0x800; offset += 0x80) host.place(vectors + offset, {stay});
  }
  // The locks are open, and debug exceptions of both levels are enabled and unmasked.
  State debugged() const {
    State state = with(0);
    state.system.oslsr = 8;
    state.system.mdscr = mdscr::mde | mdscr::kde;
    state.daif &= ~pstate_d;
    state.pc = code_base;
    return state;
  }
  static State to_el0(State state) {
    state.level = 0;
    state.uses_sp_el1 = false;
    return state;
  }
  // Four moves of 1 to 4 into x5.
  void place_moves() { place({0xd2800025, 0xd2800045, 0xd2800065, 0xd2800085}); }
  void place(const std::vector<std::uint32_t>& words) {
    host.place(code_base, words);
    core->invalidate_code(host.memory_range());
  }
  // Lets `count` instructions retire, including those of the handlers.
  State go(const State& from, std::uint64_t count) {
    core->set_state(from);
    return go_on(count);
  }
  State go_on(std::uint64_t count) {
    host.on_due = [this] { core->request_stop(); };
    core->call_at(core->instructions() + count);
    EXPECT_EQ(core->run(), Iss::Stop::requested);
    return core->state();
  }
  void expect_taken(const State& after, std::uint64_t vector, std::uint64_t syndrome,
                    std::uint64_t elr) const {
    EXPECT_EQ(after.pc, vector);
    EXPECT_EQ(after.system.esr, syndrome) << std::hex << after.system.esr;
    EXPECT_EQ(after.system.elr, elr) << std::hex << after.system.elr;
    EXPECT_EQ(after.daif, 0xfu << 6);
  }
};

TEST_F(SelfHostedDebugTest, AnnouncesItsBreakpointsAndWatchpoints) {
  const std::uint64_t dfr0 = run({0xd5380500}).x[0];  // mrs x0, id_aa64dfr0_el1
  EXPECT_EQ(dfr0 & 0xf, 6u);
  EXPECT_EQ((dfr0 >> 12 & 0xf) + 1, DebugRegisters::breakpoints);
  EXPECT_EQ((dfr0 >> 20 & 0xf) + 1, DebugRegisters::watchpoints);
  EXPECT_EQ((dfr0 >> 28 & 0xf) + 1, DebugRegisters::context_breakpoints);
  expect_undefined(0xd5300680);  // mrs x0, dbgbvr6_el1
  expect_undefined(0xd53004c0);  // mrs x0, dbgwvr4_el1
}

TEST_F(SelfHostedDebugTest, RegistersHoldTheirFields) {
  const State after = run(
      {
          0xd5100080,  // msr dbgbvr0_el1, x0
          0xd51000a0,  // msr dbgbcr0_el1, x0
          0xd51000c0,  // msr dbgwvr0_el1, x0
          0xd51000e0,  // msr dbgwcr0_el1, x0
          0xd53000a1,  // mrs x1, dbgbcr0_el1
          0xd53000c2,  // mrs x2, dbgwvr0_el1
          0xd53000e3,  // mrs x3, dbgwcr0_el1
      },
      0x1'0000'ffff'ffff);
  EXPECT_EQ(after.debug.bvr[0], 0x1'0000'ffff'ffffu);
  EXPECT_EQ(after.x[1], 0x00ff'e1e7u);
  EXPECT_EQ(after.x[2], 0xffff'0000'ffff'fffcu);
  EXPECT_EQ(after.x[3], 0x1f1f'ffffu);
}

// ---- breakpoints ----

TEST_F(SelfHostedDebugTest, EveryBreakpointHitsBeforeItsInstruction) {
  place_moves();
  for (unsigned i = 0; i < DebugRegisters::breakpoints; ++i) {
    State before = debugged();
    before.debug.bvr[i] = code_base + 8;
    before.debug.bcr[i] = breakpoint;
    const State after = go(before, 3);
    expect_taken(after, sync_from_el1, esr_from_el1(0x30), code_base + 8);
    EXPECT_EQ(after.system.esr, 0xc600'0022u);
    EXPECT_EQ(after.x[5], 2u);
    expect_taken(go(to_el0(before), 3), sync_from_el0, esr_from_el0(0x30), code_base + 8);
  }
}

TEST_F(SelfHostedDebugTest, ANewBreakpointTakesEffectAtTheNextInstruction) {
  State before = debugged();
  before.x[0] = code_base + 8;
  before.x[1] = breakpoint;
  place({
      0xd5100080,  // msr dbgbvr0_el1, x0
      0xd51000a1,  // msr dbgbcr0_el1, x1
      0xd2800065,  // mov x5, #3
  });
  core->set_state(before);
  go_on(2);  // these decode the block and set the breakpoint
  expect_taken(go_on(1), sync_from_el1, esr_from_el1(0x30), code_base + 8);
}

TEST_F(SelfHostedDebugTest, ABreakpointDoesNotHitWhereAConditionDoesNotHold) {
  place_moves();
  State hits = debugged();
  hits.debug.bvr[0] = code_base + 8;
  hits.debug.bcr[0] = breakpoint;
  const auto expect_none = [&](const char* why, auto change, bool from_el0 = false) {
    State before = from_el0 ? to_el0(hits) : hits;
    change(before);
    const State after = go(before, 4);
    EXPECT_EQ(after.pc, code_base + 16) << why;
    EXPECT_EQ(after.x[5], 4u) << why;
  };
  expect_none("MDE", [](State& s) { s.system.mdscr &= ~mdscr::mde; });
  expect_none("KDE", [](State& s) { s.system.mdscr &= ~mdscr::kde; });
  expect_none("D", [](State& s) { s.daif |= pstate_d; });
  expect_none("OS lock", [](State& s) { s.system.oslsr |= oslsr_locked; });
  expect_none("OS double lock", [](State& s) { s.debug.osdlr = 1; });
  expect_none("E", [](State& s) { s.debug.bcr[0] &= ~enabled; });
  expect_none("for EL0 alone", [](State& s) { s.debug.bcr[0] &= ~at_el1; });
  expect_none(
      "for EL1 alone", [](State& s) { s.debug.bcr[0] &= ~at_el0; }, true);
  expect_none("for Secure state", [](State& s) { s.debug.bcr[0] |= 2 << 14; });
  expect_none("the second half word", [](State& s) { s.debug.bcr[0] &= ~(std::uint64_t{3} << 5); });
  expect_none("another address", [](State& s) { s.debug.bvr[0] += 0x1'0000'0000; });
  State at_el0_masked = to_el0(hits);
  at_el0_masked.daif |= pstate_d;  // D masks nothing at EL0
  at_el0_masked.system.mdscr &= ~mdscr::kde;
  expect_taken(go(at_el0_masked, 3), sync_from_el0, esr_from_el0(0x30), code_base + 8);
}

TEST_F(SelfHostedDebugTest, APassedBreakpointLeavesCountsAsTheyAre) {
  State before = debugged();
  place({
      0xd2800140,  // mov x0, #10
      0x91000421,  // loop: add x1, x1, #1
      0x91000421,  // add x1, x1, #1
      0xf1000400,  // subs x0, x0, #1
      0x54ffffa1,  // b.ne loop
      stay,
  });
  before.debug.bvr[0] = code_base + 8;
  before.debug.bcr[0] = breakpoint & ~at_el1;
  before.debug.bvr[1] = code_base + 20;
  before.debug.bcr[1] = breakpoint;
  const State after = go(before, 42);  // the last instruction is the handler's
  expect_taken(after, sync_from_el1, esr_from_el1(0x30), code_base + 20);
  EXPECT_EQ(after.x[1], 20u);
}

TEST_F(SelfHostedDebugTest, ALinkedBreakpointHitsInItsContextOnly) {
  place_moves();
  State before = debugged();
  before.system.contextidr = 0x1234'5678;
  before.debug.bvr[0] = code_base + 8;
  before.debug.bcr[0] = breakpoint | type(1) | linked_to(5);
  before.debug.bvr[5] = 0x1234'5678;
  before.debug.bcr[5] = breakpoint | type(3);
  expect_taken(go(before, 3), sync_from_el1, esr_from_el1(0x30), code_base + 8);
  before.debug.bvr[5] = 0x1234'5679;
  EXPECT_EQ(go(before, 4).pc, code_base + 16);
  before.debug.bvr[5] = 0x1234'5678;
  before.debug.bcr[5] &= ~enabled;
  EXPECT_EQ(go(before, 4).pc, code_base + 16);
  before.debug.bcr[0] = breakpoint | type(1) | linked_to(3);  // breakpoint 3 cannot match contexts
  before.debug.bvr[3] = 0x1234'5678;
  before.debug.bcr[3] = breakpoint | type(3);
  EXPECT_EQ(go(before, 4).pc, code_base + 16);
}

TEST_F(SelfHostedDebugTest, ABreakpointOnAContextHitsAtItsFirstInstruction) {
  State before = debugged();
  before.x[3] = 77;
  before.debug.bvr[4] = 77;
  before.debug.bcr[4] = breakpoint | type(2);
  place({nop, 0xd518d023, nop, nop});  // msr contextidr_el1, x3
  expect_taken(go(before, 3), sync_from_el1, esr_from_el1(0x30), code_base + 8);
  before.debug.bcr[4] &= ~at_el1;
  EXPECT_EQ(go(before, 4).pc, code_base + 16);
}

TEST_F(SelfHostedDebugTest, ADebuggersBreakpointComesBeforeTheGuestsOwn) {
  place_moves();
  State before = debugged();
  before.debug.bvr[0] = code_base + 8;
  before.debug.bcr[0] = breakpoint;
  DebugPort& port = core->debug_port();
  port.set_breakpoints({code_base + 8});
  core->set_state(before);
  core->call_at(~0ull);
  ASSERT_EQ(core->run(), Iss::Stop::breakpoint);
  expect_taken(go_on(1), sync_from_el1, esr_from_el1(0x30), code_base + 8);
}

// ---- watchpoints ----

struct Watch {
  std::uint32_t word;
  std::uint64_t value, control;
  std::optional<std::uint64_t> far;  // nullopt: no hit
  bool stores = false;
};

TEST_F(SelfHostedDebugTest, AWatchpointReportsTheAddressAndTheKindOfAccess) {
  constexpr std::uint32_t ldr = 0xf940'0004, str = 0xf900'0004, ldp = 0xa940'1404, ldrb_5 = 0x3940'1404,
                          ldr_far = 0xf948'0004, stxr = 0xc801'7c04, dc_zva = 0xd50b'7420;  // all by x0
  const Watch watches[] = {
      {ldr, data_base, watchpoint | bytes(0xff), data_base},
      {str, data_base, watchpoint | bytes(0xff), data_base, true},
      {ldr, data_base, (watchpoint & ~loads) | bytes(0xff), {}},
      {str, data_base, (watchpoint & ~stores) | bytes(0xff), {}},
      {ldr, data_base, watchpoint | bytes(0x60), data_base + 5},
      {ldr, data_base + 8, watchpoint | bytes(0xff), {}},
      {ldp, data_base + 8, watchpoint | bytes(0x30), data_base + 12},
      {ldrb_5, data_base, watchpoint | bytes(0x20), data_base + 5},
      {ldrb_5, data_base, watchpoint | bytes(0xdf & 0xc0), {}},
      {ldr, data_base + 4, watchpoint | bytes(0x0f), data_base + 4},
      {ldr, data_base + 4, watchpoint | bytes(0xf0), {}},  // the upper four bits are ignored
      {ldr, data_base, watchpoint, {}},                    // no bytes
      {ldr_far, data_base, watchpoint | bytes(0xff) | 12 << 24, data_base + 0x1000},  // 4 KiB end before it
      {ldr_far, data_base, watchpoint | bytes(0xff) | 13 << 24, data_base + 0x1000},
      {ldr, data_base, watchpoint | bytes(0xff) | 2 << 24, {}},  // reserved
      {stxr, data_base, watchpoint | bytes(0xff), {}},           // it fails and stores nothing
      {dc_zva, data_base + 32, watchpoint | bytes(0xff), data_base + 32, true},
  };
  for (const Watch& each : watches) {
    place({nop, each.word, nop});
    State before = debugged();
    before.x[0] = data_base;
    const bool is_beyond = each.word == ldr_far && (each.control >> 24) == 12;
    if (each.word == ldr_far) before.x[0] = data_base;  // ldr x4, [x0, #0x1000]
    before.debug.wvr[3] = each.value;
    before.debug.wcr[3] = each.control;
    const State after = go(before, 2);
    if (!each.far || is_beyond) {
      EXPECT_EQ(after.pc, code_base + 8) << std::hex << each.word << " " << each.control;
      continue;
    }
    expect_taken(after, sync_from_el1, esr_from_el1(0x34, each.stores ? is_store : 0), code_base + 4);
    EXPECT_EQ(after.system.far, *each.far) << std::hex << each.word << " " << each.control;
  }
}

TEST_F(SelfHostedDebugTest, AWatchedStoreHasNotHappened) {
  place({0xf9000004});  // str x4, [x0]
  State before = debugged();
  before.x[0] = data_base;
  before.x[4] = 99;
  before.debug.wvr[0] = data_base;
  before.debug.wcr[0] = watchpoint | bytes(0xff);
  expect_taken(go(to_el0(before), 1), sync_from_el0, esr_from_el0(0x34, is_store), code_base);
  EXPECT_EQ(host.peek(data_base), 0u);
  before.system.mdscr &= ~mdscr::mde;
  EXPECT_EQ(go(before, 1).pc, code_base + 4);
  EXPECT_EQ(host.peek(data_base), 99u);
}

TEST_F(SelfHostedDebugTest, AnUnprivilegedLoadIsOneOfEl0) {
  State before = debugged();
  before.x[0] = data_base;
  before.debug.wvr[0] = data_base;
  before.debug.wcr[0] = (watchpoint & ~at_el1) | bytes(0xff);
  place({0xf9400004, 0xf8400804});  // ldr x4, [x0]; ldtr x4, [x0]
  expect_taken(go(before, 2), sync_from_el1, esr_from_el1(0x34), code_base + 4);
}

// ---- software step ----

constexpr std::uint32_t eret = 0xd69f'03e0;

// ERET from EL1 to EL0, with SPSR_EL1.SS and MDSCR_EL1.SS.
struct SoftwareStepTest : SelfHostedDebugTest {
  static constexpr std::uint64_t program = code_base + 0x100;
  State returning(const std::vector<std::uint32_t>& words, std::uint64_t ss = spsr_ss) {
    host.place(program, words);
    place({eret});
    State state = debugged();
    state.daif |= pstate_d;
    state.system.mdscr = mdscr::ss;
    state.system.elr = program;
    state.system.spsr = 0x3c0 | ss;  // EL0
    state.x[0] = data_base;
    return state;
  }
};

TEST_F(SoftwareStepTest, OneInstructionIsExecuted) {
  const State after = go(returning({0xd2800025, 0xd2800045}), 3);  // mov x5, #1; mov x5, #2
  expect_taken(after, sync_from_el0, esr_from_el0(0x32, isv), program + 4);
  EXPECT_EQ(after.x[5], 1u);
  EXPECT_EQ(after.system.spsr & spsr_ss, 0u);
}

TEST_F(SoftwareStepTest, AStepOfALoadExclusiveIsReportedAsSuch) {
  expect_taken(go(returning({0xc85f7c04}), 3), sync_from_el0, esr_from_el0(0x32, isv | ex),  // ldxr x4, [x0]
               program + 4);
  expect_taken(go(returning({0xc87f1404}), 3), sync_from_el0,
               esr_from_el0(0x32, isv | ex),  // ldxp x4, x5, [x0]
               program + 4);
  expect_taken(go(returning({0xf9400004}), 3), sync_from_el0, esr_from_el0(0x32, isv), program + 4);  // ldr
}

TEST_F(SoftwareStepTest, ABranchIsSteppedToItsTarget) {
  expect_taken(go(returning({0x14000004}), 3), sync_from_el0, esr_from_el0(0x32, isv), program + 16);
}

TEST_F(SoftwareStepTest, WithoutSsInSpsrNothingIsExecuted) {
  const State after = go(returning({0xd2800025}, 0), 2);
  expect_taken(after, sync_from_el0, esr_from_el0(0x32), program);
  EXPECT_EQ(after.x[5], 0u);
}

TEST_F(SoftwareStepTest, AnExceptionOfTheInstructionLeavesItToBeStepped) {
  State after = go(returning({0x00000000}), 2);  // udf
  expect_taken(after, sync_from_el0, esr::make(esr::ec_unknown, 0), program);
  EXPECT_EQ(after.system.spsr & spsr_ss, spsr_ss);
  EXPECT_FALSE(after.single_step);
  after = go(returning({0xd42000e0}), 2);  // brk #7
  expect_taken(after, sync_from_el0, esr::make(esr::ec_brk, 7), program);
}

TEST_F(SoftwareStepTest, ACallHasBeenSteppedWhenItsHandlerReturns) {
  const State after = go(returning({0xd4000021, 0xd2800025}), 3);  // svc #1; mov x5, #1
  expect_taken(after, sync_from_el0, esr::make(esr::ec_svc, 1), program + 4);
  EXPECT_EQ(after.system.spsr & spsr_ss, 0u);
  host.place(sync_from_el0, {eret});
  core->invalidate_code(host.memory_range());
  core->set_state(after);
  host.on_due = [&] { core->request_stop(); };
  core->call_at(core->instructions() + 1);
  core->run();
  host.place(sync_from_el0, {stay});
  core->invalidate_code(host.memory_range());
  expect_taken(go_on(1), sync_from_el0, esr_from_el0(0x32), program + 4);
}

TEST_F(SoftwareStepTest, AnInterruptComesBeforeTheInstructionWhichIsSteppedLater) {
  State before = returning({0xd2800025});
  before.system.spsr &= ~(1u << 7);
  core->set_irq(true);
  const State after = go(before, 2);
  EXPECT_EQ(after.pc, irq_from_el0);
  EXPECT_EQ(after.x[5], 0u);
  EXPECT_EQ(after.system.spsr & spsr_ss, spsr_ss);
}

TEST_F(SoftwareStepTest, El1StepsItselfWhereItIsUnmasked) {
  place({0xd50348ff, 0xd2800025});  // msr daifclr, #8; mov x5, #1
  State before = debugged();
  before.daif |= pstate_d;
  before.system.mdscr = mdscr::ss | mdscr::kde;
  const State after = go(before, 2);
  expect_taken(after, sync_from_el1, esr_from_el1(0x32), code_base + 4);  // PSTATE.SS is 0
  before.system.mdscr = mdscr::ss;
  EXPECT_EQ(go(before, 2).x[5], 1u);
  before.system.mdscr = mdscr::ss | mdscr::kde;
  before.system.oslsr |= oslsr_locked;
  before.x[5] = 0;
  EXPECT_EQ(go(before, 2).x[5], 1u);
}

TEST_F(SoftwareStepTest, ADebuggersStepEndsAtTheVectorOfTheGuestsStep) {
  core->set_state(returning({0xd2800025, 0xd2800045}));
  DebugPort& port = core->debug_port();
  core->call_at(~0ull);
  for (const std::uint64_t pc : {program, program + 4, sync_from_el0}) {
    port.step();
    EXPECT_EQ(core->run(), Iss::Stop::stepped);
    EXPECT_EQ(core->read(CoreRegister::pc), pc);
  }
}

// ---- the communication channel, claim tags ----

TEST_F(SelfHostedDebugTest, SentDataStayWithoutAnExternalDebugger) {
  const State after = run(
      {
          0xd5330101,  // mrs x1, mdccsr_el0
          0xd5130500,  // msr dbgdtrtx_el0, x0
          0xd5330102,  // mrs x2, mdccsr_el0
      },
      0x41);
  EXPECT_EQ(after.x[1], 0u);
  EXPECT_EQ(after.x[2], 1u << 29);  // TXfull
}

TEST_F(SelfHostedDebugTest, ClaimTagsAreSetAndCleared) {
  const State after = run(
      {
          0xd51078c0,  // msr dbgclaimset_el1, x0
          0xd51079c1,  // msr dbgclaimclr_el1, x1
          0xd53078c2,  // mrs x2, dbgclaimset_el1
          0xd53079c3,  // mrs x3, dbgclaimclr_el1
      },
      0x3f5, 0x15);
  EXPECT_EQ(after.x[2], 0xffu);
  EXPECT_EQ(after.x[3], 0xe0u);
}

}  // namespace
}  // namespace asterism::a64
