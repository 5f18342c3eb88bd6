#include "memory/memory_controller.h"

#include "base/random.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct MemoryControllerTest : SystemCTest {
  MemoryController memory{"memory", {.size = 4_MiB, .latency = 50_ns}, 1, 2};
  TestInitiator cpu{"cpu"}, ssd{"ssd"};
  MemoryControllerTest() {
    cpu.socket.bind(memory.ports[0]);
    ssd.socket.bind(memory.ports[1]);
  }
};

SYSTEMC_TEST_F(MemoryControllerTest, EveryPortSeesTheSameCells) {
  cpu.write32(0x100, 0xCAFE);
  EXPECT_EQ(ssd.read32(0x100), 0xCAFEu);
}

SYSTEMC_TEST_F(MemoryControllerTest, AddsItsLatencyToTheDelayItGot) {
  cpu.delay = to_sc_time(37_ns);
  cpu.read32(0);
  EXPECT_EQ(to_picoseconds(cpu.delay), 87_ns);
}

SYSTEMC_TEST_F(MemoryControllerTest, WritesOnlyEnabledBytes) {
  cpu.write32(0, 0x11223344);
  std::uint32_t data = ~0u;
  unsigned char enables[] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
  tlm::tlm_generic_payload payload;
  TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, 0, &data, 4);
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(2);
  cpu.transport(payload);
  EXPECT_EQ(cpu.read32(0), 0x11FF33FFu);
}

SYSTEMC_TEST_F(MemoryControllerTest, AnAccessThatIsShownTakesItsTimeAndMovesNoData) {
  cpu.write32(0, 0x11223344);
  cpu.who.shown = true;
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(0, 0);
  EXPECT_EQ(to_picoseconds(cpu.delay), 50_ns);
  EXPECT_EQ(cpu.read32(0), 0u);
  EXPECT_EQ(ssd.read32(0), 0x11223344u);
}

SYSTEMC_TEST_F(MemoryControllerTest, TheLastByteIsInsideAndTheNextIsNot) {
  cpu.read<std::uint8_t>((4_MiB).count() - 1);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  cpu.read<std::uint16_t>((4_MiB).count() - 1);
  EXPECT_EQ(cpu.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

SYSTEMC_TEST_F(MemoryControllerTest, GrantsDirectAccessToTheWholeMemory) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_EQ(dmi.get_end_address(), (4_MiB).count() - 1);
  dmi.get_dmi_ptr()[5] = 0x77;
  EXPECT_EQ(cpu.read<std::uint8_t>(5), 0x77);
}

SYSTEMC_TEST_F(MemoryControllerTest, AnswersNothingWhilePowerIsOff) {
  memory.reset(Reset::power_loss);
  cpu.read32(0);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  memory.power_up();
  cpu.read32(0);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
}

SYSTEMC_TEST_F(MemoryControllerTest, AnyPayloadGetsAnAnswer) {
  Random random(3);
  unsigned char data[256] = {};
  for (int i = 0; i < 10'000; ++i) {
    tlm::tlm_generic_payload payload;
    const std::uint64_t address = random.below(2) ? random.next() : (4_MiB).count() - random.below(300);
    TestInitiator::fill(payload, static_cast<tlm::tlm_command>(random.below(4)), address, data,
                        random.below(257));
    cpu.transport(payload);
    EXPECT_NE(cpu.status, tlm::TLM_INCOMPLETE_RESPONSE);
  }
}

}  // namespace
}  // namespace asterism
