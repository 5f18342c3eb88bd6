// Mutants that a testbench must find: copies of a block with one or two changes of the source text. Those of
// a block are in testbenches/<block>/mutants.h; stress scenarios must find some of them, too
// (tests/platform/stress_test.cpp).
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace asterism {

struct Change {
  std::string file;      // in the block's folder
  std::string from, to;  // `from` occurs exactly once in the file
};

struct Mutant {
  const char* name;
  std::vector<Change> changes;
};
inline const Mutant& mutant_named(std::string_view name, std::span<const Mutant> mutants) {
  for (const Mutant& mutant : mutants)
    if (mutant.name == name) return mutant;
  throw std::runtime_error("no mutant " + std::string(name));
}
inline void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

// Copies the block's folder to `copy`, applies the changes and returns the path of the block.json there.
// Other processes may do the same at the same time: files are replaced atomically, so no reader sees a
// partial or unchanged file. Throws std::runtime_error if a change does not apply.
inline std::filesystem::path make_mutant(const std::filesystem::path& block,
                                         const std::filesystem::path& copy,
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
        throw std::runtime_error("not exactly once in " + entry.path().string() + ": " + change.from);
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
