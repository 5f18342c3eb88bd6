// A DebugTarget for tests without a simulation: cores that consist of registers, and a page of memory at
// 0x1000.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "platform/debug/gdb_session.h"

namespace asterism {

struct TestPort final : DebugPort {
  std::vector<std::uint64_t> breakpoints;
  std::vector<Watchpoint> watchpoints;
  bool between = true;
  std::array<Vector, vectors> v{};
  std::uint32_t status = 0, control = 0;
  std::vector<std::string> names{"VBAR_EL1", "MIDR_EL1"};
  std::array<std::uint64_t, 2> system{0x800, 0x411fd070};

  void set_breakpoints(std::vector<std::uint64_t> addresses) override { breakpoints = std::move(addresses); }
  void set_watchpoints(std::vector<Watchpoint> all) override { watchpoints = std::move(all); }
  WatchHit watch_hit() const override { return {}; }
  void step() override {}
  void cancel_step() override {}
  void stop_from(std::uint64_t) override {}
  bool is_between_instructions() const override { return between; }
  bool write_pstate(std::uint64_t) override { return true; }
  Vector read_vector(unsigned index) const override { return v.at(index); }
  void write_vector(unsigned index, Vector value) override { v.at(index) = value; }
  std::uint32_t fpsr() const override { return status; }
  std::uint32_t fpcr() const override { return control; }
  void set_fpsr(std::uint32_t value) override { status = value; }
  void set_fpcr(std::uint32_t value) override { control = value; }
  std::span<const std::string> system_registers() const override { return names; }
  std::uint64_t read_system(std::size_t index) override { return system.at(index); }
  bool write_system(std::size_t index, std::uint64_t value) override {
    if (index == 1) return false;
    return system.at(index) = value, true;
  }
  std::optional<Address> physical(std::uint64_t address) override { return Address(address); }
};

struct TestTarget final : DebugTarget {
  static constexpr std::uint64_t memory_at = 0x1000;
  struct Core {
    std::array<std::uint64_t, 34> x{};
    TestPort port;
  };
  std::vector<Core> all;
  std::string memory = std::string(4096, '\0');
  std::string said = "said\n";

  explicit TestTarget(unsigned cores = 4) : all(cores) {}

  unsigned cores() const override { return static_cast<unsigned>(all.size()); }
  std::string name(unsigned core) const override { return "core" + std::to_string(core); }
  std::string state(unsigned core) const override { return core == 0 ? "running" : "off"; }
  std::uint64_t read(unsigned core, unsigned general) const override { return all.at(core).x.at(general); }
  bool write(unsigned core, unsigned general, std::uint64_t value) override {
    if (!all.at(core).port.between) return false;
    return all.at(core).x.at(general) = value, true;
  }
  DebugPort& port(unsigned core) override { return all.at(core).port; }
  std::size_t read_memory(unsigned, std::uint64_t address, char* data, std::size_t size) override {
    if (address < memory_at || address - memory_at >= memory.size()) return 0;
    const std::size_t length = std::min(size, memory.size() - (address - memory_at));
    std::memcpy(data, memory.data() + (address - memory_at), length);
    return length;
  }
  bool write_memory(unsigned, std::uint64_t address, std::string_view data) override {
    if (address < memory_at || address - memory_at > memory.size() ||
        data.size() > memory.size() - (address - memory_at))
      return false;
    memory.replace(address - memory_at, data.size(), data);
    return true;
  }
  std::string monitor(unsigned, const std::string& command) override { return command + ": " + said; }
};

}  // namespace asterism
