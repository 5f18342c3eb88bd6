// The JSON Schema (draft 2020-12) of a config struct, from its description: for editors and for other tools
// that make configs. It says everything that the reader checks except relations between members
// (Fields::check) and bounds of quantities, which stand in the text.
#pragma once

#include <string>
#include <string_view>

#include "base/described_value.h"

namespace asterism {

std::string schema_of_object(ObjectValue& object, std::string_view title);

}  // namespace asterism
