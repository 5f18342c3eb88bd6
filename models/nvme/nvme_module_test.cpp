#include "nvme/nvme_module.h"

#include <cstring>

#include "devices/device_fuzz.h"
#include "memory/memory_controller.h"
#include "nvme/nvme_commands.h"
#include "tlm/log.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct NvmeModuleTest : SystemCTest {
  static constexpr std::uint64_t base = 0x4000'0000, submissions = base + 0x1000, completions = base + 0x2000,
                                 buffer = base + 0x3000;
  NoEventLog events;
  MemoryController memory{
      "memory",
      {.config = {.size = 4_MiB, .dram = {.refresh = RefreshMode::none}}, .part = {}, .base = Address(base)},
      2,
      events};
  TestInitiator guest{"guest"}, cpu{"cpu"}, memory_cpu{"memory_cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq, irq;
  NvmeModule disk{"disk",
                  NvmeConfig{.flash = {.channels = 4, .packages = 2, .blocks = 8}},
                  FlashPart{},
                  {Address(base), 4_MiB}};
  NvmeRegisters map;
  std::uint32_t tail = 0, head = 0;

  NvmeModuleTest() {
    disk.memory.bind(memory.ports[0]);
    memory_cpu.socket.bind(memory.ports[1]);
    cpu.socket.bind(disk.target);
    disk.interrupt.bind(irq);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
    disk.power_up();
  }
  void enable() {
    cpu.write32(map.aqa.offset(), 15u << 16 | 15);
    cpu.write32(map.asq_low.offset(), submissions);
    cpu.write32(map.acq_low.offset(), completions);
    cpu.write32(map.cc.offset(), map.cc.en.bits(true) | map.cc.iosqes.bits(6) | map.cc.iocqes.bits(4));
    while (!map.csts.rdy.get(cpu.read32(map.csts.offset()))) wait_for(1_ms);
  }
  void identify() {
    const std::uint64_t place = submissions + 64 * std::uint64_t{tail} - base;
    const std::array<std::uint64_t, 8> entry{0x6, 0, 0, buffer, 0, 1, 0, 0};
    for (unsigned i = 0; i < entry.size(); ++i) memory_cpu.write(place + 8 * i, entry.at(i));
    cpu.write32(map.tail.offset(), ++tail);
  }
};

SYSTEMC_TEST_F(NvmeModuleTest, ResetsToWhatTheListSays) { expect_reset_values(cpu, map); }

SYSTEMC_TEST_F(NvmeModuleTest, InterruptsForACommandUntilItIsConsumed) {
  enable();
  identify();
  while (!irq.read()) sc_core::wait(irq.value_changed_event());
  EXPECT_EQ(memory_cpu.read<std::uint32_t>(buffer + 516 - base), 1u);      // a namespace
  EXPECT_EQ(memory_cpu.read<std::uint16_t>(completions + 14 - base), 1u);  // success, with the phase
  cpu.write32(map.intms.offset(), 1);
  settle();
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(cpu.read32(map.intmc.offset()), 1u);
  cpu.write32(map.intmc.offset(), 1);
  settle();
  EXPECT_TRUE(irq.read());
  cpu.write32(map.head.offset(), 1);
  settle();
  EXPECT_FALSE(irq.read());
}

SYSTEMC_TEST_F(NvmeModuleTest, PowerLossDropsEverything) {
  enable();
  identify();
  disk.reset(Reset::power_loss);
  disk.power_up();
  wait_for(10_ms);
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(cpu.read32(map.cc.offset()), 0u);
  EXPECT_EQ(cpu.read32(map.csts.offset()), 0u);
  tail = 0;
  enable();
  identify();
  while (!irq.read()) sc_core::wait(irq.value_changed_event());
}

SYSTEMC_TEST_F(NvmeModuleTest, AnswersAnyPayload) {
  set_log_levels({{"disk", LogLevel::off}});
  expect_an_answer_to_any_payload(cpu, 8_KiB, 1);
}

}  // namespace
}  // namespace asterism
