// Direct memory whose accesses are monitored on the bus.
#include <memory>
#include <vector>

#include "core/core_module.h"
#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

constexpr std::uint64_t code = CoreTestBus::memory_base, data = 0x10'0000;

struct CoreModuleMonitoredTest : SystemCTest {
  NoCalls calls;
  CoreTestBus bus{"bus"};
  CoreModule core{"core", 0, CoreConfig{}, 1_us, calls, make_iss_of_cores()};
  CoreModuleMonitoredTest() {
    bus.bind(core);
    bus.monitors = true;
  }
  // x0 is the device.
  void run_program(const std::vector<std::uint32_t>& program) {
    bus.place(code, program);
    core.start(Address(code), CoreTestBus::device);
    wait_for(1_us);
    EXPECT_EQ(core.state(), CoreModule::State::waiting);
  }
  std::uint64_t count(const char* name) const {
    Statistics statistics;
    core.report(statistics);
    for (const auto& [entry, value] : statistics.entries())
      if (entry == name) return std::get<std::uint64_t>(value);
    return ~0ull;
  }
};

constexpr std::uint32_t data_to_x2 = 0xd2a80202;  // mov x2, #0x40100000

SYSTEMC_TEST_F(CoreModuleMonitoredTest, LoadsAndStoresAreReportedOneAfterTheOther) {
  run_program({
      data_to_x2,
      0xf9400043,  // ldr x3, [x2]
      0xb9000843,  // str w3, [x2, #8]
      0x14000001,  // b next
      0xb9000003,  // next: str w3, [x0]
      0xd503207f,  // wfi
  });
  // Each access takes 20 ns.
  EXPECT_EQ(bus.monitored,
            (std::vector<CoreTestBus::Access>{{'r', data, 8, 2_ns}, {'w', data + 8, 4, 23_ns}}));
  ASSERT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(bus.accesses[0].at, 44_ns);
}

SYSTEMC_TEST_F(CoreModuleMonitoredTest, TheCoreItselfMovesTheData) {
  bus.place(code + data, {0x1234});
  run_program({
      data_to_x2,
      0xb9400043,  // ldr w3, [x2]
      0xb9000443,  // str w3, [x2, #4]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(bus.peek(code + data), 0x1234'0000'1234u);
  EXPECT_EQ(bus.memory_accesses, 2u);
  EXPECT_EQ(count("bus_reads"), 1u);
  EXPECT_EQ(count("bus_writes"), 1u);
}

SYSTEMC_TEST_F(CoreModuleMonitoredTest, FetchesAreNotReported) {
  run_program({0xd503201f, 0xd503201f, 0xd503207f});  // nop, nop, wfi
  EXPECT_EQ(bus.memory_accesses, 0u);
}

SYSTEMC_TEST_F(CoreModuleMonitoredTest, AResetBetweenTwoMonitoredAccessesDropsTheSecond) {
  bus.on_monitored = [&] { core.reset(Reset::power_loss); };
  bus.place(code, {data_to_x2, 0xb9400043, 0xb9000443, 0xd503207f});
  core.start(Address(code), 0);
  wait_for(1_us);
  EXPECT_EQ(bus.monitored.size(), 1u);
  EXPECT_EQ(core.state(), CoreModule::State::off);
  bus.on_monitored = nullptr;
  core.start(Address(code), 0);
  wait_for(1_us);
  EXPECT_EQ(bus.monitored.size(), 3u);
  EXPECT_EQ(core.state(), CoreModule::State::waiting);
}

}  // namespace
}  // namespace asterism
