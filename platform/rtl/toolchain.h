// Verilator and the C++ compiler: where they are, which versions, how they are called.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism {

struct Toolchain {
  std::filesystem::path verilator;          // program
  std::filesystem::path verilator_include;  // folder of its runtime
  std::string verilator_version;            // "5.006 2023-01-22"
  std::vector<std::string>
      compiler;                // command, of several words when CXX has some; behind ccache when it is there
  std::string compiler_stamp;  // changes with the compiler

  // Starts no program: it is looked for before each run. Throws InputMissing, said of `block`, for what is not
  // installed. The compiler is CXX, else c++ or g++.
  static Toolchain find(const std::filesystem::path& block);
};

}  // namespace asterism
