// Bugs that a testbench must find: a copy of a block in which a text or two reads otherwise.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asterism {

struct Change {
  std::string file;      // in the block's folder
  std::string from, to;  // `from` stands there exactly once
};

// Copies the block's folder to `copy`, whatever was there, and returns its block.json. Throws std::runtime_error when a
// change does not fit.
inline std::filesystem::path plant(const std::filesystem::path& block, const std::filesystem::path& copy,
                                   const std::vector<Change>& changes) {
  namespace fs = std::filesystem;
  fs::create_directories(copy.parent_path());
  fs::copy(block, copy, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
  for (const Change& change : changes) {
    std::ostringstream contents;
    contents << std::ifstream(copy / change.file).rdbuf();
    std::string text = contents.str();
    const auto at = text.find(change.from);
    if (at == std::string::npos || text.find(change.from, at + 1) != std::string::npos)
      throw std::runtime_error("not once in " + (copy / change.file).string() + ": " + change.from);
    std::ofstream(copy / change.file) << text.replace(at, change.from.size(), change.to);
  }
  return copy / "block.json";
}

}  // namespace asterism
