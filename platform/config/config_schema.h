// Generates the JSON Schema (draft 2020-12) of a config struct from its description, for editors and for
// tools that write configuration files. It covers all checks of the reader except relations between members
// (Fields::check) and bounds of quantities; the latter are in the descriptions.
#pragma once

#include <string>
#include <string_view>

#include "base/described_value.h"

namespace asterism {

std::string schema_of_object(ObjectValue& object, std::string_view title);

}  // namespace asterism
