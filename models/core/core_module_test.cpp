#include "core/core_module.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/log_of_node.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using enum CoreRegister;
using State = CoreModule::State;
constexpr std::uint64_t code = CoreTestBus::memory_base, vectors = code + 0x20'0000, data = code + 0x10'0000;

struct RecordingCalls : CoreCalls {
  std::function<std::uint64_t(const std::array<std::uint64_t, 4>&)> on_hypervisor_call;
  std::function<std::uint64_t(std::uint32_t, std::uint64_t)> on_semihosting_call;
  std::uint64_t hypervisor_call(unsigned, const std::array<std::uint64_t, 4>& x) override {
    return on_hypervisor_call ? on_hypervisor_call(x) : ~0ull;
  }
  std::uint64_t semihosting_call(unsigned, std::uint32_t operation, std::uint64_t parameter) override {
    return on_semihosting_call ? on_semihosting_call(operation, parameter) : ~0ull;
  }
};

// One core on a bus of its own.
struct Bench {
  RecordingCalls calls;
  CoreTestBus bus;
  CoreModule core;
  Bench(const std::string& name, Picoseconds quantum, unsigned index = 0, const a64::Options& options = {})
      : bus((name + "_bus").c_str()),
        core((name + "_core").c_str(), index, CoreConfig{}, quantum, calls, make_iss_of_cores(options)) {
    bus.bind(core);
  }
  // As in every program of these tests, x0 is the address of the device.
  void start(const std::vector<std::uint32_t>& program) {
    bus.place(code, program);
    core.start(Address(code), CoreTestBus::device);
  }
  void wait_for_state(State state, Picoseconds limit = 1_ms) {
    for (Picoseconds t; t < limit && core.state() != state; t += 100_ns) sc_core::wait(to_sc_time(100_ns));
    EXPECT_EQ(core.state(), state);
  }
  // Runs until the program ends in WFI.
  void run(const std::vector<std::uint32_t>& program) {
    start(program);
    wait_for_state(State::waiting);
  }
};

struct CoreModuleTest : SystemCTest {
  Bench bench{"a", 1_us, 5};
  CoreModule& core = bench.core;
  CoreTestBus& bus = bench.bus;
};

// Results must be the same for quanta from one instruction to much more than the program.
struct CoreQuantumTest : SystemCTest {
  Bench tiny{"tiny", 1_ps}, cycle{"cycle", 1_ns}, small{"small", 1_us}, large{"large", 1_ms};
  std::vector<Bench*> all = {&tiny, &cycle, &small, &large};
};

// ---- time ----

SYSTEMC_TEST_F(CoreModuleTest, AnInstructionTakesACycle) {
  bench.run({
      0xd2807d01,  // mov x1, #1000
      0xf1000421,  // loop: subs x1, x1, #1
      0x54ffffe1,  // b.ne loop
      0xb9000001,  // str w1, [x0]
      0xd503207f,  // wfi
  });
  // 1 + 2000 instructions come before the access.
  EXPECT_EQ(bus.accesses, (std::vector<CoreTestBus::Access>{{'w', 0, 0, 2001_ns}}));
  EXPECT_EQ(core.instructions(), 2003u);
}

// Cores of four integer pipelines, in which a result can be used in the next cycle.
struct TimedCoreTest : SystemCTest {
  const a64::Options options{
      .timing = std::make_shared<const CoreTiming>(CoreTiming{.width = 4, .integer = {1, 4}})};
  Bench tiny{"tiny", 1_ps, 0, options}, small{"small", 100_ns, 0, options}, large{"large", 1_ms, 0, options};
  std::vector<Bench*> all = {&tiny, &small, &large};
};

SYSTEMC_TEST_F(TimedCoreTest, InstructionsTakeTheTimeOfTheirBasicBlocksWhateverTheQuantum) {
  for (Bench* bench : all) {
    const Picoseconds began = now();
    bench->run({
        0xd2807d01,  // mov x1, #1000
        0xf1000421,  // loop: subs x1, x1, #1
        0x54ffffe1,  // b.ne loop
        0xb9000001,  // str w1, [x0]
        0xd503207f,  // wfi
    });
    ASSERT_EQ(bench->bus.accesses.size(), 1u);
    // A quarter of a cycle, and 1000 iterations that wait for the one before.
    EXPECT_EQ(bench->bus.accesses[0].at - began, Picoseconds(250) + 1000_ns);
    EXPECT_EQ(bench->core.instructions(), 2003u);
  }
}

