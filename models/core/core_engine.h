// The engine that runs a core's instructions (iss.h), by the name that the key cores.engine gives it.
#pragma once

#include <array>

#include "base/enum_names.h"

namespace asterism {

enum class CoreEngine { native };
constexpr auto enum_names(CoreEngine) {
  return std::to_array<EnumName<CoreEngine>>(
      {{CoreEngine::native, "native", "the project's engine for A64 instructions"}});
}

// Whether the engine translates instructions to code of the host.
enum class CoreTranslator { off, on, lockstep };
constexpr auto enum_names(CoreTranslator) {
  return std::to_array<EnumName<CoreTranslator>>(
      {{CoreTranslator::off, "off", "every instruction is interpreted"},
       {CoreTranslator::on, "on", "what is executed often is translated"},
       {CoreTranslator::lockstep, "lockstep",
        "what is executed often is translated, and interpreted, too; the first difference ends the run with "
        "status 68"}});
}

}  // namespace asterism
