// A core that a debugger stops, steps and halts.
#include <vector>

#include "core/core_module.h"
#include "core/core_test_bus.h"
#include "core/debug_port.h"
#include "core/iss_factory.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using Stop = Iss::Stop;
constexpr std::uint64_t code = CoreTestBus::memory_base;

struct Recorder final : CoreDebugger {
  struct Stopped {
    Stop why;
    std::uint64_t instructions;
    Picoseconds at;
    bool operator==(const Stopped&) const = default;
  };
  bool asked = false;
  std::vector<Stopped> stops;
  std::function<void(CoreModule&)> then = [](CoreModule&) {};

  bool wants_to_stop() const override { return asked; }
  void stopped(CoreModule& core, Stop why) override {
    asked = false;
    stops.push_back({why, core.instructions(), now()});
    then(core);
  }
  bool is_at_work() const override { return false; }
  void went_off(CoreModule&) override { ++offs; }
  unsigned offs = 0;
};

// The program increments x0 for ever; each instruction takes a nanosecond.
struct CoreModuleDebuggerTest : SystemCTest {
  NoCalls calls;
  CoreTestBus bus{"bus"};
  CoreModule core{"core", 0, CoreConfig{}, 1_us, calls, make_iss_of_cores()};
  Recorder debugger;
  DebugPort& port = core.iss().debug_port();
  CoreModuleDebuggerTest() {
    bus.bind(core);
    core.debugged_by(debugger);
    bus.place(code, {0x91000400, 0x17ffffff});  // add x0, x0, #1; b .-4
  }
  void start() { core.start(Address(code), 0); }
};

SYSTEMC_TEST_F(CoreModuleDebuggerTest, ADebuggerCanStopItBeforeTheFirstInstruction) {
  debugger.asked = true;
  start();
  wait_for(100_ns);
  EXPECT_EQ(debugger.stops, (std::vector<Recorder::Stopped>{{Stop::requested, 0, 0_ps}}));
  EXPECT_GT(core.instructions(), 0u);
}

SYSTEMC_TEST_F(CoreModuleDebuggerTest, ADebuggerCanStopItWithinAQuantum) {
  start();
  wait_for(50_us);
  debugger.asked = true;
  wait_for(20_us);
  ASSERT_EQ(debugger.stops.size(), 1u);
  EXPECT_EQ(debugger.stops[0].why, Stop::requested);
}

SYSTEMC_TEST_F(CoreModuleDebuggerTest, BreakpointsAndStepsTakeNoTime) {
  port.set_breakpoints({code + 4});
  debugger.then = [&](CoreModule&) {
    if (debugger.stops.size() == 1) port.step();
    if (debugger.stops.size() == 2) port.set_breakpoints({});
  };
  start();
  wait_for(100_us);
  EXPECT_EQ(debugger.stops,
            (std::vector<Recorder::Stopped>{{Stop::breakpoint, 1, 0_ps}, {Stop::stepped, 2, 0_ps}}));
  EXPECT_GE(core.instructions(), 100'000u);
}

SYSTEMC_TEST_F(CoreModuleDebuggerTest, AHaltedCoreExecutesNothingWhileTimePasses) {
  start();
  wait_for(50_us);
  core.halt(true);
  wait_for(20_us);
  const std::uint64_t before = core.instructions();
  wait_for(1_ms);
  EXPECT_EQ(core.instructions(), before);
  core.halt(false);
  wait_for(50_us);
  EXPECT_GE(core.instructions(), before + 49'000);
  EXPECT_LE(core.instructions(), before + 70'000);  // it does not catch up
}

SYSTEMC_TEST_F(CoreModuleDebuggerTest, AHaltedCoreThatIsResetStartsWhenItIsResumed) {
  start();
  wait_for(50_us);
  core.halt(true);
  core.reset(Reset::warm);
  EXPECT_EQ(debugger.offs, 1u);
  start();
  wait_for(10_us);
  const std::uint64_t before = core.instructions();
  wait_for(10_us);
  EXPECT_EQ(core.instructions(), before);
  core.halt(false);
  wait_for(10_us);
  EXPECT_GT(core.instructions(), before);
}

}  // namespace
}  // namespace asterism
