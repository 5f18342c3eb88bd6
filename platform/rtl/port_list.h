// The ports and parameters of a block's top module, as Verilator sees them after elaboration (`--xml-only`).
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct TopPort {
  enum class Direction { input, output };
  std::string name;        // as the user wrote it
  std::string identifier;  // in Verilator's C++
  Direction direction = Direction::input;
  unsigned width = 1;   // bits, of packed arrays and structs all together
  std::string problem;  // why it cannot be a port of a block, "" when it can: "is an unpacked array"
};

struct TopModule {
  std::string name;
  std::vector<TopPort> ports;  // in the order of the module
  std::vector<std::string> parameters;

  const TopPort* find(std::string_view name) const;
  std::vector<std::string> port_names() const;
};

// Throws std::runtime_error when the file is not what Verilator writes.
TopModule read_port_list(const std::filesystem::path& xml);

}  // namespace asterism