SYSTEMC_TEST_F(CoreModuleTest, AnAccessAddsTheDelayOfItsTarget) {
  bench.run({
      0xb9400001,  // ldr w1, [x0]
      0x14000001,  // b next
      0xb9400001,  // next: ldr w1, [x0]
      0xd503207f,  // wfi
  });
  ASSERT_EQ(bus.accesses.size(), 2u);
  EXPECT_EQ(bus.accesses[0].at, 0_ns);
  EXPECT_EQ(bus.accesses[1].at, 12_ns);
}

SYSTEMC_TEST_F(CoreModuleTest, TheWaitOfATargetCountsOnce) {
  bench.run({
      0xb9401001,  // ldr w1, [x0, #0x10]
      0x14000001,  // b next
      0xb9402001,  // next: ldr w1, [x0, #0x20]
      0x14000001,  // b last
      0xb9400001,  // last: ldr w1, [x0]
      0xd503207f,  // wfi
  });
  ASSERT_EQ(bus.accesses.size(), 3u);
  EXPECT_EQ(bus.accesses[0].at, 0_ns);
  EXPECT_EQ(bus.accesses[1].at, 2_ns);
  EXPECT_EQ(bus.accesses[2].at, 1004_ns);
}

const std::vector<std::uint32_t> busy_program = {
    0xd2802581,  // mov x1, #300
    0xd2a80205,  // mov x5, #0x40100000
    0xd28000e2,  // outer: mov x2, #7
    0x8b020063,  // inner: add x3, x3, x2
    0xf80084a3,  // str x3, [x5], #8
    0xf1000442,  // subs x2, x2, #1
    0x54ffffa1,  // b.ne inner
    0xb9400004,  // ldr w4, [x0]
    0xb9001004,  // str w4, [x0, #0x10]
    0x8b040063,  // add x3, x3, x4
    0xd53be046,  // mrs x6, cntvct_el0
    0x8b060063,  // add x3, x3, x6
    0xf1000421,  // subs x1, x1, #1
    0x54fffea1,  // b.ne outer
    0xb9002003,  // str w3, [x0, #0x20]
    0xd503207f,  // wfi
};

SYSTEMC_TEST_F(CoreQuantumTest, TheQuantumChangesNeitherStateNorTime) {
  for (Bench* bench : all) bench->start(busy_program);
  wait_for(2_ms);
  for (Bench* bench : all) {
    EXPECT_EQ(bench->core.state(), State::waiting);
    EXPECT_EQ(bench->core.instructions(), 2 + 300 * (1 + 28 + 7) + 2u);
    EXPECT_EQ(bench->core.iss().read(x3), tiny.core.iss().read(x3));
    EXPECT_EQ(bench->bus.accesses, tiny.bus.accesses);
    EXPECT_TRUE(std::equal(bench->bus.memory, bench->bus.memory + CoreTestBus::memory_size, tiny.bus.memory));
  }
  EXPECT_EQ(tiny.bus.accesses.size(), 601u);
}

SYSTEMC_TEST_F(CoreQuantumTest, SpinningWithWfeDoesNotDependOnTheQuantum) {
  for (Bench* bench : all)
    bench->start({
        0xd2807d01,  // mov x1, #1000
        0xd51be301,  // msr cntv_tval_el0, x1
        0xd2800021,  // mov x1, #1
        0xd51be321,  // msr cntv_ctl_el0, x1
        0xd503205f,  // spin: wfe
        0xd53be322,  // mrs x2, cntv_ctl_el0
        0x3617ffc2,  // tbz x2, #2, spin
        0xb9000002,  // str w2, [x0]
        0xd503207f,  // wfi
    });
  wait_for(1_ms);
  for (Bench* bench : all) {
    EXPECT_EQ(bench->core.instructions(), tiny.core.instructions());
    EXPECT_EQ(bench->bus.accesses, tiny.bus.accesses);
    ASSERT_EQ(bench->bus.accesses.size(), 1u);
    EXPECT_EQ(bench->bus.accesses[0].at, 16'052_ns);
  }
}

// ---- interrupts ----

const std::vector<std::uint32_t> spin_unmasked = {
    0xd2a80401,  // mov x1, #0x40200000
    0xd518c001,  // msr vbar_el1, x1
    0xd50342ff,  // msr daifclr, #2
    0x91000442,  // spin: add x2, x2, #1
    0x17ffffff,  // b spin
};
// Writes to the device, which lowers the line, and returns.
const std::vector<std::uint32_t> report_and_lower = {
    0xb9000002,  // str w2, [x0]
    0xb900301f,  // str wzr, [x0, #0x30]
    0xd69f03e0,  // eret
};

SYSTEMC_TEST_F(CoreQuantumTest, AnInterruptIsTakenWithinAQuantum) {
  for (Bench* bench : all) {
    bench->bus.place(vectors + 0x280, report_and_lower);
    bench->start(spin_unmasked);
  }
  wait_for(10'300'500_ps);
  for (Bench* bench : all) bench->bus.wire.write(true);
  wait_for(2_ms);
  const Picoseconds quanta[] = {1_ps, 1_ns, 1_us, 1_ms};
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i]->bus.accesses.size(), 2u) << i;
    const Picoseconds latency = all[i]->bus.accesses[0].at - 10'300'500_ps;
    EXPECT_LE(latency, quanta[i] + 6_ns) << i;
  }
}

