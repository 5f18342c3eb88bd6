#include "cosim/rtl_device.h"

#include <algorithm>
#include <map>

#include "base/random.h"
#include "devices/gic.h"
#include "tlm/log.h"
#include "tlm/payload.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t scratch = 0x00, count = 0x04, timer = 0x08, clear = 0x0C, pop = 0x10,
                        wait_states = 0x14, refuse = 0x18, hang = 0x1C, control = 0x24, source = 0x28,
                        target = 0x2C, words = 0x30, fail = 0x34;

std::shared_ptr<const RtlLibrary> variant(const std::string& name) {
  return RtlLibrary::open(std::string(COSIM_TEST_BUS_BLOCKS) + "/" + name + ".so");
}

// Words with a latency, and the times of their accesses.
struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::map<std::uint64_t, std::uint32_t> cells;
  std::vector<Picoseconds> accesses;
  bool is_poisoned = false;
  bool delays = false;  // an access waits for `proceed`
  sc_core::sc_event proceed{"proceed"};
  std::vector<bool> aborted;  // of each access that has waited
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    accesses.push_back(now() + to_picoseconds(delay));
    EXPECT_EQ(master_of(payload), InitiatorExtension::first_device_master + 3);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    payload.get_extension<InitiatorExtension>()->poison = is_poisoned;
    if (delays) {
      sc_core::wait(proceed);
      aborted.push_back(is_aborted(payload));
      if (aborted.back()) return;
    }
    std::uint32_t& cell = cells[payload.get_address()];
    if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), &cell, 4);
    else
      std::memcpy(&cell, payload.get_data_ptr(), 4);
    delay += to_sc_time(95_ns);
  }
};

struct RtlDeviceTest : SystemCTest {
  RtlDevice device;
  TestInitiator cpu{"cpu"};
  Memory memory{"memory"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};
  std::vector<Lockstep::Mismatch> failures;

  explicit RtlDeviceTest(const char* name = "good", std::uint64_t max_cycles = 10'000,
                         Picoseconds quantum = 1_us, const RtlOptions& options = {})
      : device("device", variant(name),
               {.bus = {.time = {.clock = 100_MHz, .quantum = quantum}, .max_cycles = max_cycles},
                .master = InitiatorExtension::first_device_master + 3},
               options) {
    cpu.socket.bind(device.target);
    if (device.master) device.master->bind(memory.socket);
    device.interrupts[0].bind(line);
    device.on_failure = [this](const Lockstep::Mismatch& failure) { failures.push_back(failure); };
  }
  Picoseconds time() const { return now() + to_picoseconds(cpu.delay); }
};

