#include "core/debug_port.h"

#include <algorithm>
#include <cstring>

#include "core/a64/a64_test.h"

namespace asterism::a64 {
namespace {

using enum CoreRegister;
using Stop = Iss::Stop;

struct DebugPortTest : A64Test {
  DebugPort& port = core->debug_port();

  // 10 rounds of four instructions, in which x1 goes up by two; then WFI.
  void load_loop() {
    place({
        0xd2800140,  // mov x0, #10
        0x91000421,  // loop: add x1, x1, #1
        0x91000421,  // add x1, x1, #1
        0xf1000400,  // subs x0, x0, #1
        0x54ffffa1,  // b.ne loop
        0xd503207f,  // wfi
    });
  }
  void place(const std::vector<std::uint32_t>& words) {
    host.place(code_base, words);
    core->invalidate_code(host.memory_range());
    core->start(Address(code_base), 0);
  }
  std::uint64_t at() const { return core->read(pc); }
  std::size_t index_of(const std::string& name) const {
    const auto names = port.system_registers();
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  }
};

TEST_F(DebugPortTest, ABreakpointStopsBeforeItsInstructionEveryTime) {
  load_loop();
  port.set_breakpoints({code_base + 8});
  for (std::uint64_t round = 0; round < 10; ++round) {
    ASSERT_EQ(core->run(), Stop::breakpoint);
    EXPECT_EQ(at(), code_base + 8);
    EXPECT_EQ(core->read(x1), 2 * round + 1);
    EXPECT_EQ(core->instructions(), 2 + 4 * round);
  }
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->instructions(), 42u);
}

TEST_F(DebugPortTest, EveryInstructionMayHaveABreakpoint) {
  load_loop();
  std::vector<std::uint64_t> all;
  for (std::uint64_t at = code_base; at < code_base + 24; at += 4) all.push_back(at);
  port.set_breakpoints(all);
  std::uint64_t stops = 0;
  for (; core->run() == Stop::breakpoint; ++stops) EXPECT_EQ(core->instructions(), stops);
  EXPECT_EQ(stops, 42u);
}

TEST_F(DebugPortTest, AChangeOfBreakpointsTakesEffectAtOnceInKeptBlocks) {
  load_loop();
  port.set_breakpoints({code_base + 4});
  EXPECT_EQ(core->run(), Stop::breakpoint);
  port.set_breakpoints({});
  host.on_due = [&] {
    port.set_breakpoints({code_base + 12});
    core->call_at(~0ull);
  };
  core->call_at(20);
  EXPECT_EQ(core->run(), Stop::breakpoint);
  EXPECT_EQ(core->instructions(), 23u);
  port.set_breakpoints({});
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(DebugPortTest, ABreakpointAtANewPcStops) {
  load_loop();
  port.set_breakpoints({code_base, code_base + 20});
  EXPECT_EQ(core->run(), Stop::breakpoint);
  core->write(pc, code_base + 20);
  EXPECT_EQ(core->run(), Stop::breakpoint);
  EXPECT_EQ(at(), code_base + 20);
  EXPECT_EQ(core->instructions(), 0u);
}

TEST_F(DebugPortTest, AStepIsOneInstruction) {
  load_loop();
  for (std::uint64_t n = 1; n <= 41; ++n) {
    port.step();
    ASSERT_EQ(core->run(), Stop::stepped);
    EXPECT_EQ(core->instructions(), n);
  }
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(DebugPortTest, RunStopsBeforeEachInstructionFromACountOn) {
  load_loop();
  port.set_breakpoints({code_base + 8});
  port.stop_from(3);
  EXPECT_EQ(core->run(), Stop::breakpoint);
  for (std::uint64_t n = 3; n <= 41; ++n) {
    ASSERT_EQ(core->run(), Stop::reached) << n;
    EXPECT_EQ(core->instructions(), n);
    if (at() != code_base + 8) continue;
    ASSERT_EQ(core->run(), Stop::breakpoint);  // the same instruction
    ASSERT_EQ(core->run(), Stop::reached);
  }
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(core->read(x1), 20u);
}

TEST_F(DebugPortTest, AnInterruptHasAStopBeforeItAndOneAtItsVector) {
  place({0xd50342ff, 0x91000421});            // msr daifclr, #2; add x1, x1, #1
  host.place(vectors + 0x280, {0xd503201f});  // nop
  core->set_irq(true);
  port.stop_from(1);
  EXPECT_EQ(core->run(), Stop::reached);
  EXPECT_EQ(at(), code_base + 4);
  EXPECT_EQ(core->run(), Stop::reached);
  EXPECT_EQ(at(), vectors + 0x280);
  EXPECT_EQ(core->instructions(), 1u);
  EXPECT_EQ(core->run(), Stop::reached);
  EXPECT_EQ(core->instructions(), 2u);
}

TEST_F(DebugPortTest, AFaultHasAStopBeforeItAndOneAtItsVector) {
  place({0x00000000});  // udf
  port.stop_from(0);
  EXPECT_EQ(core->run(), Stop::reached);
  EXPECT_EQ(at(), code_base);
  EXPECT_EQ(core->run(), Stop::reached);
  EXPECT_EQ(at(), vectors + 0x200);
  EXPECT_EQ(core->instructions(), 0u);
}

TEST_F(DebugPortTest, AStepIgnoresABreakpointOnlyAtTheStop) {
  load_loop();
  port.set_breakpoints({code_base + 4, code_base + 8});
  EXPECT_EQ(core->run(), Stop::breakpoint);
  port.step();
  EXPECT_EQ(core->run(), Stop::stepped);
  EXPECT_EQ(at(), code_base + 8);
  EXPECT_EQ(core->run(), Stop::breakpoint);
  EXPECT_EQ(core->read(x1), 1u);
}

TEST_F(DebugPortTest, AStepIntoAnExceptionEndsAtItsVector) {
  place({0x00000000});  // udf
  port.step();
  EXPECT_EQ(core->run(), Stop::stepped);
  EXPECT_EQ(at(), vectors + 0x200);
  EXPECT_EQ(core->instructions(), 0u);
}

TEST_F(DebugPortTest, AStepTakesNoInterrupt) {
  place({0xd50342ff, 0x91000421, 0x91000421});  // msr daifclr, #2; add x1, x1, #1; add x1, x1, #1
  core->set_irq(true);
  for (int i = 0; i < 3; ++i) {
    port.step();
    EXPECT_EQ(core->run(), Stop::stepped);
  }
  EXPECT_EQ(core->read(x1), 2u);
  host.on_due = [this] { core->request_stop(); };
  core->call_at(core->instructions() + 1);
  host.place(vectors + 0x280, {0xd503201f});  // nop
  EXPECT_EQ(core->run(), Stop::requested);
  EXPECT_EQ(core->read(elr), code_base + 12);
}

TEST_F(DebugPortTest, ACancelledStepDoesNotStop) {
  load_loop();
  port.step();
  port.cancel_step();
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

// ---- watchpoints ----

struct WatchedAccess {
  const char* name;
  std::uint32_t word;  // x2 is the address of 16 watched bytes, 8 bytes into a line
  bool is_load, is_store;
};

struct WatchpointTest : DebugPortTest, testing::WithParamInterface<WatchedAccess> {
  static constexpr std::uint64_t place_of_data = data_base + 8;
  void prepare(bool loads, bool stores) {
    place({0xd503201f, GetParam().word, 0xd503207f});  // nop; the access; wfi
    core->write(x2, place_of_data);
    port.set_watchpoints({{{Address(place_of_data), Bytes(16)}, loads, stores}});
  }
};

TEST_P(WatchpointTest, StopsBeforeTheAccessAndContinuesWithIt) {
  for (const bool is_store : {false, true}) {
    core->reset();
    host.memory.bytes[place_of_data - code_base] = 0x55;
    prepare(!is_store, is_store);
    const State before = core->state();
    const std::uint64_t began = core->instructions();
    if (is_store ? GetParam().is_store : GetParam().is_load) {
      ASSERT_EQ(core->run(), Stop::watchpoint);
      EXPECT_EQ(core->instructions(), began + 1);
      EXPECT_EQ(at(), code_base + 4);
      EXPECT_EQ(port.watch_hit().address, place_of_data);
      EXPECT_EQ(port.watch_hit().is_store, is_store);
      EXPECT_EQ(core->state().x, before.x);
      EXPECT_EQ(host.memory.bytes[place_of_data - code_base], 0x55);
    }
    EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
    EXPECT_EQ(core->instructions(), began + 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, WatchpointTest,
                         testing::Values(WatchedAccess{"ldr", 0xf9400041, true, false},
                                         WatchedAccess{"str", 0xf9000041, false, true},
                                         WatchedAccess{"strb", 0x39000041, false, true},
                                         WatchedAccess{"ldp", 0xa9400c41, true, false},
                                         WatchedAccess{"stp", 0xa9000c41, false, true},
                                         WatchedAccess{"ldar", 0xc8dffc41, true, false},
                                         WatchedAccess{"stlr", 0xc89ffc41, false, true},
                                         WatchedAccess{"ldxr", 0xc85f7c41, true, false},
                                         WatchedAccess{"swp", 0xf8218041, true, true},
                                         WatchedAccess{"dc_zva", 0xd50b7422, false, true}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(DebugPortTest, AWatchpointIgnoresOtherBytesOfThePage) {
  place({0xf9000041, 0xf9000c41, 0x39007c41,
         0xd503207f});  // str x1, [x2]; str x1, [x2, #24]; strb w1, [x2, #31]; wfi
  core->write(x2, data_base);
  port.set_watchpoints({{{Address(data_base + 8), Bytes(16)}, true, true}});
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(DebugPortTest, AnAccessThatOverlapsAWatchpointHitsIt) {
  place({0xf8004041, 0xd503207f});  // stur x1, [x2, #4]; wfi
  core->write(x2, data_base);
  port.set_watchpoints({{{Address(data_base + 11), Bytes(1)}, false, true}});
  EXPECT_EQ(core->run(), Stop::watchpoint);
  EXPECT_EQ(port.watch_hit().address, data_base + 11);
}

TEST_F(DebugPortTest, ARemovedWatchpointStopsNothing) {
  place({0xf9000041, 0xf9000041, 0xd503207f});  // str x1, [x2], twice; wfi
  core->write(x2, data_base);
  port.set_watchpoints({{{Address(data_base), Bytes(8)}, false, true}});
  EXPECT_EQ(core->run(), Stop::watchpoint);
  port.set_watchpoints({});
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(DebugPortTest, AWatchpointStopsEveryIterationOfALoop) {
  place({0xd2800060, 0xf9000040, 0xf1000400, 0x54ffffc1,
         0xd503207f});  // mov x0, #3; str x0, [x2]; subs; b.ne; wfi
  core->write(x2, data_base);
  port.set_watchpoints({{{Address(data_base), Bytes(8)}, false, true}});
  for (int round = 0; round < 3; ++round) EXPECT_EQ(core->run(), Stop::watchpoint);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(DebugPortTest, AStoreExclusiveThatStopsAtAWatchpointStillPasses) {
  for (const std::uint32_t store :
       {0xc8037c41u /* stxr w3, x1, [x2] */, 0xc8231041u /* stxp w3, x1, x4, [x2] */}) {
    core->reset();
    const std::uint32_t load =
        store == 0xc8037c41u ? 0xc85f7c45u : 0xc87f1845u;  // ldxr x5, [x2]; ldxp x5, x6, [x2]
    place({load, store, 0xd503207f});
    core->write(x2, data_base);
    core->write(x1, 77);
    port.set_watchpoints({{{Address(data_base), Bytes(8)}, false, true}});
    EXPECT_EQ(core->run(), Stop::watchpoint);
    EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
    EXPECT_EQ(core->read(x3), 0u) << std::hex << store;
    EXPECT_EQ(host.peek(data_base), 77u);
  }
}

TEST_F(DebugPortTest, AnInstructionStoppedByABreakpointStillHitsItsWatchpoint) {
  place({0xf9000041, 0xd503207f});  // str x1, [x2]; wfi
  core->write(x2, data_base);
  port.set_breakpoints({code_base});
  EXPECT_EQ(core->run(), Stop::breakpoint);
  port.set_watchpoints({{{Address(data_base), Bytes(8)}, false, true}});
  EXPECT_EQ(core->run(), Stop::watchpoint);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
}

TEST_F(DebugPortTest, AStoreToALineStopsBeforeAnyOfIt) {
  place({0xd50b7422, 0xd503207f});  // dc zva, x2; wfi
  std::memset(host.memory.bytes + (data_base - code_base), 0x55, 64);
  core->write(x2, data_base);
  port.set_watchpoints({{{Address(data_base + 48), Bytes(1)}, false, true}});
  EXPECT_EQ(core->run(), Stop::watchpoint);
  EXPECT_EQ(host.peek(data_base), 0x5555'5555'5555'5555u);
  EXPECT_EQ(core->run(), Stop::wait_for_interrupt);
  EXPECT_EQ(host.peek(data_base), 0u);
}

// ---- registers and addresses ----

TEST_F(DebugPortTest, OnlyAPstateThatTheCoreCanHaveIsWritten) {
  for (const std::uint64_t bad : {0x3cd, 0x3c9, 0x3c8, 0x3c1, 0x3d0, 0x1f})
    EXPECT_FALSE(port.write_pstate(bad));
  EXPECT_EQ(core->read(pstate) & 0x1f, 5u);
  for (const std::uint64_t good : {0x3c0, 0x3c4, 0x6000'03c5}) {
    EXPECT_TRUE(port.write_pstate(good));
    EXPECT_EQ(core->read(pstate), good);
  }
}

TEST_F(DebugPortTest, EverySystemRegisterHasANameOfItsOwn) {
  std::vector<std::string> names(port.system_registers().begin(), port.system_registers().end());
  EXPECT_GT(names.size(), 30u);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST_F(DebugPortTest, SystemRegistersAreThoseOfTheCore) {
  EXPECT_EQ(port.read_system(index_of("VBAR_EL1")), vectors);
  EXPECT_TRUE(port.write_system(index_of("VBAR_EL1"), 0x1'2345));
  EXPECT_EQ(core->read(vbar), 0x1'2000u);
  EXPECT_FALSE(port.write_system(index_of("MIDR_EL1"), 0));
  EXPECT_FALSE(port.write_system(index_of("CNTV_CVAL_EL0"), 0));
  EXPECT_EQ(port.read_system(index_of("CurrentEL")), 4u);
  EXPECT_EQ(index_of("DAIF"), port.system_registers().size());
}

TEST_F(DebugPortTest, VectorsAndFloatingPointStateAreReadAndWritten) {
  port.write_vector(31, {1, 2});
  port.set_fpcr(~0u);
  port.set_fpsr(~0u);
  EXPECT_EQ(core->state().v[31], (Vector{{1, 2}}));
  EXPECT_EQ(port.read_vector(31), (DebugPort::Vector{1, 2}));
  EXPECT_EQ(port.fpcr(), fpcr_writable);
  EXPECT_EQ(port.fpsr(), fpsr_writable);
}

TEST_F(DebugPortTest, WithoutTranslationAnAddressIsItsOwnPhysicalAddress) {
  EXPECT_EQ(port.physical(data_base + 5), Address(data_base + 5));
  EXPECT_TRUE(port.is_between_instructions());
}

}  // namespace
}  // namespace asterism::a64
