// A checkpoint contains what every master of a node wrote: cores, devices, and masters that do not know about
// checkpoints.
#include "platform/system/node_store_tracker.h"

#include <array>
#include <map>
#include <string>
#include <variant>

#include "base/random.h"
#include "core/iss_factory.h"
#include "fabric/crossbar.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr Address dram(0x4000'0000);
constexpr std::uint64_t page_size = 4096;

// A bus master as a third party supplies it: plain TLM-2.0 without extensions, which uses direct memory if it
// is granted.
struct ForeignMaster : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<ForeignMaster> socket{"socket"};
  explicit ForeignMaster(const sc_core::sc_module_name& name) : sc_module(name) {}

  tlm::tlm_response_status write(std::uint64_t address, std::span<unsigned char> data) {
    tlm::tlm_generic_payload payload;
    TestInitiator::fill(payload, tlm::TLM_WRITE_COMMAND, address, data.data(),
                        static_cast<unsigned>(data.size()));
    tlm::tlm_dmi dmi;
    if (socket->get_direct_mem_ptr(payload, dmi) && address >= dmi.get_start_address() &&
        address + data.size() - 1 <= dmi.get_end_address()) {
      std::ranges::copy(data, dmi.get_dmi_ptr() + (address - dmi.get_start_address()));
      return tlm::TLM_OK_RESPONSE;
    }
    sc_core::sc_time delay;
    payload.set_address(address);
    socket->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    return payload.get_response_status();
  }
};

struct Parts {
  MemoryFidelity fidelity = MemoryFidelity::loose;
  CacheModel caches = CacheModel::none;
};

// A node's memory, cores that are off, its DIMM-SSD, and two masters that write at any time: one behind the
// interconnect, and one at a port of the memory controller that has the id of a device.
struct NodeStoreTrackerTest : SystemCTest, CoreCluster::Surroundings, EventLog {
  static constexpr std::uint64_t pages = 6, first_page = 16, shadow = 8, descriptor = 0x1000;
  using Contents = std::vector<std::byte>;

