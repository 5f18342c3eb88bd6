#include "core/core_cluster.h"

#include <string>
#include <vector>

#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using State = CoreModule::State;
constexpr std::uint64_t code = CoreTestBus::memory_base, data = code + 0x10'0000;

// Four cores, each on a bus of its own with the memory of the first.
struct CoreClusterTest : SystemCTest, CoreCluster::Surroundings {
  CoreTestBus bus0{"bus0"}, bus1{"bus1"}, bus2{"bus2"}, bus3{"bus3"};
  CoreTestBus* buses[4] = {&bus0, &bus1, &bus2, &bus3};
  CoreCluster cores{CoreConfig{}, 1_us, *this, make_iss_of_cores()};
  std::vector<std::string> events;

  CoreClusterTest() {
    for (unsigned i = 0; i < 4; ++i) {
      buses[i]->bind(cores[i]);
      buses[i]->memory = bus0.memory;
    }
  }
  std::uint64_t semihosting(CoreModule& core, std::uint32_t operation, std::uint64_t) override {
    events.push_back("semihosting " + std::to_string(operation) + " of core " + std::to_string(core.index()));
    return 0;
  }
  void system_off() override { events.push_back("off"); }
  void system_reset() override {
    events.push_back("reset");
    if (events.size() < 3) cores.start(Address(code), 0);
  }
  void execute(const std::vector<std::uint32_t>& program) {
    bus0.place(code, program);
    cores.start(Address(code), 0);
    wait_for(1_ms);
  }
};

SYSTEMC_TEST_F(CoreClusterTest, TheFirstCoreStartsTheOthersAndAllMeetAtABarrier) {
  execute({
      0xd2a80214,  // mov x20, #0x40100000
      0xd2800073,  // mov x19, #3
      0x52b88000,  // next: movz w0, #0xc400, lsl #16
      0x72800060,  // movk w0, #3
      0xaa1303e1,  // mov x1, x19
      0x100000c2,  // adr x2, all
      0xaa1403e3,  // mov x3, x20
      0xd4000002,  // hvc #0
      0xf1000673,  // subs x19, x19, #1
      0x54ffff21,  // b.ne next
      0xaa1403e0,  // mov x0, x20
      0xaa0003f4,  // all: mov x20, x0
      0xc85ffe81,  // again: ldaxr x1, [x20]
      0x91000421,  // add x1, x1, #1
      0xc802fe81,  // stlxr w2, x1, [x20]
      0x35ffffa2,  // cbnz w2, again
      0xd503205f,  // wait: wfe
      0xc8dffe81,  // ldar x1, [x20]
      0xf100103f,  // cmp x1, #4
      0x54ffffa1,  // b.ne wait
      0xd53800a3,  // mrs x3, mpidr_el1
      0x92401c63,  // and x3, x3, #0xff
      0x8b030e84,  // add x4, x20, x3, lsl #3
      0xf9000483,  // str x3, [x4, #8]
      0xd503207f,  // wfi
  });
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(cores[i].state(), State::waiting) << i;
    EXPECT_EQ(bus0.peek(data + 8 + 8 * i), i);
  }
  EXPECT_EQ(bus0.peek(data), 4u);
}

SYSTEMC_TEST_F(CoreClusterTest, CodeThatOneCoreChangesRunsChangedOnAnotherAfterIcIvau) {
  execute({
      0x100002a5,  // adr x5, patch
      0x100003c6,  // adr x6, done
      0x52b88000,  // movz w0, #0xc400, lsl #16
      0x72800060,  // movk w0, #3
      0xd2800021,  // mov x1, #1
      0x100001a2,  // adr x2, second
      0xd4000002,  // hvc #0
      0x88dffcc7,  // ready: ldar w7, [x6]
      0x34ffffe7,  // cbz w7, ready
      0xb94004c1,  // ldr w1, [x6, #4]
      0xb90000a1,  // str w1, [x5]
      0xd50b7b25,  // dc cvau, x5
      0xd5033b9f,  // dsb ish
      0xd50b7525,  // ic ivau, x5
      0xd5033b9f,  // dsb ish
      0xd5033fdf,  // isb
      0x889ffcdf,  // stlr wzr, [x6]
      0xd503207f,  // wfi
      0x10000065,  // second: adr x5, patch
      0x10000186,  // adr x6, done
      0xd2800049,  // mov x9, #2
      0xd2800024,  // patch: mov x4, #1
      0x8b040108,  // add x8, x8, x4
      0x52800027,  // mov w7, #1
      0xf1000529,  // subs x9, x9, #1
      0x540000a0,  // b.eq end
      0x889ffcc7,  // stlr w7, [x6]
      0x88dffcc7,  // wait: ldar w7, [x6]
      0x35ffffe7,  // cbnz w7, wait
      0x17fffff8,  // b patch
      0xd503207f,  // end: wfi
      0x00000000,  // done: .word 0
      0xd2800044,  // mov x4, #2
  });
  EXPECT_EQ(cores[1].state(), State::waiting);
  EXPECT_EQ(cores[1].iss().read(CoreRegister::x8), 3u);  // 1, then 2
}

