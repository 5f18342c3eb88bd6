#include "dimm_ssd/dimm_ssd_module.h"

#include "base/random.h"
#include "memory/memory_controller.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct DimmSsdModuleTest : SystemCTest {
  static constexpr std::uint64_t descriptor = 0x4000'1000, page = 0x4001'0000;
  NoEventLog events;
  MemoryController memory{"memory", {.size = 4_MiB, .latency = 50_ns}, 1, 2};
  DimmSsdModule ssd{"ssd", DimmSsdConfig{}, FlashPart{}, Address(0x4000'0000), events};
  TestInitiator cpu{"cpu"}, memory_cpu{"memory_cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq;
  DimmSsdRegisters map;

  DimmSsdModuleTest() {
    ssd.memory.bind(memory.ports[0]);
    memory_cpu.socket.bind(memory.ports[1]);
    cpu.socket.bind(ssd.registers);
    ssd.interrupt.bind(irq);
    ssd.power_up();
  }
  void poke(std::uint64_t address, std::uint64_t value) { memory_cpu.write(address - 0x4000'0000, value); }
  void describe(std::uint64_t version, std::uint32_t pages) {
    poke(descriptor, 'c');
    for (int i = 1; i < 4; ++i) poke(descriptor + 8 * i, 0);
    poke(descriptor + 32, version);
    poke(descriptor + 40, pages);
    for (std::uint32_t i = 0; i < pages; ++i) poke(descriptor + 48 + 8 * i, page + i * 4096);
  }
  std::uint32_t execute(std::uint32_t operation) {
    cpu.write32(map.interrupt_enable.offset(), 1);
    cpu.write32(map.descriptor_low.offset(), descriptor);
    cpu.write32(map.command.offset(), operation);
    while (!irq.read()) sc_core::wait(irq.value_changed_event());
    cpu.write32(map.interrupt_status.offset(), 1);
    settle();
    return cpu.read32(map.status.offset()) >> 8;
  }
};

SYSTEMC_TEST_F(DimmSsdModuleTest, CheckpointsAndRestoresThroughTheMemoryController) {
  describe(3, 2);
  poke(page + 4096, 0xFEED);
  EXPECT_EQ(execute(1), 0u);
  poke(page + 4096, 0);
  EXPECT_EQ(execute(3), 0u);
  EXPECT_EQ(memory_cpu.read<std::uint64_t>(page + 4096 - 0x4000'0000), 0xFEEDu);
  EXPECT_EQ(cpu.read32(map.checkpoints.offset()), 1u);
}

// Two lines of descriptor, 64 of the page, then a flash page of data and one for the table.
SYSTEMC_TEST_F(DimmSsdModuleTest, InterruptsExactlyWhenTheCommitIsProgrammed) {
  describe(1, 1);
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(map.interrupt_enable.offset(), 1);
  cpu.write32(map.descriptor_low.offset(), descriptor);
  cpu.write32(map.command.offset(), 1);
  const Picoseconds start = now();
  expect_earliest(start + 65 * 50_ns + 2 * (transfer_time(16_KiB, 400_MBps) + 660_us),
                  [&] { return irq.read(); });
  EXPECT_EQ(cpu.read32(map.status.offset()), 0u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, FindReportsVersionAndPages) {
  describe(0x1'0000'0002, 2);
  EXPECT_EQ(execute(1), 0u);
  describe(~0ull, 0);
  EXPECT_EQ(execute(2), 0u);
  EXPECT_EQ(cpu.read32(map.result_version_low.offset()), 2u);
  EXPECT_EQ(cpu.read32(map.result_version_high.offset()), 1u);
  EXPECT_EQ(cpu.read32(map.result_pages.offset()), 2u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, PowerLossLowersTheLineAndKeepsCheckpoints) {
  describe(1, 1);
  EXPECT_EQ(execute(1), 0u);
  describe(2, 1);
  cpu.write32(map.interrupt_enable.offset(), 1);
  cpu.write32(map.descriptor_low.offset(), descriptor);
  cpu.write32(map.command.offset(), 1);
  wait_for(700_us);
  ssd.reset(Reset::power_loss);
  wait_for(10_ms);
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(cpu.read32(map.interrupt_enable.offset()), 0u);
  ssd.power_up();
  describe(~0ull, 0);
  EXPECT_EQ(execute(2), 0u);
  EXPECT_EQ(cpu.read32(map.result_version_low.offset()), 1u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, MemoryBelowTheDramIsABusError) {
  describe(1, 1);
  poke(descriptor + 48, 0x1000);
  EXPECT_EQ(execute(1), 2u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, AnyAccessGetsAnAnswer) {
  Random random(5);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t offset = random.below(0x30);
    if (random.below(2))
      cpu.write32(offset, static_cast<std::uint32_t>(random.next()));
    else
      cpu.read<std::uint64_t>(offset);
    EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
    wait_for(Picoseconds(random.below(1'000'000)));
  }
}

}  // namespace
}  // namespace asterism
