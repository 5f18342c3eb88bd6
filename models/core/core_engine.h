// Which engine runs a core's instructions (iss.h), and which of them this build has: configured with
// ASTERISM_UNICORN=OFF it leaves out Unicorn, and with it the GPL.
#pragma once

#include <array>

#include "base/enum_names.h"

namespace asterism {

enum class CoreEngine { native, unicorn };
constexpr auto enum_names(CoreEngine) {
  return std::to_array<EnumName<CoreEngine>>(
      {{CoreEngine::native, "native", "the project's own: exact counts, EL0, keeps track of stores"},
       {CoreEngine::unicorn, "unicorn", "QEMU's translator as a library, of another licence"}});
}

constexpr bool is_in_this_build([[maybe_unused]] CoreEngine engine) {
#if ASTERISM_UNICORN
  return true;
#else
  return engine == CoreEngine::native;
#endif
}

}  // namespace asterism
