// Write protection: writes that wait, reports of writes, and direct memory.
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

// A bus master that was written for another platform, with plain TLM-2.0 and no extension.
struct ForeignMaster : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<ForeignMaster> socket{"socket"};
  explicit ForeignMaster(const sc_core::sc_module_name& name) : sc_module(name) {}

  tlm::tlm_response_status write(std::uint64_t offset, std::vector<std::uint8_t> data) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, offset, data.data(),
                        static_cast<unsigned>(data.size()));
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    return payload.get_response_status();
  }
  bool is_granted(std::uint64_t offset) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, offset, nullptr, 8);
    tlm::tlm_dmi dmi;
    return socket->get_direct_mem_ptr(payload, dmi);
  }
};

// Keeps writes to one page waiting while it is closed.
struct PageGuard : WriteGuard {
  using Lines = std::pair<std::uint64_t, std::uint64_t>;  // page, lines
  bool closed = true;
  sc_core::sc_event opened;
  std::vector<Lines> blocked, reported;

  bool is_protected(Address page) const override { return page == base + Bytes(watched); }
  bool is_write_allowed(Address) const override { return !closed; }
  void block_write(Address page, std::uint64_t lines) override {
    blocked.emplace_back(page.value(), lines);
    while (closed) sc_core::wait(opened);
  }
  void written(Address page, std::uint64_t lines) override { reported.emplace_back(page.value(), lines); }
  void open() {
    closed = false;
    opened.notify(sc_core::SC_ZERO_TIME);
  }
};

struct MemoryControllerProtectionTest : SystemCTest {
  NoEvents events;
  MemoryController memory;
  PageGuard page_guard;
  TestInitiator cpu{"cpu"}, device{"device"}, guest{"guest"};
  ForeignMaster foreign{"foreign"};
  std::vector<AddressRange> foreign_writes;
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq{"irq"};

  explicit MemoryControllerProtectionTest(MemoryFidelity fidelity = MemoryFidelity::loose)
      : memory("memory", settings(fidelity), 3, events) {
    cpu.socket.bind(memory.ports[0]);
    device.socket.bind(memory.ports[1]);
    device.who.master = InitiatorExtension::first_device_master;
    foreign.socket.bind(memory.ports[2]);
    memory.on_foreign_write = [this](AddressRange range) { foreign_writes.push_back(range); };
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
      page_guard.open();
    });
  }
  // Returns the range that is granted around an offset, which is empty if nothing is granted.
  AddressRange granted(std::uint64_t offset) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, offset, nullptr, 8);
    payload.set_extension(&cpu.who);
    tlm::tlm_dmi dmi;
    const bool is_granted = cpu.socket->get_direct_mem_ptr(payload, dmi);
    payload.clear_extension(&cpu.who);
    if (!is_granted) return {Address(0), Bytes(0)};
    return {Address(dmi.get_start_address()), Bytes(dmi.get_end_address() - dmi.get_start_address() + 1)};
  }
};
struct MemoryControllerExactProtectionTest : MemoryControllerProtectionTest {
  MemoryControllerExactProtectionTest() : MemoryControllerProtectionTest(MemoryFidelity::exact) {}
};

SYSTEMC_TEST_F(MemoryControllerProtectionTest, AWriteOfACoreWaitsAndIsReportedWhenItHappens) {
  cpu.write32(watched + 128, 1);
  memory.guard(&page_guard);
  open_after(5_us);
  cpu.delay = to_sc_time(1_us);
  cpu.write32(watched + 128, 2);
  EXPECT_EQ(now(), 5_us);
  EXPECT_EQ(cpu.read32(watched + 128), 2u);
  EXPECT_EQ(page_guard.blocked, (std::vector<PageGuard::Lines>{{(base + Bytes(watched)).value(), 4}}));
  EXPECT_EQ(page_guard.reported, page_guard.blocked);
}

SYSTEMC_TEST_F(MemoryControllerExactProtectionTest, AWriteOfACoreWaitsInTheQueuesToo) {
  cpu.write32(watched, 1);
  memory.guard(&page_guard);
  open_after(5_us);
  cpu.write32(watched, 2);
  EXPECT_GE(now(), 5_us);
  EXPECT_EQ(cpu.read32(watched), 2u);
}

SYSTEMC_TEST_F(MemoryControllerProtectionTest, ReadsMonitoredWritesAndOtherPagesDoNotWait) {
  memory.guard(&page_guard);
  cpu.read32(watched);
  cpu.write32(watched - 4, 1);
  foreign.write(watched + 4096, {1});
  cpu.who.monitored = true;  // the core has written the data already
  cpu.write32(watched + 8, 1);
  EXPECT_TRUE(page_guard.blocked.empty());
  EXPECT_TRUE(page_guard.reported.empty());
}

