// The file for a drawing in the language of graphviz, in the format that its extension names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace asterism {

// The extensions that are known, for messages.
std::string graph_formats();

// For CLI::Option::check(): the mistake in the name of such a file; "" if there is none.
std::string mistake_in_graph_file(const std::string& file);

// Writes the text itself (.dot), or what graphviz's `dot` makes of it. Nothing is written until it is
// complete. Throws ConfigError with the name `option` for a file that cannot be written, and InputMissing if
// graphviz is not installed.
void write_graph(const std::string& text, const std::filesystem::path& file, std::string_view option);

}  // namespace asterism
