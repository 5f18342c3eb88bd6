// Finds Verilator and the C++ compiler: their paths, versions and command lines.
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
      compiler;  // the command, several words if CXX has several; preceded by ccache if it is installed
  std::string compiler_stamp;  // a text that changes with the compiler

  // Starts no program, because it is called before each run. Throws InputMissing, which names `block`, if a
  // tool is not installed. The compiler is CXX, or else c++ or g++.
  static Toolchain find(const std::filesystem::path& block);
};

}  // namespace asterism
