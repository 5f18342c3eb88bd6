// Collects what the cores of a node find in a program (guest_rules.h): counts it, and decides what is logged.
// The same mistake is logged once, and of one check only the first places are, so that a program that
// modifies its code on purpose does not fill the log.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/statistics.h"
#include "core/checks_config.h"
#include "core/guest_rules.h"

namespace asterism {

class GuestChecks {
 public:
  static constexpr std::size_t max_places = 16;  // of a check, that are logged

  explicit GuestChecks(const ChecksConfig& config) : config_(config) {}

  bool reports(GuestCheck check) const { return config_.reports(check); }
  bool stops(GuestCheck check) const { return config_.stops(check); }

  // Counts a finding.
  enum class Log { no, yes, last };  // last: no further places of the check are logged
  Log add(const GuestFinding& finding);

  // A finding ends the run; its text names core and pc. Called in the core's thread, at the core's time.
  std::function<void(const std::string& text)> on_stop = [](const std::string&) {};

  std::uint64_t total() const;
  // "2 stores to read-only segments, 1 stack overflow"; "" if nothing was found.
  std::string summary() const;
  // The counts by check.
  void report(Statistics& statistics) const;

 private:
  static constexpr std::size_t checks = 5;

  const ChecksConfig config_;
  std::array<std::uint64_t, checks> counts_{};
  std::array<std::set<std::uint64_t>, checks> places_;
};

// What a finding is, in words. `name` is that of the register, for GuestCheck::register_width.
std::string to_text(const GuestFinding& finding, std::string_view name = {});

}  // namespace asterism
