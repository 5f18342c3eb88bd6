// Where Unicorn does other than the architecture or the native engine (README).
#include "core/unicorn_iss.h"

#include "core/iss_test.h"

namespace asterism {
namespace {

using enum CoreRegister;
using Stop = Iss::Stop;
using UnicornIssTest = IssTest;
INSTANTIATE_TEST_SUITE_P(, UnicornIssTest, testing::Values(CoreEngine::unicorn), ParameterName());

TEST_P(UnicornIssTest, DueIsCalledAtTheFirstBlockBoundaryAfterItsCount) {
  load(nested_loops);
  std::vector<std::uint64_t> seen;
  host.on_due = [&] { seen.push_back(core->instructions()), core->call_at(core->instructions() + 10); };
  core->call_at(3);
  core->run();
  // Blocks: 5 (to the first b.ne), then 3 for each turn of the inner loop.
  EXPECT_EQ(seen[0], 5u);
  EXPECT_EQ(seen[1], 17u);
}

TEST_P(UnicornIssTest, FloatingPointWorksWithAndWithoutBeingEnabled) {
  load({
      0x1e6e1000,  // fmov d0, #1.0
      0x1e602800,  // fadd d0, d0, d0
      0xd2a00600,  // mov x0, #0x300000
      0xd5181040,  // msr cpacr_el1, x0
      0xd5033fdf,  // isb
      0x1e602800,  // fadd d0, d0, d0
      0x9e660001,  // fmov x1, d0
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 0x4010'0000'0000'0000u);
}

TEST_P(UnicornIssTest, DoublewordsReachTheBusAsTwoWordsLowFirst) {
  load({
      0xf9400401,  // ldr x1, [x0, #8]
      0xf9000801,  // str x1, [x0, #16]
      0x29400c02,  // ldp w2, w3, [x0]
      0xd503207f,  // wfi
  });
  core->write(x0, device);
  core->run();
  EXPECT_EQ(core->read(x1), 0x0000'000c'0000'0008u);
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{{'r', device + 8, 4, 8},
                                                   {'r', device + 12, 4, 12},
                                                   {'w', device + 16, 4, 8},
                                                   {'w', device + 20, 4, 12},
                                                   {'r', device, 4, 0},
                                                   {'r', device + 4, 4, 4}}));
}

TEST_P(UnicornIssTest, AddressBeyondThePhysicalOnesIsADataAbort) {
  if (unicorn_version() >= "2.1") GTEST_SKIP() << "a bus error there (README)";
  for (std::uint64_t address : {0x0001'0000'0000'0000ull, ~0ull, ~0ull - 3, ~0ull - 7, ~0ull - 4095}) {
    load({
        0xd503201f,  // nop
        0xf9400001,  // ldr x1, [x0]
        0xd503207f,  // wfi
    });
    place_vectors();
    core->write(x0, address);
    EXPECT_EQ(core->run(), Stop::hypervisor_call);
    expect_exception(0x200, code_base + 4, esr::make(esr::ec_data_abort, 0));  // address size fault, level 0
    EXPECT_EQ(core->read(far), address);
  }
}

TEST_P(UnicornIssTest, AnExceptionAtEl0IsTakenOrStopsTheCoreAndSaysWhy) {
  load({
      0x100000a0,  // adr x0, user
      0xd5184020,  // msr elr_el1, x0
      0xd2807800,  // mov x0, #0x3c0
      0xd5184000,  // msr spsr_el1, x0
      0xd69f03e0,  // eret
      0x91000421,  // user: add x1, x1, #1
      0xd4000001,  // svc #0
  });
  place_vectors();
  const Stop stop = core->run();
  EXPECT_EQ(core->read(x1), 1u);
  if (unicorn_version() >= "2.1") {
    EXPECT_EQ(stop, Stop::hypervisor_call);
    expect_exception(0x400, code_base + 28, esr::make(esr::ec_svc, 0));
  } else {
    EXPECT_EQ(stop, Stop::unsupported);
    EXPECT_NE(core->why().find("EL0"), std::string::npos);
    EXPECT_EQ(core->run(), Stop::unsupported);
  }
  core->reset();
  load({0xd503207f});  // wfi
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_P(UnicornIssTest, PerformanceMonitorsAndHigherLevelsAreNotThere) {
  load({
      0xd2800020,  // mov x0, #1
      0xd51b9c00,  // msr pmcr_el0, x0
      0xd51b9d00,  // msr pmccntr_el0, x0
      0xd53b9d01,  // mrs x1, pmccntr_el0
      0xd5380402,  // mrs x2, id_aa64pfr0_el1
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 0u);
  EXPECT_EQ(core->read(x2), 0x0011'0011u);
}

TEST_P(UnicornIssTest, BreakpointsAndWatchpointsAreNotThere) {
  load({
      0x10000100,  // adr x0, target
      0xd2803ce1,  // mov x1, #0x1e7
      0xd5100080,  // msr dbgbvr0_el1, x0
      0xd51000a1,  // msr dbgbcr0_el1, x1
      0xd53000a1,  // mrs x1, dbgbcr0_el1
      0xd51000c0,  // msr dbgwvr0_el1, x0
      0xd51000e1,  // msr dbgwcr0_el1, x1
      0xd5380502,  // mrs x2, id_aa64dfr0_el1
      0xd503207f,  // target: wfi
  });
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 0u);
  EXPECT_EQ(core->read(x2), 0x0010'1006u);  // two of each, which is the least that it can say; no PMU
}

}  // namespace
}  // namespace asterism