// This holds for any master, one that follows the convention for the ids of devices and one that does not.
SYSTEMC_TEST_F(MemoryControllerProtectionTest, WritesOfOtherMastersWaitAndAreReported) {
  memory.guard(&page_guard);
  open_after(5_us);
  EXPECT_EQ(foreign.write(watched - 64, std::vector<std::uint8_t>(256, 7)), tlm::TLM_OK_RESPONSE);
  EXPECT_GE(now(), 5_us);
  const std::uint64_t page = (base + Bytes(watched)).value();
  EXPECT_EQ(page_guard.blocked, (std::vector<PageGuard::Lines>{{page, 0b111}}));
  EXPECT_EQ(page_guard.reported, page_guard.blocked);
  EXPECT_EQ(cpu.read32(watched + 188), 0x07070707u);
  device.write32(watched + 4092, 3);
  EXPECT_EQ(page_guard.reported.back(), PageGuard::Lines(page, std::uint64_t{1} << 63));
  EXPECT_EQ(foreign_writes, (std::vector<AddressRange>{{base + Bytes(watched - 64), 64_B},
                                                       {base + Bytes(watched), 192_B},
                                                       {base + Bytes(watched + 4092), 4_B}}));
}

SYSTEMC_TEST_F(MemoryControllerExactProtectionTest, AnotherMasterAsksAnewWhereItHasWaitedInTheQueues) {
  page_guard.closed = false;
  memory.guard(&page_guard);
  sc_core::sc_spawn([this] {
    while (page_guard.reported.empty()) wait_for(100_ps);
    page_guard.closed = true;
    open_after(50_us);
  });
  EXPECT_EQ(foreign.write(watched - 4096, std::vector<std::uint8_t>(8192, 7)), tlm::TLM_OK_RESPONSE);
  EXPECT_GE(now(), 50_us);
  EXPECT_FALSE(page_guard.blocked.empty());
}

SYSTEMC_TEST_F(MemoryControllerProtectionTest, AWriteThatCannotWaitIsRefused) {
  foreign.write(watched, {1, 2, 3, 4});
  memory.guard(&page_guard);
  device.who.never_waits = true;
  device.write32(watched, 9);
  EXPECT_EQ(device.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  tlm::tlm_response_status in_a_method = tlm::TLM_OK_RESPONSE;
  sc_core::sc_spawn_options method;
  method.spawn_method();
  sc_core::sc_spawn([&] { in_a_method = foreign.write(watched, {9}); }, "method", &method);
  settle();
  EXPECT_EQ(in_a_method, tlm::TLM_GENERIC_ERROR_RESPONSE);
  std::uint32_t word = 9;
  EXPECT_EQ(device.debug(tlm::TLM_WRITE_COMMAND, watched, &word, 4), 0u);
  EXPECT_EQ(cpu.read32(watched), 0x04030201u);
  EXPECT_TRUE(page_guard.reported.empty() && page_guard.blocked.empty());
}

SYSTEMC_TEST_F(MemoryControllerProtectionTest, DebugWritesAreReportedToo) {
  page_guard.closed = false;
  memory.guard(&page_guard);
  std::uint64_t words[2] = {1, 2};
  EXPECT_EQ(device.debug(tlm::TLM_WRITE_COMMAND, watched + 4088, words, 16), 16u);
  EXPECT_EQ(device.debug(tlm::TLM_READ_COMMAND, watched, words, 16), 16u);
  EXPECT_EQ(page_guard.reported,
            (std::vector<PageGuard::Lines>{{(base + Bytes(watched)).value(), std::uint64_t{1} << 63}}));
  EXPECT_EQ(foreign_writes.size(), 2u);
}

SYSTEMC_TEST_F(MemoryControllerProtectionTest, OnlyCoresAreGrantedDirectMemory) {
  EXPECT_FALSE(foreign.is_granted(0));
  EXPECT_EQ(granted(0), (AddressRange{Address(0), 4_MiB}));
  cpu.who.master = InitiatorExtension::first_device_master;
  EXPECT_EQ(granted(0), (AddressRange{Address(0), Bytes(0)}));
  cpu.who.master = InitiatorExtension::unknown_master;
  EXPECT_EQ(granted(0), (AddressRange{Address(0), Bytes(0)}));
}

SYSTEMC_TEST_F(MemoryControllerProtectionTest, WhatCoresWriteIsNoForeignWrite) {
  cpu.write32(watched, 1);
  EXPECT_TRUE(foreign_writes.empty());
}

SYSTEMC_TEST_F(MemoryControllerProtectionTest, AWriteThatAResetMeetsIsRefusedAndNotDone) {
  cpu.write32(watched, 7);
  memory.guard(&page_guard);
  sc_core::sc_spawn([this] {
    sc_core::wait(to_sc_time(2_us));
    memory.reset(Reset::warm);
    page_guard.open();
  });
  cpu.write32(watched, 8);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(cpu.read32(watched), 7u);
  EXPECT_TRUE(page_guard.reported.empty());
}

}  // namespace
}  // namespace asterism
