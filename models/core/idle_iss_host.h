// The host of an Iss without surroundings: it refuses every access and ignores every call. Tests and
// benchmarks override what they need.
#pragma once

#include <stdexcept>

#include "core/iss.h"

namespace asterism {

struct IdleIssHost : IssHost {
  bool load(Address, unsigned, std::uint64_t&) override { return false; }
  bool store(Address, unsigned, std::uint64_t) override { return false; }
  void touch(Address) override {}
  void on_monitored_accesses(std::span<const MonitoredAccess>) override {}
  std::optional<std::uint64_t> read_register(SystemRegister) override { return std::nullopt; }
  bool write_register(SystemRegister, std::uint64_t) override { return false; }
  void due() override {}
  void translation_differs(const TranslationMismatch& mismatch) override {
    throw std::logic_error(mismatch.text());
  }
  void event_wait() override {}
  void instructions_changed(AddressRange) override {}
};

}  // namespace asterism
