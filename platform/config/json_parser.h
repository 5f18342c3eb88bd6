// JSON text to a tree that knows the line and column of every key and value.
//
// Strict JSON (RFC 8259): no comments, no trailing commas, no second value for a key. nlohmann's SAX parser
// does the work; where a token begins is found by following it through the text.
#pragma once

#include <string>
#include <string_view>

#include "platform/config/config_value.h"

namespace asterism {

// A duplicate key is added to `problems` and its second value dropped. What is no JSON at all, or nests
// deeper than 64, throws ConfigError.
ConfigValue parse_json(std::string_view text, const std::string& file, Diagnostics& problems);

}  // namespace asterism
