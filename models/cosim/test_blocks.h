// The libraries that models/cosim/CMakeLists.txt builds from test_blocks.cpp, and files for tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "cosim/rtl_library.h"

namespace asterism {

inline std::filesystem::path test_block_file(const std::string& variant) {
  return std::filesystem::path(COSIM_TEST_BLOCKS) / (variant + ".so");
}

// The variants are "correct", "wrong_tie" and others. They have 4 inputs, except "wide", which has 70.
inline std::shared_ptr<const RtlLibrary> test_block(const std::string& variant) {
  return RtlLibrary::open(test_block_file(variant));
}

inline std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace asterism
