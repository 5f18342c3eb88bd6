#include "cxl/cxl_ssd_module.h"

#include <array>
#include <string_view>
#include <vector>

#include "base/event_log.h"
#include "devices/device_fuzz.h"
#include "tlm/log.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"
#include "tlm/test_node.h"

namespace asterism {
namespace {

CxlSsdConfig ssd_of_test(bool is_protected) {
  return {.size = 2_MiB,
          .cache = 2_MiB,
          .power_loss_protection = is_protected,
          .flash = {.channels = 2, .packages = 1},
          .dram = {.ranks = 1}};
}

CxlSsdParts ssd_parts_of_test(std::uint32_t queue) {
  CxlSsdParts parts{.expander = {.port_latency = 62_ns, .controller_latency = 15_ns, .queue = queue},
                    .flash = {},
                    .dram = {}};
  parts.flash.pages_per_block = 32;
  return parts;
}

struct CxlSsdRig : SystemCTest {
  NoEventLog events;
  NoNode node;
  DeviceContext context{
      .place = {.instance = "ssd",
                .ranges = {{Address(0x33'0000'0000), 2_MiB}, {Address(0x0b21'1000), 4_KiB}}},
      .ports = 2,
      .node = node,
      .events = events};
  CxlSsdModule ssd;
  TestInitiator cpu{"cpu"}, dma{"dma"}, registers{"registers"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line{"line"};

  explicit CxlSsdRig(bool is_protected = false, std::uint32_t queue = CxlPart{}.queue)
      : ssd("ssd", ssd_of_test(is_protected), ssd_parts_of_test(queue), context) {
    cpu.socket.bind(*ssd.targets()[0]);
    dma.socket.bind(ssd.port(1));
    registers.socket.bind(*ssd.targets()[1]);
    ssd.interrupt.bind(line);
    set_log_levels({{"ssd", LogLevel::off}});
  }
  CxlSsdRegisters& r() { return ssd.registers; }
  void start() {
    ssd.reset(Reset::cold);
    ssd.power_up();
    wait_for(5_ms);
  }
  void lose_power() {
    ssd.reset(Reset::power_loss);
    wait_for(1_us);
    ssd.power_up();
    wait_for(5_ms);
  }
  // As a core that takes memory directly.
  unsigned char* direct(std::uint64_t offset) {
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, offset, nullptr, 0);
    payload.set_extension(&cpu.who);
    const bool is_granted = cpu.socket->get_direct_mem_ptr(payload, dmi);
    payload.clear_extension(&cpu.who);
    EXPECT_TRUE(is_granted && cpu.who.monitored);
    cpu.who.monitored = false;
    return dmi.get_dmi_ptr() + (offset - dmi.get_start_address());
  }
  std::uint32_t status() { return registers.read32(r().status.offset()); }
  void flush() {
    registers.write32(r().flush.offset(), 1);
    wait_for(3_ms);
    EXPECT_FALSE(status() & r().status.flushing.mask());
  }
  std::uint64_t count_of(std::string_view name) const {
    Statistics statistics;
    ssd.report(statistics);
    for (const auto& [each, value] : statistics.entries())
      if (each == name) return std::get<std::uint64_t>(value);
    ADD_FAILURE() << "there is no " << name;
    return 0;
  }
  std::uint64_t load(std::uint64_t offset) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    return cpu.read<std::uint64_t>(offset);
  }
  void store(std::uint64_t offset, std::uint64_t value) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    cpu.write<std::uint64_t>(offset, value);
  }
};
struct CxlSsdModuleTest : CxlSsdRig {};
struct ProtectedCxlSsdTest : CxlSsdRig {
  ProtectedCxlSsdTest() : CxlSsdRig(true) {}
};
// With one place in the queue, or two.
struct NarrowCxlSsdRig : CxlSsdRig {
  Picoseconds missed, hit;  // what the accesses have taken

  explicit NarrowCxlSsdRig(std::uint32_t queue) : CxlSsdRig(false, queue) {}
  // DMA reads a line that is in flash, and then a core one that is in the cache.
  void miss_and_hit() {
    start();
    store(0x0, 1);
    store(0x10'0000, 2);
    flush();
    lose_power();
    EXPECT_EQ(load(0x10'0000), 2u);
    sc_core::sc_event ended;
    sc_core::sc_spawn([&] {
      const Picoseconds begin = now();
      dma.delay = sc_core::SC_ZERO_TIME;
      EXPECT_EQ(dma.read<std::uint64_t>(0x0), 1u);
      missed = now() + to_picoseconds(dma.delay) - begin;
      ended.notify();
    });
    wait_for(1_us);
    const Picoseconds begin = now();
    EXPECT_EQ(load(0x10'0000), 2u);
    hit = now() + to_picoseconds(cpu.delay) - begin;
    if (missed == 0_ps) sc_core::wait(ended);
  }
};
struct OnePlaceCxlSsdTest : NarrowCxlSsdRig {
  OnePlaceCxlSsdTest() : NarrowCxlSsdRig(1) {}
};
struct TwoPlacesCxlSsdTest : NarrowCxlSsdRig {
  TwoPlacesCxlSsdTest() : NarrowCxlSsdRig(2) {}
};

SYSTEMC_TEST_F(CxlSsdModuleTest, HitsTakeTheLinkAndMissesTheFlash) {
  start();
  store(0x1000, 5);
  flush();
  EXPECT_EQ(load(0x1000), 5u);
  // 2 * (62 + 15) ns, three flits, the controller of the DRAM and the DRAM.
  EXPECT_GT(to_picoseconds(cpu.delay), 154_ns + 10_ns);
  EXPECT_LT(to_picoseconds(cpu.delay), 154_ns + 80_ns);
  lose_power();
  const Picoseconds begin = now();
  EXPECT_EQ(load(0x1000), 5u);
  EXPECT_GT(now() - begin, 45_us);
  EXPECT_LT(now() - begin, 110_us);
  EXPECT_EQ(registers.read32(r().misses.offset()), 1u);
  EXPECT_EQ(dma.read<std::uint64_t>(0x1000), 5u);
}

SYSTEMC_TEST_F(OnePlaceCxlSsdTest, AHitWaitsForThePlaceOfAMiss) {
  miss_and_hit();
  EXPECT_GT(missed, 45_us);
  EXPECT_GT(hit, missed - 2_us);
}

SYSTEMC_TEST_F(TwoPlacesCxlSsdTest, AHitPassesAMissIfThereIsAnotherPlace) {
  miss_and_hit();
  EXPECT_GT(missed, 45_us);
  EXPECT_LT(hit, 1_us);
}

SYSTEMC_TEST_F(OnePlaceCxlSsdTest, AResetEndsWhatWaitsForAPlace) {
  start();
  store(0x0, 1);
  flush();
  lose_power();
  unsigned answers = 0;
  for (TestInitiator* each : {&cpu, &dma})
    sc_core::sc_spawn([&answers, each] {
      each->delay = sc_core::SC_ZERO_TIME;
      each->read<std::uint64_t>(0x0);
      EXPECT_EQ(each->status, tlm::TLM_GENERIC_ERROR_RESPONSE);
      ++answers;
    });
  wait_for(1_us);
  lose_power();
  EXPECT_EQ(answers, 2u);
  EXPECT_EQ(load(0x0), 1u);
}

// The pages of flash are 16 KiB. A master that reads the next page as soon as it has the one before comes
// behind those that have waited meanwhile.
SYSTEMC_TEST_F(OnePlaceCxlSsdTest, PlacesAreGivenInTheOrderOfArrival) {
  start();
  constexpr std::uint64_t apart = 0x2'0000;
  for (std::uint64_t i = 0; i < 6; ++i) store(i * apart, i);
  flush();
  lose_power();
  std::vector<std::uint64_t> order;
  const auto read = [&](std::uint64_t which) {
    std::uint64_t value = 0;
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_READ_COMMAND, which * apart,
                        reinterpret_cast<unsigned char*>(&value), sizeof value);
    sc_core::sc_time delay;
    dma.socket->b_transport(payload, delay);
    EXPECT_EQ(value, which);
    order.push_back(which);
  };
  sc_core::sc_spawn([&] {
    read(0);
    read(4);
    read(5);
  });
  for (std::uint64_t i = 1; i < 4; ++i) {
    wait_for(1_us);
    sc_core::sc_spawn([&read, i] { read(i); });
  }
  wait_for(2_ms);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
}

// As a device that copies pages before they may be written.
struct HeldPage final : WriteTracker {
  bool is_held = true;
  unsigned asked = 0, written_to = 0;
  bool is_write_allowed(Address) const override { return !is_held; }
  bool try_write(const PageLines&) override {
    ++asked;
    return !is_held;
  }
  void written(const MemoryWrite&) override { ++written_to; }
};

SYSTEMC_TEST_F(OnePlaceCxlSsdTest, AWriteThatIsNotAllowedYetHoldsNoPlace) {
  start();
  store(0x1000, 1);
  HeldPage tracker;
  ssd.writes().protect(tracker, {Address(0x33'0000'1000), 4_KiB});
  bool is_written = false, is_read = false;
  sc_core::sc_spawn([&] {
    dma.delay = sc_core::SC_ZERO_TIME;
    dma.write<std::uint64_t>(0x1000, 2);
    EXPECT_EQ(dma.status, tlm::TLM_OK_RESPONSE);
    is_written = true;
  });
  wait_for(1_us);
  EXPECT_EQ(tracker.asked, 1u);
  sc_core::sc_spawn([&] {
    EXPECT_EQ(load(0x1000), 1u);
    is_read = true;
  });
  wait_for(1_us);
  EXPECT_TRUE(is_read) << "the tracker could not copy the page";
  EXPECT_FALSE(is_written);
  tracker.is_held = false;
  ssd.writes().retry();
  wait_for(1_us);
  EXPECT_TRUE(is_written);
  EXPECT_EQ(tracker.written_to, 1u);
  EXPECT_EQ(load(0x1000), 2u);
}

SYSTEMC_TEST_F(CxlSsdModuleTest, APageThatIsProtectedWhileAWriteWaitsForFlashIsNotWritten) {
  start();
  store(0x1000, 1);
  flush();
  lose_power();
  bool is_written = false;
  sc_core::sc_spawn([&] {
    dma.delay = sc_core::SC_ZERO_TIME;
    dma.write<std::uint64_t>(0x1000, 2);  // a part of its line, which is read first
    is_written = true;
  });
  wait_for(10_us);
  HeldPage tracker;
  ssd.writes().protect(tracker, {Address(0x33'0000'1000), 4_KiB});
  wait_for(1_ms);
  EXPECT_FALSE(is_written);
  EXPECT_EQ(load(0x1000), 1u);
  tracker.is_held = false;
  ssd.writes().retry();
  wait_for(1_us);
  EXPECT_TRUE(is_written);
  EXPECT_EQ(load(0x1000), 2u);
}

// More lines than places: of each payload one line is in the cache, and the next one is not.
SYSTEMC_TEST_F(OnePlaceCxlSsdTest, LinesOfAPayloadShareOnePlace) {
  start();
  constexpr std::uint64_t page = 16 * 1024;
  for (std::uint64_t at = 0; at < 4; ++at) store(at * page, at);
  flush();
  lose_power();
  EXPECT_EQ(load(page), 1u);
  std::array<unsigned char, 4 * 64> data{};
  dma.delay = sc_core::SC_ZERO_TIME;
  const Picoseconds begin = now();
  dma.access(tlm::TLM_READ_COMMAND, 2 * page - 128, data.data(), data.size());
  EXPECT_EQ(dma.status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(data[128], 2u);
  EXPECT_GT(now() - begin, 45_us);
  EXPECT_EQ(load(page), 1u) << "the place is free again";
  EXPECT_LT(to_picoseconds(cpu.delay), 154_ns + 10_us);
}

SYSTEMC_TEST_F(CxlSsdModuleTest, AColdResetClearsTheCountsOfFaults) {
  start();
  store(0x1000, 1);
  flush();
  ssd.inject({{.at = now() + 1_us, .fault = {.offset = Bytes(0x1000), .bits = 60}},
              {.at = now() + 1_us, .fault = {.offset = Bytes(0x10'0000), .bits = 60}}});
  wait_for(2_us);
  EXPECT_EQ(count_of("flash_faults"), 1u);
  EXPECT_EQ(count_of("flash_faults_missed"), 1u);
  ssd.reset(Reset::warm);
  EXPECT_EQ(count_of("flash_faults"), 1u);
  ssd.reset(Reset::cold);
  EXPECT_EQ(count_of("flash_faults"), 0u);
  EXPECT_EQ(count_of("flash_faults_missed"), 0u);
}

SYSTEMC_TEST_F(CxlSsdModuleTest, OnlyWhatWasFlushedSurvivesALossOfPower) {
  start();
  store(0x2000, 1);
  registers.write32(r().interrupt_enable.offset(), 1);
  flush();
  EXPECT_TRUE(line.read());
  store(0x2000, 2);
  ssd.reset(Reset::power_loss);
  load(0x2000);
  EXPECT_EQ(cpu.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  ssd.power_up();
  wait_for(5_ms);
  EXPECT_EQ(load(0x2000), 1u);
  EXPECT_EQ(registers.read32(r().pages_written.offset()), 1u);
  EXPECT_EQ(registers.read32(r().lines_written.offset()), 1u);
}

SYSTEMC_TEST_F(ProtectedCxlSsdTest, AReserveOfEnergySavesTheCache) {
  start();
  EXPECT_TRUE(status() & r().status.is_protected.mask());
  store(0x2000, 2);
  lose_power();
  EXPECT_EQ(load(0x2000), 2u);
}

// As a core with caches: the store is in the device when the line is written back.
SYSTEMC_TEST_F(CxlSsdModuleTest, AStoreThatIsStillInACacheOfTheHostIsLostWithThePower) {
  start();
  unsigned char* const memory = direct(0x3000);
  memory[0] = 1;
  cpu.monitored_access(Address(0x3000), true, now());
  memory[0] = 2;
  memory[64] = 2;
  flush();
  EXPECT_EQ(load(0x3000), 2u);
  lose_power();
  EXPECT_EQ(load(0x3000), 1u);
  EXPECT_EQ(load(0x3040), 0u);
  EXPECT_GT(cpu.invalidations, 0u);
}

SYSTEMC_TEST_F(CxlSsdModuleTest, OnlyTheEnabledBytesOfALineAreWritten) {
  start();
  direct(0x3000)[8] = 3;  // is in a cache of the host
  std::array<unsigned char, 64> data{}, enables{};
  data.fill(5);
  for (const unsigned at : {0u, 1u, 2u, 3u, 16u}) enables.at(at) = 0xff;
  tlm::tlm_generic_payload payload;
  TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, 0x3000, data.data(), data.size());
  payload.set_byte_enable_ptr(enables.data());
  payload.set_byte_enable_length(enables.size());
  sc_core::sc_time delay;
  cpu.socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  flush();
  lose_power();
  EXPECT_EQ(load(0x3000), 0x0505'0505u);
  EXPECT_EQ(load(0x3008), 0u);
  EXPECT_EQ(load(0x3010), 5u);
}

SYSTEMC_TEST_F(CxlSsdModuleTest, DebugAccessesSeeWhatWasStored) {
  start();
  std::uint64_t value = 7;
  EXPECT_EQ(cpu.debug(tlm::TLM_WRITE_COMMAND, 0x3ffc, &value, sizeof value), sizeof value);
  EXPECT_EQ(load(0x3ffc), 7u);
  flush();
  lose_power();
  value = 0;
  EXPECT_EQ(cpu.debug(tlm::TLM_READ_COMMAND, 0x3ffc, &value, sizeof value), sizeof value);
  EXPECT_EQ(value, 7u);
}

SYSTEMC_TEST_F(CxlSsdModuleTest, AccessesWaitUntilTheFlashHasBeenReadBack) {
  start();
  store(0x1000, 5);
  flush();
  ssd.reset(Reset::power_loss);
  ssd.power_up();
  EXPECT_FALSE(status() & r().status.ready.mask());
  EXPECT_EQ(load(0x1000), 5u);
}

SYSTEMC_TEST_F(CxlSsdModuleTest, AnswersAnyPayload) {
  start();
  expect_an_answer_to_any_payload(cpu, 2_MiB, 1);
  expect_an_answer_to_any_payload(registers, 4_KiB, 2);
}

}  // namespace
}  // namespace asterism
