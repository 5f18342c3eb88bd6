#include "pcram/pcram_memory_module.h"

#include "base/event_log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_node.h"

namespace asterism {
namespace {

struct PcramMemoryRig : SystemCTest {
  NoEventLog events;
  NoNode node;
  DeviceContext context{.place = {.instance = "pmem", .ranges = {{Address(0x31'0000'0000), 16_MiB}}},
                        .node = node,
                        .events = events};
  PcramMemoryModule pmem;
  TestInitiator cpu{"cpu"};

  explicit PcramMemoryRig(PcramReserve reserve = PcramReserve::enough)
      : pmem("pmem", PcramMemoryConfig{.size = 16_MiB, .reserve = reserve}, PcramPart{}, context) {
    cpu.socket.bind(pmem.target);
  }
};
struct PcramMemoryModuleTest : PcramMemoryRig {};

SYSTEMC_TEST_F(PcramMemoryModuleTest, AnswersInTheTimeOfTheCells) {
  cpu.write<std::uint64_t>(0x1000, 5);
  EXPECT_EQ(cpu.delay, sc_core::sc_time(10, sc_core::SC_NS));
  cpu.delay = sc_core::SC_ZERO_TIME;
  EXPECT_EQ(cpu.read<std::uint64_t>(0x1000), 5u);
  EXPECT_EQ(cpu.delay, sc_core::sc_time(10, sc_core::SC_NS));
  cpu.delay = sc_core::SC_ZERO_TIME;
  EXPECT_EQ(cpu.read<std::uint64_t>(0x2000), 0u);
  EXPECT_EQ(cpu.delay, sc_core::sc_time(34, sc_core::SC_NS));
}

// A store of a core that is ahead of simulated time has not happened when the power fails before it.
SYSTEMC_TEST_F(PcramMemoryModuleTest, AStoreTakesEffectAtItsOwnTime) {
  cpu.delay = sc_core::sc_time(500, sc_core::SC_NS);
  sc_core::sc_spawn([this] { cpu.write<std::uint64_t>(0, 5); });
  wait_for(499_ns);
  std::uint64_t value = 1;
  cpu.debug(tlm::TLM_READ_COMMAND, 0, &value, 8);
  EXPECT_EQ(value, 0u);
  pmem.reset(Reset::power_loss);
  wait_for(10_ns);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  pmem.power_up();
  EXPECT_EQ(cpu.read<std::uint64_t>(0), 0u);
}

SYSTEMC_TEST_F(PcramMemoryModuleTest, KeepsWhatWasStoredThroughAnyReset) {
  for (const Reset kind : {Reset::warm, Reset::power_loss, Reset::cold}) {
    cpu.write<std::uint64_t>(0x1000, 5 + static_cast<unsigned>(kind));
    pmem.reset(kind);
    pmem.power_up();
    EXPECT_EQ(cpu.read<std::uint64_t>(0x1000), 5 + static_cast<unsigned>(kind));
  }
}

SYSTEMC_TEST_F(PcramMemoryModuleTest, AnswersWithErrorsWithoutPower) {
  pmem.reset(Reset::power_loss);
  cpu.read32(0);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  pmem.power_up();
  cpu.read32(0);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  cpu.read32((16_MiB).count());
  EXPECT_EQ(cpu.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

SYSTEMC_TEST_F(PcramMemoryModuleTest, DebuggersReadAndWriteIt) {
  std::array<std::uint64_t, 32> values;
  values.fill(3);
  EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, 0x1010, values.data(), sizeof values), sizeof values);
  EXPECT_EQ(cpu.read<std::uint64_t>(0x1010 + 248), 3u);
  cpu.write<std::uint64_t>(0x1010, 4);
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, 0x1010, values.data(), sizeof values), sizeof values);
  EXPECT_EQ(values[0], 4u);
  EXPECT_EQ(values[31], 3u);
}

struct PcramWithoutReserveTest : PcramMemoryRig {
  PcramWithoutReserveTest() : PcramMemoryRig(PcramReserve::none) {}
};

SYSTEMC_TEST_F(PcramWithoutReserveTest, LosesTheBufferWithThePower) {
  cpu.write<std::uint64_t>(0x1000, 5);
  pmem.reset(Reset::warm);
  EXPECT_EQ(cpu.read<std::uint64_t>(0x1000), 5u);
  pmem.reset(Reset::power_loss);
  pmem.power_up();
  EXPECT_EQ(cpu.read<std::uint64_t>(0x1000), 0u);
}

}  // namespace
}  // namespace asterism
