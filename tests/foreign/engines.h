// The engines by name, both as a Cortex-A57: what firmware finds in identification registers decides what it
// executes.
#pragma once

#include <memory>
#include <string>

#include "core/iss.h"

namespace asterism::foreign {

enum class Engine { native, unicorn };

// Whether this build has it.
bool has(Engine engine);
std::unique_ptr<Iss> make_iss(Engine engine, IssHost& host);

}  // namespace asterism::foreign
