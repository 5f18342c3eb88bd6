// Test doubles around a core module. CoreTestBus has 4 MiB of memory that grants direct access, a device with
// a register for every kind of behaviour, and errors elsewhere.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "core/core_module.h"
#include "tlm/systemc_test.h"
#include "tlm/test_writes.h"

namespace asterism {

struct NoCalls : CoreCalls {
  std::uint64_t hypervisor_call(unsigned, const std::array<std::uint64_t, 4>&) override { return 0; }
  std::uint64_t semihosting_call(unsigned, std::uint32_t, std::uint64_t) override { return 0; }
};

struct CoreTestBus : sc_core::sc_module {
  static constexpr std::uint64_t memory_base = 0x4000'0000, memory_size = 4 << 20;
  static constexpr std::uint64_t device = 0x0900'0000;
  enum Register : std::uint64_t {
    plain = 0x00,          // 10 ns; reads count up
    synchronising = 0x10,  // waits for the delay
    slow = 0x20,           // waits for the delay and 1 us more
    line = 0x30,           // drives `wire` to the value written, which drives `irq` a delta cycle later
    error = 0x40,          // GENERIC_ERROR
    poisoned = 0x50,       // OK, poisoned
    poisoned_next = 0x90,  // the same, in another block of 64 bytes
  };
  struct Access {
    char kind;  // 'r', 'w'
    std::uint64_t offset, value;
    Picoseconds at;
    bool operator==(const Access&) const = default;
  };

  tlm_utils::simple_target_socket<CoreTestBus> socket{"socket"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> wire{"wire"}, irq{"irq"};
  sc_core::sc_signal<bool> virtual_timer{"virtual_timer"}, physical_timer{"physical_timer"},
      performance_monitors{"performance_monitors"};
  bool grants = true, monitors = false;  // direct memory is granted; its accesses are monitored
  bool is_read_only = false;             // direct memory is granted for loads and fetches only
  Picoseconds memory_latency;            // of accesses that come over the bus
  std::optional<std::uint64_t> broken;   // block of 64 bytes whose data are poisoned; nothing is granted then
  std::vector<Access> accesses;          // to the device
  unsigned memory_accesses = 0, last_master = ~0u, reads = 0;
  std::function<void(std::uint64_t offset)> on_access;
  std::vector<Access> monitored;  // to memory, 20 ns each: the value is the size
  std::function<void()> on_monitored;

  explicit CoreTestBus(const sc_core::sc_module_name& name) : sc_module(name), storage_(memory_size + 4096) {
    memory = storage_.data() + (4096 - reinterpret_cast<std::uintptr_t>(storage_.data()) % 4096);
    socket.register_b_transport(this, &CoreTestBus::b_transport);
    socket.register_transport_dbg(this, &CoreTestBus::transport_dbg);
    socket.register_get_direct_mem_ptr(this, &CoreTestBus::get_direct_mem_ptr);
    sc_core::sc_spawn_options method;
    method.spawn_method();
    method.dont_initialize();
    method.set_sensitivity(&wire);
    sc_core::sc_spawn([this] { irq.write(wire.read()); }, "follow", &method);
  }
  void bind(CoreModule& core) {
    core.bus.bind(socket);
    core.irq.bind(irq);
    core.virtual_timer.bind(virtual_timer);
    core.physical_timer.bind(physical_timer);
    core.performance_monitors.bind(performance_monitors);
  }
  void place(std::uint64_t address, const std::vector<std::uint32_t>& words) {
    std::memcpy(memory + (address - memory_base), words.data(), words.size() * 4);
  }
  std::uint64_t peek(std::uint64_t address) const {
    std::uint64_t value;
    std::memcpy(&value, memory + (address - memory_base), sizeof value);
    return value;
  }
  // Invalidates direct memory for the page at an address; nothing is granted any more.
  void withdraw(std::uint64_t page) {
    grants = false;
    socket->invalidate_direct_mem_ptr(page, page + 4095);
  }

  std::uint8_t* memory;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    last_master = master_of(payload);
    const std::uint64_t address = payload.get_address();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (in_memory(payload)) {
      ++memory_accesses;
      if (broken && address - *broken < 64) payload.get_extension<InitiatorExtension>()->poison = true;
      delay += to_sc_time(memory_latency);
      if (!is_monitored(payload)) return transfer(payload);
      monitored.push_back({payload.is_read() ? 'r' : 'w', address - memory_base, payload.get_data_length(),
                           now() + to_picoseconds(delay)});
      delay += to_sc_time(20_ns);
      if (on_monitored) on_monitored();
      return;
    }
    if (address < device || address >= device + 0x1000)
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    access_device(payload, address - device, delay);
  }
  void access_device(tlm::tlm_generic_payload& payload, std::uint64_t offset, sc_core::sc_time& delay) {
    std::uint64_t value = 0;
    if (payload.is_read()) value = ++reads;
    std::memcpy(payload.is_read() ? static_cast<void*>(payload.get_data_ptr()) : &value,
                payload.is_read() ? static_cast<const void*>(&value) : payload.get_data_ptr(),
                payload.get_data_length());
    accesses.push_back({payload.is_read() ? 'r' : 'w', offset, value, now() + to_picoseconds(delay)});
    if (on_access) on_access(offset);
    switch (offset) {
      case plain:
        delay += to_sc_time(10_ns);
        break;
      case slow:
        delay += to_sc_time(1_us);
        [[fallthrough]];
      case synchronising:
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        break;
      case line:
        wire.write(value != 0);
        break;
      case error:
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        break;
      case poisoned:
      case poisoned_next:
        payload.get_extension<InitiatorExtension>()->poison = true;
        break;
    }
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    if (!in_memory(payload)) return 0;
    transfer(payload);
    return payload.get_data_length();
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    if (!grants || payload.get_address() - memory_base >= memory_size) return false;
    payload.get_extension<InitiatorExtension>()->poison = broken.has_value();
    if (broken) return false;
    dmi.set_start_address(memory_base);
    dmi.set_end_address(memory_base + memory_size - 1);
    dmi.set_dmi_ptr(memory);
    is_read_only ? dmi.allow_read() : dmi.allow_read_write();
    payload.get_extension<InitiatorExtension>()->monitored = monitors;
    return true;
  }
  static bool in_memory(const tlm::tlm_generic_payload& payload) {
    return AddressRange{Address(memory_base), Bytes(memory_size)}.contains(Address(payload.get_address()),
                                                                           Bytes(payload.get_data_length()));
  }
  void transfer(tlm::tlm_generic_payload& payload) {
    std::uint8_t* cells = memory + (payload.get_address() - memory_base);
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), cells, payload.get_data_length());
    if (payload.is_write()) std::memcpy(cells, payload.get_data_ptr(), payload.get_data_length());
  }

  std::vector<std::uint8_t> storage_;
};

}  // namespace asterism
