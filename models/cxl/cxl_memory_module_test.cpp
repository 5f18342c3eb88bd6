#include "cxl/cxl_memory_module.h"

#include <gmock/gmock.h>

#include <array>

#include "base/event_log.h"
#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "tlm/log_of_node.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_node.h"
#include "tlm/test_writes.h"

namespace asterism {
namespace {

constexpr std::uint64_t window = 0x32'0000'0000;

CxlParts parts_of_test() {
  return {.expander = {.port_latency = 62_ns, .controller_latency = 15_ns}, .media = {}};
}

struct CxlMemoryRig : SystemCTest {
  NoEventLog events;
  NoNode node;
  DeviceContext context{
      .place = {.instance = "cxl", .ranges = {{Address(window), 64_MiB}, {Address(0x0b21'0000), 4_KiB}}},
      .ports = 2,
      .node = node,
      .events = events};
  CxlMemoryModule cxl;
  TestInitiator cpu{"cpu"}, dma{"dma"}, registers{"registers"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};

  explicit CxlMemoryRig(CxlSupply supply = CxlSupply::node)
      : cxl("cxl", CxlMemoryConfig{.supply = supply, .size = 64_MiB, .dram = {.ranks = 1}}, parts_of_test(),
            context) {
    cpu.socket.bind(*cxl.targets()[0]);
    dma.socket.bind(cxl.port(1));
    registers.socket.bind(*cxl.targets()[1]);
    cxl.interrupt.bind(line);
    set_log_levels({{"cxl", LogLevel::off}});
  }

  CxlRegisters& r() { return cxl.registers; }
  std::uint32_t command(CxlCommand which, std::uint64_t offset) {
    registers.write32(r().address_low.offset(), static_cast<std::uint32_t>(offset));
    registers.write32(r().address_high.offset(), static_cast<std::uint32_t>(offset >> 32));
    registers.write32(r().command.offset(), static_cast<std::uint32_t>(which));
    return registers.read32(r().return_code.offset());
  }
  bool reads_poison(std::uint64_t offset) {
    cpu.who.poison = false;
    cpu.read<std::uint64_t>(offset);
    EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
    return cpu.who.poison;
  }
  std::uint32_t listed() { return registers.read32(r().poison_count.offset()); }
};
struct CxlMemoryModuleTest : CxlMemoryRig {};

SYSTEMC_TEST_F(CxlMemoryModuleTest, IsReadThroughTheLink) {
  cpu.write<std::uint64_t>(0x1000, 5);
  cpu.delay = sc_core::SC_ZERO_TIME;
  EXPECT_EQ(cpu.read<std::uint64_t>(0x1000), 5u);
  // 2 * (62 + 15) ns, three flits, the controller of the DRAM and a row hit.
  EXPECT_GT(to_picoseconds(cpu.delay), 154_ns + 10_ns);
  EXPECT_LT(to_picoseconds(cpu.delay), 154_ns + 80_ns);
  EXPECT_EQ(dma.read<std::uint64_t>(0x1000), 5u);
}

// 64 lines, and a queue for 48.
SYSTEMC_TEST_F(CxlMemoryModuleTest, TheLinesOfAPayloadHoldPlacesAgainstEachOther) {
  cpu.read<std::array<std::uint64_t, 512>>(0x1000);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  Statistics statistics;
  cxl.report(statistics);
  const auto& [name, link] = statistics.entries().front();
  ASSERT_EQ(name, "link");
  const auto& [key, waits] = std::get<std::unique_ptr<Statistics>>(link)->entries()[4];
  ASSERT_EQ(key, "waits_for_credit");
  EXPECT_EQ(std::get<std::uint64_t>(waits), 64u - 48u);
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, FillsOfCachesTakeTheSameTimeAsAccesses) {
  TimedPath* const path = cpu.timed_path(0x2000);
  ASSERT_NE(path, nullptr);
  cpu.read32(0x2000);  // opens the row
  wait_for(1_us);
  const Picoseconds begin = now(),
                    end = path->access(
                        {.address = Address(0x2000), .master = 0, .is_write = false, .is_posted = false},
                        now());
  wait_for(1_us);
  const Picoseconds start = now();
  EXPECT_EQ(cpu.monitored_access(Address(0x2000), false, start) - start, end - begin);
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, InjectedPoisonIsReadUntilTheLineIsWritten) {
  EXPECT_EQ(command(CxlCommand::inject_poison, 0x3040), 0u);
  EXPECT_EQ(cpu.invalidations, 1u);
  EXPECT_EQ(cpu.invalidated_first, Address(0x3000));
  EXPECT_EQ(listed(), 1u);
  EXPECT_EQ(registers.read32(r().poison_low.offset()), 0x3040u | 3u);
  EXPECT_TRUE(reads_poison(0x3078));
  EXPECT_FALSE(reads_poison(0x3080)) << "the next line";
  EXPECT_EQ(cpu.timed_path(0x3080), nullptr) << "the page is not granted";
  EXPECT_NE(cpu.timed_path(0x4000), nullptr);
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_TRUE(reads_poison(0x3040));
    cpu.write<std::uint64_t>(0x3040 + 8 * i, i);
  }
  EXPECT_FALSE(reads_poison(0x3040));
  EXPECT_EQ(listed(), 0u);
  EXPECT_NE(cpu.timed_path(0x3080), nullptr);
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, TheSummarySaysHowManyLinesWereAndArePoisoned) {
  EXPECT_EQ(cxl.summary(), "");
  command(CxlCommand::inject_poison, 0x3040);
  EXPECT_EQ(cxl.summary(), "1 poisoned line");
  command(CxlCommand::clear_poison, 0x3040);
  command(CxlCommand::inject_poison, 0x3040);
  EXPECT_EQ(cxl.summary(), "2 poisoned lines, 1 at the end");
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, ClearPoisonWritesZeros) {
  cpu.write<std::uint64_t>(0x3040, 7);
  command(CxlCommand::inject_poison, 0x3040);
  EXPECT_EQ(command(CxlCommand::clear_poison, 0x3040), 0u);
  EXPECT_FALSE(reads_poison(0x3040));
  EXPECT_EQ(cpu.read<std::uint64_t>(0x3040), 0u);
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, RefusesWhatIsNoCommandAndNoLine) {
  EXPECT_EQ(command(CxlCommand::inject_poison, 0x3048), 0xfu);
  EXPECT_EQ(command(CxlCommand::clear_poison, (64_MiB).count()), 0xfu);
  EXPECT_EQ(command(static_cast<CxlCommand>(0x4303), 0), 0x3u);
  EXPECT_EQ(listed(), 0u);
}

// Two chips of a rank fail: every block of it is uncorrectable.
SYSTEMC_TEST_F(CxlMemoryModuleTest, AnUncorrectableErrorPoisonsItsLineAndNothingElse) {
  registers.write32(r().interrupt_enable.offset(), 1);
  cpu.write<std::uint64_t>(0x5000, 7);
  std::vector<Timed<MemoryFault>> faults;
  for (const std::uint32_t chip : {2u, 9u})
    faults.push_back({.at = now() + 1_ns, .fault = {.kind = MemoryFaultKind::row, .at = {}, .chip = chip}});
  cxl.inject(faults);
  wait_for(2_ns);
  EXPECT_FALSE(line.read());
  EXPECT_TRUE(reads_poison(0));
  settle();
  EXPECT_TRUE(line.read());
  EXPECT_EQ(listed(), 1u);
  EXPECT_EQ(registers.read32(r().poison_low.offset()), 2u) << "line 0, an error of the media";
  for (unsigned i = 0; i < 8; ++i) cpu.write<std::uint64_t>(8 * i, i + 1);
  EXPECT_FALSE(reads_poison(0));
  EXPECT_EQ(cpu.read<std::uint64_t>(8), 2u);
  EXPECT_EQ(listed(), 0u);
  registers.write32(r().interrupt_status.offset(), 3);
  settle();
  EXPECT_FALSE(line.read());
}

// The memory finds the error again by each read, and by each store of a part of the line.
SYSTEMC_TEST_F(CxlMemoryModuleTest, ALineIsOneEventUntilItsPoisonEnds) {
  registers.write32(r().interrupt_enable.offset(), 1);
  std::vector<Timed<MemoryFault>> faults;
  for (const std::uint32_t chip : {2u, 9u})
    faults.push_back(
        {.at = now() + 1_ns,
         .fault = {.kind = MemoryFaultKind::row, .persistence = Persistence::stuck, .at = {}, .chip = chip}});
  cxl.inject(faults);
  wait_for(2_ns);
  const auto is_event = [&] {
    settle();
    const bool raised = line.read();
    registers.write32(r().interrupt_status.offset(), 3);
    settle();
    return raised;
  };
  EXPECT_TRUE(reads_poison(0));
  EXPECT_TRUE(is_event());
  EXPECT_TRUE(reads_poison(0));
  EXPECT_FALSE(is_event()) << "read again";
  for (unsigned i = 0; i < 7; ++i) cpu.write<std::uint64_t>(8 * i, i + 1);
  EXPECT_FALSE(is_event()) << "written in part";
  cpu.write<std::uint64_t>(56, 8);
  EXPECT_EQ(listed(), 0u);
  EXPECT_FALSE(is_event());
  EXPECT_TRUE(reads_poison(0));
  EXPECT_TRUE(is_event()) << "its poison had ended";
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, AFaultOfAScenarioInjectsPoisonAtItsTime) {
  cxl.inject(std::vector<Timed<CxlFault>>{{.at = 5_us, .fault = {.offset = Bytes(0x40)}}});
  wait_for(5_us - 1_ps - now());
  EXPECT_FALSE(reads_poison(0x40));
  wait_for(2_ps);
  EXPECT_TRUE(reads_poison(0x40));
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, NamesTheLineOfAnInjectedByte) {
  std::string out;
  set_log_levels({{cxl.name(), LogLevel::warning}});
  collect_log(cxl.name(), out);
  cxl.inject(std::vector<Timed<CxlFault>>{{.at = 1_us, .fault = {.offset = Bytes(0x41)}}});
  wait_for(2_us);
  EXPECT_THAT(out, testing::HasSubstr("40 is poisoned: it was injected"));
}

// What has no power has no contents that could be wrong.
SYSTEMC_TEST_F(CxlMemoryModuleTest, APoisonFaultWithoutPowerHasNoEffect) {
  cxl.inject(std::vector<Timed<CxlFault>>{{.at = 5_us, .fault = {.offset = Bytes(0x40)}}});
  cxl.reset(Reset::power_loss);
  wait_for(6_us);
  cxl.power_up();
  EXPECT_EQ(listed(), 0u);
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, LosesItsContentsAndItsPoisonWithThePower) {
  cpu.write<std::uint64_t>(0x1000, 5);
  command(CxlCommand::inject_poison, 0);
  cxl.reset(Reset::warm);
  EXPECT_EQ(cpu.read<std::uint64_t>(0x1000), 5u);
  EXPECT_EQ(listed(), 1u);
  cxl.reset(Reset::power_loss);
  cpu.read32(0x1000);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  cxl.power_up();
  EXPECT_NE(cpu.read<std::uint64_t>(0x1000), 5u);
  EXPECT_EQ(listed(), 0u);
}

SYSTEMC_TEST_F(CxlMemoryModuleTest, AnswersAnyPayload) {
  expect_an_answer_to_any_payload(registers, 4_KiB, 1);
}

struct CxlMemoryWithSupplyTest : CxlMemoryRig {
  CxlMemoryWithSupplyTest() : CxlMemoryRig(CxlSupply::own) {}
};

SYSTEMC_TEST_F(CxlMemoryWithSupplyTest, KeepsItsContentsAndItsPoisonWhenTheNodeLosesPower) {
  cpu.write<std::uint64_t>(0x1000, 5);
  command(CxlCommand::inject_poison, 0);
  cxl.reset(Reset::power_loss);
  cpu.read32(0x1000);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE) << "the link is down";
  cxl.power_up();
  cxl.reset(Reset::cold);
  EXPECT_EQ(cpu.read<std::uint64_t>(0x1000), 5u);
  EXPECT_TRUE(reads_poison(0));
}

SYSTEMC_TEST_F(CxlMemoryWithSupplyTest, APoisonFaultWithoutTheNodesPowerIsThereAfterwards) {
  cxl.inject(std::vector<Timed<CxlFault>>{{.at = 5_us, .fault = {.offset = Bytes(0x40)}}});
  cxl.reset(Reset::power_loss);
  wait_for(6_us);
  cxl.power_up();
  EXPECT_EQ(listed(), 1u);
}

}  // namespace
}  // namespace asterism