SYSTEMC_TEST_F(CoreModuleTest, AnInterruptLoweredByTheHandlerIsLowBeforeTheNextInstruction) {
  bus.place(vectors + 0x280, {
                                 0x91000463,  // add x3, x3, #1
                                 0xb900301f,  // str wzr, [x0, #0x30]
                                 0xd50342ff,  // msr daifclr, #2
                                 0xd503201f,  // nop
                                 0xd69f03e0,  // eret
                             });
  bench.start(spin_unmasked);
  for (int i = 0; i < 10; ++i) {
    wait_for(5_us);
    bus.wire.write(true);
  }
  wait_for(5_us);
  EXPECT_EQ(core.iss().read(x3), 10u);
}

// The timer's output is connected to the core's input.
struct TimerBench : Bench {
  TimerBench(const std::string& name, Picoseconds quantum) : Bench(name, quantum) {
    sc_core::sc_spawn_options method;
    method.spawn_method();
    method.dont_initialize();
    method.set_sensitivity(&bus.virtual_timer);
    sc_core::sc_spawn([this] { bus.wire.write(bus.virtual_timer.read()); }, (name + "_follow").c_str(),
                      &method);
    bus.place(vectors + 0x280, {
                                   0xd51be33f,  // msr cntv_ctl_el0, xzr
                                   0xb9000002,  // str w2, [x0]
                                   0xd69f03e0,  // eret
                               });
  }
};
struct CoreTimerTest : SystemCTest {
  TimerBench tiny{"tiny", 1_ns}, small{"small", 1_us}, large{"large", 1_ms};
  std::vector<TimerBench*> all = {&tiny, &small, &large};
};
const std::vector<std::uint32_t> arm_timer = {
    0xd2a80401,  // mov x1, #0x40200000
    0xd518c001,  // msr vbar_el1, x1
    0xd50342ff,  // msr daifclr, #2
    0xd2807d01,  // mov x1, #1000
    0xd51be341,  // msr cntv_cval_el0, x1
    0xd2800021,  // mov x1, #1
    0xd51be321,  // msr cntv_ctl_el0, x1
};

SYSTEMC_TEST_F(CoreTimerTest, TheCoresOwnTimerInterruptsExactlyWhateverTheQuantum) {
  for (TimerBench* bench : all) {
    bench->bus.place(code + 4 * arm_timer.size(), {0x91000442, 0x17ffffff});  // spin: add x2, x2, #1; b spin
    bench->start(arm_timer);
  }
  wait_for(3_ms);
  for (TimerBench* bench : all) {
    ASSERT_EQ(bench->bus.accesses.size(), 1u);
    EXPECT_EQ(bench->bus.accesses[0], tiny.bus.accesses[0]);
    EXPECT_LE(bench->bus.accesses[0].at, 16_us + 6_ns);
    EXPECT_GE(bench->bus.accesses[0].at, 16_us);
  }
}

