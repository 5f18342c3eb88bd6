// Checks of single words of the command line, for CLI::Option::check(). Each returns the mistake; "" if there
// is none.
#pragma once

#include <string>

namespace asterism {

// `--out --quiet` is a forgotten value, not a folder of that name.
std::string mistake_in_value(const std::string& text);

// A file, or "-" for standard output.
std::string mistake_in_file(const std::string& text);

// A file where standard output has the guest's text: "-" is refused with that reason.
std::string mistake_in_file_of_run(const std::string& text);

// KEY=VALUE. The value is checked with the configuration.
std::string mistake_in_override(const std::string& text);

// The name of a file. An override in its place would otherwise be searched as a file.
std::string mistake_in_name(const std::string& text);

}  // namespace asterism
