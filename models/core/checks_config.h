// node.checks: what a program does that is most likely a mistake, and what happens then (guest_rules.h).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"
#include "core/guest_rules.h"

namespace asterism {

class Fields;

enum class CheckAction { off, warn, stop };
constexpr auto enum_names(CheckAction) {
  return std::to_array<EnumName<CheckAction>>(
      {{CheckAction::off, "off", "It is not checked."},
       {CheckAction::warn, "warn", "A warning names core and pc. It is counted, and the program goes on."},
       {CheckAction::stop, "stop", "The run ends, with exit status 67."}});
}

enum class AlignmentAction { off, warn, fault, stop };
constexpr auto enum_names(AlignmentAction) {
  return std::to_array<EnumName<AlignmentAction>>(
      {{AlignmentAction::off, "off", "The access is made, as by QEMU before version 9."},
       {AlignmentAction::warn, "warn", "A warning names core and pc. It is counted, and the access is made."},
       {AlignmentAction::fault, "fault", "The core takes an alignment fault, as real hardware does."},
       {AlignmentAction::stop, "stop", "The run ends, with exit status 67."}});
}

// A stack, or several of equal size one after the other.
struct StackConfig {
  std::string low{}, high{};  // symbols of the firmware's ELF file, or addresses
  Bytes each{};
};
void describe(Fields& f, StackConfig& c);

struct ChecksConfig {
  CheckAction read_only = CheckAction::warn, no_execute = CheckAction::warn, stack = CheckAction::warn;
  AlignmentAction alignment = AlignmentAction::warn;
  CheckAction register_width = CheckAction::warn;
  std::vector<StackConfig> stacks = {};

  // Whether findings of a check are reported; whether one ends the run.
  bool reports(GuestCheck check) const;
  bool stops(GuestCheck check) const;
};
void describe(Fields& f, ChecksConfig& c);

}  // namespace asterism
