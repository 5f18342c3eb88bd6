// Surroundings of an Iss for tests: 4 MiB of memory, a device that records every access, a bus that refuses
// the rest.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/iss.h"

namespace asterism {

constexpr std::uint64_t code_base = 0x4000'0000;
constexpr std::uint64_t vectors = code_base + 0x8000;
constexpr std::uint64_t data_base = code_base + 0x10'0000;
constexpr std::uint64_t device = 0x0900'0000;
constexpr std::uint64_t device_size = 0x1000;

struct BusAccess {
  char kind;  // 'r', 'w'
  std::uint64_t address;
  unsigned size;
  std::uint64_t value;
  bool operator==(const BusAccess&) const = default;
};

struct IssTestHost : IssHost {
  Iss* core = nullptr;
  std::vector<std::uint8_t> memory_storage = std::vector<std::uint8_t>((4 << 20) + 4096);
  struct Memory {
    std::uint8_t* bytes;
    std::size_t bytes_size;
    std::size_t size() const { return bytes_size; }
  } memory{memory_storage.data() + (4096 - reinterpret_cast<std::uintptr_t>(memory_storage.data()) % 4096),
           4 << 20};
  bool direct = true;          // grants direct access
  bool monitors = false;       // with monitored accesses, recorded as 'R', 'W'
  bool lost = false;           // memory has lost power, so that the bus refuses accesses to it
  bool record_memory = false;  // also records accesses to memory over the bus
  std::function<void()> on_memory_load;

  std::vector<BusAccess> accesses;
  std::vector<MonitoredAccess> monitored_accesses;
  std::function<void()> on_monitored;
  std::vector<CacheMaintenance> maintained;
  std::vector<AddressRange> changed_code;
  unsigned translation_changes = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> undefined;
  std::vector<GuestFinding> findings;
  std::function<void()> on_found;
  std::map<std::uint16_t, std::uint64_t> registers;  // the host's own, by SystemRegister::code()
  std::function<std::uint64_t(std::uint64_t address)> on_load;
  std::function<void(std::uint64_t address, std::uint64_t value)> on_store;
  std::function<void()> on_due, on_event_wait;
  std::function<void(Address page, unsigned line)> on_about_to_store;
  std::function<bool(std::optional<SystemRegister>)> on_has_to_wait;
  std::function<void()> on_wait_for_others;
  std::function<void(Address pc)> on_undefined;
  std::function<CachedAccess(Address, CacheAccess, bool walks)> on_access_caches;
  unsigned spun = 0;

  void translation_differs(const TranslationMismatch& mismatch) override {
    throw std::logic_error(mismatch.text());
  }
  CachedAccess access_caches(Address address, CacheAccess what, bool walks) override {
    return on_access_caches ? on_access_caches(address, what, walks) : CachedAccess{};
  }
  void place(std::uint64_t address, const std::vector<std::uint32_t>& words) {
    std::memcpy(memory.bytes + (address - code_base), words.data(), words.size() * 4);
  }
  std::uint64_t peek(std::uint64_t address) const {
    std::uint64_t value;
    std::memcpy(&value, memory.bytes + (address - code_base), sizeof value);
    return value;
  }
  AddressRange memory_range() const { return {Address(code_base), Bytes(memory.size())}; }

  bool load(Address address, unsigned size, std::uint64_t& value) override {
    if (memory_range().contains(address, Bytes(size))) {
      value = 0;
      std::memcpy(&value, memory.bytes + (address.value() - code_base), size);
      if (record_memory) accesses.push_back({'r', address.value(), size, value});
      if (on_memory_load) on_memory_load();
      return !lost;
    }
    const bool known = address.value() - device < device_size;
    value = !known ? 0 : on_load ? on_load(address.value()) : address.value() & 0xff;
    accesses.push_back({'r', address.value(), size, value});
    return known;
  }
  bool store(Address address, unsigned size, std::uint64_t value) override {
    if (memory_range().contains(address, Bytes(size))) {
      if (lost) return false;
      if (record_memory) accesses.push_back({'w', address.value(), size, value});
      std::memcpy(memory.bytes + (address.value() - code_base), &value, size);
      return true;
    }
    accesses.push_back({'w', address.value(), size, value});
    if (on_store) on_store(address.value(), value);
    return address.value() - device < device_size;
  }
  void touch(Address address) override {
    if (direct && memory_range().contains(address)) core->map_direct(memory_range(), memory.bytes, monitors);
  }
  void about_to_store(Address page, unsigned line) override {
    if (on_about_to_store) on_about_to_store(page, line);
  }
  bool has_to_wait(std::optional<SystemRegister> read) override {
    return on_has_to_wait && on_has_to_wait(read);
  }
  void spins() override { ++spun; }
  void wait_for_others() override {
    if (on_wait_for_others) on_wait_for_others();
  }
  void on_monitored_accesses(std::span<const MonitoredAccess> reported) override {
    for (const MonitoredAccess& access : reported) {
      monitored_accesses.push_back(access);
      accesses.push_back({access.is_store ? 'W' : 'R', access.address.value(), access.size, 0});
    }
    if (on_monitored) on_monitored();
  }
  void maintain_caches(const CacheMaintenance& what) override { maintained.push_back(what); }
  std::optional<std::uint64_t> read_register(SystemRegister which) override {
    const auto found = registers.find(which.code());
    return found == registers.end() ? std::nullopt : std::optional(found->second);
  }
  bool write_register(SystemRegister which, std::uint64_t value) override {
    const auto found = registers.find(which.code());
    if (found == registers.end()) return false;
    found->second = value;
    return true;
  }
  void due() override {
    if (on_due) on_due();
  }
  void event_wait() override {
    if (on_event_wait) on_event_wait();
  }
  void instructions_changed(AddressRange range) override { changed_code.push_back(range); }
  void translations_changed() override { ++translation_changes; }
  void undefined_instruction(std::uint32_t word, Address pc) override {
    undefined.emplace_back(word, pc.value());
    if (on_undefined) on_undefined(pc);
  }
  void found(const GuestFinding& finding) override {
    findings.push_back(finding);
    if (on_found) on_found();
  }
};

}  // namespace asterism