SYSTEMC_TEST_F(CoreTimerTest, WfiSleepsUntilTheTimerWithoutExecutingAnything) {
  for (TimerBench* bench : all) {
    bench->bus.place(code + 4 * arm_timer.size(), {0xd503207f, 0xd503207f});  // wfi; wfi
    bench->start(arm_timer);
  }
  wait_for(15_us);
  for (TimerBench* bench : all) EXPECT_EQ(bench->core.state(), State::waiting);
  wait_for(10_us);
  for (TimerBench* bench : all) {
    ASSERT_EQ(bench->bus.accesses.size(), 1u);
    EXPECT_EQ(bench->bus.accesses[0].at, 16'001_ns);
    EXPECT_EQ(bench->core.instructions(), arm_timer.size() + 1 + 3 + 1);
    EXPECT_EQ(bench->core.state(), State::waiting);
  }
}

SYSTEMC_TEST_F(CoreModuleTest, WfiWithAMaskedInterruptPendingDoesNotSleep) {
  bus.wire.write(true);
  settle();
  bench.start({
      0xd503207f,  // wfi
      0xb9000001,  // str w1, [x0]
      0x14000000,  // spin: b spin
  });
  wait_for(10_us);
  EXPECT_EQ(bus.accesses.size(), 1u);
}

SYSTEMC_TEST_F(CoreModuleTest, AnInterruptEndsTheWaitOfWfe) {
  bus.place(vectors + 0x280, report_and_lower);
  bench.start({
      0xd2a80401,  // mov x1, #0x40200000
      0xd518c001,  // msr vbar_el1, x1
      0xd50342ff,  // msr daifclr, #2
      0xd503205f,  // spin: wfe
      0x17ffffff,  // b spin
  });
  wait_for(10'500_ns);
  bus.wire.write(true);
  wait_for(10_ns);
  EXPECT_EQ(bus.accesses.size(), 2u);
}

// ---- errors ----

const std::vector<std::uint32_t> serror_handler = {
    0xd538520a,  // mrs x10, esr_el1
    0x9100056b,  // add x11, x11, #1
    0xd503207f,  // wfi
};
const std::vector<std::uint32_t> unmask_serror = {
    0xd2a80401,  // mov x1, #0x40200000
    0xd518c001,  // msr vbar_el1, x1
    0xd50344ff,  // msr daifclr, #4
};

void expect_serror_of(Bench& bench, std::vector<std::uint32_t> access) {
  std::vector<std::uint32_t> program = unmask_serror;
  program.insert(program.end(), access.begin(), access.end());
  bench.bus.place(vectors + 0x380, serror_handler);
  bench.run(program);
  EXPECT_EQ(bench.core.iss().read(x11), 1u);
  EXPECT_EQ(bench.core.iss().read(x10), esr::make(esr::ec_serror, esr::serror_bus_error));
}

SYSTEMC_TEST_F(CoreModuleTest, AnErrorResponseIsAnSError) {
  expect_serror_of(bench, {
                              0xb9404002,  // ldr w2, [x0, #0x40]
                              0x14000000,  // spin: b spin
                          });
}

SYSTEMC_TEST_F(CoreModuleTest, AnUndecodedAddressIsAnSError) {
  expect_serror_of(bench, {
                              0xb90000a2,  // str w2, [x5]
                              0x14000000,  // spin: b spin
                          });
}

SYSTEMC_TEST_F(CoreModuleTest, PoisonedDataAreAnSError) {
  expect_serror_of(bench, {
                              0xb9405002,  // ldr w2, [x0, #0x50]
                              0x14000000,  // spin: b spin
                          });
}

struct AbortingCoreTest : SystemCTest {
  Bench aborting{"b", 1_us, 0, {.aborts_refused_loads = true}};
};

// The abort has the address of the load, whose registers keep their values.
SYSTEMC_TEST_F(AbortingCoreTest, ALoadWithoutAnAnswerIsADataAbort) {
  std::vector<std::uint32_t> program = unmask_serror;
  program.insert(program.end(), {
                                    0xd2800062,  // mov x2, #3
                                    0xa9450c02,  // ldp x2, x3, [x0, #0x50]
                                });
  // mrs x10, esr_el1; mrs x11, far_el1; wfi
  aborting.bus.place(vectors + 0x200, {0xd538520a, 0xd538600b, 0xd503207f});
  aborting.run(program);
  const Iss& iss = aborting.core.iss();
  EXPECT_EQ(iss.read(x10), esr::make(esr::ec_data_abort, esr::synchronous_external_abort));
  EXPECT_EQ(iss.read(static_cast<CoreRegister>(11)), CoreTestBus::device + 0x50);
  EXPECT_EQ(iss.read(static_cast<CoreRegister>(2)), 3u);
}

SYSTEMC_TEST_F(CoreModuleTest, WarnsOncePerPoisonedBlockAndOfEachOtherError) {
  std::string out;
  collect_log(core.name(), out);
  expect_serror_of(bench, {
                              0xd50344df,  // msr daifset, #4
                              0xb9405002,  // ldr w2, [x0, #0x50]
                              0xb9405002,  // ldr w2, [x0, #0x50]
                              0xb9404002,  // ldr w2, [x0, #0x40]
                              0xb9404002,  // ldr w2, [x0, #0x40]
                              0xb9405002,  // ldr w2, [x0, #0x50]
                              0xb9409002,  // ldr w2, [x0, #0x90]
                              0xd50344ff,  // msr daifclr, #4
                              0x14000000,  // spin: b spin
                          });
  const std::string load = "load of 4 bytes at 0x9000";
  EXPECT_EQ(out, load + "050: poisoned data, an SError [0x40000010]\n" + load +
                     "040: the target has refused it, an SError [0x40000018]\n" + load +
                     "040: the target has refused it, an SError [0x4000001c]\n" + load +
                     "090: poisoned data, an SError [0x40000024]\n");
}

std::optional<CoreModule::RefusedAccess> cause_of_fault(const CoreModule& core) {
  const auto fault = core.iss().fault();
  return fault ? core.cause_of(*fault) : std::nullopt;
}

SYSTEMC_TEST_F(CoreModuleTest, NamesTheCauseOfAnSErrorThatTheHandlerOfAnotherFaultHasMasked) {
  bus.place(vectors + 0x200, {
                                 0xb9404002,  // ldr w2, [x0, #0x40]
                                 0xd5384021,  // mrs x1, elr_el1
                                 0x91001021,  // add x1, x1, #4
                                 0xd5184021,  // msr elr_el1, x1
                                 0xd69f03e0,  // eret
                             });
  expect_serror_of(bench, {
                              0x00000000,  // udf #0
                              0x14000000,  // spin: b spin
                          });
  const auto cause = cause_of_fault(core);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->address.value(), CoreTestBus::device + 0x40);
  EXPECT_FALSE(cause->is_poisoned);
}

SYSTEMC_TEST_F(CoreModuleTest, NamesTheCausesOfAnSErrorAndOfOneWithinItsHandler) {
  bus.place(vectors + 0x380, {
                                 0xb50000ac,  // cbnz x12, end
                                 0xb9404002,  // ldr w2, [x0, #0x40]
                                 0xd4000002,  // hvc #0
                                 0xd280002c,  // mov x12, #1
                                 0xd69f03e0,  // eret
                                 0xd503207f,  // end: wfi
                             });
  std::optional<CoreModule::RefusedAccess> first;
  bench.calls.on_hypervisor_call = [&](const auto&) {
    first = cause_of_fault(core);
    return CoreTestBus::device;
  };
  std::vector<std::uint32_t> program = unmask_serror;
  program.insert(program.end(), {
                                    0xb9405002,  // ldr w2, [x0, #0x50]
                                    0x14000000,  // spin: b spin
                                });
  bench.run(program);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->address.value(), CoreTestBus::device + 0x50);
  EXPECT_TRUE(first->is_poisoned);
  const auto second = cause_of_fault(core);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->address.value(), CoreTestBus::device + 0x40);
  EXPECT_FALSE(second->is_poisoned);
}

