// Writes that a guard keeps waiting, and what of direct memory it leaves.
#include <utility>
#include <vector>

#include "memory/memory_controller.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr Address base(0x4000'0000);
constexpr std::uint64_t watched = 0x3000;  // a page's offset

struct NoEvents final : EventLog {
  void record(Picoseconds, std::string_view, std::string_view, std::initializer_list<Detail>) override {}
};

// Keeps writes to one page waiting while it is closed.
struct Door : WriteGuard {
  using Lines = std::pair<std::uint64_t, std::uint64_t>;  // page, lines
  bool closed = true;
  sc_core::sc_event opened;
  std::vector<Lines> held, told;

  bool watches(Address page) const override { return page == base + Bytes(watched); }
  bool admits(Address) const override { return !closed; }
  void hold(Address page, std::uint64_t lines) override {
    held.emplace_back(page.value(), lines);
    while (closed) sc_core::wait(opened);
  }
  void written(Address page, std::uint64_t lines) override { told.emplace_back(page.value(), lines); }
  void open() {
    closed = false;
    opened.notify(sc_core::SC_ZERO_TIME);
  }
};

struct MemoryControllerGuardTest : SystemCTest {
  NoEvents events;
  MemoryController memory;
  Door door;
  TestInitiator cpu{"cpu"}, ssd{"ssd"}, guest{"guest"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq{"irq"};

  explicit MemoryControllerGuardTest(MemoryFidelity fidelity = MemoryFidelity::loose)
      : memory("memory", settings(fidelity), 2, events) {
    cpu.socket.bind(memory.ports[0]);
    ssd.socket.bind(memory.ports[1]);
    ssd.who.master = InitiatorExtension::first_device_master;
    guest.socket.bind(memory.target);
    memory.interrupt.bind(irq);
  }
  static MemoryController::Settings settings(MemoryFidelity fidelity) {
    MemoryConfig config;
    config.size = 4_MiB;
    config.fidelity = fidelity;
    return {.config = config, .part = {}, .base = base};
  }
  void open_after(Picoseconds time) {
    sc_core::sc_spawn([this, time] {
      sc_core::wait(to_sc_time(time));
      door.open();
    });
  }
  // What is granted around an offset; empty: nothing.
  AddressRange granted(std::uint64_t offset) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, offset, nullptr, 8);
    tlm::tlm_dmi dmi;
    if (!cpu.socket->get_direct_mem_ptr(payload, dmi)) return {Address(0), Bytes(0)};
    return {Address(dmi.get_start_address()), Bytes(dmi.get_end_address() - dmi.get_start_address() + 1)};
  }
};
struct MemoryControllerExactGuardTest : MemoryControllerGuardTest {
  MemoryControllerExactGuardTest() : MemoryControllerGuardTest(MemoryFidelity::exact) {}
};

SYSTEMC_TEST_F(MemoryControllerGuardTest, AWriteOfACoreWaitsAndIsToldWhenItHappens) {
  cpu.write32(watched + 128, 1);
  memory.guard(&door, false);
  open_after(5_us);
  cpu.delay = to_sc_time(1_us);
  cpu.write32(watched + 128, 2);
  EXPECT_EQ(now(), 5_us);
  EXPECT_EQ(cpu.read32(watched + 128), 2u);
  EXPECT_EQ(door.held, (std::vector<Door::Lines>{{(base + Bytes(watched)).value(), 4}}));
  EXPECT_EQ(door.told, door.held);
}

SYSTEMC_TEST_F(MemoryControllerExactGuardTest, AWriteOfACoreWaitsInTheQueuesToo) {
  cpu.write32(watched, 1);
  memory.guard(&door, false);
  open_after(5_us);
  cpu.write32(watched, 2);
  EXPECT_GE(now(), 5_us);
  EXPECT_EQ(cpu.read32(watched), 2u);
}

SYSTEMC_TEST_F(MemoryControllerGuardTest, ReadsDevicesAndOtherPagesDoNotWait) {
  memory.guard(&door, false);
  cpu.read32(watched);
  ssd.write32(watched, 3);
  cpu.write32(watched - 4, 1);
  cpu.write32(watched + 4096, 1);
  cpu.who.shown = true;  // the data are there already
  cpu.write32(watched + 8, 1);
  EXPECT_TRUE(door.held.empty());
  EXPECT_TRUE(door.told.empty());
  cpu.who.shown = false;
  EXPECT_EQ(cpu.read32(watched), 3u);
}

SYSTEMC_TEST_F(MemoryControllerGuardTest, AWriteThatAResetMeetsIsRefusedAndNotDone) {
  cpu.write32(watched, 7);
  memory.guard(&door, false);
  sc_core::sc_spawn([this] {
    sc_core::wait(to_sc_time(2_us));
    memory.reset(Reset::warm);
    door.open();
  });
  cpu.write32(watched, 8);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(cpu.read32(watched), 7u);
  EXPECT_TRUE(door.told.empty());
}

SYSTEMC_TEST_F(MemoryControllerGuardTest, ARefusingGuardLeavesDirectMemoryAroundItsPages) {
  const AddressRange all{Address(0), 4_MiB};
  EXPECT_EQ(granted(watched), all);
  memory.guard(&door, true);
  EXPECT_EQ(cpu.invalidations, 1u);
  EXPECT_EQ(granted(watched), (AddressRange{Address(0), Bytes(0)}));
  EXPECT_EQ(granted(0), (AddressRange{Address(0), Bytes(watched)}));
  EXPECT_EQ(granted(watched + 4096), (AddressRange{Address(watched + 4096), 2_MiB - Bytes(watched + 4096)}));
  memory.guard(nullptr, false);
  EXPECT_EQ(cpu.invalidations, 2u);
  EXPECT_EQ(granted(watched), all);
}

SYSTEMC_TEST_F(MemoryControllerGuardTest, APageIsDirectMemoryWhileItIsAdmitted) {
  door.closed = false;
  memory.guard(&door, true);
  EXPECT_EQ(granted(watched), (AddressRange{Address(watched), 4_KiB}));
  door.closed = true;
  memory.ask_again({base + Bytes(watched), 4_KiB});
  EXPECT_EQ(cpu.invalidations, 2u);
  EXPECT_EQ(granted(watched), (AddressRange{Address(0), Bytes(0)}));
  EXPECT_EQ(granted(0), (AddressRange{Address(0), Bytes(watched)}));
  door.closed = false;
  EXPECT_EQ(granted(watched), (AddressRange{Address(watched), 4_KiB}));
}

SYSTEMC_TEST_F(MemoryControllerGuardTest, AGuardThatDoesNotRefuseWithdrawsNothing) {
  memory.guard(&door, false);
  memory.ask_again({base + Bytes(watched), 4_KiB});
  EXPECT_EQ(cpu.invalidations, 0u);
  EXPECT_EQ(granted(watched), (AddressRange{Address(0), 4_MiB}));
}

}  // namespace
}  // namespace asterism
