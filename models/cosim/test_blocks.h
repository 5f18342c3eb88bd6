// The libraries that models/cosim/CMakeLists.txt makes of test_blocks.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cosim/rtl_library.h"

namespace asterism {

inline std::filesystem::path test_block_file(const std::string& variant) {
  return std::filesystem::path(COSIM_TEST_BLOCKS) / (variant + ".so");
}

// Of 4 inputs, but "wide" of 70 and "radix64" of 64: "correct", "wrong_tie", ...
inline std::shared_ptr<const RtlLibrary> test_block(const std::string& variant) {
  return RtlLibrary::open(test_block_file(variant));
}

}  // namespace asterism
