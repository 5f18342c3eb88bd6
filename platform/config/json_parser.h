// Parses JSON text into a tree with the line and column of every key and value.
//
// The syntax is strict JSON (RFC 8259): no comments, no trailing commas, no duplicate keys. nlohmann's SAX
// parser reads the text; a second scan that follows it finds where each token begins.
#pragma once

#include <string>
#include <string_view>

#include "platform/config/config_value.h"

namespace asterism {

// A duplicate key is added to `problems`, and its second value is dropped. Throws ConfigError if the text is
// not JSON or is nested deeper than 64 levels.
ConfigValue parse_json(std::string_view text, const std::string& file, Diagnostics& problems);

}  // namespace asterism
