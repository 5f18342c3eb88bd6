// Writes of any master: they wait where they are not allowed yet, and are reported.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "memory/memory_controller.h"
#include "tlm/foreign_master.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_writes.h"

namespace asterism {
namespace {

constexpr Address base(0x4000'0000);
constexpr std::uint64_t watched = 0x3000;  // a page's offset
constexpr Address watched_page = base + Bytes(watched);
using Reported = std::vector<PageLines>;

struct MemoryControllerWritesTest : SystemCTest {
  NoEventLog events;
  MemoryController memory;
  TestTracker tracker;
  ForeignWrites foreign_writes;
  TestInitiator cpu{"cpu"}, device{"device"}, guest{"guest"};
  ForeignMaster foreign{"foreign"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> irq{"irq"};

  explicit MemoryControllerWritesTest(MemoryFidelity fidelity = MemoryFidelity::loose)
      : memory("memory", settings(fidelity), 3, events),
        tracker(memory.writes(), {watched_page, 4_KiB}),
        foreign_writes(memory.writes()) {
    cpu.socket.bind(memory.ports[0]);
    device.socket.bind(memory.ports[1]);
    device.who.master = InitiatorExtension::first_device_master;
    foreign.socket.bind(memory.ports[2]);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(irq);
  }
  static MemoryController::Settings settings(MemoryFidelity fidelity) {
    MemoryConfig config;
    config.size = 4_MiB;
    config.fidelity = fidelity;
    return {.config = config, .part = {}, .base = base};
  }
  void close() { tracker.closed = true; }
  void open_after(Picoseconds time) {
    sc_core::sc_spawn([this, time] {
      sc_core::wait(to_sc_time(time));
      tracker.open();
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
struct MemoryControllerExactWritesTest : MemoryControllerWritesTest {
  MemoryControllerExactWritesTest() : MemoryControllerWritesTest(MemoryFidelity::exact) {}

  // Writes more than the queues hold, and returns the bytes that memory has got when `end` runs meanwhile.
  template <class End>
  std::size_t written_until(TestInitiator& by, End end) {
    std::vector<std::uint8_t> data(16'384, 7);
    by.access(tlm::TLM_WRITE_COMMAND, 0, std::vector<std::uint8_t>(data.size()).data(), 16'384);
    std::size_t written = 0;
    sc_core::sc_spawn([&] {
      wait_for(500_ns);
      end();
      written = sevens();
    });
    by.access(tlm::TLM_WRITE_COMMAND, 0, data.data(), 16'384);
    EXPECT_EQ(by.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_GT(written, 0u);
    EXPECT_EQ(sevens(), written);
    return written;
  }
  std::size_t sevens() const {
    return static_cast<std::size_t>(std::ranges::count(memory.written(0_B, 16_KiB), std::byte{7}));
  }
};

SYSTEMC_TEST_F(MemoryControllerWritesTest, AWriteOfACoreWaitsAndIsReportedWhenItHappens) {
  close();
  open_after(5_us);
  cpu.delay = to_sc_time(1_us);
  cpu.write32(watched + 128, 2);
  EXPECT_EQ(now(), 5_us);
  EXPECT_EQ(cpu.read32(watched + 128), 2u);
  EXPECT_EQ(tracker.blocked, (std::vector<TestTracker::Blocked>{{{watched_page, 4}, 1_us}}));
  EXPECT_EQ(tracker.reported, (Reported{{watched_page, 4}}));
}

SYSTEMC_TEST_F(MemoryControllerExactWritesTest, AWriteOfACoreWaitsInTheQueuesToo) {
  close();
  open_after(5_us);
  cpu.write32(watched, 2);
  EXPECT_GE(now(), 5_us);
  EXPECT_EQ(cpu.read32(watched), 2u);
}

SYSTEMC_TEST_F(MemoryControllerWritesTest, ReadsMonitoredWritesAndOtherPagesDoNotWait) {
  close();
  cpu.read32(watched);
  cpu.write32(watched - 4, 1);
  foreign.write(watched + 4096, {1});
  cpu.who.monitored = true;  // the core has written the data already
  cpu.write32(watched + 8, 1);
  EXPECT_TRUE(tracker.blocked.empty());
  EXPECT_TRUE(tracker.reported.empty());
}

// This holds for any master, one that follows the convention for the ids of devices and one that does not.
SYSTEMC_TEST_F(MemoryControllerWritesTest, WritesOfOtherMastersWaitAndAreReported) {
  close();
  open_after(5_us);
  EXPECT_EQ(foreign.write(watched - 64, std::vector<std::uint8_t>(256, 7)), tlm::TLM_OK_RESPONSE);
  EXPECT_GE(now(), 5_us);
  EXPECT_EQ(tracker.blocked.size(), 1u);
  EXPECT_EQ(tracker.reported, (Reported{{watched_page, 0b111}}));
  EXPECT_EQ(cpu.read32(watched + 188), 0x07070707u);
  device.write32(watched + 4092, 3);
  EXPECT_EQ(tracker.reported.back(), (PageLines{watched_page, std::uint64_t{1} << 63}));
  EXPECT_EQ(foreign_writes.ranges,
            (std::vector<AddressRange>{
                {watched_page - 64_B, 64_B}, {watched_page, 192_B}, {watched_page + Bytes(4032), 64_B}}));
}

SYSTEMC_TEST_F(MemoryControllerExactWritesTest, AnotherMasterAsksAnewWhereItHasWaitedInTheQueues) {
  sc_core::sc_spawn([this] {
    while (tracker.reported.empty()) wait_for(100_ps);
    close();
    open_after(50_us);
  });
  EXPECT_EQ(foreign.write(watched - 4096, std::vector<std::uint8_t>(8192, 7)), tlm::TLM_OK_RESPONSE);
  EXPECT_GE(now(), 50_us);
  EXPECT_FALSE(tracker.blocked.empty());
}

SYSTEMC_TEST_F(MemoryControllerWritesTest, ADebugWriteThatWouldHaveToWaitIsRefused) {
  foreign.write(watched, {1, 2, 3, 4});
  tracker.reported.clear();
  close();
  std::uint32_t word = 9;
  EXPECT_EQ(device.debug(tlm::TLM_WRITE_COMMAND, watched, &word, 4), 0u);
  EXPECT_EQ(cpu.read32(watched), 0x04030201u);
  EXPECT_TRUE(tracker.reported.empty() && tracker.blocked.empty());
}

SYSTEMC_TEST_F(MemoryControllerWritesTest, DebugWritesAreReportedToo) {
  std::uint64_t words[2] = {1, 2};
  EXPECT_EQ(device.debug(tlm::TLM_WRITE_COMMAND, watched + 4088, words, 16), 16u);
  EXPECT_EQ(device.debug(tlm::TLM_READ_COMMAND, watched, words, 16), 16u);
  EXPECT_EQ(tracker.reported, (Reported{{watched_page, std::uint64_t{1} << 63}}));
  EXPECT_EQ(foreign_writes.ranges.size(), 2u);
}

SYSTEMC_TEST_F(MemoryControllerWritesTest, OnlyCoresAreGrantedDirectMemory) {
  EXPECT_FALSE(foreign.is_granted(0));
  EXPECT_EQ(granted(0), (AddressRange{Address(0), 4_MiB}));
  cpu.who.master = InitiatorExtension::first_device_master;
  EXPECT_EQ(granted(0), (AddressRange{Address(0), Bytes(0)}));
  cpu.who.master = InitiatorExtension::unknown_master;
  EXPECT_EQ(granted(0), (AddressRange{Address(0), Bytes(0)}));
}

SYSTEMC_TEST_F(MemoryControllerWritesTest, WhatCoresWriteIsReportedAsTheirs) {
  cpu.write32(watched, 1);
  EXPECT_TRUE(foreign_writes.ranges.empty());
  EXPECT_EQ(tracker.reported, (Reported{{watched_page, 1}}));
}

SYSTEMC_TEST_F(MemoryControllerWritesTest, AWriteThatAResetMeetsIsRefusedAndNotDone) {
  cpu.write32(watched, 7);
  tracker.reported.clear();
  close();
  sc_core::sc_spawn([this] {
    sc_core::wait(to_sc_time(2_us));
    memory.reset(Reset::warm);
    tracker.open();
  });
  cpu.write32(watched, 8);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(cpu.read32(watched), 7u);
  EXPECT_TRUE(tracker.reported.empty());
}

SYSTEMC_TEST_F(MemoryControllerExactWritesTest, AResetEndsAWriteInTheQueues) {
  EXPECT_LT(written_until(device, [this] { memory.reset(Reset::warm); }), 16'384u);
}

SYSTEMC_TEST_F(MemoryControllerExactWritesTest, AMasterThatIsResetWritesNothingMore) {
  EXPECT_LT(written_until(device, [this] { device.who.aborted = true; }), 16'384u);
}

SYSTEMC_TEST_F(MemoryControllerWritesTest, AnotherListTakesItsReports) {
  MemoryWrites other;
  TestTracker elsewhere(other, {watched_page, 4_KiB});
  memory.report_writes_to(other);
  foreign.write(watched, {1});
  EXPECT_EQ(elsewhere.reported, (Reported{{watched_page, 1}}));
  EXPECT_TRUE(tracker.reported.empty());
}

}  // namespace
}  // namespace asterism