  CoreConfig core_config;
  MemoryController memory;
  CoreCluster cores;
  std::optional<CoreCaches> caches;
  Crossbar fabric{"fabric", FabricConfig{}};
  DimmSsdModule ssd{"ssd", ssd_config(), FlashPart{}, {dram, 1_MiB}, *this};
  std::optional<NodeStoreTracker> stores;
  ForeignMaster foreign{"foreign"};
  TestInitiator device{"device"}, registers{"registers"}, guest{"guest"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq, irq, core_irq;
  sc_core::sc_signal<bool> virtual_timer, physical_timer, performance_monitors;
  DimmSsdRegisters map;
  std::map<std::uint64_t, Contents> at_end_of;  // for each interval, the contents that its version must have
  bool writes = false;
  unsigned writers = 0, done = 0, refused = 0;

  explicit NodeStoreTrackerTest(const Parts& parts)
      : core_config{.count = 1, .caches = {.model = parts.caches}},
        memory("memory",
               {.config = {.size = 1_MiB, .fidelity = parts.fidelity, .dram = {.refresh = false}},
                .part = {},
                .base = dram},
               3, *this),
        cores(core_config, 1_us, *this, make_iss_of_cores()) {
    if (parts.caches != CacheModel::none) {
      caches.emplace("caches", core_config.caches, 1);
      cores[0].bus.bind(caches->port(0).core);
      fabric.add_master(caches->port(0).memory);
    } else {
      fabric.add_master(cores[0].bus);
    }
    cores[0].irq.bind(core_irq);
    cores[0].virtual_timer.bind(virtual_timer);
    cores[0].physical_timer.bind(physical_timer);
    cores[0].performance_monitors.bind(performance_monitors);
    fabric.add_master(foreign.socket);
    fabric.add_target(memory.ports[0], {dram, 1_MiB}, "dram");
    ssd.memory.bind(memory.ports[1]);
    device.socket.bind(memory.ports[2]);
    device.who.master = InitiatorExtension::first_device_master + 7;
    registers.socket.bind(ssd.target);
    guest.socket.bind(memory.target);
    memory.interrupt.bind(memory_irq);
    ssd.interrupt.bind(irq);
    stores.emplace(cores, caches ? &*caches : nullptr, memory, ssd);
    memory.on_foreign_write = [this](AddressRange range) {
      if (caches) caches->drop(range);
    };
    ssd.power_up();
  }
  static DimmSsdConfig ssd_config() {
    DimmSsdConfig config;
    config.packages = 1;
    config.versions = 8;
    return config;
  }
  std::uint64_t semihosting(CoreModule&, std::uint32_t, std::uint64_t) override { return 0; }
  void system_off() override {}
  void system_reset() override {}
  void record(Picoseconds, std::string_view, std::string_view kind,
              std::initializer_list<Detail> details) override {
    if (kind != "checkpoint_begin") return;
    for (const auto& [name, value] : details)
      if (name == "version") at_end_of[std::get<std::uint64_t>(value)] = contents();
  }
  Contents contents() const {
    const auto bytes = memory.written(Bytes(first_page * page_size), Bytes(pages * page_size));
    return {bytes.begin(), bytes.end()};
  }
  void set(const Register& of, std::uint64_t value) {
    registers.write32(of.offset(), static_cast<std::uint32_t>(value));
  }
  std::uint32_t get(const Register& of) { return registers.read32(of.offset()); }
  // Executes a command until it has ended, and returns STATUS.error.
  std::uint32_t execute(std::uint32_t operation, std::uint64_t version, CheckpointMethod method) {
    std::vector<std::uint64_t> words(6 + pages);
    words[0] = 'c';
    words[4] = version;
    words[5] = pages | std::uint64_t{static_cast<std::uint32_t>(method)} << 32;
    for (std::uint64_t i = 0; i < pages; ++i) words[6 + i] = dram.value() + (first_page + i) * page_size;
    memory.load(Bytes(descriptor), std::as_bytes(std::span(words)));
    set(map.shadow_low, dram.value() + shadow * page_size);
    set(map.shadow_pages, 2);
    set(map.descriptor_low, dram.value() + descriptor);
    set(map.command, operation);
    while (get(map.status) & 1) wait_for(10_us);
    return get(map.status) >> 8;
  }
  // Writes some bytes at random places in the pages at random times until the simulation ends.
  template <class Write>
  void write_now_and_then(std::uint64_t seed, Write write) {
    ++writers;
    sc_core::sc_spawn([this, write, random = Random(seed)]() mutable {
      for (;;) {
        wait_for(Picoseconds(1 + random.below(150'000'000)));
        if (!writes) continue;
        std::array<unsigned char, 300> data;
        for (unsigned char& byte : data) byte = static_cast<unsigned char>(random.next());
        const std::uint64_t size = 1 + random.below(data.size());
        const std::uint64_t at = first_page * page_size + random.below(pages * page_size - size);
        --writers;
        const bool ok = write(random, at, std::span(data).first(size));
        ++writers;
        ++(ok ? done : refused);
      }
    });
  }
  void begin_to_write() {
    write_now_and_then(1, [this](Random&, std::uint64_t at, std::span<unsigned char> data) {
      return foreign.write(dram.value() + at, data) == tlm::TLM_OK_RESPONSE;
    });
    write_now_and_then(2, [this](Random& random, std::uint64_t at, std::span<unsigned char> data) {
      device.who.never_waits = random.below(2) != 0;
      device.access(tlm::TLM_WRITE_COMMAND, at, data.data(), static_cast<unsigned>(data.size()));
      device.delay = sc_core::SC_ZERO_TIME;
      return device.status == tlm::TLM_OK_RESPONSE;
    });
    write_now_and_then(3, [this](Random&, std::uint64_t at, std::span<unsigned char> data) {
      return device.debug(tlm::TLM_WRITE_COMMAND, at, data.data(), static_cast<unsigned>(data.size())) != 0;
    });
  }
  void expect_versions_by(CheckpointMethod method, std::uint64_t first) {
    constexpr std::uint64_t versions = 5;
    writes = true;
    for (std::uint64_t i = 0; i < versions; ++i) {
      ASSERT_EQ(execute(1, first + i, method), 0u) << to_text(method);
      wait_for(2_ms);
    }
    writes = false;
    while (get(map.open) != 0 || writers != 3) wait_for(100_us);
    wait_for(1_ms);
    for (std::uint64_t i = 0; i < versions; ++i) {
      ASSERT_EQ(execute(3, first + i, method), 0u) << to_text(method) << " " << i;
      EXPECT_TRUE(contents() == at_end_of.at(first + i)) << to_text(method) << " " << i;
    }
  }
  void expect_versions_by_every_method() {
    begin_to_write();
    std::uint64_t version = 1;
    for (const auto& method : enum_names(CheckpointMethod{}))
      expect_versions_by(method.value, std::exchange(version, version + 10));
    EXPECT_GT(done, 500u);
    EXPECT_GT(refused, 0u);
  }
};

template <MemoryFidelity of_memory, CacheModel in_front>
struct Seen : NodeStoreTrackerTest {
  Seen() : NodeStoreTrackerTest({of_memory, in_front}) {}
};
using SeenByLines = Seen<MemoryFidelity::loose, CacheModel::none>;
using SeenByLinesExactly = Seen<MemoryFidelity::exact, CacheModel::none>;
using SeenByCaches = Seen<MemoryFidelity::loose, CacheModel::tags>;
using SeenByCachesExactly = Seen<MemoryFidelity::exact, CacheModel::tags>;

SYSTEMC_TEST_F(SeenByLines, WhatForeignMastersWriteComesBack) { expect_versions_by_every_method(); }
SYSTEMC_TEST_F(SeenByLinesExactly, WhatForeignMastersWriteComesBack) { expect_versions_by_every_method(); }
SYSTEMC_TEST_F(SeenByCaches, WhatForeignMastersWriteComesBack) { expect_versions_by_every_method(); }
SYSTEMC_TEST_F(SeenByCachesExactly, WhatForeignMastersWriteComesBack) { expect_versions_by_every_method(); }

}  // namespace
}  // namespace asterism
