// Rules that correct programs keep, though the architecture, or this model of it, lets them be broken: the
// engine reports each violation to its host (IssHost::found). node.checks of a scenario turns them on
// (guest_checks.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

enum class GuestCheck : std::uint8_t { read_only, no_execute, stack, alignment, register_width };
// As in node.checks and in stats.json.
constexpr auto enum_names(GuestCheck) {
  return std::to_array<EnumName<GuestCheck>>({{GuestCheck::read_only, "read_only"},
                                              {GuestCheck::no_execute, "no_execute"},
                                              {GuestCheck::stack, "stack"},
                                              {GuestCheck::alignment, "alignment"},
                                              {GuestCheck::register_width, "register_width"}});
}

struct GuestRules {
  // No core stores here, or executes what is here. Physical. Only the first violation of each core in a page
  // of 4 KiB is reported; afterwards the page is as any other.
  std::vector<AddressRange> read_only{}, not_executable{};
  // An instruction that lowers SP does not move it out of the stack that it is in. Virtual. A stack begins to
  // be in use when SP is set to an address in it, or to its end. One that was left is not checked until SP is
  // set again.
  std::vector<AddressRange> stacks{};
  // An access to Device memory, which all memory is while the MMU is off, is aligned, and DC ZVA is made
  // elsewhere. faults: the core takes an alignment fault, as the architecture requires.
  enum class Alignment : std::uint8_t { ignored, reported, faults } alignment = Alignment::ignored;
};

// A violation of a rule: of GuestRules, or an access to a device register by another width than its own.
struct GuestFinding {
  GuestCheck check = GuestCheck::read_only;
  Address pc{};  // virtual
  // Of the access; the address of the instruction for no_execute, and the new SP for stack. Virtual.
  Address address{};
  unsigned size = 0;  // 0: DC ZVA, for alignment
  bool is_store = false;
  AddressRange within = {Address(0), Bytes(0)};  // the range of GuestRules
};

}  // namespace asterism