SYSTEMC_TEST_F(CoreModuleTest, NamesAWalkOfTheTablesThatReadsPoison) {
  std::string out;
  collect_log(core.name(), out);
  bus.broken = CoreTestBus::memory_base + 0x10'0000;
  bus.place(CoreTestBus::memory_base, {
                                          0xd2a80200,  // mov x0, #0x40100000
                                          0xd5182000,  // msr ttbr0_el1, x0
                                          0xd2800321,  // mov x1, #25
                                          0xd5182041,  // msr tcr_el1, x1
                                          0xd5381001,  // mrs x1, sctlr_el1
                                          0xb2400021,  // orr x1, x1, #1
                                          0xd5181001,  // msr sctlr_el1, x1
                                          0xd5033fdf,  // isb
                                          0xd503207f,  // wfi
                                      });
  core.start(Address(CoreTestBus::memory_base), 0);
  wait_for(10_us);
  EXPECT_EQ(
      out.find("walk of the translation tables, a load of 8 bytes at 0x40100008: poisoned data, an abort"),
      0u)
      << out;
}

// A kernel may emulate the read, so that it is no mistake of a program.
SYSTEMC_TEST_F(CoreModuleTest, DoesNotLogAnIdRegisterReadAtEl0) {
  std::string out;
  collect_log(core.name(), out);
  bus.place(vectors + 0x400, {
                                 0xd538520a,  // mrs x10, esr_el1
                                 0xd503207f,  // wfi
                             });
  bench.run({
      0xd2a80402,  // mov x2, #0x40200000
      0xd518c002,  // msr vbar_el1, x2
      0xd518401f,  // msr spsr_el1, xzr: EL0
      0x10000061,  // adr x1, the instruction after eret
      0xd5184021,  // msr elr_el1, x1
      0xd69f03e0,  // eret
      0xd5380000,  // mrs x0, midr_el1
  });
  EXPECT_EQ(core.iss().read(CoreRegister::x10), esr::make(esr::ec_unknown, 0));
  EXPECT_EQ(out, "");
}

