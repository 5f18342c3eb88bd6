// Text for a terminal of 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace asterism {

// The words of a text in lines of at most 80 columns, each behind so many spaces and with a newline at its
// end. A word that is longer has a line of its own.
std::string wrapped(std::string_view text, std::size_t indent);

// The same behind a heading, which ends at the column where the text begins, or has a line of its own where
// it is longer.
std::string wrapped(std::string_view heading, std::string_view text, std::size_t indent);

}  // namespace asterism
