// Recognises messages of Verilator for which asterism has a better text, or which it handles as errors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

// The names in "Parameters from the command line were not found in the design: Radx, Width"; empty without
// this message.
std::vector<std::string> parameters_not_found(std::string_view log);

bool is_top_not_found(std::string_view log);

// Whether a port of an instance is connected to a signal of another width. Verilator only warns about it.
bool has_misfit_connection(std::string_view log);

// The names of modules in a SystemVerilog file, for "did you mean". A name in a comment may be included.
std::vector<std::string> modules_in(std::string_view source);

// The files from which a model was built, as listed in <model>/Vblock__verFiles.dat.
std::vector<std::filesystem::path> files_read(const std::filesystem::path& model);

}  // namespace asterism