SYSTEMC_TEST_F(RtlDeviceTest, AnAccessActsAfterTheCallersDelayAndAddsItsCycles) {
  cpu.delay = to_sc_time(995_ns);
  cpu.write32(scratch, 7);
  EXPECT_EQ(now(), 995_ns);
  EXPECT_EQ(time(), 1'010_ns);
  EXPECT_EQ(cpu.read32(scratch), 7u);
  EXPECT_EQ(time(), 1'030_ns);
}

SYSTEMC_TEST_F(RtlDeviceTest, ACountDoesNotDependOnHowFarTheCallerIsAhead) {
  cpu.write32(control, 1);
  wait_until(2_us);
  cpu.delay = sc_core::SC_ZERO_TIME;
  EXPECT_EQ(cpu.read32(count), 198u);
  cpu.delay = to_sc_time(1_us);
  EXPECT_EQ(cpu.read32(count), 298u);
}

SYSTEMC_TEST_F(RtlDeviceTest, WaitStatesAreTheCallersTime) {
  cpu.write32(wait_states, 5);
  wait_until(1_us);
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.read32(scratch);
  EXPECT_EQ(time(), 1'070_ns);
}

SYSTEMC_TEST_F(RtlDeviceTest, NarrowAndWideAccessesMeetTheirBytes) {
  cpu.write32(scratch, 0x44332211);
  EXPECT_EQ(cpu.read<std::uint8_t>(1), 0x22);
  cpu.write<std::uint16_t>(1, 0xBBAA);
  EXPECT_EQ(cpu.read32(scratch), 0x44BBAA11u);
  cpu.write<std::uint64_t>(source, 0x00000200'00000100u);
  EXPECT_EQ(cpu.read32(source), 0x100u);
  EXPECT_EQ(cpu.read32(target), 0x200u);
}

SYSTEMC_TEST_F(RtlDeviceTest, AnErrorIsTheCallers) {
  cpu.read32(refuse);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  cpu.read32(scratch);
  EXPECT_EQ(cpu.status, tlm::TLM_OK_RESPONSE);
}

SYSTEMC_TEST_F(RtlDeviceTest, TheInterruptChangesAtItsEdge) {
  cpu.write32(timer, 1000);
  const Picoseconds written = time();
  expect_earliest(written + 10_us, [&] { return line.read(); });
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(clear, 1);
  EXPECT_TRUE(line.read());
  expect_earliest(time(), [&] { return !line.read(); });
}

SYSTEMC_TEST_F(RtlDeviceTest, AnIdleDeviceHasNothingToWaitFor) {
  cpu.write32(scratch, 1);
  wait_for(1_us);
  EXPECT_EQ(sc_core::sc_time_to_pending_activity(), sc_core::sc_max_time() - sc_core::sc_time_stamp());
  const auto cycles = device.bus().timeline().cycles();
  wait_for(100_s);
  EXPECT_EQ(device.bus().timeline().cycles(), cycles);
  EXPECT_EQ(cpu.read32(scratch), 1u);
}

SYSTEMC_TEST_F(RtlDeviceTest, ADebugReadSeesAndChangesNothing) {
  cpu.write32(timer, 100);
  cpu.read32(pop);
  wait_for(500_ns);
  const auto cycles = device.bus().timeline().cycles();
  std::uint32_t value = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, pop, &value, 4), 4u);
    EXPECT_EQ(value, 1u);
  }
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, timer, &value, 4), 4u);
  EXPECT_LT(value, 60u);
  EXPECT_EQ(device.bus().timeline().cycles(), cycles);
  EXPECT_EQ(cpu.read32(pop), 1u);
}

SYSTEMC_TEST_F(RtlDeviceTest, ADebugWriteIsRefused) {
  set_log_levels({{"device", LogLevel::off}});
  std::uint32_t value = 9;
  EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, scratch, &value, 4), 0u);
  EXPECT_EQ(cpu.read32(scratch), 0u);
}

SYSTEMC_TEST_F(RtlDeviceTest, NeverGrantsDirectMemory) {
  tlm::tlm_generic_payload payload;
  std::uint32_t value = 0;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, scratch, &value, 4);
  tlm::tlm_dmi dmi;
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
}

SYSTEMC_TEST_F(RtlDeviceTest, AResetLowersTheLineAndKeepsWhatTheBatteryKeeps) {
  cpu.write32(control, 1);
  cpu.write32(timer, 10);
  wait_until(1_us);
  ASSERT_TRUE(line.read());
  device.reset(Reset::power_loss);
  wait_for(100_ns);
  EXPECT_FALSE(line.read());
  wait_until(2_us);
  cpu.delay = sc_core::SC_ZERO_TIME;
  EXPECT_EQ(cpu.read32(count), 198u);
  device.reset(Reset::cold);
  EXPECT_EQ(cpu.read32(count), 0u);
}

