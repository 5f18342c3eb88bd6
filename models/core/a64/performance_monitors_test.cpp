// The performance monitors (Arm DDI 0487, D5), as the guest sees them.
#include "core/a64/a64_test.h"
#include "core/debug_port.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t cycle_counter = 1u << 31;
constexpr std::uint32_t nop = 0xd503'201f;

// Counts four cycles for each instruction, plus what the test adds.
struct CountingHost : IssTestHost {
  CoreCounts more;
  bool has_caches = false;
  std::function<void(bool)> on_interrupt;
  CoreCounts counts() override {
    CoreCounts all = more;
    all.cycles += 4 * core->instructions();
    return all;
  }
  bool counts_caches() const override { return has_caches; }
  std::uint64_t instructions_at(std::uint64_t cycles) override { return (cycles - more.cycles + 3) / 4; }
  void performance_interrupt(bool level) override {
    if (on_interrupt) on_interrupt(level);
  }
};

struct PerformanceMonitorsTest : testing::Test {
  CountingHost host;
  std::unique_ptr<NativeIss> core = make_native_iss(host, 0);
  PerformanceMonitorsTest() {
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes);
    core->write(CoreRegister::vbar, vectors);
    for (std::uint32_t offset = 0; offset < 0x800; offset += 0x80)
      host.place(vectors + offset, {0x1400'0000});  // b .
  }
  State enabled(std::uint64_t counters, std::uint64_t control = pmcr::e) const {
    State state = core->state();
    state.pmu.enabled = counters;
    state.pmu.control = control;
    return state;
  }
  State run(const std::vector<std::uint32_t>& words, State before, std::uint64_t count) {
    host.place(code_base, words);
    core->invalidate_code(host.memory_range());
    before.pc = code_base;
    core->set_state(before);
    host.on_due = [this] { core->request_stop(); };
    core->call_at(core->instructions() + count);
    EXPECT_EQ(core->run(), Iss::Stop::requested);
    return core->state();
  }
  State run(const std::vector<std::uint32_t>& words, const State& before) {
    return run(words, before, words.size());
  }
  State taken_at_el0(std::uint32_t word, std::uint64_t user) {
    State before = core->state();
    before.level = 0, before.uses_sp_el1 = false;
    before.pmu.for_el0 = user;
    return run({word, nop}, before, 1);
  }
};

TEST_F(PerformanceMonitorsTest, AreAnnouncedWithWhatTheyCount) {
  const std::vector<std::uint32_t> program = {
      0xd5380501,  // mrs x1, id_aa64dfr0_el1
      0xd53b9c02,  // mrs x2, pmcr_el0
      0xd53b9cc3,  // mrs x3, pmceid0_el0
      0xd53b9ce4,  // mrs x4, pmceid1_el0
  };
  State after = run(program, core->state());
  EXPECT_EQ(after.x[1] >> 8 & 0xf, 1u);
  EXPECT_EQ(after.x[2], 0x4101'3000u);
  EXPECT_EQ(after.x[3], 0x4002'0301u);  // CHAIN, CPU_CYCLES, EXC_TAKEN, INST_RETIRED, SW_INCR
  EXPECT_EQ(after.x[4], 0x10u);         // STALL_BACKEND
  host.has_caches = true;
  after = run(program, core->state());
  EXPECT_EQ(after.x[3], 0x42c2'0319u);
}

TEST_F(PerformanceMonitorsTest, CountersThatDoNotExistAreUndefined) {
  const State after = run({0xd53be8c0}, core->state(), 1);  // mrs x0, pmevcntr6_el0
  EXPECT_EQ(after.system.esr, esr::make(esr::ec_unknown, 0));
}

TEST_F(PerformanceMonitorsTest, InstructionsAndCyclesAreExactAtTheInstructionThatReads) {
  State before = enabled(0, 0);
  before.x[0] = pmcr::e | pmcr::lc;
  before.x[1] = cycle_counter | 1;
  before.x[2] = pmu_event::inst_retired;
  const State after = run(
      {
          0xd51bec02,  // msr pmevtyper0_el0, x2
          0xd51b9c21,  // msr pmcntenset_el0, x1
          0xd51b9c00,  // msr pmcr_el0, x0
          nop, nop, nop,
          0xd53b9d02,  // mrs x2, pmccntr_el0
          0xd53be803,  // mrs x3, pmevcntr0_el0
      },
      before);
  EXPECT_EQ(after.x[2], 4u * 4);
  EXPECT_EQ(after.x[3], 5u);
}

TEST_F(PerformanceMonitorsTest, CyclesOfTheBusCountAndTheClockMayBeDivided) {
  State before = enabled(cycle_counter, pmcr::e | pmcr::d);
  host.on_load = [&](std::uint64_t) {
    host.more.cycles += 640;
    return 0;
  };
  before.x[0] = device;
  const std::vector<std::uint32_t> program = {
      0xf9400004,  // ldr x4, [x0]
      0xf9400004,  // ldr x4, [x0]
      0xd53b9d02,  // mrs x2, pmccntr_el0
  };
  State after = run(program, before);
  EXPECT_EQ(after.x[2], (640u * 2 + 2 * 4) / 64);
  EXPECT_EQ(after.pmu.rest_of_64, 8u);
  before.pmu.control |= pmcr::lc;  // LC leaves D without effect
  before.pmu.instructions = core->instructions();
  before.pmu.seen = host.counts();
  after = run(program, before);
  EXPECT_EQ(after.x[2], 640u * 2 + 2 * 4);
}

TEST_F(PerformanceMonitorsTest, LevelsAreFilteredExactly) {
  State before = enabled(0xf);
  before.pmu.types = {pmu_event::inst_retired, pmu_event::inst_retired | 1u << 31,
                      pmu_event::inst_retired | 1u << 30, pmu_event::exc_taken};
  before.system.elr = code_base + 8;
  before.system.spsr = 0x3c0;  // EL0
  run({nop, 0xd69f03e0, nop, nop, nop, 0xd4000021, nop}, before,
      8);  // ERET at EL1, SVC at EL0, two instructions of its handler
  const State after = core->state();
  host.place(vectors + 0x400,
             {0xd53be801, 0xd53be822, 0xd53be843, 0xd53be864});  // mrs x1 .. x4, pmevcntr0 .. 3
  core->invalidate_code(host.memory_range());
  core->set_state(after);
  core->call_at(core->instructions() + 4);
  core->run();
  const State read = core->state();
  EXPECT_EQ(read.x[1], 8u);
  EXPECT_EQ(read.x[2], 4u);      // EL1 does not count
  EXPECT_EQ(read.x[3], 4u + 2);  // EL0 does not count; the two reads before this one do
  EXPECT_EQ(read.x[4], 1u);
}

TEST_F(PerformanceMonitorsTest, HostEventsAreCounted) {
  host.has_caches = true;
  State before = enabled(0x3f);
  before.pmu.types = {pmu_event::l1d_cache,        pmu_event::l1d_cache_refill, pmu_event::l2d_cache,
                      pmu_event::l2d_cache_refill, pmu_event::bus_access,       pmu_event::stall_backend};
  host.on_load = [&](std::uint64_t) {
    host.more.caches = {1, 2, 3, 4, 0};
    host.more.bus_accesses = 5, host.more.stall_cycles = 6;
    return 0;
  };
  before.x[0] = device;
  const State after = run({0xf9400004, 0xd53b9e64}, before);  // ldr x4, [x0]; mrs x4, pmovsset_el0
  EXPECT_EQ(after.pmu.events, (std::array<std::uint64_t, 6>{1, 2, 3, 4, 5, 6}));
}

TEST_F(PerformanceMonitorsTest, SoftwareCountsAndAChainCarries) {
  State before = enabled(3);
  before.pmu.types = {pmu_event::sw_incr, pmu_event::chain};
  before.pmu.events = {0xffff'fffe, 7};
  before.x[0] = 3;
  const State after = run({0xd51b9c80, 0xd51b9c80, 0xd51b9c80, 0xd53be823}, before);  // msr pmswinc_el0, x0
  EXPECT_EQ(after.pmu.events[0], 1u);
  EXPECT_EQ(after.x[3], 8u);
  EXPECT_EQ(after.pmu.overflowed, 1u);
}

TEST_F(PerformanceMonitorsTest, ResetsOfPmcrTakeTheirCountersOnly) {
  State before = enabled(0, 0);
  before.pmu.events = {5, 6};
  before.pmu.cycles = 7;
  before.x[0] = pmcr::p;
  State after = run({0xd51b9c00}, before);  // msr pmcr_el0, x0
  EXPECT_EQ(after.pmu.events[1], 0u);
  EXPECT_EQ(after.pmu.cycles, 7u);
  before.x[0] = pmcr::c;
  after = run({0xd51b9c00}, before);
  EXPECT_EQ(after.pmu.events[1], 6u);
  EXPECT_EQ(after.pmu.cycles, 0u);
}

TEST_F(PerformanceMonitorsTest, TheSelectedCounterIsReachedByItsRegisters) {
  State before = enabled(0, 0);
  before.x[0] = 4, before.x[1] = 0xc000'0011, before.x[2] = 0x1'2345'6789;
  const State after = run(
      {
          0xd51b9ca0,  // msr pmselr_el0, x0
          0xd51b9d21,  // msr pmxevtyper_el0, x1
          0xd51b9d42,  // msr pmxevcntr_el0, x2
          0xd53b9d43,  // mrs x3, pmxevcntr_el0
      },
      before);
  EXPECT_EQ(after.pmu.types[4], 0xc000'0011u);
  EXPECT_EQ(after.x[3], 0x2345'6789u);
}

TEST_F(PerformanceMonitorsTest, El0AccessIsControlledByPmuserenr) {
  constexpr std::uint32_t read_cycles = 0xd53b9d02, read_event = 0xd53be803, increment = 0xd51b9c80,
                          control = 0xd53b9c00, write_cycles = 0xd51b9d00, user = 0xd53b9e00,
                          interrupts = 0xd5389e20;
  const auto may = [&](std::uint32_t word, std::uint64_t user) {
    return taken_at_el0(word, user).level == 0;
  };
  for (const std::uint32_t word : {read_cycles, read_event, increment, control, write_cycles}) {
    const State after = taken_at_el0(word, 0);
    EXPECT_EQ(esr::exception_class(after.system.esr), esr::ec_system_register) << std::hex << word;
    EXPECT_TRUE(may(word, 1)) << std::hex << word;
  }
  EXPECT_TRUE(may(increment, 2) && !may(read_cycles, 2));
  EXPECT_TRUE(may(read_cycles, 4) && !may(write_cycles, 4) && !may(read_event, 4));
  EXPECT_TRUE(may(read_event, 8) && !may(control, 8));
  EXPECT_TRUE(may(user, 0));
  EXPECT_EQ(taken_at_el0(interrupts, 0xf).system.esr, esr::make(esr::ec_unknown, 0));
}

// ---- overflow ----

struct OverflowTest : PerformanceMonitorsTest {
  std::vector<std::pair<bool, std::uint64_t>> reported;  // level, instructions since the start
  State interrupting(std::uint64_t counters, std::uint64_t control = pmcr::e) {
    State state = enabled(counters, control);
    state.pmu.interrupting = counters;
    state.pmu.instructions = core->instructions();
    state.pmu.seen = host.counts();
    const std::uint64_t start = core->instructions();
    host.on_interrupt = [this, start](bool level) {
      reported.emplace_back(level, core->instructions() - start);
      core->set_irq(level);
    };
    return state;
  }
  const std::vector<std::uint32_t> nops = std::vector<std::uint32_t>(40, nop);
};

TEST_F(OverflowTest, InstructionsInterruptBehindTheOneThatOverflows) {
  State before = interrupting(2);
  before.pmu.types[1] = pmu_event::inst_retired;
  before.pmu.events[1] = 0xffff'fff0;
  before.daif = 0;
  const State after = run(nops, before, 30);
  EXPECT_EQ(reported, (std::vector<std::pair<bool, std::uint64_t>>{{true, 16}}));
  EXPECT_EQ(after.pc, vectors + 0x280);
  EXPECT_EQ(after.system.elr, code_base + 64);
  EXPECT_EQ(after.pmu.overflowed, 2u);
}

TEST_F(OverflowTest, CyclesInterruptWhetherInstructionsOrTheBusTakeThem) {
  State before = interrupting(cycle_counter);
  before.pmu.cycles = 0xffff'ffff - 41;  // the counter overflows after 42 cycles, which take 11 instructions
  run(nops, before, 30);
  EXPECT_EQ(reported, (std::vector<std::pair<bool, std::uint64_t>>{{true, 11}}));

  reported.clear();
  core->reset();
  core->write(CoreRegister::vbar, vectors);
  before = interrupting(cycle_counter, pmcr::e | pmcr::lc);
  before.pmu.cycles = ~0ull - 999;
  before.x[0] = device;
  host.on_load = [&](std::uint64_t) {
    host.more.cycles += 1000;
    core->call_at(core->instructions() + 20);  // the cycles change the time of later instructions
    return 0;
  };
  std::vector<std::uint32_t> program = nops;
  program[5] = 0xf9400004;  // ldr x4, [x0]
  run(program, before, 30);
  EXPECT_EQ(reported, (std::vector<std::pair<bool, std::uint64_t>>{{true, 6}}));
}

TEST_F(OverflowTest, TheInterruptIsALevelUntilTheFlagIsCleared) {
  State before = interrupting(1);
  before.pmu.types[0] = pmu_event::sw_incr;
  before.pmu.events[0] = 0xffff'ffff;
  before.x[0] = 1;
  run({0xd51b9c80, nop, 0xd51b9c60, nop}, before);  // msr pmswinc_el0, x0; msr pmovsclr_el0, x0
  EXPECT_EQ(reported, (std::vector<std::pair<bool, std::uint64_t>>{{true, 1}, {false, 3}}));
}

TEST_F(OverflowTest, AChainInterruptsWhereItsLowHalfOverflows) {
  State before = interrupting(2);
  before.pmu.enabled = 3;
  before.pmu.types = {pmu_event::inst_retired, pmu_event::chain};
  before.pmu.events = {0xffff'fff0, 0xffff'ffff};
  run(nops, before, 30);
  EXPECT_EQ(reported, (std::vector<std::pair<bool, std::uint64_t>>{{true, 16}}));
  EXPECT_EQ(core->state().pmu.overflowed, 3u);
}

TEST_F(OverflowTest, OnlyEnabledOverflowsInterrupt) {
  State before = interrupting(1);
  before.pmu.interrupting = 0;
  before.pmu.types[0] = pmu_event::inst_retired;
  before.pmu.events[0] = 0xffff'fff0;
  std::vector<std::uint32_t> program = nops;
  program[30] = 0xd53b9e64;  // mrs x4, pmovsset_el0
  EXPECT_EQ(run(program, before).x[4], 1u);
  EXPECT_TRUE(reported.empty());
}

}  // namespace
}  // namespace asterism::a64
