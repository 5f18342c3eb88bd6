// A node's memories with a core, caches if wanted, a DIMM-SSD for each memory, and masters that know nothing
// of all that.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/random.h"
#include "core/core_caches.h"
#include "core/core_cluster.h"
#include "core/iss_factory.h"
#include "dimm_ssd/dimm_ssd_module.h"
#include "fabric/crossbar.h"
#include "memory/memory_controller.h"
#include "tlm/foreign_master.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {

struct WritesRig : SystemCTest, CoreCluster::Surroundings, EventLog {
  struct Parts {
    MemoryFidelity fidelity = MemoryFidelity::loose;
    CachesConfig caches = {};
    bool has_second_memory = false;
    // The first memory reports its writes to a list that nobody reads: a mutant that the tests must detect.
    bool reports_to_nobody = false;
  };
  static constexpr std::uint64_t dram = 0x4000'0000, second_dram = 0x5000'0000, page_size = 4096;
  static constexpr Bytes size{1 << 20};
  using Contents = std::vector<std::byte>;

  // A memory with its DIMM-SSD, and the contents of some pages at the end of each interval.
  struct Guarded final : EventLog {
    static constexpr std::uint64_t pages = 6, first_page = 16, shadow = 8, descriptor = 0x1000;
    MemoryController memory;
    DimmSsdModule ssd;
    TestInitiator registers, memory_registers, device;  // the last one at a port of the memory
    sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> memory_irq, irq;
    DimmSsdRegisters map;
    std::map<std::uint64_t, Contents> at_end_of;  // by version, which must have these contents
    const std::uint64_t base;

    Guarded(const std::string& name, std::uint64_t address, MemoryFidelity fidelity, EventLog& events)
        : memory((name + "_memory").c_str(),
                 {.config = {.size = size, .fidelity = fidelity, .dram = {.refresh = RefreshMode::none}},
                  .part = {},
                  .base = Address(address)},
                 3, events),
          ssd((name + "_ssd").c_str(), config(), FlashPart{}, {Address(address), size}, *this),
          registers((name + "_registers").c_str()),
          memory_registers((name + "_memory_registers").c_str()),
          device((name + "_device").c_str()),
          base(address) {
      device.socket.bind(memory.ports[2]);
      device.who.master = InitiatorExtension::first_device_master + 7;
      ssd.memory.bind(memory.ports[1]);
      registers.socket.bind(ssd.target);
      memory_registers.socket.bind(memory.target);
      memory.interrupt.bind(memory_irq);
      ssd.interrupt.bind(irq);
      ssd.power_up();
    }
    static DimmSsdConfig config() {
      DimmSsdConfig config;
      config.flash.packages = 1;
      config.versions = 8;
      return config;
    }
    void record(Picoseconds, std::string_view, std::string_view kind,
                std::initializer_list<Detail> details) override {
      if (kind != "checkpoint_begin") return;
      for (const auto& [name, value] : details)
        if (name == "version") at_end_of[std::get<std::uint64_t>(value)] = contents();
    }
    std::uint64_t address(std::uint64_t offset) const { return base + first_page * page_size + offset; }
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
      for (std::uint64_t i = 0; i < pages; ++i) words[6 + i] = base + (first_page + i) * page_size;
      memory.load(Bytes(descriptor), std::as_bytes(std::span(words)));
      set(map.shadow_low, base + shadow * page_size);
      set(map.shadow_pages, 2);
      set(map.descriptor_low, base + descriptor);
      set(map.command, operation);
      while (get(map.status) & 1) wait_for(10_us);
      return get(map.status) >> 8;
    }
    std::uint32_t checkpoint(std::uint64_t version, CheckpointMethod method) {
      return execute(1, version, method);
    }
    void wait_until_durable() {
      while (get(map.open) != 0) wait_for(100_us);
    }
    // Restores a version, and returns whether it is what memory was.
    bool is_right(std::uint64_t version) {
      if (execute(3, version, CheckpointMethod::stop_and_copy) != 0) return false;
      return contents() == at_end_of.at(version);
    }
  };

  CoreConfig core_config;
  Guarded first;
  std::optional<Guarded> second;
  CoreCluster cores;
  std::optional<CoreCaches> caches;
  Crossbar fabric{"fabric", FabricConfig{}};
  ForeignMaster foreign{"foreign"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> core_irq;
  sc_core::sc_signal<bool> virtual_timer, physical_timer, performance_monitors;
  MemoryWrites nobody;

  explicit WritesRig(const Parts& parts)
      : core_config{.count = 1, .event_wait = 1_us, .caches = parts.caches},
        first("first", dram, parts.fidelity, *this),
        cores(core_config, 1_us, *this, make_iss_of_cores()) {
    if (parts.has_second_memory) second.emplace("second", second_dram, parts.fidelity, *this);
    MemoryWrites& writes = first.memory.writes();
    cores.connect(writes);
    if (parts.caches.model != CacheModel::none) {
      caches.emplace("caches", core_config.caches, 1);
      caches->connect(writes);
      cores[0].bus.bind(caches->port(0).core);
      fabric.add_master(caches->port(0).memory);
      caches->serve(cores[0]);
    } else {
      fabric.add_master(cores[0].bus);
    }
    cores[0].irq.bind(core_irq);
    cores[0].virtual_timer.bind(virtual_timer);
    cores[0].physical_timer.bind(physical_timer);
    cores[0].performance_monitors.bind(performance_monitors);
    fabric.add_master(foreign.socket);
    fabric.add_target(first.memory.ports[0], {Address(dram), size}, "dram");
    first.ssd.connect(writes);
    if (second) {
      fabric.add_target(second->memory.ports[0], {Address(second_dram), size}, "second_dram");
      second->memory.report_writes_to(writes);
      second->ssd.connect(writes);
    }
    if (parts.reports_to_nobody) first.memory.report_writes_to(nobody);
  }
  void place(std::uint64_t address, const std::vector<std::uint32_t>& words) {
    first.memory.load(Bytes(address - dram), std::as_bytes(std::span(words)));
  }

  std::uint64_t semihosting(CoreModule&, std::uint32_t, std::uint64_t) override { return 0; }
  void system_off() override {}
  void system_reset() override {}
  void record(Picoseconds, std::string_view, std::string_view, std::initializer_list<Detail>) override {}
};

}  // namespace asterism
