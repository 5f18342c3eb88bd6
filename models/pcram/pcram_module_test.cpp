#include "pcram/pcram_module.h"

#include "memory/memory_controller.h"
#include "tlm/log.h"
#include "tlm/register_fuzz.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_writes.h"

namespace asterism {
namespace {

PcramPart part_of(PcramKind kind) {
  PcramPart part;
  if (kind != PcramKind::stack) return part;
  part.form = PcramForm::stack;
  part.capacity = 1_MiB;
  return part;
}

template <PcramKind kind>
struct PcramModuleRig : SystemCTest {
  static constexpr std::uint64_t dram = 0x4000'0000, page = 4096;
  NoEventLog events;
  MemoryController memory{
      "memory",
      {.config = {.size = 4_MiB, .dram = {.refresh = RefreshMode::none}}, .part = {}, .base = Address(dram)},
      2,
      events};
  TestInitiator guest{"guest"}, cpu{"cpu"}, memory_cpu{"memory_cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq, irq;
  PcramModule pcram{"pcram", {.kind = kind}, part_of(kind), {Address(dram), 4_MiB}, events};
  PcramRegisters map;
  ForeignWrites written{memory.writes()};

  PcramModuleRig() {
    pcram.memory.bind(memory.ports[0]);
    memory_cpu.socket.bind(memory.ports[1]);
    cpu.socket.bind(pcram.target);
    pcram.interrupt.bind(irq);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
  }
  void set(const Register& of, std::uint64_t value) {
    cpu.write32(of.offset(), static_cast<std::uint32_t>(value));
  }
  std::uint32_t get(const Register& of) { return cpu.read32(of.offset()); }
  void fill(std::uint64_t first, std::uint64_t pages, std::uint64_t value) {
    for (std::uint64_t at = 0; at < pages * page; at += 8)
      memory_cpu.write<std::uint64_t>(first * page + at, value * 0x0123'4567'89ab'cdef + at);
  }
  bool holds(std::uint64_t first, std::uint64_t pages, std::uint64_t value) {
    for (std::uint64_t at = 0; at < pages * page; at += 8)
      if (memory_cpu.read<std::uint64_t>(first * page + at) != value * 0x0123'4567'89ab'cdef + at)
        return false;
    return true;
  }
  void start_command(std::uint32_t command, std::uint64_t first, std::uint64_t place, std::uint64_t pages) {
    set(map.memory_low, dram + first * page);
    set(map.place, place);
    set(map.pages, pages);
    set(map.interrupt_enable, 1);
    set(map.command, command);
  }
  // Writes any value to any register, with resets in between.
  void touch_registers() {
    set_log_levels({{"pcram", LogLevel::off}});
    RegisterFuzz fuzz(cpu, map, {0, 0, 0, 0, dram, dram, dram + page, 1, 1, 2, 2, 3, 1023, 1024, 18}, 13);
    for (int i = 0; i < 200'000; ++i) {
      fuzz.touch();
      if (fuzz.random.below(20) == 0) wait_for(Picoseconds(fuzz.random.below(20'000'000)));
      if (fuzz.random.below(200) == 0) pcram.reset(static_cast<Reset>(fuzz.random.below(3)));
    }
    EXPECT_GT(pcram.copier().array().counts().lines_read, 0u);
    EXPECT_GT(pcram.copier().array().counts().lines_written, 0u);
  }
  // Executes a command and returns STATUS.error.
  std::uint32_t execute(std::uint32_t command, std::uint64_t first, std::uint64_t place,
                        std::uint64_t pages) {
    start_command(command, first, place, pages);
    wait_for(1_ms);
    EXPECT_TRUE(irq.read());
    EXPECT_EQ(get(map.status) & 1, 0u);
    set(map.interrupt_status, 1);
    settle();
    EXPECT_FALSE(irq.read());
    return get(map.status) >> 8;
  }
};
struct PcramDimmModuleTest : PcramModuleRig<PcramKind::dimm> {};
struct PcramStackModuleTest : PcramModuleRig<PcramKind::stack> {};

SYSTEMC_TEST_F(PcramDimmModuleTest, ResetsToWhatTheListSays) { expect_reset_values(cpu, map); }

SYSTEMC_TEST_F(PcramDimmModuleTest, BringsPagesBackAfterALossOfPower) {
  fill(3, 5, 1);
  EXPECT_EQ(execute(1, 3, 77, 5), 0u);
  pcram.reset(Reset::power_loss);
  fill(3, 5, 2);
  EXPECT_EQ(execute(2, 3, 77, 5), 0u);
  EXPECT_TRUE(holds(3, 5, 1));
  EXPECT_EQ(get(map.copied), 5u);
  ASSERT_EQ(written.ranges.size(), 5u);
  EXPECT_EQ(written.ranges[4], (AddressRange{Address(dram + 7 * page), 4_KiB}));
}

SYSTEMC_TEST_F(PcramDimmModuleTest, ReportsItsSizes) {
  EXPECT_EQ(get(map.id), 0x5043524du);
  EXPECT_EQ(get(map.capacity), 2_GiB / 4_KiB);
  EXPECT_EQ(get(map.layer), 0u);
  EXPECT_EQ(get(map.bad_index), ~0u);
}

SYSTEMC_TEST_F(PcramDimmModuleTest, IsBusyUntilThePagesSurvive) {
  fill(0, 4, 1);
  start_command(1, 0, 0, 4);
  wait_for(1_us);
  EXPECT_EQ(get(map.status), 1u);
  start_command(2, 0, 0, 4);
  settle();
  EXPECT_EQ(get(map.status), 3u);
  wait_for(1_ms);
  EXPECT_EQ(get(map.status) & 1, 0u);
}

SYSTEMC_TEST_F(PcramDimmModuleTest, APowerFailureDropsTheCommand) {
  fill(0, 100, 1);
  start_command(1, 0, 0, 100);
  wait_for(2_us);
  pcram.reset(Reset::power_loss);
  wait_for(1_ms);
  EXPECT_FALSE(irq.read());
  EXPECT_EQ(get(map.status), 0u);
  EXPECT_EQ(get(map.interrupt_enable), 0u);
}

SYSTEMC_TEST_F(PcramDimmModuleTest, RefusesPagesBehindMemory) {
  EXPECT_EQ(execute(1, 1023, 0, 2), 1u);
  EXPECT_EQ(execute(0, 0, 0, 1), 1u);
}

SYSTEMC_TEST_F(PcramDimmModuleTest, NoValueOfARegisterIsTooMuch) { touch_registers(); }
SYSTEMC_TEST_F(PcramStackModuleTest, NoValueOfARegisterIsTooMuch) { touch_registers(); }

// Reads of other masters must not wait in the meantime, although 256 pages would occupy the bus for 82 us.
SYSTEMC_TEST_F(PcramStackModuleTest, CopiesLeaveTheBusOfMemoryAlone) {
  const auto fill_and_wait = [&](std::uint64_t value) {
    fill(0, 256, value);
    sc_core::wait(std::exchange(memory_cpu.delay, sc_core::SC_ZERO_TIME));
  };
  const auto slowest_read_beside = [&](std::uint32_t command) {
    start_command(command, 0, 0, 256);
    Picoseconds slowest{};
    while (!irq.read()) {
      memory_cpu.read<std::uint64_t>(512 * page);
      slowest = std::max(slowest, to_picoseconds(memory_cpu.delay));
      sc_core::wait(std::exchange(memory_cpu.delay, sc_core::SC_ZERO_TIME));
    }
    set(map.interrupt_status, 1);
    settle();
    return slowest;
  };
  fill_and_wait(1);
  EXPECT_LT(slowest_read_beside(1), 100_ns);
  fill_and_wait(2);
  EXPECT_LT(slowest_read_beside(2), 100_ns);
  EXPECT_TRUE(holds(0, 256, 1));
}

SYSTEMC_TEST_F(PcramStackModuleTest, APageThatTheCodeCannotReadIsNotSaved) {
  fill(0, 4, 1);
  memory.inject({.kind = MemoryFaultKind::chip, .at = memory.locate(Bytes(2 * page)), .chip = 3});
  memory.inject({.kind = MemoryFaultKind::chip, .at = memory.locate(Bytes(2 * page)), .chip = 5});
  EXPECT_EQ(execute(1, 0, 0, 4), 2u);
}

SYSTEMC_TEST_F(PcramStackModuleTest, ALoadIsReportedToHoldersOfCopies) {
  fill(0, 2, 1);
  EXPECT_EQ(execute(1, 0, 0, 2), 0u);
  written.ranges.clear();
  EXPECT_EQ(execute(2, 0, 0, 2), 0u);
  EXPECT_EQ(written.ranges,
            (std::vector<AddressRange>{{Address(dram), 4_KiB}, {Address(dram + page), 4_KiB}}));
}

SYSTEMC_TEST_F(PcramDimmModuleTest, ALoadWaitsForAPageThatIsYetToBeCopied) {
  fill(0, 2, 1);
  EXPECT_EQ(execute(1, 0, 0, 2), 0u);
  fill(0, 2, 2);
  TestTracker tracker(memory.writes(), {Address(dram + page), 4_KiB});
  tracker.closed = true;
  start_command(2, 0, 0, 2);
  wait_for(1_ms);
  EXPECT_EQ(get(map.status), 1u);
  EXPECT_TRUE(holds(0, 1, 1) && !holds(1, 1, 1));
  tracker.open();
  wait_for(1_us);
  EXPECT_EQ(get(map.status), 0u);
  EXPECT_TRUE(holds(0, 2, 1));
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{Address(dram + page), ~std::uint64_t{0}}}));
}

SYSTEMC_TEST_F(PcramStackModuleTest, AnIncrementHasThePagesThatDiffer) {
  EXPECT_EQ(get(map.layer), 1024u);
  EXPECT_EQ(get(map.capacity), 2048u);
  fill(0, 20, 1);
  EXPECT_EQ(execute(1 | 16, 0, 1024, 20), 0u);
  EXPECT_EQ(get(map.copied), 20u);
  fill(4, 2, 2);
  EXPECT_EQ(execute(1 | 16, 0, 1024, 20), 0u);
  EXPECT_EQ(get(map.copied), 2u);
  fill(0, 20, 3);
  EXPECT_EQ(execute(2, 0, 1024, 20), 0u);
  EXPECT_TRUE(holds(0, 4, 1));
  EXPECT_TRUE(holds(4, 2, 2) && !holds(6, 1, 3));
}

}  // namespace
}  // namespace asterism
