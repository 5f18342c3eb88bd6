#include "dimm_ssd/dimm_ssd_module.h"

#include <array>
#include <string>
#include <vector>

#include "base/random.h"
#include "memory/memory_controller.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct DimmSsdModuleTest : SystemCTest {
  static constexpr std::uint64_t descriptor = 0x4000'1000, page = 0x4001'0000;
  NoEventLog events;
  MemoryController memory{"memory",
                          {.config = {.size = 4_MiB, .dram = {.refresh = RefreshMode::none}},
                           .part = {},
                           .base = Address(0x4000'0000)},
                          2,
                          events};
  TestInitiator guest{"guest"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq;
  DimmSsdModule ssd;
  TestInitiator cpu{"cpu"}, memory_cpu{"memory_cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq;
  DimmSsdRegisters map;

  explicit DimmSsdModuleTest(const DimmSsdConfig& config = {})
      : ssd("ssd", config, FlashPart{}, {Address(0x4000'0000), 4_MiB}, events) {
    ssd.memory.bind(memory.ports[0]);
    memory_cpu.socket.bind(memory.ports[1]);
    cpu.socket.bind(ssd.target);
    ssd.interrupt.bind(irq);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
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
  // The time at which one line of the descriptor and then the lines of a page have been read. Each line takes
  // the controller's latency, DRAM's, and that of syndromes in normal mode.
  static Picoseconds end_of_reading(Picoseconds start, const std::array<Bytes, 2>& addresses) {
    DramSystem dram(DramConfig{.refresh = RefreshMode::none}, DramPart{}, 4_MiB);
    Picoseconds at = start;
    const auto read = [&](Bytes address) {
      const Bytes offset = address - Bytes(0x4000'0000);
      at += 10_ns + dram.access(at, dram.mapping().locate(offset / 64_B), false) + 480_ps;
    };
    read(addresses[0]);
    for (unsigned line = 0; line < 64; ++line) read(addresses[1] + line * 64_B);
    return at;
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

SYSTEMC_TEST_F(DimmSsdModuleTest, ResetsToWhatTheListSays) { expect_reset_values(cpu, map); }

SYSTEMC_TEST_F(DimmSsdModuleTest, CheckpointsAndRestoresThroughTheMemoryController) {
  describe(3, 2);
  poke(page + 4096, 0xFEED);
  EXPECT_EQ(execute(1), 0u);
  poke(page + 4096, 0);
  EXPECT_EQ(execute(3), 0u);
  EXPECT_EQ(memory_cpu.read<std::uint64_t>(page + 4096 - 0x4000'0000), 0xFEEDu);
  EXPECT_EQ(cpu.read32(map.checkpoints.offset()), 1u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, CountsTheCopiesOfPagesAndTheErasuresOfBlocks) {
  using Runs = std::vector<PageMap::Counts::Run>;
  ssd.count_pages();
  describe(3, 2);
  for (const std::uint32_t operation : {1, 3}) EXPECT_EQ(execute(operation), 0u);
  PageMap map;
  memory.report_pages(map, "memory");
  ssd.report_pages(map, "ssd");
  EXPECT_EQ(map.areas.at(0).of("copied").runs, (Runs{{16, 2, 1}}));
  EXPECT_EQ(map.areas[0].of("restored").runs, (Runs{{16, 2, 1}}));
  PageMap::Area& flash = map.areas.at(1);
  EXPECT_EQ(flash.name, "ssd.flash");
  EXPECT_EQ(flash.units, 8u * 64);
  std::uint64_t programmed = 0;
  for (const auto& run : flash.of("programmed").runs) programmed += run.length * run.value;
  EXPECT_GE(programmed, 3u);
  EXPECT_TRUE(flash.of("bad").runs.empty());
}

// The device reads a line of the descriptor and 64 lines of the page. It then writes a flash page of data, a
// flash page of metadata, and the root to two packages, one after the other on the channel.
SYSTEMC_TEST_F(DimmSsdModuleTest, InterruptsExactlyWhenTheCommitIsProgrammed) {
  describe(1, 1);
  wait_for(10_ms);            // recovery has ended
  memory.reset(Reset::warm);  // closes all banks
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(map.interrupt_enable.offset(), 1);
  cpu.write32(map.descriptor_low.offset(), descriptor);
  cpu.write32(map.command.offset(), 1);
  const Picoseconds copied = end_of_reading(now(), {Bytes(descriptor), Bytes(page)});
  const Picoseconds transfer = transfer_time(16_KiB, 400_MBps);
  expect_earliest(copied + 3 * (transfer + 660_us) + transfer, [&] { return irq.read(); });
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

// What another device saves comes back after a loss of power, and nothing that was written later.
SYSTEMC_TEST_F(DimmSsdModuleTest, KeepsMemoryForAnotherDevice) {
  const auto done = [](auto begin) {
    std::optional<bool> result;
    begin([&result](bool ok) { result = ok; });
    while (!result) wait_for(100_us);
    return *result;
  };
  const auto save = [&] { return done([this](MemoryKeeper::Ended ended) { ssd.save(std::move(ended)); }); };
  const auto restore = [&] {
    return done([this](MemoryKeeper::Ended ended) { ssd.restore(std::move(ended)); });
  };
  const auto lose_power = [&] {
    ssd.reset(Reset::power_loss);
    for (const std::uint64_t at : {page, page + 4096}) poke(at, 0xDEAD);
    ssd.power_up();
  };
  const auto word = [&](std::uint64_t at) { return memory_cpu.read<std::uint64_t>(at - 0x4000'0000); };
  ssd.keep({Address(page), 8_KiB});
  EXPECT_TRUE(restore());  // nothing has been saved
  poke(page, 1);
  poke(page + 4096, 2);
  EXPECT_TRUE(save());
  poke(page + 4096, 3);
  EXPECT_TRUE(save());
  poke(page, 9);
  lose_power();
  EXPECT_TRUE(restore());
  EXPECT_EQ(word(page), 1u);
  EXPECT_EQ(word(page + 4096), 3u);
  poke(page, 4);
  EXPECT_TRUE(save());
  // A save that is under way is complete or has not been.
  poke(page, 5);
  ssd.save([](bool) {});
  wait_for(1_ms);
  lose_power();
  EXPECT_TRUE(restore());
  EXPECT_EQ(word(page), 4u);
  // Software has no use of the device.
  cpu.write32(map.command.offset(), 1);
  wait_for(10_ms);
  EXPECT_EQ(cpu.read32(map.status.offset()), map.status.refused.mask());
}

SYSTEMC_TEST_F(DimmSsdModuleTest, TheFirstPageOutsideOfMemoryIsReported) {
  describe(1, 2);
  poke(descriptor + 56, 0x1000);
  EXPECT_EQ(execute(1), 1u);
  EXPECT_EQ(cpu.read32(map.bad_index.offset()), 1u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, ADescriptorBelowTheMemoryIsABusError) {
  cpu.write32(map.interrupt_enable.offset(), 1);
  cpu.write32(map.descriptor_low.offset(), 0x1000);
  cpu.write32(map.command.offset(), 1);
  wait_for(10_ms);
  EXPECT_TRUE(irq.read());
  EXPECT_EQ(cpu.read32(map.status.offset()) >> 8, 2u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, ReportsWhatIsDurableAndHowTheCheckpointWasTaken) {
  describe(0x1'0000'0003, 1);
  EXPECT_EQ(execute(1), 0u);
  EXPECT_EQ(cpu.read32(map.interrupt_status.offset()), 2u);
  EXPECT_EQ(cpu.read32(map.durable_version_low.offset()), 3u);
  EXPECT_EQ(cpu.read32(map.durable_version_high.offset()), 1u);
  EXPECT_EQ(cpu.read32(map.open.offset()), 0u);
  EXPECT_EQ(cpu.read32(map.method.offset()), 1u);
  EXPECT_EQ(cpu.read32(map.lines_copied.offset()), 64u);
  EXPECT_EQ(cpu.read32(map.flash_pages.offset()), 1u);
}

// A checkpoint writes a page of data, a page of metadata, and the root twice.
SYSTEMC_TEST_F(DimmSsdModuleTest, ReportsTheBytesWrittenInItsLife) {
  const auto written = [&] { return cpu.read32(map.written_low.offset()); };
  EXPECT_EQ(written(), 0u);
  describe(1, 1);
  EXPECT_EQ(execute(1), 0u);
  EXPECT_EQ(written(), 4u * 16384);
  EXPECT_EQ(cpu.read32(map.written_high.offset()), 0u);
  ssd.reset(Reset::power_loss);
  ssd.power_up();
  EXPECT_EQ(written(), 4u * 16384);
  EXPECT_EQ(cpu.read32(map.rated_low.offset()) | cpu.read32(map.rated_high.offset()), 0u) << "unrated";
}

TEST(DimmSsdEnduranceTest, IsTheDataSheetsElseRatedCyclesOfTheFlashThatIsModelled) {
  DimmSsdConfig config;  // 8 packages of 64 blocks of 512 pages of 16 KiB: 4 GiB
  FlashPart part;
  EXPECT_EQ(endurance(config, part), 0_B);
  part.endurance = 3000;
  EXPECT_EQ(endurance(config, part), 3000 * 4_GiB);
  config.rated_writes = Bytes(14'600'000'000'000'000);
  EXPECT_EQ(endurance(config, part), Bytes(14'600'000'000'000'000));
}

struct RatedDimmSsdTest : DimmSsdModuleTest {
  static DimmSsdConfig rated() {
    DimmSsdConfig config;
    config.rated_writes = Bytes(0x1234'5678'9ABC);
    return config;
  }
  RatedDimmSsdTest() : DimmSsdModuleTest(rated()) {}
};

SYSTEMC_TEST_F(RatedDimmSsdTest, ReportsTheRating) {
  EXPECT_EQ(cpu.read32(map.rated_low.offset()), 0x5678'9ABCu);
  EXPECT_EQ(cpu.read32(map.rated_high.offset()), 0x1234u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, TheLineIsTheLevelOfStatusAndEnable) {
  describe(1, 1);
  EXPECT_EQ(execute(1), 0u);
  EXPECT_FALSE(irq.read());
  cpu.write32(map.interrupt_enable.offset(), 2);
  settle();
  EXPECT_TRUE(irq.read());  // the version has become durable
  cpu.write32(map.interrupt_status.offset(), 2);
  settle();
  EXPECT_FALSE(irq.read());
}

SYSTEMC_TEST_F(DimmSsdModuleTest, StatusReportsARefusedCommand) {
  describe(1, 1);
  wait_for(10_ms);
  cpu.write32(map.descriptor_low.offset(), descriptor);
  cpu.write32(map.command.offset(), 1);
  EXPECT_EQ(cpu.read32(map.status.offset()), 1u);
  cpu.write32(map.command.offset(), 1);
  EXPECT_EQ(cpu.read32(map.status.offset()), 3u);
  wait_for(10_ms);
  EXPECT_EQ(cpu.read32(map.status.offset()), 2u);
  cpu.write32(map.interrupt_status.offset(), 1);
  EXPECT_EQ(execute(1), 0u);
  EXPECT_EQ(cpu.read32(map.status.offset()), 0u);
}

SYSTEMC_TEST_F(DimmSsdModuleTest, AbortWithoutACommandSucceeds) { EXPECT_EQ(execute(5), 0u); }

SYSTEMC_TEST_F(DimmSsdModuleTest, AnyAccessGetsAnAnswer) {
  Random random(5);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t offset = random.below(0x80);
    if (random.below(2))
      cpu.write32(offset, static_cast<std::uint32_t>(random.next()));
    else
      cpu.read<std::uint64_t>(offset);
    EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
    wait_for(Picoseconds(random.below(1'000'000)));
  }
}

SYSTEMC_TEST_F(DimmSsdModuleTest, RefusesPagesThatMemoryCannotCorrect) {
  describe(3, 2);
  memory.inject({.kind = MemoryFaultKind::word, .at = memory.locate(Bytes(page - 0x4000'0000)), .chip = 3});
  EXPECT_EQ(execute(1), 0u);
  memory.inject({.kind = MemoryFaultKind::chip, .at = memory.locate(Bytes(page - 0x4000'0000)), .chip = 3});
  describe(4, 2);  // writes the descriptor again, but no page
  for (unsigned rest = 64; rest > 0; --rest) poke(descriptor + 8 * rest, 0);
  describe(4, 2);
  EXPECT_EQ(execute(1), 2u);
}

// Two devices beside one memory, which they both may save.
struct TwoDimmSsdsTest : SystemCTest {
  static constexpr std::uint64_t base = 0x4000'0000, page = 0x4001'0000, other_page = 0x4002'0000,
                                 frames = 0x4003'0000;
  static constexpr std::uint32_t copy_on_write = 3, abort = 5;
  struct Device {
    DimmSsdModule module;
    TestInitiator cpu;
    sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq;
    std::uint64_t descriptor;

    Device(const std::string& name, std::uint64_t at, EventLog& events)
        : module(name.c_str(), DimmSsdConfig{}, FlashPart{}, {Address(base), 4_MiB}, events),
          cpu((name + "_cpu").c_str()),
          descriptor(at) {
      cpu.socket.bind(module.target);
      module.interrupt.bind(irq);
    }
  };
  NoEventLog events;
  MemoryController memory{
      "memory",
      {.config = {.size = 4_MiB, .dram = {.refresh = RefreshMode::none}}, .part = {}, .base = Address(base)},
      3,
      events};
  Device first{"first", 0x4000'1000, events}, second{"second", 0x4000'2000, events};
  TestInitiator memory_cpu{"memory_cpu"}, guest{"guest"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq;
  DimmSsdRegisters map;

  TwoDimmSsdsTest() {
    first.module.memory.bind(memory.ports[0]);
    second.module.memory.bind(memory.ports[1]);
    memory_cpu.socket.bind(memory.ports[2]);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
    for (Device* each : {&first, &second}) {
      each->module.connect(memory.writes());
      each->module.power_up();
    }
  }
  std::uint32_t checkpoint(Device& device, std::uint64_t version, const std::vector<std::uint64_t>& pages) {
    const std::uint64_t at = device.descriptor - base;
    memory_cpu.write<std::uint64_t>(at, 'c');
    for (int i = 1; i < 4; ++i) memory_cpu.write<std::uint64_t>(at + 8 * i, 0);
    memory_cpu.write<std::uint64_t>(at + 32, version);
    memory_cpu.write<std::uint64_t>(at + 40, pages.size() | std::uint64_t{copy_on_write} << 32);
    for (std::size_t i = 0; i < pages.size(); ++i) memory_cpu.write(at + 48 + 8 * i, pages[i]);
    return execute(device, 1);
  }
  std::uint32_t execute(Device& device, std::uint32_t operation) {
    device.cpu.write32(map.interrupt_enable.offset(), 1);
    device.cpu.write32(map.descriptor_low.offset(), static_cast<std::uint32_t>(device.descriptor));
    device.cpu.write32(map.command.offset(), operation);
    while (!device.irq.read()) sc_core::wait(device.irq.value_changed_event());
    device.cpu.write32(map.interrupt_status.offset(), 1);
    settle();
    return device.cpu.read32(map.status.offset()) >> 8;
  }
  void use_shadow(Device& device, std::uint64_t at) {
    device.cpu.write32(map.shadow_low.offset(), static_cast<std::uint32_t>(at));
    device.cpu.write32(map.shadow_pages.offset(), 1);
  }
  std::uint32_t bad_index(Device& device) { return device.cpu.read32(map.bad_index.offset()); }
};

// Each would wait for the other one to copy the page.
SYSTEMC_TEST_F(TwoDimmSsdsTest, ADeviceRefusesShadowFramesInPagesThatTheOtherOneTracks) {
  EXPECT_EQ(checkpoint(first, 1, {page}), 0u);
  use_shadow(second, page);
  EXPECT_EQ(checkpoint(second, 1, {other_page}), 1u);
  EXPECT_EQ(bad_index(second), DimmSsd::no_index);
  EXPECT_EQ(execute(first, abort), 0u);  // ends tracking
  EXPECT_EQ(checkpoint(second, 1, {other_page}), 0u);
}

SYSTEMC_TEST_F(TwoDimmSsdsTest, ADeviceRefusesPagesThatAreShadowFramesOfTheOtherOne) {
  use_shadow(first, frames);
  EXPECT_EQ(checkpoint(first, 1, {page}), 0u);
  EXPECT_EQ(checkpoint(second, 1, {other_page, frames}), 1u);
  EXPECT_EQ(bad_index(second), 1u);
  first.module.reset(Reset::warm);
  first.module.power_up();
  EXPECT_EQ(checkpoint(second, 1, {other_page, frames}), 0u);
}

SYSTEMC_TEST_F(TwoDimmSsdsTest, BothMaySaveAPage) {
  use_shadow(first, frames);
  EXPECT_EQ(checkpoint(first, 1, {page}), 0u);
  use_shadow(second, frames + 4096);
  EXPECT_EQ(checkpoint(second, 1, {page}), 0u);
  memory_cpu.write<std::uint64_t>(page - base, 7);  // waits for both copies
  for (Device* each : {&first, &second}) {
    while (each->cpu.read32(map.open.offset()) > 0) wait_for(10_us);
    EXPECT_EQ(checkpoint(*each, 2, {page}), 0u);
    while (each->cpu.read32(map.open.offset()) > 0) wait_for(10_us);
  }
  for (Device* each : {&first, &second}) {
    memory_cpu.write<std::uint64_t>(page - base, 0);
    EXPECT_EQ(execute(*each, 3), 0u);
    EXPECT_EQ(memory_cpu.read<std::uint64_t>(page - base), 7u);
  }
}

}  // namespace
}  // namespace asterism
