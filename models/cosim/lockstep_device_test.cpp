#include "cosim/lockstep_device.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tlm/log.h"
#include "tlm/register_socket.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr std::uint64_t scratch = 0x00, count = 0x04, timer = 0x08, clear = 0x0C, control = 0x24;

struct Registers : RegisterBank {
  // clang-format off
  Register scratch{*this, 0x00, "SCRATCH", Access::read_write, 0, ""};
  Register count{*this, 0x04, "COUNT", Access::read_only, 0, ""};
  Register timer{*this, 0x08, "TIMER", Access::read_write, 0, ""};
  Register clear{*this, 0x0C, "CLEAR", Access::write_only, 0, ""};
  Register control{*this, 0x24, "CONTROL", Access::read_write, 0, ""};
  // clang-format on
  Registers() : RegisterBank("BLOCK", 64_B) {}
};

// A model of the block in test_bus_block.cpp without its master, at 100 MHz.
struct Model : sc_core::sc_module {
  Registers registers;
  RegisterSocket target{"target", registers};
  sc_core::sc_out<bool> interrupt{"interrupt"};
  Alarm alarm{"alarm", [this](Picoseconds) { interrupt.write(true); }};
  std::optional<Picoseconds> counting;

  explicit Model(const sc_core::sc_module_name& name) : sc_module(name) {
    registers.scratch.on_write([](std::uint32_t) {});
    registers.count.computed(
        [this] { return counting ? static_cast<std::uint32_t>((now() - *counting) / 10_ns) : 0; });
    registers.timer.computed(
        [this] { return alarm.armed() ? static_cast<std::uint32_t>((*alarm.armed() - now()) / 10_ns) : 0; });
    registers.timer.on_write(
        [this](std::uint32_t n) { alarm.arm(n ? std::optional(now() + n * 10_ns) : std::nullopt); });
    registers.clear.on_write([this](std::uint32_t) { interrupt.write(false); });
    registers.control.on_write(
        [this](std::uint32_t value) { counting = value ? std::optional(now() + 20_ns) : std::nullopt; });
  }
};

struct LockstepDeviceTest : SystemCTest {
  Model model{"model"};
  LockstepDevice lockstep;
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};

  explicit LockstepDeviceTest(const char* name = "no_master")
      : lockstep("lockstep", RtlLibrary::open(std::string(COSIM_TEST_BUS_BLOCKS) + "/" + name + ".so"),
                 {.instance = "model",
                  .bus = {.time = {.clock = 100_MHz}},
                  .window = 200_ns,
                  .states = {{"rest", "request", "read", "received", "write"}}},
                 {}, model.registers) {
    cpu.socket.bind(lockstep.target);
    lockstep.model.bind(model.target);
    model.interrupt.bind(line);
    lockstep.interrupts[0].bind(line);
  }
  std::string what() const {
    return lockstep.lockstep().mismatch() ? lockstep.lockstep().mismatch()->what : "";
  }
  void exercise() {
    wait_until(1_us);
    cpu.write32(scratch, 0xF0);
    wait_for(100_ns);
    EXPECT_EQ(cpu.read32(scratch), 0xF0u);
    wait_for(100_ns);
    cpu.write32(timer, 1000);
    expect_earliest(11'200_ns, [&] { return line.read(); });
    wait_for(1_us);
    cpu.write32(clear, 1);
    wait_for(1_us);
  }
};

SYSTEMC_TEST_F(LockstepDeviceTest, AModelAndItsRtlAreEqual) {
  exercise();
  EXPECT_EQ(what(), "");
  EXPECT_EQ(lockstep.lockstep().transactions(), 4u);
  EXPECT_EQ(lockstep.lockstep().coverage().text(),
            (std::vector<std::string>{"registers read 1/4 (never COUNT, TIMER, CONTROL)",
                                      "registers written 3/4 (never CONTROL)", "interrupt edges 2/2",
                                      "states 1/5 (never request, read, received, write)"}));
}

SYSTEMC_TEST_F(LockstepDeviceTest, TheModelAnswersAtItsOwnTime) {
  cpu.delay = to_sc_time(37_ns);
  cpu.write32(scratch, 1);
  EXPECT_EQ(now(), 37_ns);
  EXPECT_EQ(cpu.delay, sc_core::SC_ZERO_TIME);
  EXPECT_EQ(what(), "");
}

SYSTEMC_TEST_F(LockstepDeviceTest, ACountIsEqualAtEveryMoment) {
  cpu.write32(control, 1);
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    wait_for(20_ns + Picoseconds(random.below(50'000)));
    cpu.read32(count);
    cpu.read32(count);
    ASSERT_EQ(what(), "") << lockstep.lockstep().mismatch()->text();
  }
}

SYSTEMC_TEST_F(LockstepDeviceTest, DebugAccessesAreTheModelsAlone) {
  std::uint32_t value = 0;
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, scratch, &value, 4), 4u);
  EXPECT_EQ(lockstep.lockstep().transactions(), 0u);
}