SYSTEMC_TEST_F(RtlDeviceTest, AMasterCopiesThroughItsSocket) {
  memory.cells = {{0x100, 11}, {0x104, 22}};
  cpu.write32(source, 0x100);
  cpu.write32(target, 0x200);
  cpu.write32(words, 2);
  const Picoseconds start = time();
  wait_for(10_us);
  EXPECT_EQ(memory.cells[0x200], 11u);
  EXPECT_EQ(memory.cells[0x204], 22u);
  // The port is set up by the edge of the write and enabled by the next one; the answer comes 95 ns later and
  // is taken by the edge after it, which sets up the next access.
  ASSERT_EQ(memory.accesses.size(), 4u);
  EXPECT_EQ(memory.accesses[0], start + 10_ns);
  EXPECT_EQ(memory.accesses[1], start + 120_ns);
  EXPECT_TRUE(line.read());
}

SYSTEMC_TEST_F(RtlDeviceTest, DebugReadsDuringACopyChangeNothing) {
  memory.cells = {{0x100, 11}, {0x104, 22}};
  cpu.write32(source, 0x100);
  cpu.write32(target, 0x200);
  cpu.write32(words, 2);
  const Picoseconds start = time();
  wait_until(start + 500_ps);
  for (; !line.read(); wait_for(1_ns)) {
    std::uint32_t value = 0;
    ASSERT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, words, &value, 4), 4u);
    // It reads what is after the next edge, which takes the memory's answer: of the first write from
    // 215 ns on.
    ASSERT_EQ(value, now() < start + 215_ns ? 2u : now() < start + 435_ns ? 1u : 0u) << now().count();
  }
  EXPECT_EQ(now(), start + 440_ns + 500_ps);
  EXPECT_EQ(memory.cells[0x200], 11u);
  EXPECT_EQ(memory.cells[0x204], 22u);
  ASSERT_EQ(memory.accesses.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(memory.accesses[i], start + 10_ns + 110_ns * i);
}

SYSTEMC_TEST_F(RtlDeviceTest, AResetEndsAnAccessOfTheMaster) {
  memory.cells = {{0x100, 11}};
  memory.delays = true;
  cpu.write32(source, 0x100);
  cpu.write32(target, 0x200);
  cpu.write32(words, 1);
  wait_for(1_us);
  memory.proceed.notify();  // the read
  wait_for(1_us);
  device.reset(Reset::warm);
  memory.proceed.notify();  // the write
  wait_for(1_us);
  EXPECT_EQ(memory.aborted, (std::vector{false, true}));
  EXPECT_EQ(memory.cells[0x200], 0u);
  memory.delays = false;
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(source, 0x100);
  cpu.write32(target, 0x200);
  cpu.write32(words, 1);
  wait_for(1_us);
  EXPECT_EQ(memory.cells[0x200], 11u);
}

SYSTEMC_TEST_F(RtlDeviceTest, CountsItsOwnAccessesAndThePoisonedOnes) {
  memory.is_poisoned = true;
  cpu.write32(words, 1);
  wait_for(1_us);
  Statistics statistics;
  device.report(statistics);
  ASSERT_EQ(statistics.entries().size(), 4u);
  const auto entry = [&](std::size_t i) {
    const auto& [name, value] = statistics.entries()[i];
    return std::pair(name, std::get<std::uint64_t>(value));
  };
  EXPECT_EQ(entry(0), std::pair(std::string("accesses"), std::uint64_t{1}));
  EXPECT_EQ(entry(1), std::pair(std::string("own_accesses"), std::uint64_t{2}));
  EXPECT_EQ(entry(2), std::pair(std::string("own_errors"), std::uint64_t{2}));
}

SYSTEMC_TEST_F(RtlDeviceTest, CountsTheRisesOfItsLines) {
  for (int i = 0; i < 3; ++i) {
    cpu.write32(timer, 10);
    wait_for(1_us);
    cpu.write32(clear, 1);
    wait_for(1_us);
  }
  Statistics statistics;
  device.report(statistics);
  const auto& [name, value] = statistics.entries().back();
  EXPECT_EQ(name, "interrupts_raised");
  EXPECT_EQ(std::get<std::uint64_t>(value), 3u);
}