SYSTEMC_TEST_F(CoreModuleTest, LogsAnUndefinedInstructionOncePerWord) {
  std::string out;
  collect_log(core.name(), out);
  bus.place(vectors + 0x200, {
                                 0xd5384021,  // mrs x1, elr_el1
                                 0x91001021,  // add x1, x1, #4
                                 0xd5184021,  // msr elr_el1, x1
                                 0xd69f03e0,  // eret
                             });
  bench.run({
      0xd2a80402,  // mov x2, #0x40200000
      0xd518c002,  // msr vbar_el1, x2
      0x00000001,  // undefined
      0x00000001,  // undefined
      0x00000002,  // undefined
      0xd503207f,  // wfi
  });
  const std::string rest = " (logged once for each instruction word) ";
  EXPECT_EQ(out, "undefined instruction 0x00000001" + rest + "[0x40000008]\n" +
                     "undefined instruction 0x00000002" + rest + "[0x40000010]\n");
}

SYSTEMC_TEST_F(CoreModuleTest, ACoreWithoutVectorsLocksUpAndSaysWhere) {
  bench.start({
      0xd2820001,  // mov x1, #0x1000
      0xd61f0020,  // br x1
  });
  bench.wait_for_state(State::locked_up);
  EXPECT_NE(
      core.lock_up_reason().find("pc 0x200, ESR 0x86000010 (instruction abort: external abort), FAR 0x200"),
      std::string::npos)
      << core.lock_up_reason();
  core.reset(Reset::warm);
  bench.run({0xd503207f});  // wfi
}

// ---- calls ----

SYSTEMC_TEST_F(CoreModuleTest, HvcIsHandledAtTheCoresTime) {
  Picoseconds at;
  bench.calls.on_hypervisor_call = [&](const auto& x) { return at = now(), x[0] + x[3]; };
  bench.run({
      0xd2800060,  // mov x0, #3
      0xd2800083,  // mov x3, #4
      0xd4000002,  // hvc #0
      0xd503207f,  // wfi
  });
  EXPECT_EQ(at, 3_ns);
  EXPECT_EQ(core.iss().read(x0), 7u);
}

