// Surroundings of an Iss that has nothing around it: every access is refused, nothing is told. What a test or a benchmark
// needs of its own it overrides.
#pragma once

#include "core/iss.h"

namespace asterism {

struct IdleIssHost : IssHost {
  bool load(Address, unsigned, std::uint64_t&) override { return false; }
  bool store(Address, unsigned, std::uint64_t) override { return false; }
  void touch(Address) override {}
  void shown(std::span<const ShownAccess>) override {}
  std::optional<std::uint64_t> read_register(SystemRegister) override { return std::nullopt; }
  bool write_register(SystemRegister, std::uint64_t) override { return false; }
  void due() override {}
  void event_wait() override {}
  void instructions_changed(AddressRange) override {}
};

}  // namespace asterism
