// The engine that runs a core's instructions (iss.h), by the name that the key cores.engine gives it.
#pragma once

#include <array>

#include "base/enum_names.h"

namespace asterism {

enum class CoreEngine { native };
constexpr auto enum_names(CoreEngine) {
  return std::to_array<EnumName<CoreEngine>>(
      {{CoreEngine::native, "native", "the project's interpreter of A64 instructions"}});
}

}  // namespace asterism
