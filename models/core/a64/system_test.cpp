// System instructions: exceptions and their return, hints, masks, registers, what EL0 may.
#include "core/a64/a64_test.h"
#include "core/a64/system_registers.h"

namespace asterism::a64 {
namespace {

struct A64SystemTest : A64Test {
  static constexpr unsigned handler_at_el1 = 0x200, handler_from_el0 = 0x400;
  State at_el0(std::uint64_t x0 = 0) const {
    State before = with(x0);
    before.level = 0, before.uses_sp_el1 = false;
    return before;
  }
  // Runs one word and returns the state after the exception that it takes.
  State taken(std::uint32_t word, const State& before) {
    for (std::uint32_t offset = 0; offset < 0x800; offset += 4)
      host.place(vectors + offset, {0x1400'0000});  // b .
    host.place(code_base, {word});
    core->invalidate_code(host.memory_range());
    State start = before;
    start.pc = code_base;
    core->set_state(start);
    host.on_due = [this] { core->request_stop(); };
    core->call_at(core->instructions() + 1);
    EXPECT_EQ(core->run(), Iss::Stop::requested);
    return core->state();
  }
  void expect_taken(std::uint32_t word, const State& before, unsigned exception_class, std::uint32_t iss) {
    const State after = taken(word, before);
    EXPECT_EQ(after.system.esr, esr::make(exception_class, iss)) << std::hex << word;
    EXPECT_EQ(after.system.elr, code_base) << std::hex << word;
    EXPECT_EQ(after.pc, vectors + (before.level == 0 ? handler_from_el0 : handler_at_el1));
    EXPECT_EQ(after.level, 1);
  }
  void expect_undefined_at_el0(std::uint32_t word) { expect_taken(word, at_el0(), esr::ec_unknown, 0); }
  void expect_trapped_at_el0(std::uint32_t word, std::uint32_t iss) {
    expect_taken(word, at_el0(), esr::ec_system_register, iss);
  }
};

constexpr unsigned ec_wfx = 0x01, ec_illegal = 0x0e;

// ---- exceptions ----

TEST_F(A64SystemTest, HypervisorCallsComeFromEl1Only) {
  host.place(code_base, {0xd40000a2});  // hvc #5
  core->start(Address(code_base), 0);
  EXPECT_EQ(core->run(), Iss::Stop::hypervisor_call);
  EXPECT_EQ(core->read(CoreRegister::pc), code_base + 4);
  expect_undefined_at_el0(0xd40000a2);
}

TEST_F(A64SystemTest, TheRegistersOfAGicAreUndefinedWithoutOne) {
  expect_undefined(0xd538cc00);              // mrs x0, icc_iar1_el1
  expect_undefined(0xd518cbb0);              // msr icc_sgi1r_el1, x16
  EXPECT_EQ(run({0xd5380401}).x[1], 0x11u);  // mrs x1, id_aa64pfr0_el1
}

TEST_F(A64SystemTest, TheRegistersOfAGicBelongToTheHost) {
  core = make_native_iss(host, 0, {.gic = true});
  host.core = core.get();
  core->map_direct(host.memory_range(), host.memory.bytes);
  core->write(CoreRegister::vbar, vectors);
  EXPECT_EQ(run({0xd5380401}).x[1], 0x0100'0011u);  // mrs x1, id_aa64pfr0_el1
  const SystemRegister sgi1r{3, 0, 12, 11, 5}, iar1{3, 0, 12, 12, 0};
  host.registers[iar1.code()] = 27;
  host.registers[sgi1r.code()] = 0;
  const State after =
      run({0xd538cc02 /* mrs x2, icc_iar1_el1 */, 0xd518cba1 /* msr icc_sgi1r_el1, x1 */}, 0, 5);
  EXPECT_EQ(after.x[2], 27u);
  EXPECT_EQ(host.registers[sgi1r.code()], 5u);
  expect_undefined(0xd538cba0);  // mrs x0, icc_sgi1r_el1
  expect_undefined(0xd518cc00);  // msr icc_iar1_el1, x0
  expect_undefined_at_el0(0xd538cc00);
}

TEST_F(A64SystemTest, WhatNeedsAHigherLevelOrADebuggerIsUndefined) {
  expect_undefined(0xd4000003);  // smc #0
  expect_undefined(0xd6bf03e0);  // drps
  expect_undefined(0xd4a00001);  // dcps1
  expect_undefined(0xd4400020);  // hlt #1
  expect_undefined(0xd50330ff);  // sb, of Armv8.5
}

TEST_F(A64SystemTest, BreakpointsAndCallsFromEl0GoToTheVectorOfALowerLevel) {
  expect_taken(0xd42000e0, at_el0(), esr::ec_brk, 7);  // brk #7
  const State after = taken(0xd4002461, at_el0());     // svc #0x123
  EXPECT_EQ(after.system.esr, esr::make(esr::ec_svc, 0x123));
  EXPECT_EQ(after.system.elr, code_base + 4);
  EXPECT_EQ(after.system.spsr & 0x1f, 0u);
}

TEST_F(A64SystemTest, EretRestoresPstateAndGoesToElr) {
  State before = with(0);
  before.system.elr = 0x1234'5678;
  before.system.spsr = 0xa000'0340;  // N, C; D, A, F; EL0
  before.x[stack_pointer] = 0x1000;
  before.system.sp_el0 = 0x2000;
  before.monitor.armed = true;
  const State after = run({0xd69f03e0}, before);
  EXPECT_EQ(after.pc, 0x1234'5678u);
  EXPECT_EQ(after.flags.nzcv(), 0b1010u);
  EXPECT_EQ(after.daif, 0x340u);
  EXPECT_EQ(after.level, 0);
  EXPECT_EQ(after.x[stack_pointer], 0x2000u);
  EXPECT_EQ(after.system.sp_el1, 0x1000u);
  EXPECT_FALSE(after.monitor.armed);
}

TEST_F(A64SystemTest, AnIllegalReturnStaysWhereItIsAndTheNextInstructionSaysSo) {
  const State at_reset = with(0);
  for (std::uint64_t mode : {0x1, 0x2, 0x6, 0x8, 0x9, 0xd, 0x10, 0x13}) {
    State before = at_reset;
    before.system.elr = code_base + 0x100;
    before.system.spsr = 0x9000'0000 | mode;
    const State after = run({0xd69f03e0}, before);
    EXPECT_TRUE(after.illegal) << mode;
    EXPECT_EQ(after.level, 1);
    EXPECT_TRUE(after.uses_sp_el1);
    EXPECT_EQ(after.flags.nzcv(), 0b1001u);
  }
  State before = at_reset;
  before.illegal = true;
  const State after = taken(0xd503201f, before);  // nop
  EXPECT_EQ(after.system.esr, esr::make(ec_illegal, 0));
  EXPECT_EQ(after.system.elr, code_base);
  EXPECT_EQ(after.system.spsr >> 20 & 1, 1u);
  EXPECT_FALSE(after.illegal);
}

TEST_F(A64SystemTest, EretAtEl0IsUndefined) { expect_undefined_at_el0(0xd69f03e0); }

// ---- hints ----

TEST_F(A64SystemTest, HintsAndBarriersDoNothing) {
  const State after = run({
      0xd503209f,  // sev
      0xd50320bf,  // sevl
      0xd503201f,  // nop
      0xd5032fff,  // hint #0x7f
      0xd5033f9f,  // dsb sy
      0xd5033bbf,  // dmb ish
      0xd5033fdf,  // isb
  });
  EXPECT_EQ(after.pc, code_base + 28);
}

TEST_F(A64SystemTest, WaitingAtEl0IsTrappedUnlessItIsAllowed) {
  State before = at_el0();
  before.system.sctlr &= ~(sctlr::ntwi | sctlr::ntwe);
  expect_taken(0xd503207f, before, ec_wfx, 0x1e0'0000);  // wfi
  expect_taken(0xd503205f, before, ec_wfx, 0x1e0'0001);  // wfe
  before.system.sctlr |= sctlr::ntwi | sctlr::ntwe;
  unsigned waits = 0;
  host.on_event_wait = [&] { ++waits; };
  run({0xd503205f}, before);
  EXPECT_EQ(waits, 1u);
  host.place(code_base, {0xd503207f});
  core->invalidate_code(host.memory_range());
  before.pc = code_base;
  core->set_state(before);
  core->call_at(~0ull);
  EXPECT_EQ(core->run(), Iss::Stop::wait_for_interrupt);
}

TEST_F(A64SystemTest, ClrexDisarmsTheMonitor) {
  State before = with(0);
  before.monitor.armed = true;
  EXPECT_FALSE(run({0xd5033f5f}, before).monitor.armed);
}

// ---- PSTATE ----

TEST_F(A64SystemTest, MasksAreSetClearedAndReadTogether) {
  const State after = run(
      {
          0xd50342ff,  // msr daifclr, #2
          0xd53b4221,  // mrs x1, daif
          0xd5034fdf,  // msr daifset, #0xf
          0xd53b4222,  // mrs x2, daif
          0xd51b4220,  // msr daif, x0
          0xd53b4223,  // mrs x3, daif
      },
      0xffff'ffff'ffff'fd3f);
  EXPECT_EQ(after.x[1], 0x340u);
  EXPECT_EQ(after.x[2], 0x3c0u);
  EXPECT_EQ(after.x[3], 0x100u);
}

TEST_F(A64SystemTest, UmaLetsEl0Mask) {
  expect_trapped_at_el0(0xd5034fdf, 0xc'd3fe);   // msr daifset, #0xf
  expect_trapped_at_el0(0xd53b4221, 0x32'd025);  // mrs x1, daif
  State before = at_el0();
  before.system.sctlr |= sctlr::uma;
  before.daif = 0;
  EXPECT_EQ(run({0xd50344df}, before).daif, 0x100u);  // msr daifset, #4
}

TEST_F(A64SystemTest, FlagsAreARegister) {
  const State after = run(
      {
          0xd51b4200,  // msr nzcv, x0
          0xd53b4201,  // mrs x1, nzcv
      },
      0xffff'ffff'6fff'ffff);
  EXPECT_EQ(after.flags.nzcv(), 0b0110u);
  EXPECT_EQ(after.x[1], 0x6000'0000u);
}

TEST_F(A64SystemTest, TheOtherStackPointerIsARegisterAndTheOneInUseIsNot) {
  State before = with(0x1230);
  before.x[stack_pointer] = 0x5000;
  const State after = run(
      {
          0xd5184100,  // msr sp_el0, x0
          0xd50040bf,  // msr spsel, #0
          0x910003e1,  // mov x1, sp
          0xd5384202,  // mrs x2, spsel
          0xd50041bf,  // msr spsel, #1
          0x910003e3,  // mov x3, sp
      },
      before);
  EXPECT_EQ(after.x[1], 0x1230u);
  EXPECT_EQ(after.x[2], 0u);
  EXPECT_EQ(after.x[3], 0x5000u);
  State in_use = with(0);
  in_use.uses_sp_el1 = false;
  EXPECT_EQ(taken(0xd5384100, in_use).system.esr, esr::make(esr::ec_unknown, 0));  // mrs x0, sp_el0
}

// ---- registers ----

TEST_F(A64SystemTest, IdentifiesItselfAsACortexA57WithCryptography) {
  const State after = run({
      0xd5380001,  // mrs x1, midr_el1
      0xd5380402,  // mrs x2, id_aa64pfr0_el1
      0xd5380603,  // mrs x3, id_aa64isar0_el1
      0xd5380704,  // mrs x4, id_aa64mmfr0_el1
      0xd53b0025,  // mrs x5, ctr_el0
      0xd53b00e6,  // mrs x6, dczid_el0
      0xd5380207,  // mrs x7, id_isar0_el1
      0xd5384248,  // mrs x8, currentel
      0xd5380629,  // mrs x9, id_aa64isar1_el1
  });
  EXPECT_EQ(after.x[1], 0x411f'd070u);
  EXPECT_EQ(after.x[2], 0x11u);
  EXPECT_EQ(after.x[3], 0x21'1120u);
  EXPECT_EQ(after.x[4], 0x10'0024u);
  EXPECT_EQ(after.x[5], 0x8444'c004u);
  EXPECT_EQ(after.x[6], 4u);
  EXPECT_EQ(after.x[7], 0u);
  EXPECT_EQ(after.x[8], 4u);
  EXPECT_EQ(after.x[9], 0u);
}

TEST_F(A64SystemTest, OmittedOptionsAreNotReported) {
  core = make_native_iss(host, 0, {.features = {}});
  host.core = core.get();
  EXPECT_EQ(run({0xd5380600}).x[0], 0u);     // mrs x0, id_aa64isar0_el1
  EXPECT_EQ(run({0xd5380400}).x[0], 0x11u);  // mrs x0, id_aa64pfr0_el1
}

TEST_F(A64SystemTest, AnnouncesExactlyTheFeaturesThatItHas) {
  struct Announced {
    CoreFeature feature;
    std::uint64_t isar0, isar1 = 0, pfr0 = 0x11;
  };
  using enum CoreFeature;
  for (const Announced& expected :
       {Announced{crc32, 1u << 16}, Announced{lse, 2u << 20}, Announced{aes, 1u << 4},
        Announced{sha1, 1u << 8}, Announced{sha2, 1u << 12}, Announced{rdm, 1u << 28},
        Announced{dotprod, std::uint64_t{1} << 44}, Announced{rcpc, 0, 1u << 20},
        Announced{fp16, 0, 0, 0x11'0011}}) {
    core = make_native_iss(host, 0, {.features = CoreFeatures{}.with(expected.feature)});
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes);
    // mrs x0, id_aa64isar0_el1; mrs x1, id_aa64isar1_el1; mrs x2, id_aa64pfr0_el1
    const State after = run({0xd5380600, 0xd5380621, 0xd5380402});
    EXPECT_EQ(after.x[0], expected.isar0) << to_text(expected.feature);
    EXPECT_EQ(after.x[1], expected.isar1) << to_text(expected.feature);
    EXPECT_EQ(after.x[2], expected.pfr0) << to_text(expected.feature);
  }
  core = make_native_iss(host, 0, {.features = CoreFeatures::all()});
  host.core = core.get();
  core->map_direct(host.memory_range(), host.memory.bytes);
  EXPECT_EQ(run({0xd5380600}).x[0], 0x1000'1021'1120u);
}

TEST_F(A64SystemTest, CacheSizesAreThoseOfTheSelectedCache) {
  const State after = run(
      {
          0xd51a0000,  // msr csselr_el1, x0
          0xd5390003,  // mrs x3, ccsidr_el1
          0xd51a0001,  // msr csselr_el1, x1
          0xd5390004,  // mrs x4, ccsidr_el1
      },
      0, 1);
  EXPECT_EQ(after.x[3], 0x701f'e00au);
  EXPECT_EQ(after.x[4], 0x201f'e012u);
}

TEST_F(A64SystemTest, RegistersHoldTheirWritableBits) {
  const State after = run(
      {
          0xd518c000,  // msr vbar_el1, x0
          0xd51bd040,  // msr tpidr_el0, x0
          0xd5181040,  // msr cpacr_el1, x0
          0xd51b4400,  // msr fpcr, x0
          0xd51b4420,  // msr fpsr, x0
          0xd5181000,  // msr sctlr_el1, x0
          0xd53b4401,  // mrs x1, fpcr
      },
      with(0xffff'ffff'ffff'fffe), 7);
  EXPECT_EQ(after.system.vbar, 0xffff'ffff'ffff'f800u);
  EXPECT_EQ(after.system.tpidr_el0, 0xffff'ffff'ffff'fffeu);
  EXPECT_EQ(after.system.cpacr, 0x30'0000u);
  EXPECT_EQ(after.x[1], 0x07c0'0000u);
  EXPECT_EQ(after.fpsr, 0x0800'009eu);
  EXPECT_EQ(after.system.sctlr, 0xfcff'fffeu);
}

TEST_F(A64SystemTest, FloatingPointRegistersAreTrappedWithFloatingPoint) {
  expect_taken(0xd53b4400, with(0), esr::ec_fp_trap, 0x1e0'0000);  // mrs x0, fpcr
  State only_el1 = at_el0();
  only_el1.system.cpacr = 1 << 20;
  expect_taken(0xd51b4420, only_el1, esr::ec_fp_trap, 0x1e0'0000);  // msr fpsr, x0
}

TEST_F(A64SystemTest, TheOsLockReadsBack) {
  const State after = run({
      0xd5301181,  // mrs x1, oslsr_el1
      0xd5101080,  // msr oslar_el1, x0
      0xd5301182,  // mrs x2, oslsr_el1
  });
  EXPECT_EQ(after.x[1], 0xau);
  EXPECT_EQ(after.x[2], 0x8u);
}

TEST_F(A64SystemTest, UnknownAndReadOnlyRegistersAreUndefined) {
  expect_undefined(0xd53c1100);  // mrs x0, hcr_el2
  expect_undefined(0xd5384260);  // mrs x0, pan
  expect_undefined(0xd5180000);  // msr midr_el1, x0
  expect_undefined(0xd5300680);  // mrs x0, dbgbvr6_el1
  expect_undefined(0xd50c871f);  // tlbi alle2
  expect_undefined(0xd50c7880);  // at s12e1r, x0
}

TEST_F(A64SystemTest, PendingInterruptsAreSeenWhileMasked) {
  core->set_irq(true);
  core->raise_serror(0);
  EXPECT_EQ(run({0xd538c100}).x[0], 0x180u);  // mrs x0, isr_el1
}

// ---- EL0 ----

TEST_F(A64SystemTest, El0ReadsItsThreadPointersAndNotTheRegistersOfEl1) {
  State before = at_el0(7);
  before.system.tpidrro_el0 = 9;
  const State after = run(
      {
          0xd51bd040,  // msr tpidr_el0, x0
          0xd53bd061,  // mrs x1, tpidrro_el0
      },
      before);
  EXPECT_EQ(after.system.tpidr_el0, 7u);
  EXPECT_EQ(after.x[1], 9u);
  expect_undefined_at_el0(0xd51bd060);  // msr tpidrro_el0, x0
  expect_undefined_at_el0(0xd5381000);  // mrs x0, sctlr_el1
  expect_undefined_at_el0(0xd5380000);  // mrs x0, midr_el1
  expect_undefined_at_el0(0xd5384100);  // mrs x0, sp_el0
  expect_undefined_at_el0(0xd50040bf);  // msr spsel, #0
  expect_undefined_at_el0(0xd508751f);  // ic iallu
  expect_undefined_at_el0(0xd508871f);  // tlbi vmalle1
  expect_undefined_at_el0(0xd5087800);  // at s1e1r, x0
}

TEST_F(A64SystemTest, El0AccessToTimersAndCacheTypeIsControlledByEl1) {
  expect_trapped_at_el0(0xd53be041, 0x34'f821);  // mrs x1, cntvct_el0
  expect_trapped_at_el0(0xd53be002, 0x30'f841);  // mrs x2, cntfrq_el0
  expect_trapped_at_el0(0xd53be323, 0x32'f867);  // mrs x3, cntv_ctl_el0
  expect_trapped_at_el0(0xd53b0024, 0x32'c081);  // mrs x4, ctr_el0
  expect_trapped_at_el0(0xd53b9d05, 0x30'e4bb);  // mrs x5, pmccntr_el0
  State before = at_el0();
  before.system.cntkctl = 1 << 1 | 1 << 8;
  before.system.sctlr |= sctlr::uct;
  host.registers = {{system_register::cntvct_el0.code(), 1234}, {system_register::cntv_ctl_el0.code(), 5}};
  const State after = run({0xd53be041, 0xd53be323, 0xd53b0024}, before);
  EXPECT_EQ(after.x[1], 1234u);
  EXPECT_EQ(after.x[3], 5u);
  EXPECT_EQ(after.x[4], 0x8444'c004u);
}

TEST_F(A64SystemTest, El0CacheMaintenanceIsControlledByEl1) {
  expect_trapped_at_el0(0xd50b7520, 0x12'dc0a);  // ic ivau, x0
  expect_trapped_at_el0(0xd50b7a20, 0x12'dc14);  // dc cvac, x0
  expect_trapped_at_el0(0xd50b7420, 0x12'dc08);  // dc zva, x0
  State before = at_el0(data_base + 8);
  before.system.sctlr |= sctlr::uci | sctlr::dze;
  std::memset(host.memory.bytes + (data_base - code_base), 0xff, 72);
  run({0xd50b7a20, 0xd50b7420}, before);
  EXPECT_EQ(host.peek(data_base), 0u);
  EXPECT_EQ(host.peek(data_base + 56), 0u);
  EXPECT_EQ(host.peek(data_base + 64), ~0ull);
}

// ---- maintenance ----

TEST_F(A64SystemTest, InvalidatingInstructionsIsReportedToTheHost) {
  run(
      {
          0xd50b7520,  // ic ivau, x0
          0xd508751f,  // ic iallu
      },
      data_base + 0x7c);
  ASSERT_EQ(host.changed_code.size(), 2u);
  EXPECT_EQ(host.changed_code[0], (AddressRange{Address(data_base + 0x40), Bytes(64)}));
  EXPECT_TRUE(host.changed_code[1].contains(Address(code_base), Bytes(4)));
}

// The one table, of level 1, maps the second gigabyte as memory with a block of 1 GiB, and nothing else.
struct A64SystemMmuTest : A64SystemTest {
  State translated(std::uint64_t x0) {
    const std::uint64_t table = code_base + 0x20000;
    const std::uint64_t block = 0x4000'0000 | 0x701;  // AF, inner shareable
    std::memcpy(host.memory.bytes + 0x20008, &block, 8);
    State before = with(x0);
    before.system.ttbr0 = table;
    before.system.tcr = 25 | 1 << 23;  // 39 bits of address; no tables for the high half
    before.system.sctlr |= sctlr::m;
    return before;
  }
};

TEST_F(A64SystemMmuTest, MaintenanceByAddressFaultsAsAWriteOfACache) {
  for (std::uint32_t word :
       {0xd50b7a20, 0xd50b7e20, 0xd5087620, 0xd50b7520}) {              // dc cvac, civac, ivac; ic ivau
    expect_taken(word, translated(0x1234), esr::ec_data_abort, 0x145);  // level 1
    EXPECT_EQ(core->state().system.far, 0x1234u);
  }
  expect_taken(0xd50b7420, translated(0x1234), esr::ec_data_abort, 0x45);  // dc zva: a store
  EXPECT_EQ(core->state().system.far, 0x1234u);
  run({0xd50b7a20, 0xd50b7e20, 0xd5087e40}, translated(data_base));  // and dc cisw
}

TEST_F(A64SystemMmuTest, TranslatesOnRequest) {
  EXPECT_EQ(run({0xd5087800}, translated(data_base + 0x123)).system.par & 0xffff'ffff'f001, data_base);
  EXPECT_EQ(run({0xd5087800}, translated(0x1234)).system.par & 0x7f, 0x0bu);     // level 1
  EXPECT_EQ(run({0xd5087860}, translated(data_base)).system.par & 0x7f, 0x1bu);  // EL0 may not: permission
}

TEST_F(A64SystemMmuTest, AnInvalidatedTranslationIsDropped) {
  for (std::uint32_t tlbi :
       {0xd508871f, 0xd5088720, 0xd5088340, 0xd50883a0}) {  // vmalle1, vae1, aside1is, vale1is
    const std::uint64_t block = 0x4000'0000 | 0x701;
    State before = translated(0x8010'0000 >> 12);
    std::memcpy(host.memory.bytes + 0x20010, &block, 8);  // maps the third gigabyte to the second
    before.x[1] = 0x8010'0000;
    before.x[2] = code_base + 0x20010;
    before.x[3] = 1;
    run(
        {
            0xf9400024,  // ldr x4, [x1]
            0xf900005f,  // str xzr, [x2]
            tlbi,
            0xd5033fdf,  // isb
            0xf9400023,  // ldr x3, [x1]
        },
        before, 4);
    host.place(vectors + 0x200, {0x1400'0000});  // b .
    core->call_at(core->instructions() + 1);
    core->run();
    EXPECT_EQ(core->state().system.far, 0x8010'0000u) << std::hex << tlbi;
    EXPECT_EQ(core->state().system.esr, esr::make(esr::ec_data_abort, 0x05));
    EXPECT_EQ(core->state().x[3], 1u);
  }
}

// ---- reports to the host ----

TEST_F(A64SystemTest, AnUndefinedInstructionIsReportedAtItsCountAndPc) {
  std::vector<std::uint64_t> reported;
  host.on_undefined = [&](Address pc) {
    reported.insert(reported.end(), {core->instructions(), core->read(CoreRegister::pc), pc.value()});
  };
  host.place(vectors + 0x200, {0x1400'0000});  // b .
  const std::uint64_t before = core->instructions();
  run(
      {
          0xd503201f,  // nop
          0xd53be060,  // mrs x0, cntvctss_el0
      },
      with(0), 2);
  EXPECT_EQ(reported, (std::vector<std::uint64_t>{before + 1, code_base + 4, code_base + 4}));
  reported.clear();
  run(
      {
          0xd503201f,  // nop
          0xd503201f,  // nop
          0x00000001,  // udf #1
      },
      with(0), 3);
  EXPECT_EQ(reported, (std::vector<std::uint64_t>{before + 4, code_base + 8, code_base + 8}));
}

// ---- tagged addresses ----

TEST_F(A64SystemTest, BranchesToATaggedAddressStripTheTag) {
  constexpr std::uint64_t tbi0 = 1ull << 37, tag = 0x5aull << 56;
  for (const std::uint32_t branch : {
           0xd61f0000u,  // br x0
           0xd63f0000u,  // blr x0
           0xd65f0000u,  // ret x0
           0xd69f03e0u,  // eret
       })
    for (int twice = 0; twice < 2; ++twice) {
      State before = with(tag | (code_base + 8));
      before.system.tcr = tbi0;
      before.system.elr = before.x[0];
      before.system.spsr = 0x3c5;
      const State after = run({branch, 0xd503201f, 0x10000001}, before, 2);  // adr x1, .
      EXPECT_EQ(after.x[1], code_base + 8) << std::hex << branch;
      EXPECT_EQ(after.pc, code_base + 12);
    }
}

TEST_F(A64SystemTest, ATagInTheUpperHalfIsSignExtendedAndOneThatCountsStays) {
  constexpr std::uint64_t tbi1 = 1ull << 38, upper = 0x12ff'ffff'0000'0000;
  host.place(vectors + 0x200, {0x1400'0000});  // b .
  State before = with(upper);
  before.system.tcr = tbi1;
  EXPECT_EQ(run({0xd61f0000}, before, 2).system.elr, upper | 0xffull << 56);  // br x0
  before.system.tcr = 0;
  EXPECT_EQ(run({0xd61f0000}, before, 2).system.elr, upper);
}

}  // namespace
}  // namespace asterism::a64