SYSTEMC_TEST_F(RtlDeviceTest, ARegisterAnswersWhileTheMasterWaits) {
  cpu.write32(words, 1);
  cpu.delay = sc_core::SC_ZERO_TIME;
  wait_for(60_ns);
  EXPECT_EQ(cpu.read32(words), 1u);
  EXPECT_EQ(now(), 60_ns);
  wait_for(1_us);
  EXPECT_EQ(memory.accesses.size(), 2u);
}

// An access with wait states waits while the block's own access is in progress.
struct RtlDeviceWaitTest : RtlDeviceTest {
  struct Returned {
    Picoseconds at;
    std::uint32_t data;
    tlm::tlm_response_status status;
  };
  std::vector<Returned> returned;

  void copy_and_access_twice() {
    cpu.write32(scratch, 77);
    cpu.write32(wait_states, 3);
    wait_until(1_us);
    cpu.delay = sc_core::SC_ZERO_TIME;
    cpu.write32(words, 1);
    // The write of WORDS ends at 1'050 with its wait states; the block's request follows at 1'070, after
    // setup and enable.
    wait_until(1'070_ns);
    for (int caller = 0; caller < 2; ++caller)
      sc_core::sc_spawn([this] {
        std::uint32_t data = 0;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        tlm::tlm_generic_payload payload;
        TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, scratch, &data, 4);
        cpu.socket->b_transport(payload, delay);
        returned.push_back({now() + to_picoseconds(delay), data, payload.get_response_status()});
      });
  }
};

SYSTEMC_TEST_F(RtlDeviceWaitTest, CallersAreServedOneAfterTheOther) {
  copy_and_access_twice();
  wait_for(5_us);
  ASSERT_EQ(returned.size(), 2u);
  for (const Returned& one : returned) {
    EXPECT_EQ(one.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(one.data, 77u);
  }
  EXPECT_GE(returned[1].at, returned[0].at + 50_ns);  // two cycles and three wait states
}

SYSTEMC_TEST_F(RtlDeviceWaitTest, AResetEndsWhatWaits) {
  copy_and_access_twice();
  wait_for(20_ns);
  device.reset(Reset::warm);
  wait_for(5_us);
  ASSERT_EQ(returned.size(), 2u);
  EXPECT_EQ(returned[0].status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(returned[1].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(returned[1].data, 0u);
}

SYSTEMC_TEST_F(RtlDeviceTest, RtlThatFailsIsReportedOnceAndAnswersErrors) {
  cpu.write32(fail, 1);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  cpu.read32(scratch);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].instance, "device");
  EXPECT_EQ(failures[0].what, "RTL failed");
  EXPECT_EQ(failures[0].rtl, "test_bus_block.sv:34: FAIL was written");
}

SYSTEMC_TEST_F(RtlDeviceTest, AnyPayloadGetsAnAnswer) {
  set_log_levels({{"device", LogLevel::off}});
  Random random(1);
  unsigned char data[16] = {}, enables[4];
  for (int i = 0; i < 5000; ++i) {
    for (auto& byte : data) byte = static_cast<unsigned char>(random.below(4));
    for (auto& enable : enables) enable = random.below(2) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    tlm::tlm_generic_payload payload;
    const std::uint64_t address =
        random.below(4) ? random.below(0x18) : random.next();  // an access that ends
    TestInitiator::fill(payload, static_cast<tlm::tlm_command>(random.below(3)), address, data,
                        static_cast<unsigned>(random.below(9)));
    if (random.below(4) == 0) payload.set_streaming_width(static_cast<unsigned>(random.below(10)));
    if (random.below(2)) {
      payload.set_byte_enable_ptr(enables);
      payload.set_byte_enable_length(static_cast<unsigned>(random.below(5)));
    }
    if (address < 0x40 && address + payload.get_data_length() > 0x18) continue;
    if (payload.is_write() && address < wait_states + 4 && address + payload.get_data_length() > wait_states)
      continue;
    cpu.delay = to_sc_time(Picoseconds(random.below(1000)));
    const Picoseconds earliest = time();
    cpu.transport(payload);
    ASSERT_NE(cpu.status, tlm::TLM_INCOMPLETE_RESPONSE);
    ASSERT_GE(time(), earliest);
  }
  EXPECT_TRUE(failures.empty());
}

struct RtlDeviceTwoInterruptsTest : RtlDeviceTest {
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> copy_line{"copy_line"};
  std::vector<std::tuple<Picoseconds, bool, bool>> levels;  // after each change

  RtlDeviceTwoInterruptsTest() : RtlDeviceTest("two_interrupts") {
    device.interrupts[1].bind(copy_line);
    sc_core::sc_spawn_options watch;
    watch.spawn_method();
    watch.dont_initialize();
    watch.set_sensitivity(&line.value_changed_event());
    watch.set_sensitivity(&copy_line.value_changed_event());
    sc_core::sc_spawn([this] { levels.emplace_back(now(), line.read(), copy_line.read()); }, "watch", &watch);
  }
};

SYSTEMC_TEST_F(RtlDeviceTwoInterruptsTest, EachLineChangesAtItsOwnEdge) {
  cpu.write32(timer, 100);
  const Picoseconds timed = time() + 1_us;
  cpu.write32(words, 2);
  const Picoseconds copied = time() + 440_ns;
  wait_until(5_us);
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(clear, 1);
  wait_until(6_us);
  cpu.delay = sc_core::SC_ZERO_TIME;
  cpu.write32(clear, 2);
  wait_until(7_us);
  EXPECT_EQ(
      levels,
      (std::vector<std::tuple<Picoseconds, bool, bool>>{
          {copied, false, true}, {timed, true, true}, {5'020_ns, false, true}, {6'020_ns, false, false}}));
}

SYSTEMC_TEST_F(RtlDeviceTwoInterruptsTest, LinesThatChangeAtOneEdgeChangeTogether) {
  cpu.write32(timer, 46);
  const Picoseconds timed = time() + 460_ns;
  cpu.write32(words, 2);
  EXPECT_EQ(time() + 440_ns, timed);
  wait_for(1_us);
  EXPECT_EQ(levels, (std::vector<std::tuple<Picoseconds, bool, bool>>{{timed, true, true}}));
}

struct RtlDeviceHangTest : RtlDeviceTest {
  RtlDeviceHangTest() : RtlDeviceTest("good", 100) {}
};

SYSTEMC_TEST_F(RtlDeviceHangTest, AnAccessThatIsNeverReadyIsAFailure) {
  cpu.read32(hang);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].rtl, "the read of 0x01c hangs: pready_o was low for 100 cycles");
}

