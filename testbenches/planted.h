// Bugs that a testbench must find: a copy of a block in which a text or two reads otherwise.
#pragma once

#include <unistd.h>

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

// Copies the block's folder to `copy` and returns its block.json. Other processes may do the same at the same time: no file is ever there
// in part, or without its bug. Throws std::runtime_error when a change does not fit.
inline std::filesystem::path plant(const std::filesystem::path& block, const std::filesystem::path& copy,
                                   const std::vector<Change>& changes) {
  namespace fs = std::filesystem;
  const auto text_of = [](const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  };
  for (const Change& change : changes)
    if (!fs::exists(block / change.file)) throw std::runtime_error("no " + (block / change.file).string());
  for (const auto& entry : fs::recursive_directory_iterator(block)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = entry.path().lexically_relative(block), file = copy / name;
    std::string text = text_of(entry.path());
    for (const Change& change : changes) {
      if (change.file != name) continue;
      const auto at = text.find(change.from);
      if (at == std::string::npos || text.find(change.from, at + 1) != std::string::npos)
        throw std::runtime_error("not once in " + entry.path().string() + ": " + change.from);
      text.replace(at, change.from.size(), change.to);
    }
    if (fs::exists(file) && text_of(file) == text) continue;
    fs::create_directories(file.parent_path());
    const fs::path own = file.string() + "." + std::to_string(getpid());
    std::ofstream(own, std::ios::binary) << text;
    fs::rename(own, file);
  }
  return copy / "block.json";
}

}  // namespace asterism