SYSTEMC_TEST_F(LockstepDeviceTest, NeverGrantsDirectMemory) {
  tlm::tlm_generic_payload payload;
  std::uint32_t value = 0;
  TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, scratch, &value, 4);
  tlm::tlm_dmi dmi;
  EXPECT_FALSE(cpu.socket->get_direct_mem_ptr(payload, dmi));
}

SYSTEMC_TEST_F(LockstepDeviceTest, AnInterruptOfTheRtlAloneIsFoundWithoutAnAccess) {
  wait_until(1_us);
  cpu.write32(timer, 50);
  model.alarm.arm(std::nullopt);
  wait_for(1_us);
  EXPECT_EQ(what(), "interrupt 0");
  EXPECT_EQ(lockstep.lockstep().mismatch()->rtl, "rises at 1.520000 us");
}

SYSTEMC_TEST_F(LockstepDeviceTest, AnInterruptOfTheModelAloneIsFoundWithoutAnAccess) {
  wait_until(1_us);
  model.interrupt.write(true);
  wait_for(1_us);
  EXPECT_EQ(what(), "interrupt 0");
  EXPECT_EQ(lockstep.lockstep().mismatch()->model, "rises at 1.000000 us");
}

SYSTEMC_TEST_F(LockstepDeviceTest, ADifferenceIsReportedOnce) {
  int reports = 0;
  lockstep.on_mismatch = [&](const Lockstep::Mismatch&) { ++reports; };
  model.registers.scratch.set(5);
  wait_until(1_us);
  EXPECT_EQ(cpu.read32(scratch), 5u);
  EXPECT_EQ(cpu.read32(scratch), 5u);
  EXPECT_EQ(reports, 1);
}

SYSTEMC_TEST_F(LockstepDeviceTest, BytesWithHolesAreOneAccess) {
  wait_until(1_us);
  std::uint64_t data = 0x1122334455667788;
  unsigned char enables[] = {0xFF, 0, 0xFF, 0xFF, 0};
  for (const auto command : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, command, scratch, &data, 4);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(5);
    cpu.transport(payload);
  }
  EXPECT_EQ(cpu.read32(scratch), 0x55660088u);
  EXPECT_EQ(lockstep.lockstep().transactions(), 3u);
  EXPECT_EQ(what(), "");
}

// A model with a second line, which rises 40 ns after a write of WORDS for each word.
struct LockstepTwoInterruptsTest : LockstepDeviceTest {
  Register words{model.registers, 0x30, "WORDS", Access::read_write, 0, ""};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> copy_line{"copy_line"};
  Alarm copied{"copied", [this](Picoseconds) { copy_line.write(true); }};

  LockstepTwoInterruptsTest() : LockstepDeviceTest("two_interrupts_no_master") {
    lockstep.interrupts[1].bind(copy_line);
    words.on_write([this](std::uint32_t n) { copied.arm(now() + n * 40_ns); });
  }
};

SYSTEMC_TEST_F(LockstepTwoInterruptsTest, TheLinesAreComparedEachByItself) {
  wait_until(1_us);
  cpu.write32(timer, 30);
  wait_for(100_ns);
  cpu.write32(0x30, 20);
  wait_for(2_us);
  EXPECT_EQ(what(), "");
  EXPECT_EQ(lockstep.lockstep().coverage().text()[2], "interrupt edges 2/4 (never 0 falls, 1 falls)");
  copy_line.write(false);
  wait_for(1_us);
  EXPECT_EQ(what(), "interrupt 1");
}

struct WrongDataTest : LockstepDeviceTest {
  WrongDataTest() : LockstepDeviceTest("wrong_data") {}
};
struct WrongStatusTest : LockstepDeviceTest {
  WrongStatusTest() : LockstepDeviceTest("wrong_status") {}
};
struct SlowTest : LockstepDeviceTest {
  SlowTest() : LockstepDeviceTest("slow") {}
};
struct LateTest : LockstepDeviceTest {
  LateTest() : LockstepDeviceTest("late") {}
};

SYSTEMC_TEST_F(WrongDataTest, IsFound) {
  exercise();
  EXPECT_EQ(what(), "data");
}
SYSTEMC_TEST_F(WrongStatusTest, IsFound) {
  exercise();
  EXPECT_EQ(what(), "status");
}
SYSTEMC_TEST_F(SlowTest, IsFound) {
  exercise();
  EXPECT_EQ(what(), "latency");
}
SYSTEMC_TEST_F(LateTest, IsFound) {
  exercise();
  EXPECT_EQ(what(), "interrupt 0");
}

}  // namespace
}  // namespace asterism