SYSTEMC_TEST_F(CoreClusterTest, SystemOffEndsEveryCore) {
  execute({
      0x528000a0,  // mov w0, #5
      0xd45e0000,  // hlt #0xf000
      0x52b88000,  // movz w0, #0xc400, lsl #16
      0x72800060,  // movk w0, #3
      0xd2800021,  // mov x1, #1
      0x100000a2,  // adr x2, spin
      0xd4000002,  // hvc #0
      0x52b08000,  // movz w0, #0x8400, lsl #16
      0x72800100,  // movk w0, #8
      0xd4000002,  // hvc #0
      0x14000000,  // spin: b spin
  });
  EXPECT_EQ(events, (std::vector<std::string>{"semihosting 5 of core 0", "off"}));
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(cores[i].state(), State::off);
}

SYSTEMC_TEST_F(CoreClusterTest, SystemResetMayStartAgainFromWithinTheCall) {
  execute({
      0x910004a5,  // add x5, x5, #1
      0x52b08000,  // movz w0, #0x8400, lsl #16
      0x72800120,  // movk w0, #9
      0xd4000002,  // hvc #0
      0xd503207f,  // wfi
  });
  EXPECT_EQ(events, (std::vector<std::string>{"reset", "reset", "reset"}));
  EXPECT_EQ(cores[0].state(), State::off);
  EXPECT_EQ(cores.instructions(), 3u * 4);
}

SYSTEMC_TEST_F(CoreClusterTest, ACoreTurnsItselfOffAndIsStartedAgain) {
  execute({
      0xd2a80214,  // mov x20, #0x40100000
      0xd2800053,  // mov x19, #2
      0x52b88000,  // again: movz w0, #0xc400, lsl #16
      0x72800060,  // movk w0, #3
      0xd2800021,  // mov x1, #1
      0x100001c2,  // adr x2, second
      0xaa1403e3,  // mov x3, x20
      0xd4000002,  // hvc #0
      0xd503205f,  // until_off: wfe
      0x52b88000,  // movz w0, #0xc400, lsl #16
      0x72800080,  // movk w0, #4
      0xd2800021,  // mov x1, #1
      0xd2800002,  // mov x2, #0
      0xd4000002,  // hvc #0
      0xf100041f,  // cmp x0, #1
      0x54ffff21,  // b.ne until_off
      0xf1000673,  // subs x19, x19, #1
      0x54fffe21,  // b.ne again
      0xd503207f,  // wfi
      0xf9400001,  // second: ldr x1, [x0]
      0x91000421,  // add x1, x1, #1
      0xf9000001,  // str x1, [x0]
      0x52b08000,  // movz w0, #0x8400, lsl #16
      0x72800040,  // movk w0, #2
      0xd4000002,  // hvc #0
      0xf900029f,  // str xzr, [x20]
  });
  EXPECT_EQ(bus0.peek(data), 2u);
  EXPECT_EQ(cores[0].state(), State::waiting);
  EXPECT_EQ(cores[1].state(), State::off);
}

SYSTEMC_TEST_F(CoreClusterTest, FirmwareThatNeverStartsItsSecondaryCoresLeavesThemOff) {
  execute({0xd503207f});  // wfi
  EXPECT_EQ(cores[0].state(), State::waiting);
  for (unsigned i = 1; i < 4; ++i) {
    EXPECT_EQ(cores[i].state(), State::off);
    EXPECT_EQ(cores[i].instructions(), 0u);
  }
}

}  // namespace
}  // namespace asterism
