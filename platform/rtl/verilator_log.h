// What Verilator has said, where asterism says it better or judges it differently.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

// Of "Parameters from the command line were not found in the design: Radx, Width"; empty when it says no such thing.
std::vector<std::string> parameters_not_found(std::string_view log);

bool is_top_not_found(std::string_view log);

// A port of an instance that is connected to a signal of another width: a warning to Verilator, no matter of style.
bool has_misfit_connection(std::string_view log);

// The names of modules in a SystemVerilog file, to guess what was meant; a comment may add one.
std::vector<std::string> modules_in(std::string_view source);

// The files that a model was made from, by <model>/Vblock__verFiles.dat.
std::vector<std::filesystem::path> files_read(const std::filesystem::path& model);

}  // namespace asterism
