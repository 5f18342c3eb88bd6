#include "memory/memory_controller.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "tlm/log.h"
#include "tlm/register_fuzz.h"
#include "tlm/reset_values.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

struct EventKinds final : EventLog {
  std::vector<std::string> kinds;
  void record(Picoseconds, std::string_view, std::string_view kind, std::initializer_list<Detail>) override {
    kinds.emplace_back(kind);
  }
};

// Each rank has one range of addresses, so that a fault in rank 1 does not affect rank 0.
struct MemoryControllerTest : SystemCTest {
  EventKinds events;
  MemoryController memory;
  TestInitiator cpu{"cpu"}, ssd{"ssd"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq{"irq"};

  explicit MemoryControllerTest(MemoryConfig config = {})
      : memory("memory", settings(std::move(config)), 2, events) {
    cpu.socket.bind(memory.ports[0]);
    ssd.socket.bind(memory.ports[1]);
    memory.interrupt.bind(irq);
    guest.socket.bind(memory.target);
  }
  static MemoryController::Settings settings(MemoryConfig config) {
    config.size = 4_MiB;
    config.dram.mapping = "RaRoBaCoCh";
    return {.config = config, .part = {}, .base = Address(0x4000'0000), .curves = DramCurves{}};
  }
  std::uint32_t value(const Register& reg) { return guest.read32(reg.offset()); }
  void set(const Register& reg, std::uint32_t to) { guest.write32(reg.offset(), to); }
  static MemoryFault dead_chip(unsigned chip) {
    return {
        .kind = MemoryFaultKind::chip, .persistence = Persistence::stuck, .at = {.rank = 1}, .chip = chip};
  }
  void protect_rank_1() {
    set(memory.registers.range_first_low, 0x4000'0000 + rank);
    set(memory.registers.range_size_low, rank);
    set(memory.registers.range_control, 2);
  }
  Picoseconds time_of_read(std::uint64_t address) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    cpu.read<std::uint64_t>(address);
    return to_picoseconds(cpu.delay);
  }

  TestInitiator guest{"guest"};
  static constexpr std::uint32_t rank = 2 << 20;
  // With DDR3-1600 11-11-11, a closed bank takes 26 cycles and a row hit 15. The controller takes 10 ns, and
  // syndromes take 0.48 ns.
  static constexpr Picoseconds closed = 32'500_ps + 10_ns + 480_ps, hit = 18'750_ps + 10_ns + 480_ps;
};

SYSTEMC_TEST_F(MemoryControllerTest, ResetsToWhatTheListSays) {
  expect_reset_values(guest, MemoryRegisters());
}

SYSTEMC_TEST_F(MemoryControllerTest, AWriteForWhichTheQueueHadNoRoomIsPaidOnce) {
  const auto time_of_write = [&](std::uint64_t row) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    cpu.write<std::uint64_t>(row * 8192, 0);
    return to_picoseconds(cpu.delay);
  };
  const Picoseconds taken_at_once = time_of_write(0);
  Picoseconds last;
  for (std::uint64_t row = 1; row < 100; ++row) last = time_of_write(row);
  EXPECT_GT(last, taken_at_once);
  for (std::uint64_t row = 100; row < 110; ++row) {
    wait_for(10_us);
    EXPECT_EQ(time_of_write(row), taken_at_once) << row;
  }
}

struct FourChannelsTest : MemoryControllerTest {
  FourChannelsTest() : MemoryControllerTest(config()) {}
  static MemoryConfig config() {
    MemoryConfig config;
    config.dram.controllers = config.dram.channels = 2;
    return config;
  }
  static constexpr std::uint64_t next_row = 64 * 4 * 256 * 8;  // in the same bank and channel
  // A row conflict takes 37 cycles if nothing else delays it.
  static constexpr Picoseconds conflict = 46'250_ps + 10_ns + 480_ps;
};

SYSTEMC_TEST_F(FourChannelsTest, BlocksInSuccessionGoToTheChannelsOfOneControllerThenOfTheNext) {
  std::vector<unsigned> controllers;
  for (std::uint64_t block = 0; block < 6; ++block) controllers.push_back(memory.part_at(Bytes(64 * block)));
  EXPECT_EQ(controllers, (std::vector<unsigned>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(memory.part_at(Bytes(191)), 1u);
}

SYSTEMC_TEST_F(FourChannelsTest, EachControllerHasATimeOfItsOwn) {
  ssd.delay = to_sc_time(1_us);
  ssd.read32(0);
  cpu.read32(128);
  EXPECT_EQ(to_picoseconds(cpu.delay), closed);
  cpu.delay = to_sc_time(500_ns);
  cpu.read32(128 + next_row);
  EXPECT_EQ(to_picoseconds(cpu.delay), 500_ns + conflict);
}

// The controller has already handled a request at 1 us.
SYSTEMC_TEST_F(FourChannelsTest, WhoLagsBehindWaitsForWhatIsEarlierAlone) {
  ssd.delay = to_sc_time(1_us);
  ssd.read32(64);
  cpu.read32(0);
  cpu.delay = to_sc_time(500_ns);
  cpu.read32(next_row);
  EXPECT_EQ(to_picoseconds(cpu.delay), 500_ns + conflict);
}

SYSTEMC_TEST_F(MemoryControllerTest, EveryPortSeesTheSameCells) {
  cpu.write32(0x100, 0xCAFE);
  EXPECT_EQ(ssd.read32(0x100), 0xCAFEu);
}

SYSTEMC_TEST_F(MemoryControllerTest, AnAccessTakesItsBanksTimeBeyondTheDelayItGot) {
  cpu.delay = to_sc_time(40_ns);
  cpu.read32(0);
  EXPECT_EQ(to_picoseconds(cpu.delay), 40_ns + closed);
  wait_for(1_us);
  EXPECT_EQ(time_of_read(64), hit);
}

SYSTEMC_TEST_F(MemoryControllerTest, AMasterThatLagsBehindPaysForItsOwnAccessOnly) {
  cpu.delay = to_sc_time(1_us);
  cpu.read32(0);
  ssd.delay = sc_core::SC_ZERO_TIME;
  ssd.read32(64);
  EXPECT_LT(to_picoseconds(ssd.delay), 100_ns);
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

SYSTEMC_TEST_F(MemoryControllerTest, AMonitoredAccessTakesItsTimeAndMovesNoData) {
  cpu.write32(0, 0x11223344);
  wait_for(1_us);
  cpu.who.monitored = true;
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(0, 0);
  EXPECT_GT(to_picoseconds(cpu.delay), 10_ns);
  EXPECT_EQ(cpu.read32(0), 0u);
  EXPECT_EQ(ssd.read32(0), 0x11223344u);
}

struct TwoMemoriesTest : MemoryControllerTest {
  MemoryController other{"other", settings({}), 2, events};
  TestInitiator other_cpu{"other_cpu"}, other_ssd{"other_ssd"}, other_guest{"other_guest"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> other_irq{"other_irq"};
  TwoMemoriesTest() {
    other_cpu.socket.bind(other.ports[0]);
    other_ssd.socket.bind(other.ports[1]);
    other.interrupt.bind(other_irq);
    other_guest.socket.bind(other.target);
  }
};

SYSTEMC_TEST_F(TwoMemoriesTest, APathTakesTheTimeOfPayloads) {
  TimedPath* const path = other_cpu.timed_path(0);
  ASSERT_TRUE(path);
  Random random(1);
  Picoseconds at;
  for (int i = 0; i < 500; ++i) {
    if (i % 50 == 49) wait_for(1_us);
    at = std::max(at, now()) + random.below(40) * 1_ns;
    const Address line(random.below(1 << 15) * 64);
    const bool is_write = random.below(3) == 0;
    ASSERT_EQ(path->access({line, 0, is_write, is_write}, at), cpu.monitored_access(line, is_write, at)) << i;
  }
  Statistics of_path, of_payloads;
  other.report(of_path);
  memory.report(of_payloads);
  EXPECT_EQ(of_path, of_payloads);
}

SYSTEMC_TEST_F(MemoryControllerTest, APathIsRefusedWhereAccessesHaveToBeSeen) {
  EXPECT_TRUE(cpu.timed_path(rank));
  memory.inject(dead_chip(3));
  EXPECT_FALSE(cpu.timed_path(rank));
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
  payload.set_extension(&cpu.who);
  ASSERT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  payload.clear_extension(&cpu.who);
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

SYSTEMC_TEST_F(MemoryControllerTest, AnUncorrectableErrorPoisonsIsLoggedAndInterrupts) {
  set(memory.registers.interrupt_enable, 2);
  cpu.write<std::uint64_t>(rank + 0x48, 7);
  memory.inject(dead_chip(3));
  cpu.read<std::uint64_t>(rank + 0x48);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
  EXPECT_TRUE(cpu.who.poison);
  settle();
  EXPECT_TRUE(irq.read());
  EXPECT_EQ(value(memory.registers.uncorrectable), 1u);
  EXPECT_EQ(value(memory.registers.log_status) & 3, 3u);
  EXPECT_EQ(value(memory.registers.log_address_low), 0x4000'0000u + rank + 0x40);
  EXPECT_EQ(value(memory.registers.log_place) >> 16 & 0xff, 1u);
  EXPECT_NE(value(memory.registers.log_syndrome), 0u);
  set(memory.registers.log_pop, 1);
  EXPECT_EQ(value(memory.registers.log_status), 0u);
  set(memory.registers.interrupt_status, 2);
  settle();
  EXPECT_FALSE(irq.read());
}

SYSTEMC_TEST_F(MemoryControllerTest, KnowsWhatHasHappenedToItsPages) {
  using Runs = std::vector<PageMap::Counts::Run>;
  memory.count_pages();
  cpu.write32(3 * 4096, 1);
  memory.inject(dead_chip(3));
  for (int i = 0; i < 2; ++i) cpu.read<std::uint64_t>(rank + 5 * 4096);
  PageMap map;
  memory.report_pages(map, "node.memory");
  PageMap::Area& area = map.areas.at(0);
  EXPECT_EQ(area.range(), (AddressRange{Address(0x4000'0000), 4_MiB}));
  EXPECT_EQ(area.of("written").runs, (Runs{{3, 1, 1}}));
  EXPECT_EQ(area.of("uncorrectable").runs, (Runs{{512 + 5, 1, 2}}));
  EXPECT_EQ(area.of("faulty").runs, (Runs{{512, 512, 2}}));
}

SYSTEMC_TEST_F(MemoryControllerTest, ReportsAnUncorrectableBlockOnceWhileItIsInTheLog) {
  memory.inject(dead_chip(3));
  for (const std::uint32_t offset : {0x40, 0x80, 0x48, 0x40}) cpu.read<std::uint64_t>(rank + offset);
  EXPECT_EQ(value(memory.registers.uncorrectable), 4u);
  EXPECT_EQ(events.kinds,
            (std::vector<std::string>{"memory_fault", "uncorrectable_error", "uncorrectable_error"}));
  set(memory.registers.log_pop, 1);
  for (int i = 0; i < 2; ++i) cpu.read<std::uint64_t>(rank + 0x40);
  EXPECT_EQ(events.kinds.size(), 4u);
}

struct OnDieScrubTest : MemoryControllerTest {
  OnDieScrubTest() : MemoryControllerTest(config()) {}
  static MemoryConfig config() {
    MemoryConfig config;
    config.ecc.rank_code = Ddr5Code::chip_guard;
    config.ecc.on_die = true;
    config.ecc.on_die_scrub = 100_ms;
    return config;
  }
};

SYSTEMC_TEST_F(OnDieScrubTest, RegistersHaveTheResultsOfTheLastPassOfAChip) {
  MemoryFault bit{.kind = MemoryFaultKind::bit,
                  .persistence = Persistence::stuck,
                  .at = {.rank = 1, .bank = 3, .row = 5, .column = 6},
                  .chip = 2,
                  .bit = 9};
  memory.inject(bit);
  bit.at.column = 8;
  memory.inject(bit);
  MemoryRegisters& r = memory.registers;
  set(r.ecs_select, r.ecs_select.chip.bits(2) | r.ecs_select.rank.bits(1));
  wait_for(50_ms);
  EXPECT_EQ(value(r.ecs_passes), 0u);
  EXPECT_EQ(value(r.ecs_errors), 0u);
  wait_for(51_ms);
  EXPECT_EQ(value(r.ecs_passes), 1u);
  EXPECT_EQ(value(r.ecs_errors), 2u);
  EXPECT_EQ(value(r.ecs_row_errors), 2u);
  EXPECT_EQ(value(r.ecs_row), 3u << 24 | 5);
  EXPECT_FALSE(irq.read());
  set(r.ecs_select, r.ecs_select.chip.bits(10) | r.ecs_select.rank.bits(1));
  EXPECT_EQ(value(r.ecs_errors), 0u) << "there is no such chip";
  memory.reset(Reset::power_loss);
  memory.power_up();
  set(r.ecs_select, r.ecs_select.chip.bits(2) | r.ecs_select.rank.bits(1));
  EXPECT_EQ(value(r.ecs_passes), 0u);
  wait_for(101_ms);
  EXPECT_EQ(value(r.ecs_errors), 2u);
}

SYSTEMC_TEST_F(MemoryControllerTest, StrongPagesSurviveADeadChipAndNotTwo) {
  protect_rank_1();
  EXPECT_EQ(value(memory.registers.range_status), 0u);
  cpu.write<std::uint64_t>(rank, 0x0123456789ABCDEF);
  memory.inject(dead_chip(3));
  EXPECT_EQ(cpu.read<std::uint64_t>(rank), 0x0123456789ABCDEFu);
  EXPECT_FALSE(cpu.who.poison);
  EXPECT_EQ(value(memory.registers.log_place) & 31, 3u);
  memory.inject(dead_chip(5));
  cpu.read<std::uint64_t>(rank);
  EXPECT_TRUE(cpu.who.poison);
}

SYSTEMC_TEST_F(MemoryControllerTest, DirectAccessIsWithdrawnWhereAFaultIs) {
  protect_rank_1();
  const unsigned before = cpu.invalidations;
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_extension(&cpu.who);
  memory.inject(dead_chip(3));
  EXPECT_GT(cpu.invalidations, before);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_FALSE(cpu.who.monitored);
  EXPECT_LT(dmi.get_end_address(), rank);
  payload.set_address(rank);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_TRUE(cpu.who.monitored);  // corrections must be counted
  memory.inject(dead_chip(5));
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  payload.clear_extension(&cpu.who);
}

SYSTEMC_TEST_F(MemoryControllerTest, AnInvalidRangeReportsItsProblem) {
  set(memory.registers.range_first_low, 0x4000'0010);
  set(memory.registers.range_size_low, 4096);
  set(memory.registers.range_control, 2);
  EXPECT_EQ(value(memory.registers.range_status), static_cast<std::uint32_t>(RangeProblem::unaligned));
  EXPECT_EQ(value(memory.registers.range_control), 0u);
  set(memory.registers.range_first_low, 0x3000'0000);
  set(memory.registers.range_size_low, 4096);
  set(memory.registers.range_control, 2);
  EXPECT_EQ(value(memory.registers.range_status), static_cast<std::uint32_t>(RangeProblem::outside));
}

struct ContendedMemoryTest : MemoryControllerTest {
  ContendedMemoryTest() : MemoryControllerTest({.fidelity = MemoryFidelity::contended}) {}
};

SYSTEMC_TEST_F(ContendedMemoryTest, ALoneReadTakesTheTimeOfItsRow) {
  wait_for(1_us);
  EXPECT_EQ(time_of_read(0), closed);
  wait_for(1_us);
  EXPECT_EQ(time_of_read(64), closed - 11 * 1250_ps);  // without tRCD
}

SYSTEMC_TEST_F(ContendedMemoryTest, ALoadedMemoryAnswersLater) {
  std::uint64_t block = 0;
  const auto read = [&](TestInitiator& master) {  // blocks of other rows
    master.read<std::uint64_t>(block * 7919 % (rank / 64) * 64);
    ++block;
  };
  Picoseconds alone, beside;
  for (int i = 0; i < 400; ++i) {
    cpu.delay = ssd.delay = sc_core::SC_ZERO_TIME;
    read(cpu);
    (i < 200 ? alone : beside) += to_picoseconds(cpu.delay);
    if (i >= 200)
      for (int copies = 0; copies < 4; ++copies) read(ssd);
    wait_for(100_ns);
  }
  EXPECT_GT(beside, alone + 200 * 1_ns);
}

SYSTEMC_TEST_F(ContendedMemoryTest, GrantsDirectAccessThatIsNotMonitored) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  payload.set_extension(&cpu.who);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_FALSE(cpu.who.monitored);
  payload.clear_extension(&cpu.who);
}

struct ExactMemoryTest : MemoryControllerTest {
  ExactMemoryTest() : MemoryControllerTest({.fidelity = MemoryFidelity::exact}) {}
};

SYSTEMC_TEST_F(ExactMemoryTest, AReadWaitsForItsLastBeat) {
  wait_for(1_us);
  const Picoseconds before = now();
  cpu.read32(0);
  EXPECT_EQ(now() + to_picoseconds(cpu.delay) - before, closed);
}

SYSTEMC_TEST_F(ExactMemoryTest, MastersOfOneBankWaitForEachOther) {
  std::optional<Picoseconds> other;
  sc_core::sc_spawn([&] {
    ssd.read32(std::uint64_t{rank} / 2);
    other = now() + to_picoseconds(ssd.delay);
  });
  cpu.read32(0);
  const Picoseconds own = now() + to_picoseconds(cpu.delay);
  wait_for(1_us);
  ASSERT_TRUE(other);
  EXPECT_GT(std::max(own, *other) - std::min(own, *other), 10_ns);
}

SYSTEMC_TEST_F(ExactMemoryTest, APowerLossEndsAnAccessWithAnError) {
  sc_core::sc_spawn([&] {
    sc_core::wait(to_sc_time(1_ns));
    memory.reset(Reset::power_loss);
  });
  cpu.read32(0);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
}

struct FullQueueTest : MemoryControllerTest {
  FullQueueTest() : MemoryControllerTest(config()) { ssd.who.master = 1; }
  static MemoryConfig config() {
    MemoryConfig config{.fidelity = MemoryFidelity::exact};
    config.dram.read_queue = 2;
    return config;
  }
  // Begins to read a row of bank 0 of rank 0, the later the higher its number is. Its master goes into
  // `order` when it has been read.
  void read(TestInitiator& by, std::uint64_t row) {
    sc_core::sc_spawn([this, &by, row] {
      sc_core::wait(to_sc_time(row * 100_ps));
      std::uint32_t value = 0;
      tlm::tlm_generic_payload payload;
      TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, row * (rank / 16), &value, sizeof value);
      payload.set_extension(&by.who);
      sc_core::sc_time delay;
      by.socket->b_transport(payload, delay);
      payload.clear_extension(&by.who);
      sc_core::wait(delay);
      order.push_back(by.who.master);
    });
  }
  std::vector<unsigned> order;
};

// The first two are in the queue when the others come. Those of the CPU have come before those of the SSD.
SYSTEMC_TEST_F(FullQueueTest, MastersTakeTurnsForItsPlaces) {
  for (std::uint64_t row = 0; row < 6; ++row) read(cpu, row);
  for (std::uint64_t row = 6; row < 8; ++row) read(ssd, row);
  wait_for(2_us);
  EXPECT_EQ(order, (std::vector<unsigned>{0, 0, 1, 0, 1, 0, 0, 0}));
}

SYSTEMC_TEST_F(FullQueueTest, AResetEndsTheAccessesThatWaitForAPlace) {
  for (std::uint64_t row = 0; row < 6; ++row) read(cpu, row);
  wait_for(1_ns);
  memory.reset(Reset::warm);
  wait_for(20_ns);
  EXPECT_EQ(order.size(), 6u);
  cpu.read32(0);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
}

SYSTEMC_TEST_F(ExactMemoryTest, GrantsDirectAccessOnlyWhereItIsMonitored) {
  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  payload.set_extension(&cpu.who);
  EXPECT_TRUE(cpu.socket->get_direct_mem_ptr(payload, dmi));
  EXPECT_TRUE(cpu.who.monitored);
  payload.clear_extension(&cpu.who);
}

SYSTEMC_TEST_F(MemoryControllerTest, AModeThatThereIsNotIsRefused) {
  set(memory.registers.range_first_low, 0x4000'0000 + rank);
  set(memory.registers.range_size_low, 4096);
  set(memory.registers.range_control, 3);
  EXPECT_EQ(value(memory.registers.range_status), static_cast<std::uint32_t>(RangeProblem::reserved_mode));
  EXPECT_EQ(value(memory.registers.range_control), 0u);
  memory.inject(dead_chip(3));
  cpu.read32(rank);  // this reports an error, with the mode of the block
  for (const Reset kind : {Reset::warm, Reset::power_loss}) {
    memory.reset(kind);
    memory.power_up();
    cpu.write32(64, 7);
    EXPECT_EQ(cpu.read32(64), 7u);
  }
}

// Writes any value to any register, with faults, accesses and resets in between.
SYSTEMC_TEST_F(MemoryControllerTest, NoValueOfARegisterIsTooMuch) {
  set_log_levels({{"memory", LogLevel::off}});
  const MemoryRegisters list;
  RegisterFuzz fuzz(guest, list,
                    {0, 0, 0, 0, 0x4000'0000, 0x4000'0000 + rank, 0x4000'1000, 4096, rank, 2 * rank, 1000},
                    11);
  for (int i = 0; i < 20'000; ++i) {
    fuzz.touch();
    const std::uint64_t offset = fuzz.random.below((4_MiB).count() / 8) * 8;
    if (fuzz.random.below(4) == 0) cpu.write(offset, fuzz.random.next());
    if (fuzz.random.below(4) == 0) cpu.read<std::uint64_t>(offset);
    if (fuzz.random.below(500) == 0) memory.inject(dead_chip(static_cast<unsigned>(fuzz.random.below(18))));
    if (fuzz.random.below(20) == 0) wait_for(Picoseconds(fuzz.random.below(10'000'000)));
    cpu.delay = sc_core::SC_ZERO_TIME;
    if (fuzz.random.below(200) != 0) continue;
    memory.reset(static_cast<Reset>(fuzz.random.below(3)));
    memory.power_up();
  }
  cpu.write32(64, 7);
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
