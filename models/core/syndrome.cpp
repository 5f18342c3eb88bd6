#include "core/syndrome.h"

#include <fmt/format.h>

namespace asterism {
namespace {

const char* class_of(unsigned exception_class) {
  switch (exception_class) {
    case 0x00:
      return "undefined instruction";
    case 0x01:
      return "trapped WFI or WFE";
    case 0x07:
      return "access to SIMD or floating point, which CPACR_EL1 traps";
    case 0x0e:
      return "illegal execution state";
    case 0x15:
      return "SVC";
    case 0x16:
      return "HVC";
    case 0x17:
      return "SMC";
    case 0x18:
      return "trapped MSR, MRS or system instruction";
    case 0x20:
    case 0x21:
      return "instruction abort";
    case 0x22:
      return "misaligned pc";
    case 0x24:
    case 0x25:
      return "data abort";
    case 0x26:
      return "misaligned sp";
    case 0x2c:
      return "floating-point exception";
    case 0x2f:
      return "SError";
    case 0x30:
    case 0x31:
      return "breakpoint";
    case 0x32:
    case 0x33:
      return "software step";
    case 0x34:
    case 0x35:
      return "watchpoint";
    case 0x3c:
      return "BRK";
    default:
      return nullptr;
  }
}

// The fault status code of an abort.
std::string describe_status(unsigned status, bool is_poisoned) {
  const unsigned level = status & 3;
  switch (status & 0x3c) {
    case 0x00:
      return fmt::format("address size fault, level {}", level);
    case 0x04:
      return fmt::format("translation fault, level {}", level);
    case 0x08:
      return fmt::format("access flag fault, level {}", level);
    case 0x0c:
      return fmt::format("permission fault, level {}", level);
    default:
      break;
  }
  switch (status) {
    case 0x10:
      return is_poisoned ? "poisoned data" : "external abort";
    case 0x14:
    case 0x15:
    case 0x16:
    case 0x17:
      return fmt::format("external abort at a walk of the translation tables, level {}", level);
    case 0x21:
      return "alignment fault";
    default:
      return fmt::format("fault status {:#x}", status);
  }
}

}  // namespace

std::string describe_syndrome(std::uint64_t esr, bool is_poisoned) {
  const auto exception_class = static_cast<unsigned>(esr >> 26 & 0x3f);
  const auto status = static_cast<unsigned>(esr & 0x3f);
  const char* const name = class_of(exception_class);
  if (!name) return fmt::format("class {:#04x}", exception_class);
  switch (exception_class) {
    case 0x20:
    case 0x21:
      return fmt::format("{}: {}", name, describe_status(status, is_poisoned));
    case 0x24:
    case 0x25:
      return fmt::format("{} by a {}: {}", name, esr >> 6 & 1 ? "store" : "load",
                         describe_status(status, is_poisoned));
    case 0x2f:
      if (is_poisoned) return "SError: poisoned data";
      return status == 0x11 ? "SError: bus error" : "SError";
    case 0x3c:
      return fmt::format("BRK #{:#x}", esr & 0xffff);
    default:
      return name;
  }
}

}  // namespace asterism
