#include "core/checks_config.h"

#include "base/fields.h"

namespace asterism {
namespace {

CheckAction action(const ChecksConfig& c, GuestCheck check) {
  switch (check) {
    case GuestCheck::read_only:
      return c.read_only;
    case GuestCheck::no_execute:
      return c.no_execute;
    case GuestCheck::stack:
      return c.stack;
    case GuestCheck::register_width:
      return c.register_width;
    case GuestCheck::alignment:
      break;
  }
  if (c.alignment == AlignmentAction::stop) return CheckAction::stop;
  return c.alignment == AlignmentAction::warn ? CheckAction::warn : CheckAction::off;
}

}  // namespace

bool ChecksConfig::reports(GuestCheck check) const { return action(*this, check) != CheckAction::off; }
bool ChecksConfig::stops(GuestCheck check) const { return action(*this, check) == CheckAction::stop; }

static_assert(member_count<StackConfig>() == 3);
void describe(Fields& f, StackConfig& c) {
  f("low", c.low,
    "The lowest byte: a symbol of the firmware's ELF file, or an address. Below it SP has overflowed.",
    required());
  f("high", c.high,
    "The first byte behind it, where SP begins: a symbol or an address. If it is absent, the size of the "
    "symbol \"low\" gives it.");
  f("each", c.each,
    "The size of each of the stacks from low to high, one after the other, as of several cores. 0: they are "
    "one stack.");
}

static_assert(member_count<ChecksConfig>() == 6);
void describe(Fields& f, ChecksConfig& c) {
  f("read_only", c.read_only,
    "Stores of cores into segments of the firmware's ELF file that are not writable, with the MMU on or off. "
    "Otherwise such a store changes code or constants silently. In a page, only the first one of each core "
    "is found.",
    one_of<CheckAction>());
  f("no_execute", c.no_execute,
    "Execution of segments of the firmware's ELF file that are not executable, with the MMU on or off. "
    "Otherwise a jump into data executes what is there. In a page, only the first one of each core is "
    "found.",
    one_of<CheckAction>());
  f("stack", c.stack,
    "Instructions that lower SP below the stack that it is in (stacks). Otherwise a stack overflow "
    "overwrites what is below silently.",
    one_of<CheckAction>());
  f("alignment", c.alignment,
    "Accesses to Device memory that are not aligned, and DC ZVA there. While the MMU is off, all memory is "
    "Device memory. Real hardware takes an alignment fault. The default warns only, because functions of "
    "Debian's picolibc, which programs call with the MMU off, do both.",
    one_of<AlignmentAction>());
  f("register_width", c.register_width,
    "Accesses of cores to a device register by another width than its own, which is mostly 32 bits. Real "
    "hardware may ignore them or refuse them; here the bytes are accessed.",
    one_of<CheckAction>());
  f("stacks", c.stacks,
    "The stacks, if the firmware's ELF file does not name them as sw/boot (__stacks_start, __stacks_end, "
    "__stack_bytes), picolibc (__stack, and __heap_end or __stack_size) or CMSIS (__StackLimit, __StackTop) "
    "do. A list that is not empty replaces these.");
}

}  // namespace asterism
