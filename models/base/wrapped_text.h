// Text for a terminal of 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace asterism {

// Wraps the words of a text into lines of at most 80 columns, each indented by `indent` spaces and ended by a
// newline. A word that is longer than a line has a line of its own.
std::string wrapped(std::string_view text, std::size_t indent);

// The same after a heading. The heading ends before the column where the text begins, or has a line of its
// own if it is longer.
std::string wrapped(std::string_view heading, std::string_view text, std::size_t indent);

}  // namespace asterism