SYSTEMC_TEST_F(CoreModuleTest, SemihostingSeesTheCoresMemory) {
  bench.calls.on_semihosting_call = [&](std::uint32_t operation, std::uint64_t parameter) -> std::uint64_t {
    std::byte text[2];
    EXPECT_TRUE(core.read_memory(Address(parameter), text));
    EXPECT_EQ(text[0], std::byte{0x11});
    text[0] = std::byte{0x77};
    EXPECT_TRUE(core.write_memory(Address(parameter), text));
    EXPECT_FALSE(core.read_memory(Address(0x1000), text));
    return operation + 1;
  };
  bench.run({
      0xd2a80201,  // mov x1, #0x40100000
      0x52800222,  // mov w2, #0x11
      0x39000022,  // strb w2, [x1]
      0x52800080,  // mov w0, #4
      0xd45e0000,  // hlt #0xf000
      0x39400023,  // ldrb w3, [x1]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core.iss().read(x0), 5u);
  EXPECT_EQ(core.iss().read(x3), 0x77u);
  EXPECT_EQ(now(), 100_ns);
}

SYSTEMC_TEST_F(CoreModuleTest, ACallMayTurnItsCoreOff) {
  bench.calls.on_hypervisor_call = [&](const auto&) { return core.power_off(), 0; };
  bench.start({
      0xd4000002,  // hvc #0
      0xb9000001,  // str w1, [x0]
      0xd503207f,  // wfi
  });
  wait_for(1_us);
  EXPECT_EQ(core.state(), State::off);
  EXPECT_TRUE(bus.accesses.empty());
}

SYSTEMC_TEST_F(CoreModuleTest, StandbyWaitsForAnInterrupt) {
  bench.calls.on_hypervisor_call = [&](const auto&) { return core.standby(), 0; };
  bench.start({
      0xaa0003e5,  // mov x5, x0
      0xd4000002,  // hvc #0
      0xb90010a1,  // str w1, [x5, #0x10]
      0xd503207f,  // wfi
  });
  wait_for(1_us);
  EXPECT_EQ(core.state(), State::waiting);
  bus.wire.write(true);
  wait_for(1_us);
  EXPECT_EQ(bus.accesses.size(), 1u);
}

// ---- memory ----

SYSTEMC_TEST_F(CoreModuleTest, MemoryIsDirectAndDevicesAreNot) {
  bench.run({
      0xd2a80201,  // mov x1, #0x40100000
      0xf9000021,  // str x1, [x1]
      0xf9400022,  // ldr x2, [x1]
      0xb9400003,  // ldr w3, [x0]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(bus.memory_accesses, 0u);
  EXPECT_EQ(core.iss().read(x2), data);
  EXPECT_EQ(bus.last_master, 5u);
}

SYSTEMC_TEST_F(CoreModuleTest, WithdrawnDirectMemoryIsReadOverTheBus) {
  bus.on_access = [&](std::uint64_t) { bus.withdraw(data); };
  bench.start({
      0xd2a80201,  // mov x1, #0x40100000
      0xb9000021,  // str w1, [x1]
      0xb9400003,  // ldr w3, [x0]
      0xb9400024,  // ldr w4, [x1]
      0x14000000,  // spin: b spin
  });
  wait_for(1_us);
  EXPECT_EQ(bus.memory_accesses, 1u);
}

SYSTEMC_TEST_F(CoreModuleTest, CodeThatADebuggerWritesIsExecuted) {
  bench.run({
      0xd2800025,  // mov x5, #1
      0xd503207f,  // wfi
  });
  const std::uint32_t changed = 0xd2800045;  // mov x5, #2
  EXPECT_TRUE(core.write_memory(Address(code), std::as_bytes(std::span(&changed, 1))));
  core.reset(Reset::warm);
  core.start(Address(code), 0);
  wait_for(1_us);
  EXPECT_EQ(core.iss().read(x5), 2u);
}

// ---- reset ----

SYSTEMC_TEST_F(CoreModuleTest, ResetTakesEffectAtOnceAndTheCoreCanStartAgain) {
  bench.start(spin_unmasked);
  wait_for(2'500_ns);
  core.reset(Reset::power_loss);
  EXPECT_EQ(core.state(), State::off);
  const std::uint64_t before = core.instructions();
  wait_for(10_us);
  EXPECT_EQ(core.instructions(), before);
  bench.run({
      0xb9000002,  // str w2, [x0]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(bus.accesses, (std::vector<CoreTestBus::Access>{{'w', 0, 0, 12'500_ns}}));
}

SYSTEMC_TEST_F(CoreModuleTest, ResetDuringAnAccessDropsTheRestOfTheInstruction) {
  bus.on_access = [&](std::uint64_t offset) {
    if (offset == CoreTestBus::plain) core.reset(Reset::power_loss);
  };
  bench.start({
      0xd2a80201,  // mov x1, #0x40100000
      0xb9000002,  // str w2, [x0]
      0xf9000021,  // str x1, [x1]
      0xb9001002,  // str w2, [x0, #0x10]
      0x14000000,  // spin: b spin
  });
  wait_for(10_us);
  EXPECT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(bus.peek(data), 0u);
}

// The reset comes as from a power controller, which acts in the delta cycle after a write to its register.
SYSTEMC_TEST_F(CoreModuleTest, ResetInTheDeltaAfterAnAccessDropsTheRestOfTheInstruction) {
  sc_core::sc_event failure;
  bus.on_access = [&](std::uint64_t) { failure.notify(sc_core::SC_ZERO_TIME); };
  sc_core::sc_spawn([&] {
    sc_core::wait(failure);
    core.reset(Reset::power_loss);
  });
  bench.start({
      0xd2a80201,  // mov x1, #0x40100000
      0xb9000002,  // str w2, [x0]
      0xf9000021,  // str x1, [x1]
      0x14000000,  // spin: b spin
  });
  wait_for(10_us);
  EXPECT_EQ(bus.peek(data), 0u);
}

SYSTEMC_TEST_F(CoreModuleTest, ARestartDuringAWaitingAccessTakesEffectWhenTheAccessEnds) {
  bench.start({
      0xb9402001,  // ldr w1, [x0, #0x20]
      0xb9000001,  // str w1, [x0]
      0xd503207f,  // wfi
  });
  wait_for(500_ns);
  core.reset(Reset::power_loss);
  core.start(Address(code + 4), CoreTestBus::device);
  wait_for(10_us);
  ASSERT_EQ(bus.accesses.size(), 2u);
  EXPECT_EQ(bus.accesses[1], (CoreTestBus::Access{'w', 0, 0, 1000_ns}));
}

SYSTEMC_TEST_F(CoreModuleTest, ResetLowersTheTimersWires) {
  bench.run({
      0xd2800021,  // mov x1, #1
      0xd51be321,  // msr cntv_ctl_el0, x1
      0xd51be221,  // msr cntp_ctl_el0, x1
      0xd503207f,  // wfi
  });
  EXPECT_TRUE(bus.virtual_timer.read() && bus.physical_timer.read());
  core.reset(Reset::warm);
  settle();
  EXPECT_FALSE(bus.virtual_timer.read() || bus.physical_timer.read());
}

SYSTEMC_TEST_F(CoreModuleTest, APowerFailureAtAnyTimeStopsTheCoreAndARestartRunsAsTheFirstTime) {
  const std::vector<std::uint32_t> program = {
      0xd2800041,  // mov x1, #2
      0xd2a80203,  // mov x3, #0x40100000
      0xb9401002,  // loop: ldr w2, [x0, #0x10]
      0xf8008462,  // str x2, [x3], #8
      0xb9400002,  // ldr w2, [x0]
      0xd503205f,  // wfe
      0xb9002002,  // str w2, [x0, #0x20]
      0xf1000421,  // subs x1, x1, #1
      0x54ffff41,  // b.ne loop
      0xd2800c82,  // mov x2, #100
      0xd51be302,  // msr cntv_tval_el0, x2
      0xd2800022,  // mov x2, #1
      0xd51be322,  // msr cntv_ctl_el0, x2
      0xd503207f,  // wfi
      0xb9000001,  // str w1, [x0]
      0xd503207f,  // wfi
  };
  const auto run_whole = [&] {
    std::vector<std::pair<std::uint64_t, Picoseconds>> trace;
    bus.accesses.clear();
    const Picoseconds started = now();
    bench.start(program);
    wait_for(8_us);
    for (const auto& access : bus.accesses) trace.push_back({access.offset, access.at - started});
    core.reset(Reset::power_loss);
    wait_for(2_us);  // no access is in progress any more
    return trace;
  };
  const auto whole = run_whole();
  EXPECT_EQ(whole.size(), 6u);
  const Picoseconds length = whole.back().second + 100_ns;
  for (Picoseconds failure; failure < length; failure += 7_ns) {
    bench.start(program);
    wait_for(failure);
    core.reset(Reset::power_loss);
    bus.accesses.clear();
    std::fill_n(bus.memory + 0x10'0000, 64, 0);
    wait_for(2_us);
    EXPECT_TRUE(bus.accesses.empty()) << failure.count();
    EXPECT_EQ(bus.peek(data) | bus.peek(data + 8), 0u);
    ASSERT_EQ(run_whole(), whole) << failure.count();
  }
}

SYSTEMC_TEST_F(CoreModuleTest, StartOfACoreThatIsOnIsIgnored) {
  bench.run({0xd503207f});  // wfi
  core.start(Address(0), 0);
  wait_for(1_us);
  EXPECT_EQ(core.state(), State::waiting);
}

}  // namespace
}  // namespace asterism
