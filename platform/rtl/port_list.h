// The ports and parameters of a block's top module after elaboration, as Verilator writes them
// (`--xml-only`).
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct TopPort {
  enum class Direction { input, output };
  std::string name;        // as in the source
  std::string identifier;  // in the C++ code of Verilator
  Direction direction = Direction::input;
  unsigned width = 1;   // bits; for packed arrays and structs the sum
  std::string problem;  // why it cannot be a port of a block ("is an unpacked array"); "" if it can
};

struct TopModule {
  std::string name;
  std::vector<TopPort> ports;  // in the order of the module
  std::vector<std::string> parameters;
  std::vector<std::filesystem::path> files = {};  // that were read, also included ones

  const TopPort* find(std::string_view name) const;
  std::vector<std::string> port_names() const;
};

// Throws std::runtime_error if the file does not have the format of Verilator.
TopModule read_port_list(const std::filesystem::path& xml);

}  // namespace asterism