struct RtlDeviceNoEventTest : RtlDeviceTest {
  RtlDeviceNoEventTest() : RtlDeviceTest("no_idle") {}
};

SYSTEMC_TEST_F(RtlDeviceNoEventTest, TheInterruptChangesAtItsEdge) {
  cpu.write32(timer, 1234);
  expect_earliest(time() + 12'340_ns, [&] { return line.read(); });
}

SYSTEMC_TEST_F(RtlDeviceNoEventTest, TheMastersAccessesArrive) {
  memory.cells = {{0x100, 11}, {0x104, 22}, {0x108, 33}};
  cpu.write32(source, 0x100);
  cpu.write32(target, 0x200);
  cpu.write32(words, 3);
  wait_for(2_us);
  EXPECT_EQ(memory.cells[0x200], 11u);
  EXPECT_EQ(memory.cells[0x208], 33u);
}

// A block that reports neither idle nor next_event; its interrupt is high for one cycle in a hundred. The
// line goes to an SPI, whose core takes each interrupt as it comes.
struct RtlDevicePulseTest : RtlDeviceTest {
  static constexpr unsigned spi = 40;
  Gic gic{1};
  std::vector<Picoseconds> rises, falls;
  std::uint64_t taken = 0;

  explicit RtlDevicePulseTest(Picoseconds quantum = 1_us, const RtlOptions& options = {}, bool by_edge = true)
      : RtlDeviceTest("pulse", 10'000, quantum, options) {
    gic.set_control(Gic::enable_group0);
    gic.set_cpu_control(Gic::enable_group0, 0);
    gic.set_priority_mask(0xFF, 0);
    gic.set_config(spi / 16, by_edge ? 2u << spi % 16 * 2 : 0, 0);
    gic.set_targets(spi / 4, 1u << spi % 4 * 8, 0);
    gic.set_enabled(spi / 32, 1u << spi % 32, 0);
    sc_core::sc_spawn_options watch;
    watch.spawn_method();
    watch.dont_initialize();
    watch.set_sensitivity(&line.value_changed_event());
    sc_core::sc_spawn([this] { changed(); }, "watch", &watch);
  }
  void changed() {
    gic.set_line(spi, line.read(), 0);
    (line.read() ? rises : falls).push_back(now());
    if (gic.next_acknowledged(0) != spi) return;
    ++taken;
    gic.end_of_interrupt(gic.acknowledge(0), 0);
  }
  // Expects each pulse in 200 us at its own time.
  void expect_all() {
    cpu.write32(timer, 100);
    const Picoseconds written = time();
    wait_until(written + 200_us + 500_ns);
    std::vector<Picoseconds> expected_rises, expected_falls;
    for (Picoseconds at = written + 1_us; at <= written + 200_us; at += 1_us) {
      expected_rises.push_back(at);
      expected_falls.push_back(at + 10_ns);
    }
    EXPECT_EQ(rises, expected_rises);
    EXPECT_EQ(falls, expected_falls);
    EXPECT_EQ(taken, 200u);
  }
};

SYSTEMC_TEST_F(RtlDevicePulseTest, EachPulseIsAnInterrupt) { expect_all(); }

struct RtlDevicePulseShortQuantumTest : RtlDevicePulseTest {
  RtlDevicePulseShortQuantumTest() : RtlDevicePulseTest(10_ns) {}
};
SYSTEMC_TEST_F(RtlDevicePulseShortQuantumTest, EachPulseIsAnInterrupt) { expect_all(); }

struct RtlDevicePulseLongQuantumTest : RtlDevicePulseTest {
  RtlDevicePulseLongQuantumTest() : RtlDevicePulseTest(1_ms) {}
};
SYSTEMC_TEST_F(RtlDevicePulseLongQuantumTest, EachPulseIsAnInterrupt) { expect_all(); }

struct RtlDevicePulseNoSkipTest : RtlDevicePulseTest {
  RtlDevicePulseNoSkipTest() : RtlDevicePulseTest(1_us, {.skip = false, .check_idle = true}) {}
};
SYSTEMC_TEST_F(RtlDevicePulseNoSkipTest, EachPulseIsAnInterrupt) { expect_all(); }

struct RtlDevicePulseLevelTest : RtlDevicePulseTest {
  RtlDevicePulseLevelTest() : RtlDevicePulseTest(1_us, {}, false) {}
};
SYSTEMC_TEST_F(RtlDevicePulseLevelTest, ALevelTriggeredSpiIsPendingWhileThePulseLasts) { expect_all(); }

// Accesses also step the block and drive its lines.
SYSTEMC_TEST_F(RtlDevicePulseTest, EachPulseIsAnInterruptBesideAccesses) {
  cpu.write32(timer, 7);
  const Picoseconds written = time();
  Random random(3);
  for (Picoseconds at = written; at < written + 100_us; at += Picoseconds(random.below(300'000))) {
    wait_until(std::max(at, now()));
    cpu.delay = sc_core::SC_ZERO_TIME;
    cpu.write32(scratch, 1);
  }
  wait_until(written + 150_us + 5_ns);
  const std::uint64_t pulses = 150'000 / 70;
  EXPECT_EQ(taken, pulses);
  ASSERT_EQ(rises.size(), pulses);
  EXPECT_EQ(rises.back(), written + 70_ns * pulses);
}

}  // namespace
}  // namespace asterism
