// Stores to pages that may not be written yet.
#include <memory>
#include <utility>
#include <vector>

#include "core/core_module.h"
#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using State = CoreModule::State;
constexpr std::uint64_t code = CoreTestBus::memory_base, data = code + 0x10'0000, page_size = 4096;

// The program stores x0, the device, to `data` + 64 after 100 instructions, then writes to the device.
struct CoreModuleProtectionTest : SystemCTest {
  NoCalls calls;
  CoreTestBus bus{"bus"};
  CoreModule core{"core", 0, CoreConfig{}, 1_us, calls, make_iss_of_cores()};
  MemoryWrites writes;
  TestTracker tracker{writes, {Address(data), Bytes(page_size)}};
  CoreModuleProtectionTest() {
    tracker.closed = true;
    bus.bind(core);
    core.connect(writes);
    core.ask_before_stores({Address(code), Bytes(CoreTestBus::memory_size)});
    std::vector<std::uint32_t> program(100, 0xd503201f);  // nop
    program.insert(program.end(), {
                                      0xd2a80202,  // mov x2, #0x40100000
                                      0xf9002040,  // str x0, [x2, #64]
                                      0xb9000003,  // str w3, [x0]
                                      0xd503207f,  // wfi
                                  });
    bus.place(code, program);
  }
  void start() { core.start(Address(code), CoreTestBus::device); }
};

SYSTEMC_TEST_F(CoreModuleProtectionTest, AStoreWaitsAtItsTimeUntilItIsAllowed) {
  start();
  wait_for(5_us);
  EXPECT_EQ(tracker.blocked, (std::vector<TestTracker::Blocked>{{{Address(data), 2}, 101_ns}}));
  EXPECT_EQ(bus.peek(data + 64), 0u);
  tracker.open();
  wait_for(1_us);
  EXPECT_EQ(bus.peek(data + 64), CoreTestBus::device);
  ASSERT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(bus.accesses[0].at, 5'001_ns);  // the wait delays the core
}

SYSTEMC_TEST_F(CoreModuleProtectionTest, AnAllowedStoreTakesNoTime) {
  tracker.closed = false;
  start();
  wait_for(5_us);
  EXPECT_EQ(tracker.blocked, std::vector<TestTracker::Blocked>{});
  ASSERT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(bus.accesses[0].at, 102_ns);
}

SYSTEMC_TEST_F(CoreModuleProtectionTest, AStoreThatIsBlockedAtAPowerFailureNeverHappens) {
  start();
  wait_for(5_us);
  core.reset(Reset::power_loss);
  tracker.open();
  wait_for(5_us);
  EXPECT_EQ(core.state(), State::off);
  EXPECT_EQ(bus.peek(data + 64), 0u);
  EXPECT_TRUE(bus.accesses.empty());
}

SYSTEMC_TEST_F(CoreModuleProtectionTest, AResetBeforeItsTimePreventsTheStore) {
  start();
  wait_for(50_ns);  // the core has run ahead of this time
  core.reset(Reset::power_loss);
  wait_for(5_us);
  EXPECT_EQ(tracker.blocked, std::vector<TestTracker::Blocked>{});
  EXPECT_EQ(bus.peek(data + 64), 0u);
}

SYSTEMC_TEST_F(CoreModuleProtectionTest, ACoreRestartedDuringTheWaitBeginsWhenTheWaitEnds) {
  start();
  wait_for(5_us);
  core.reset(Reset::warm);
  core.start(Address(code + 100 * 4), CoreTestBus::device);
  tracker.open();
  wait_for(1_us);
  EXPECT_EQ(bus.peek(data + 64), CoreTestBus::device);
  EXPECT_EQ(bus.accesses.size(), 1u);
}

}  // namespace
}  // namespace asterism
